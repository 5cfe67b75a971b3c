//! The same conversation about the sample in SQLite and on a server.

use std::sync::Arc;

use sqlogue::conversation::Status;
use sqlogue::database::{Database, SqliteDatabase};
use sqlogue::sample;
use sqlogue::sql::Dialect;

use crate::same_rows::{comparable, script};
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

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_conversation_gives_the_same_rows_on_postgres() {
    let test = "a_conversation_gives_the_same_rows_on_postgres";
    let Some(server) = crate::postgres_server::server(test) else { return };
    let theirs = server.open(&server.database(&sample_for(Dialect::Postgres).await)).await;
    converses_alike(Arc::new(theirs)).await;
}

#[cfg(feature = "mysql")]
#[tokio::test]
async fn a_conversation_gives_the_same_rows_on_mariadb() {
    let test = "a_conversation_gives_the_same_rows_on_mariadb";
    let Some(server) = crate::mysql_server::server(test) else { return };
    let theirs = server.open(&server.database(&sample_for(Dialect::MySql).await)).await;
    converses_alike(Arc::new(theirs)).await;
}

#[cfg(feature = "adbc")]
#[tokio::test]
async fn a_conversation_gives_the_same_rows_on_duckdb() {
    let test = "a_conversation_gives_the_same_rows_on_duckdb";
    let Some(file) = crate::duckdb_files::file(test, &sample_for(Dialect::DuckDb).await) else { return };
    converses_alike(Arc::new(file.open())).await;
}

/// The sample as a server's SQL.
pub async fn sample_for(dialect: Dialect) -> String {
    let sqlite: SqliteDatabase = sample::open().unwrap();
    let schema = sqlite.introspect().await.unwrap();
    script(&sqlite, &schema, dialect).await
}

async fn converses_alike(server: Arc<dyn Database>) {
    let sqlite: SqliteDatabase = sample::open().unwrap();
    let ours = converse(&repeatable().database(Arc::new(sqlite)).build().unwrap(), &TURNS).await;
    let theirs = converse(&repeatable().database(server).build().unwrap(), &TURNS).await;
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
