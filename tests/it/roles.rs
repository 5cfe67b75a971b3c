//! A table that refers to another in several roles: which one is meant where no word says so.

use std::sync::Arc;

use sqlogue::database::SqliteDatabase;
use sqlogue::{ConversationState, Engine, QueryInput};

use crate::support::{File, repeatable};

const RANGE: &str = "
CREATE TABLE suppliers (supplier_id INTEGER PRIMARY KEY, supplier_name TEXT, country TEXT);
CREATE TABLE products (
  product_id INTEGER PRIMARY KEY, product_name TEXT, cost_price REAL,
  backup_supplier INTEGER REFERENCES suppliers(supplier_id),
  main_supplier INTEGER NOT NULL REFERENCES suppliers(supplier_id)
);
CREATE TABLE parcels (
  parcel_id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(product_id), declared_value REAL, price REAL
);
INSERT INTO suppliers VALUES (1, 'Alder', 'US'), (2, 'Birch', 'DE'), (3, 'Cedar', 'US');
INSERT INTO products VALUES (1, 'Anvil', 10, 2, 1), (2, 'Bellows', 20, NULL, 1), (3, 'Chisel', 5, 1, 3);
INSERT INTO parcels VALUES (1, 1, 500, 5), (2, 2, 900, 7), (3, 2, 40, 6);
";

async fn answer(engine: &Engine, question: &str) -> ConversationState {
    engine.query_database(QueryInput::new(question), None).await.unwrap()
}

fn engine(file: &File) -> Engine {
    repeatable().database(Arc::new(SqliteDatabase::open(file.path()).unwrap())).build().unwrap()
}

#[tokio::test]
async fn a_backup_is_meant_only_where_it_is_named() {
    let file = File::new("range.sqlite", RANGE);
    let engine = engine(&file);
    for question in ["number of products per supplier", "how many products does each supplier have?"] {
        let state = answer(&engine, question).await;
        let sql = state.query.unwrap();
        assert!(sql.contains("main_supplier") && !sql.contains("backup_supplier"), "{question}: {sql}");
    }
    let sql = answer(&engine, "number of products per backup supplier").await.query.unwrap();
    assert!(sql.contains("backup_supplier"), "{sql}");
}

#[tokio::test]
async fn us_in_small_letters_is_no_country() {
    let file = File::new("range.sqlite", RANGE);
    let engine = engine(&file);
    let sql = answer(&engine, "what do the products cost us on average?").await.query.unwrap_or_default();
    assert!(!sql.contains("'US'"), "{sql}");
    let sql = answer(&engine, "How many suppliers are from the US?").await.query.unwrap();
    assert!(sql.contains("country = 'US'"), "{sql}");
}

#[tokio::test]
async fn what_is_declared_is_no_revenue() {
    let file = File::new("range.sqlite", RANGE);
    let sql = answer(&engine(&file), "total revenue from parcels").await.query.unwrap();
    assert!(sql.contains("sum(price)"), "{sql}");
}
