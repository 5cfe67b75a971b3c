use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::{Database as _, Limits};
use sqlogue_sql::schema::{ColumnType, Value};
use sqlogue_sql::sql::{Dialect, guard};

async fn ask(database: &SqliteDatabase, sql: &str) -> Vec<Vec<Value>> {
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    database.execute(&checked, &Limits::default(), &CancellationToken::new()).await.unwrap().rows
}

#[tokio::test]
async fn the_sample_is_what_its_documentation_says() {
    let started = Instant::now();
    let database = open().unwrap();
    println!("opened in {:?}", started.elapsed());
    let schema = database.introspect().await.unwrap();
    println!("introspected after {:?}", started.elapsed());
    let sizes: Vec<_> =
        schema.tables.iter().map(|table| (table.name.as_str(), table.row_count.unwrap())).collect();
    println!("{sizes:?}");
    assert_eq!(
        sizes.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["employees", "customers", "products", "orders", "order_items", "reviews"]
    );
    let orders = schema.table("orders").unwrap();
    assert_eq!(orders.row_count, Some(1_200));
    assert_eq!(orders.column("order_date").unwrap().column_type, ColumnType::Date);
    assert_eq!(orders.foreign_keys.len(), 2);
    let years = ask(&database, "SELECT strftime('%Y', order_date), count(*), min(order_date), max(order_date) FROM orders GROUP BY 1").await;
    println!("{years:?}");
    assert_eq!(years.len(), 3);
    // Everybody's share of last year's orders, with customers who had none.
    let customers = ask(&database, "SELECT c.name, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.order_date LIKE '2025%' GROUP BY c.id ORDER BY 2 DESC").await;
    assert_eq!(customers.len(), 120);
    println!("{:?} … {:?}", &customers[..3], &customers[117..]);
    let statuses = ask(&database, "SELECT status, count(*) FROM orders GROUP BY 1").await;
    println!("{statuses:?}");
    assert_eq!(statuses.len(), 5);
    let names =
        ask(&database, "SELECT count(DISTINCT name), count(email), count(phone) FROM customers").await;
    println!("{names:?}");
    assert_eq!(names[0][0], Value::Integer(120));
    let broken = ask(&database, "SELECT count(*) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.order_date < c.joined").await;
    assert_eq!(broken, [[Value::Integer(0)]]);
}

#[tokio::test]
async fn the_sample_can_be_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.db");
    write(&path).unwrap();
    assert!(write(&path).is_err());
    let schema = SqliteDatabase::open(&path).unwrap().introspect().await.unwrap();
    assert_eq!(schema, open().unwrap().introspect().await.unwrap());
}
