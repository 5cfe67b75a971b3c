//! The same conversation about the sample in SQLite and in PostgreSQL.

use std::sync::Arc;

use sqlogue::conversation::Status;
use sqlogue::database::{Database as _, SqliteDatabase};
use sqlogue::sample;

use crate::postgres_plans::{comparable, script};
use crate::postgres_server::server;
use crate::support::{converse, repeatable};

/// Ten turns: new questions and follow-ups, filters of every kind, joins, groups, orders, dates and typed SQL.
const TURNS: [&str; 10] = [
    "Show me all customers from Germany",
    "Only those in the Business segment",
    "sort them by name",
    "How many orders are there per status?",
    "What is the average price of products by category?",
    "highest first",
    "top 3",
    "How many customers are there in each country?",
    "customers without orders",
    "SELECT count(*), max(order_date) FROM orders WHERE order_date >= '2025-01-01'",
];

#[tokio::test]
async fn a_conversation_gives_the_same_rows_on_both() {
    let Some(server) = server("a_conversation_gives_the_same_rows_on_both") else { return };
    let sqlite: SqliteDatabase = sample::open().unwrap();
    let schema = sqlite.introspect().await.unwrap();
    let postgres = server.open(&server.database(&script(&sqlite, &schema).await)).await;
    let ours = converse(&repeatable().database(Arc::new(sqlite)).build().unwrap(), &TURNS).await;
    let theirs = converse(&repeatable().database(Arc::new(postgres)).build().unwrap(), &TURNS).await;
    for ((question, ours), theirs) in TURNS.iter().zip(&ours).zip(&theirs) {
        for state in [ours, theirs] {
            assert_eq!(state.status, Status::Completed, "{question}: {:?}, {:?}", state.query, state.error);
        }
        let queries = (ours.query.as_deref().unwrap(), theirs.query.as_deref().unwrap());
        assert_eq!(ours.route, theirs.route, "{question}");
        let (one, other) = (ours.result.as_ref().unwrap(), theirs.result.as_ref().unwrap());
        assert!(one.row_count > 0, "{question}");
        assert_eq!(one.row_count, other.row_count, "{question}: {queries:?}");
        let ordered = queries.0.contains("ORDER BY");
        let rows = [one, other].map(|result| comparable(result.rows.clone(), ordered));
        assert_eq!(rows[0], rows[1], "{question}: {queries:?}");
    }
}
