//! Plans for analysis on SQLite and on PostgreSQL: the same rows.

use sqlogue::database::{Database, SqliteDatabase};
use sqlogue::plan::PlanEdit;
use sqlogue::sql::{Dialect, guard, render};

use crate::analysis_data::tables;
use crate::analysis_plans::{edit, plan};
use crate::postgres_plans::{comparable, run, script};
use crate::postgres_server::server;

const PLANS: u64 = 1_000;

#[tokio::test]
async fn plans_for_analysis_give_the_same_rows() {
    let Some(server) = server("plans_for_analysis_give_the_same_rows") else { return };
    let file = tempfile::NamedTempFile::new().unwrap();
    rusqlite::Connection::open(file.path()).unwrap().execute_batch(&tables()).unwrap();
    let sqlite = SqliteDatabase::open(file.path()).unwrap();
    let schema = sqlite.introspect().await.unwrap();
    let postgres = server.open(&server.database(&script(&sqlite, &schema).await)).await;
    let (mut different, mut with_rows) = (Vec::new(), 0);
    for seed in 0..PLANS {
        let plan = plan(seed);
        let (ours, theirs) = (render(&plan, Dialect::Sqlite), render(&plan, Dialect::Postgres));
        let other = render(&plan, Dialect::BigQuery);
        if let Err(refusal) = guard::check(&other, Dialect::BigQuery) {
            different.push(format!("{seed}: {other}\n  {}", refusal.reason));
        }
        let ordered = !plan.order_by.is_empty();
        match (run(&sqlite, &ours).await, run(&postgres, &theirs).await) {
            (Ok(expected), Ok(found)) => {
                with_rows += u64::from(!expected.is_empty());
                let (expected, found) = (comparable(expected, ordered), comparable(found, ordered));
                if expected != found {
                    let first = expected.iter().zip(&found).find(|(one, other)| one != other);
                    let sizes = (expected.len(), found.len());
                    different.push(format!("{seed}: {ours}\n  {theirs}\n  {sizes:?} rows, {first:?}"));
                }
            }
            (expected, found) => different.push(format!(
                "{seed}: {ours}\n  {theirs}\n  {:?}\n  {:?}",
                expected.map(|rows| rows.len()).map_err(|error| error.to_string()),
                found.map(|rows| rows.len()).map_err(|error| error.to_string())
            )),
        }
    }
    let shown = different.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    assert!(different.is_empty(), "{} of {PLANS} differ:\n{shown}", different.len());
    assert!(with_rows > PLANS * 3 / 4, "only {with_rows} plans found anything");
}

/// A database that minds tells whether an edit left something that means nothing.
#[tokio::test]
async fn edited_plans_for_analysis_still_run() {
    let Some(server) = server("edited_plans_for_analysis_still_run") else { return };
    let file = tempfile::NamedTempFile::new().unwrap();
    rusqlite::Connection::open(file.path()).unwrap().execute_batch(&tables()).unwrap();
    let sqlite = SqliteDatabase::open(file.path()).unwrap();
    let schema = sqlite.introspect().await.unwrap();
    let postgres = server.open(&server.database(&script(&sqlite, &schema).await)).await;
    let (mut wrong, mut edited) = (Vec::new(), 0);
    for seed in 0..PLANS {
        let (before, edit) = (plan(seed), edit(seed * 7 + 1));
        let Ok(after) = before.apply(&edit) else { continue };
        // Only the schema knows what a group determines beside what it is made of.
        if matches!(&edit, PlanEdit::SetOrder { order } if !order.iter().all(|key| key.expr.is_aggregate()))
            && !after.select.group_by.is_empty()
        {
            continue;
        }
        edited += 1;
        for (database, dialect) in
            [(&sqlite as &dyn Database, Dialect::Sqlite), (&postgres as &dyn Database, Dialect::Postgres)]
        {
            let sql = render(&after, dialect);
            if let Err(error) = run(database, &sql).await {
                wrong.push(format!("{seed} {}: {before:#}\n  {sql}\n  {error}", edit.instruction()));
            }
        }
    }
    let shown = wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} do not run:\n{shown}", wrong.len());
    assert!(edited > PLANS / 2, "only {edited} edits fitted");
}
