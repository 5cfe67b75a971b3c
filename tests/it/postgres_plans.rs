//! The same plans on SQLite and on PostgreSQL give the same rows.

use sqlogue::database::{Database as _, SqliteDatabase};
use sqlogue::sample;
use sqlogue::sql::Dialect;

use crate::postgres_server::server;
use crate::same_rows::{analysis, of_edits, of_plans, of_queries, of_schemas, script};
use crate::{analysis_plans, generated_plans};

const PLANS: u64 = 1_000;

#[tokio::test]
async fn plans_give_the_same_rows() {
    let Some(server) = server("plans_give_the_same_rows") else { return };
    let sqlite: SqliteDatabase = sample::open().unwrap();
    let schema = sqlite.introspect().await.unwrap();
    let theirs = server.open(&server.database(&script(&sqlite, &schema, Dialect::Postgres).await)).await;
    of_schemas(&schema, &theirs).await;
    of_queries(&sqlite, &schema, &theirs).await;
    of_plans((0..PLANS).map(|seed| generated_plans::plan(&schema, seed)), &sqlite, &theirs).await;
}

#[tokio::test]
async fn plans_for_analysis_give_the_same_rows() {
    let Some(server) = server("plans_for_analysis_give_the_same_rows") else { return };
    let (_file, sqlite, schema) = analysis().await;
    let theirs = server.open(&server.database(&script(&sqlite, &schema, Dialect::Postgres).await)).await;
    of_plans((0..PLANS).map(analysis_plans::plan), &sqlite, &theirs).await;
    of_edits(PLANS, &sqlite, &theirs).await;
}
