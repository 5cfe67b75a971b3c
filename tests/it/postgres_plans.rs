//! The same plans on SQLite and on PostgreSQL give the same rows.

use sqlogue::database::{Database, DatabaseError, Limits, SqliteDatabase};
use sqlogue::sample;
use sqlogue::schema::{ColumnType, Schema, Value};
use sqlogue::sql::{Dialect, guard, lift, render};
use tokio_util::sync::CancellationToken;

use crate::postgres_server::server;

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

/// The sample as PostgreSQL's SQL.
pub(crate) async fn script(sample: &SqliteDatabase, schema: &Schema) -> String {
    let (mut script, mut keys) = (String::new(), String::new());
    for table in &schema.tables {
        let columns = table.columns.iter().map(|column| {
            let kind = match column.column_type {
                ColumnType::Integer if column.declared_type == "BIGINT" => "bigint",
                ColumnType::Integer => "integer",
                ColumnType::Real => "double precision",
                ColumnType::Boolean => "boolean",
                ColumnType::Date => "date",
                ColumnType::DateTime => "timestamp",
                _ => "text",
            };
            format!("{} {kind}{}", column.name, if column.primary_key { " PRIMARY KEY" } else { "" })
        });
        script += &format!("CREATE TABLE {} ({});\n", table.name, columns.collect::<Vec<_>>().join(", "));
        let all = rows(sample, &format!("SELECT * FROM {}", table.name)).await;
        for chunk in all.chunks(500) {
            let lines = chunk.iter().map(|row| {
                let cells =
                    row.iter().zip(&table.columns).map(|(value, column)| match (value, column.column_type) {
                        (Value::Integer(truth), ColumnType::Boolean) => (*truth != 0).to_string(),
                        (Value::Text(text), _) => format!("'{}'", text.replace('\'', "''")),
                        (other, _) => other.to_string(),
                    });
                format!("({})", cells.collect::<Vec<_>>().join(", "))
            });
            script +=
                &format!("INSERT INTO {} VALUES {};\n", table.name, lines.collect::<Vec<_>>().join(",\n"));
        }
        for key in &table.foreign_keys {
            keys += &format!(
                "ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {} ({});\n",
                table.name,
                key.columns.join(", "),
                key.table,
                key.references.join(", ")
            );
        }
    }
    script + &keys
}

/// The rows of a query on any database.
pub(crate) async fn run(database: &dyn Database, sql: &str) -> Result<Vec<Vec<Value>>, DatabaseError> {
    let checked = guard::check(sql, database.dialect())?;
    let limits = Limits { rows: 100_000, ..Limits::default() };
    Ok(database.execute(&checked, &limits, &CancellationToken::new()).await?.rows)
}

async fn rows(database: &dyn Database, sql: &str) -> Vec<Vec<Value>> {
    run(database, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Values as both databases can have them: truth is a number in SQLite, and sums differ in their last digits.
pub(crate) fn comparable(rows: Vec<Vec<Value>>, ordered: bool) -> Vec<String> {
    let cell = |value: Value| match value {
        Value::Boolean(truth) => format!("{}", i64::from(truth)),
        Value::Integer(number) => number.to_string(),
        // Adding zero takes the sign from a negative one.
        Value::Real(number) if number.fract() == 0.0 => format!("{:.0}", number + 0.0),
        Value::Real(number) => match format!("{number:.9e}").parse::<f64>() {
            Ok(whole) if whole.fract() == 0.0 => format!("{:.0}", whole + 0.0),
            _ => format!("{number:.9e}"),
        },
        other => format!("{other:?}"),
    };
    let mut lines: Vec<String> =
        rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>().join(" | ")).collect();
    if !ordered {
        lines.sort();
    }
    lines
}

#[tokio::test]
async fn plans_give_the_same_rows() {
    let Some(server) = server("plans_give_the_same_rows") else { return };
    let sqlite = sample::open().unwrap();
    let schema = sqlite.introspect().await.unwrap();
    let postgres = server.open(&server.database(&script(&sqlite, &schema).await)).await;

    // What each says of itself agrees too.
    let theirs = postgres.introspect().await.unwrap();
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

    let (mut compared, mut different) = (0, Vec::new());
    for sql in QUERIES {
        let Some(plan) = lift(sql, &schema, Dialect::Sqlite) else {
            different.push(format!("{sql}\n  is no plan"));
            continue;
        };
        compared += 1;
        let (ours, theirs) = (render(&plan, Dialect::Sqlite), render(&plan, Dialect::Postgres));
        let ordered = !plan.order_by.is_empty();
        let expected = comparable(rows(&sqlite, &ours).await, ordered);
        match run(&postgres, &theirs).await {
            Ok(rows) if comparable(rows.clone(), ordered) == expected => {}
            Ok(rows) => {
                let found = comparable(rows, ordered);
                let first = expected.iter().zip(&found).find(|(one, other)| one != other);
                different.push(format!(
                    "{sql}\n  {theirs}\n  {} and {} rows, {first:?}",
                    expected.len(),
                    found.len()
                ));
            }
            Err(error) => different.push(format!("{sql}\n  {theirs}\n  {error}")),
        }
    }
    println!("{compared} plans compared");
    assert!(different.is_empty(), "{}", different.join("\n"));
}
