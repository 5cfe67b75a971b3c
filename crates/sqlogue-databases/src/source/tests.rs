use std::sync::Arc;

use super::*;
use crate::SqliteDatabase;

fn shop() -> SqliteDatabase {
    SqliteDatabase::in_memory("shop", |connection| {
        connection.execute_batch(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
             CREATE TABLE teams (team_id INTEGER PRIMARY KEY);
             CREATE TABLE orders (id INTEGER PRIMARY KEY, CustomerID INT, home_team_id INT, product_id INT, name TEXT);
             CREATE TABLE products (id INTEGER PRIMARY KEY);
             INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo');
             INSERT INTO teams VALUES (7);
             INSERT INTO products VALUES (1);
             INSERT INTO orders VALUES (1, 1, 7, 99, 'Ada'), (2, 1, NULL, 1, 'Bo');",
        )
    })
    .unwrap()
}

#[tokio::test]
async fn keys_are_inferred_from_names_and_values() {
    let schema = introspect(&shop()).await.unwrap();
    let keys: Vec<_> = schema
        .tables
        .iter()
        .flat_map(|table| {
            table.foreign_keys.iter().map(move |key| {
                assert!(!key.declared);
                format!("{}.{} -> {}.{}", table.name, key.columns[0], key.table, key.references[0])
            })
        })
        .collect();
    // Product 99 is nowhere, so `product_id` is no key, whatever its name says.
    assert_eq!(keys, ["orders.CustomerID -> customers.id", "orders.home_team_id -> teams.team_id"]);
}

#[tokio::test]
async fn a_schema_is_read_once_for_each_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("CREATE TABLE a (x INTEGER)").unwrap();
    let database = SqliteDatabase::open(&path).unwrap();
    let catalog = Catalog::new();
    let first = catalog.schema(&database).await.unwrap();
    assert!(Arc::ptr_eq(&first, &catalog.schema(&database).await.unwrap()));
    writer.execute_batch("INSERT INTO a VALUES (1)").unwrap();
    assert!(Arc::ptr_eq(&first, &catalog.schema(&database).await.unwrap()));
    writer.execute_batch("CREATE TABLE b (y INTEGER)").unwrap();
    assert_eq!(catalog.schema(&database).await.unwrap().tables.len(), 2);
    // Another database of the same name and age has a schema of its own.
    let other =
        SqliteDatabase::in_memory("shop", |connection| connection.execute_batch("CREATE TABLE c (z)"))
            .unwrap();
    assert_eq!(catalog.schema(&other).await.unwrap().tables[0].name, "c");
    assert_eq!(catalog.schema(&database).await.unwrap().tables.len(), 2);
}
