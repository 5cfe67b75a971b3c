//! The same plans on SQLite and on a server give the same rows: what the tests of each server share.

use sqlogue::database::{Database, DatabaseError, Limits, SqliteDatabase};
use sqlogue::plan::{PlanEdit, QueryPlan};
use sqlogue::schema::{ColumnType, Schema, Table, Value};
use sqlogue::sql::{Dialect, guard, lift, render};
use tokio_util::sync::CancellationToken;

use crate::analysis_data::tables;
use crate::analysis_plans;

/// Queries on the sample in SQLite's dialect. Those that order say so completely, so that rows can be compared in
/// order; all others are compared as sets.
const QUERIES: &[&str] = &[
    "SELECT count(*) FROM customers",
    "SELECT name, city FROM customers WHERE country = 'Germany'",
    "SELECT name FROM customers WHERE name LIKE '%an%'",
    "SELECT name FROM customers WHERE NOT name LIKE 'a%'",
    "SELECT name FROM products WHERE lower(category) = 'garden'",
    "SELECT name, price FROM products WHERE price BETWEEN 10 AND 50 ORDER BY price DESC, name",
    "SELECT name FROM products WHERE discontinued = TRUE",
    "SELECT name FROM products WHERE NOT discontinued = TRUE ORDER BY name LIMIT 5",
    "SELECT name FROM products WHERE discontinued = 1",
    "SELECT count(*) FROM products WHERE 0 = discontinued AND price > 10",
    "SELECT name FROM products WHERE discontinued <> 1 ORDER BY name",
    "SELECT name, stock FROM products ORDER BY stock, name LIMIT 10 OFFSET 3",
    "SELECT category, count(*), avg(price), min(price), max(price), sum(stock) FROM products GROUP BY category ORDER BY category",
    "SELECT category FROM products GROUP BY category HAVING count(*) > 4",
    "SELECT DISTINCT city FROM customers",
    "SELECT count(DISTINCT country) FROM customers",
    "SELECT name FROM customers WHERE email IS NULL",
    "SELECT name FROM customers WHERE phone IS NOT NULL AND segment = 'Business'",
    "SELECT name FROM customers WHERE segment IN ('Business', 'Education') AND city <> 'London'",
    "SELECT customers.name, count(*) FROM orders JOIN customers ON orders.customer_id = customers.id GROUP BY customers.name ORDER BY count(*) DESC, customers.name LIMIT 10",
    "SELECT customers.name, count(orders.id) FROM customers LEFT JOIN orders ON orders.customer_id = customers.id GROUP BY customers.id, customers.name",
    "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    "SELECT name FROM products WHERE id IN (SELECT product_id FROM reviews WHERE rating = 5)",
    "SELECT name FROM products WHERE price > (SELECT avg(price) FROM products)",
    "SELECT count(*) FROM orders WHERE order_date >= '2025-01-01' AND order_date < '2026-01-01'",
    "SELECT count(*) FROM orders WHERE shipped_date IS NULL",
    "SELECT id, order_date FROM orders ORDER BY order_date DESC, id LIMIT 5",
    "SELECT id, shipped_date FROM orders ORDER BY shipped_date, id LIMIT 8",
    "SELECT id, shipped_date FROM orders ORDER BY shipped_date DESC, id LIMIT 8",
    "SELECT min(order_date), max(order_date) FROM orders",
    "SELECT status, count(*) FROM orders GROUP BY status ORDER BY count(*), status",
    "SELECT CAST(strftime('%Y', order_date) AS INTEGER), count(*) FROM orders GROUP BY CAST(strftime('%Y', order_date) AS INTEGER)",
    "SELECT CAST(strftime('%m', order_date) AS INTEGER), count(*) FROM orders WHERE CAST(strftime('%Y', order_date) AS INTEGER) = 2025 GROUP BY CAST(strftime('%m', order_date) AS INTEGER)",
    "SELECT CAST(strftime('%w', order_date) AS INTEGER), count(*) FROM orders GROUP BY CAST(strftime('%w', order_date) AS INTEGER)",
    "SELECT sum(quantity * unit_price) FROM order_items",
    "SELECT products.name, sum(order_items.quantity * order_items.unit_price) FROM order_items JOIN products ON order_items.product_id = products.id GROUP BY products.name ORDER BY sum(order_items.quantity * order_items.unit_price) DESC, products.name LIMIT 5",
    "SELECT CAST(quantity AS REAL) / 2 FROM order_items WHERE id < 20",
    "SELECT product_id, round(avg(rating), 2) FROM reviews GROUP BY product_id",
    "SELECT avg(rating) FROM reviews",
    "SELECT product_id, avg(rating) FROM reviews GROUP BY product_id ORDER BY avg(rating) DESC, product_id LIMIT 5",
    "SELECT name FROM employees WHERE salary > 80000 AND department = 'Sales'",
    "SELECT name FROM employees WHERE manager_id IS NULL",
    "SELECT e.name, m.name FROM employees AS e JOIN employees AS m ON e.manager_id = m.id",
    "SELECT department, avg(salary) FROM employees GROUP BY department HAVING avg(salary) > 60000",
    "SELECT city FROM customers UNION SELECT city FROM employees",
    "SELECT city FROM customers INTERSECT SELECT city FROM employees",
    "SELECT city FROM customers EXCEPT SELECT city FROM employees",
    "SELECT city FROM customers UNION ALL SELECT city FROM employees",
    "SELECT name, length(name) FROM products ORDER BY length(name) DESC, name LIMIT 3",
    "SELECT upper(name) FROM employees",
    "SELECT coalesce(email, 'none') FROM customers",
    "SELECT count(*) FROM orders WHERE EXISTS (SELECT * FROM order_items WHERE order_items.quantity > 1000)",
    "SELECT name FROM customers WHERE name = 'it''s'",
];

/// The sample as a server's SQL.
pub async fn script(sample: &SqliteDatabase, schema: &Schema, dialect: Dialect) -> String {
    let (mut script, mut keys) = (String::new(), String::new());
    for table in in_order(schema) {
        let columns = table.columns.iter().map(|column| {
            let kind = match column.column_type {
                ColumnType::Integer if column.declared_type == "BIGINT" => "bigint",
                ColumnType::Integer => "integer",
                ColumnType::Real => "double precision",
                ColumnType::Boolean => "boolean",
                ColumnType::Date => "date",
                ColumnType::DateTime if dialect == Dialect::MySql => "datetime",
                ColumnType::DateTime => "timestamp",
                _ => "text",
            };
            format!("{} {kind}{}", column.name, if column.primary_key { " PRIMARY KEY" } else { "" })
        });
        let references = table.foreign_keys.iter().map(|key| {
            let (columns, references) = (key.columns.join(", "), key.references.join(", "));
            format!("FOREIGN KEY ({columns}) REFERENCES {} ({references})", key.table)
        });
        // DuckDB adds no keys to a table that is there.
        let inside = dialect == Dialect::DuckDb;
        let parts: Vec<String> = columns.chain(references.clone().filter(|_| inside)).collect();
        script += &format!("CREATE TABLE {} ({});\n", table.name, parts.join(", "));
        let all = rows(sample, &format!("SELECT * FROM {}", table.name)).await;
        // DuckDB looks for a key among the rows of earlier statements alone.
        let is_own = inside && table.foreign_keys.iter().any(|key| key.table == table.name);
        for chunk in all.chunks(if is_own { 1 } else { 500 }) {
            let lines = chunk.iter().map(|row| {
                let cells =
                    row.iter().zip(&table.columns).map(|(value, column)| match (value, column.column_type) {
                        (Value::Integer(truth), ColumnType::Boolean) => (*truth != 0).to_string(),
                        (Value::Text(text), _) if dialect == Dialect::MySql => {
                            format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
                        }
                        (Value::Text(text), _) => format!("'{}'", text.replace('\'', "''")),
                        (other, _) => other.to_string(),
                    });
                format!("({})", cells.collect::<Vec<_>>().join(", "))
            });
            script +=
                &format!("INSERT INTO {} VALUES {};\n", table.name, lines.collect::<Vec<_>>().join(",\n"));
        }
        for key in references.filter(|_| !inside) {
            keys += &format!("ALTER TABLE {} ADD {key};\n", table.name);
        }
    }
    script + &keys
}

/// The tables, each behind those that it refers to.
fn in_order(schema: &Schema) -> Vec<&Table> {
    let mut ordered: Vec<&Table> = Vec::new();
    while ordered.len() < schema.tables.len() {
        let is_there = |name: &String| ordered.iter().any(|table| table.name == *name);
        let next = schema.tables.iter().find(|table| {
            let mut keys = table.foreign_keys.iter().filter(|key| key.table != table.name);
            !is_there(&table.name) && keys.all(|key| is_there(&key.table))
        });
        ordered.push(next.expect("keys that lead round in a circle"));
    }
    ordered
}

/// The rows of a query on any database.
pub async fn run(database: &dyn Database, sql: &str) -> Result<Vec<Vec<Value>>, DatabaseError> {
    let checked = guard::check(sql, database.dialect())?;
    let limits = Limits { rows: 100_000, ..Limits::default() };
    Ok(database.execute(&checked, &limits, &CancellationToken::new()).await?.rows)
}

async fn rows(database: &dyn Database, sql: &str) -> Vec<Vec<Value>> {
    run(database, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Values as both databases can have them: truth is a number in SQLite, and sums differ in their last digits.
pub fn comparable(rows: Vec<Vec<Value>>, ordered: bool) -> Vec<String> {
    let cell = |value: Value| match value {
        Value::Boolean(truth) => format!("{}", i64::from(truth)),
        Value::Integer(number) => number.to_string(),
        // Adding zero takes the sign from a negative one.
        Value::Real(number) if number.fract() == 0.0 => format!("{:.0}", number + 0.0),
        Value::Real(number) => match format!("{number:.9e}").parse::<f64>() {
            Ok(whole) if whole.fract() == 0.0 => format!("{:.0}", whole + 0.0),
            _ => format!("{number:.9e}"),
        },
        // SQLite knows small and capital letters of ASCII alone.
        Value::Text(text) if !text.is_ascii() => format!("{:?}", text.to_lowercase()),
        other => format!("{other:?}"),
    };
    let mut lines: Vec<String> =
        rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>().join(" | ")).collect();
    if !ordered {
        lines.sort();
    }
    lines
}

/// What came of comparing plans.
#[derive(Default)]
struct Tally {
    compared: u64,
    with_rows: u64,
    different: Vec<String>,
}

impl Tally {
    /// Runs a plan on both.
    async fn compare(&mut self, of: &str, plan: &QueryPlan, sqlite: &SqliteDatabase, server: &dyn Database) {
        self.compared += 1;
        let (ours, theirs) = (render(plan, Dialect::Sqlite), render(plan, server.dialect()));
        let ordered = !plan.order_by.is_empty();
        match (run(sqlite, &ours).await, run(server, &theirs).await) {
            (Ok(expected), Ok(found)) => {
                self.with_rows += u64::from(!expected.is_empty());
                let (expected, found) = (comparable(expected, ordered), comparable(found, ordered));
                if expected != found {
                    let first = expected.iter().zip(&found).find(|(one, other)| one != other);
                    let sizes = (expected.len(), found.len());
                    self.different.push(format!("{of}: {ours}\n  {theirs}\n  {sizes:?} rows, {first:?}"));
                }
            }
            (expected, found) => self.different.push(format!(
                "{of}: {ours}\n  {theirs}\n  {:?}\n  {:?}",
                expected.map(|rows| rows.len()).map_err(|error| error.to_string()),
                found.map(|rows| rows.len()).map_err(|error| error.to_string())
            )),
        }
    }

    fn assert_same(&self) {
        let shown = self.different.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.different.is_empty(), "{} of {} differ:\n{shown}", self.different.len(), self.compared);
        assert!(self.with_rows > self.compared / 2, "only {} plans found anything", self.with_rows);
    }
}

/// What each says of itself agrees.
pub async fn of_schemas(schema: &Schema, server: &dyn Database) {
    let theirs = server.introspect().await.unwrap();
    for table in &schema.tables {
        let other = theirs.table(&table.name).unwrap();
        assert_eq!(table.foreign_keys.len(), other.foreign_keys.len(), "{}", table.name);
        for (ours, theirs) in table.columns.iter().zip(&other.columns) {
            assert_eq!(
                (&ours.name, ours.column_type, ours.primary_key),
                (&theirs.name, theirs.column_type, theirs.primary_key)
            );
        }
    }
}

/// The queries of people.
pub async fn of_queries(sqlite: &SqliteDatabase, schema: &Schema, server: &dyn Database) {
    let mut tally = Tally::default();
    for sql in QUERIES {
        match lift(sql, schema, Dialect::Sqlite) {
            Some(plan) => tally.compare(sql, &plan, sqlite, server).await,
            None => tally.different.push(format!("{sql}\n  is no plan")),
        }
    }
    tally.assert_same();
}

/// Plans made at random.
pub async fn of_plans(
    plans: impl Iterator<Item = QueryPlan>,
    sqlite: &SqliteDatabase,
    server: &dyn Database,
) {
    let mut tally = Tally::default();
    for (seed, plan) in plans.enumerate() {
        // BigQuery cannot be asked, but its SQL can be looked at.
        let other = render(&plan, Dialect::BigQuery);
        if let Err(refusal) = guard::check(&other, Dialect::BigQuery) {
            tally.different.push(format!("{seed}: {other}\n  {}", refusal.reason));
        }
        tally.compare(&seed.to_string(), &plan, sqlite, server).await;
    }
    tally.assert_same();
}

/// Plans for analysis that were edited: a database that minds tells whether an edit left something that means nothing.
pub async fn of_edits(plans: u64, sqlite: &SqliteDatabase, server: &dyn Database) {
    let (mut wrong, mut edited) = (Vec::new(), 0);
    for seed in 0..plans {
        let (before, edit) = (analysis_plans::plan(seed), analysis_plans::edit(seed * 7 + 1));
        let Ok(after) = before.apply(&edit) else { continue };
        // Only the schema knows what a group determines beside what it is made of.
        if matches!(&edit, PlanEdit::SetOrder { order } if !order.iter().all(|key| key.expr.is_aggregate()))
            && !after.select.group_by.is_empty()
        {
            continue;
        }
        edited += 1;
        for database in [sqlite as &dyn Database, server] {
            let sql = render(&after, database.dialect());
            if let Err(error) = run(database, &sql).await {
                wrong.push(format!("{seed} {}: {before:#}\n  {sql}\n  {error}", edit.instruction()));
            }
        }
    }
    let shown = wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} do not run:\n{shown}", wrong.len());
    assert!(edited > plans / 2, "only {edited} edits fitted");
}

/// The tables for analysis in SQLite. The file lives as long as the first of the two.
pub async fn analysis() -> (tempfile::NamedTempFile, SqliteDatabase, Schema) {
    let file = tempfile::NamedTempFile::new().unwrap();
    rusqlite::Connection::open(file.path()).unwrap().execute_batch(&tables()).unwrap();
    let sqlite = SqliteDatabase::open(file.path()).unwrap();
    let schema = sqlite.introspect().await.unwrap();
    (file, sqlite, schema)
}
