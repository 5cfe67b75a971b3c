//! What the guard and the check of names cost, without any database.
//!
//! `cargo bench --bench guard`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench is a test that prints"
)]

use divan::{Bencher, black_box};
use sqlogue::database::Database as _;
use sqlogue::sample;
use sqlogue::schema::Schema;
use sqlogue::sql::{Dialect, guard, resolve};

fn main() {
    divan::main();
}

/// A statement by what it is, so that the table of results says so.
const STATEMENTS: [(&str, &str); 4] = [
    ("count", "SELECT count(*) FROM customers"),
    (
        "typical",
        "SELECT c.name, count(*) AS orders, sum(i.quantity * i.unit_price) AS revenue FROM customers AS c \
         JOIN orders AS o ON o.customer_id = c.id JOIN order_items AS i ON i.order_id = o.id \
         WHERE c.country = 'Germany' AND o.order_date >= '2025-01-01' GROUP BY c.id, c.name \
         HAVING count(*) > 2 ORDER BY revenue DESC LIMIT 10",
    ),
    (
        "window",
        "WITH monthly AS (SELECT strftime('%Y-%m', o.order_date) AS month, sum(i.quantity * i.unit_price) AS revenue \
         FROM orders AS o JOIN order_items AS i ON i.order_id = o.id GROUP BY 1) \
         SELECT month, revenue, revenue - lag(revenue) OVER (ORDER BY month) AS change, \
         rank() OVER (ORDER BY revenue DESC) AS place FROM monthly \
         WHERE month IN (SELECT strftime('%Y-%m', order_date) FROM orders WHERE status <> 'cancelled') ORDER BY month",
    ),
    (
        "refused",
        "WITH gone AS (SELECT id FROM customers) DELETE FROM orders WHERE customer_id IN (SELECT id FROM gone)",
    ),
];

const NAMES: [&str; 4] = ["count", "typical", "window", "refused"];

fn statement(name: &str) -> &'static str {
    STATEMENTS.iter().find(|(known, _)| *known == name).unwrap().1
}

fn schema() -> Schema {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(sample::open().unwrap().introspect()).unwrap()
}

#[divan::bench(args = NAMES)]
fn check(bencher: Bencher<'_, '_>, name: &str) {
    let sql = statement(name);
    bencher.bench(|| guard::check(black_box(sql), Dialect::Sqlite).is_ok());
}

#[divan::bench(args = NAMES)]
fn check_and_resolve(bencher: Bencher<'_, '_>, name: &str) {
    let (sql, schema) = (statement(name), schema());
    bencher.bench(|| {
        guard::check(black_box(sql), Dialect::Sqlite).map(|checked| resolve(&checked, &schema).len()).ok()
    });
}

/// The parser alone, to compare with.
#[divan::bench(args = NAMES)]
fn parser(bencher: Bencher<'_, '_>, name: &str) {
    let sql = statement(name);
    let grammar = sqlparser::dialect::SQLiteDialect {};
    bencher.bench(|| sqlparser::parser::Parser::parse_sql(&grammar, black_box(sql)).is_ok());
}
