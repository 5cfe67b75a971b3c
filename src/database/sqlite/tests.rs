use std::time::Duration;

use super::*;
use crate::schema::ColumnType;
use crate::sql::guard;

fn shop() -> SqliteDatabase {
    SqliteDatabase::in_memory("shop", |connection| {
        connection.execute_batch(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, joined TEXT, vip BOOL);
             INSERT INTO customers VALUES (1, 'Ada', 'ada@x.org', '2024-01-31', 1), (2, 'Bo', NULL, '2025-02-01', 0);
             CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, total REAL, data BLOB);
             INSERT INTO orders VALUES (1, 1, 9.5, x'00ff'), (2, 1, 3, NULL), (3, 2, 1.25, NULL);
             CREATE VIEW totals AS SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id;",
        )
    })
    .unwrap()
}

async fn run(database: &SqliteDatabase, sql: &str) -> Result<Rows, DatabaseError> {
    let checked = guard::check(sql, Dialect::Sqlite)?;
    database.execute(&checked, &Limits::default(), &CancellationToken::new()).await
}

#[tokio::test]
async fn a_query_gives_rows() {
    let rows = run(&shop(), "SELECT name, count(*) AS n, sum(total) FROM customers JOIN orders ON customers.id = orders.customer_id GROUP BY 1 ORDER BY 2 DESC;").await.unwrap();
    assert_eq!(rows.columns, ["name", "n", "sum(total)"]);
    assert_eq!(
        rows.rows,
        [
            vec![Value::from("Ada"), Value::Integer(2), Value::Real(12.5)],
            vec![Value::from("Bo"), Value::Integer(1), Value::Real(1.25)],
        ]
    );
    assert!(!rows.truncated);
}

#[tokio::test]
async fn the_schema_is_read() {
    let schema = shop().introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["customers", "orders", "totals"]);
    let customers = schema.table("customers").unwrap();
    let types: Vec<_> = customers.columns.iter().map(|column| column.column_type).collect();
    assert_eq!(
        types,
        [ColumnType::Integer, ColumnType::Text, ColumnType::Text, ColumnType::Date, ColumnType::Boolean]
    );
    assert!(customers.column("email").unwrap().unique && customers.column("id").unwrap().primary_key);
    assert!(!customers.column("name").unwrap().nullable);
    assert_eq!(customers.row_count, Some(2));
    let key = &schema.table("orders").unwrap().foreign_keys[0];
    assert_eq!((key.table.as_str(), key.references[0].as_str()), ("customers", "id"));
    assert_eq!(schema.table("totals").unwrap().column("total").unwrap().column_type, ColumnType::Real);
}

#[tokio::test]
async fn an_endless_query_is_stopped() {
    let database = shop();
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    let limits = Limits { deadline: Duration::from_millis(100), ..Limits::default() };
    let error = database.execute(&checked, &limits, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error, DatabaseError::Deadline { limit: limits.deadline });

    let cancel = CancellationToken::new();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        canceller.cancel();
    });
    let error = database.execute(&checked, &Limits::default(), &cancel).await.unwrap_err();
    assert_eq!(error, DatabaseError::Cancelled);
    assert_eq!(run(&database, "SELECT count(*) FROM orders").await.unwrap().rows, [[Value::Integer(3)]]);
}

#[tokio::test]
async fn values_are_listed() {
    let database = shop();
    let values = database.values("orders", "customer_id", 10).await.unwrap();
    assert_eq!(values, [(Value::Integer(1), 2), (Value::Integer(2), 1)]);
    let schema = database.introspect().await.unwrap();
    let texts = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
    let names = texts.iter().find(|column| column.column == "name").unwrap();
    assert_eq!(names.values, ["Ada", "Bo"]);
    assert!(names.complete);
}
