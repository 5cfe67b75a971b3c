//! The same plans on SQLite and on DuckDB give the same rows.

use sqlogue::database::{Database as _, SqliteDatabase};
use sqlogue::sample;
use sqlogue::sql::Dialect;

use crate::duckdb_files::file;
use crate::same_rows::{analysis, of_edits, of_plans, of_queries, of_schemas, script};
use crate::{analysis_plans, generated_plans};

const PLANS: u64 = 1_000;

#[tokio::test]
async fn plans_give_the_same_rows() {
    let sqlite: SqliteDatabase = sample::open().unwrap();
    let schema = sqlite.introspect().await.unwrap();
    let script = script(&sqlite, &schema, Dialect::DuckDb).await;
    let Some(file) = file("plans_give_the_same_rows", &script) else { return };
    let theirs = file.open();
    of_schemas(&schema, &theirs).await;
    of_queries(&sqlite, &schema, &theirs).await;
    of_plans((0..PLANS).map(|seed| generated_plans::plan(&schema, seed)), &sqlite, &theirs).await;
}

#[tokio::test]
async fn plans_for_analysis_give_the_same_rows() {
    let (_file, sqlite, schema) = analysis().await;
    let script = script(&sqlite, &schema, Dialect::DuckDb).await;
    let Some(file) = file("plans_for_analysis_give_the_same_rows", &script) else { return };
    let theirs = file.open();
    of_plans((0..PLANS).map(analysis_plans::plan), &sqlite, &theirs).await;
    of_edits(PLANS, &sqlite, &theirs).await;
}
