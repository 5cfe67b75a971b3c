//! Plans for analysis as SQL and back again.

use sqlogue::database::{Database as _, SqliteDatabase};
use sqlogue::schema::Schema;
use sqlogue::sql::{Dialect, lift, render};

use crate::analysis_data::tables;
use crate::analysis_plans::plan;

const PLANS: u64 = 2_000;

async fn schema() -> Schema {
    let file = tempfile::NamedTempFile::new().unwrap();
    rusqlite::Connection::open(file.path()).unwrap().execute_batch(&tables()).unwrap();
    SqliteDatabase::open(file.path()).unwrap().introspect().await.unwrap()
}

#[tokio::test]
async fn what_is_rendered_is_lifted() {
    let schema = schema().await;
    let mut wrong = Vec::new();
    for seed in 0..PLANS {
        let plan = plan(seed);
        for dialect in Dialect::ALL {
            let sql = render(&plan, dialect);
            let again = lift(&sql, &schema, dialect).map(|plan| render(&plan, dialect));
            if again.as_deref() != Some(&sql) {
                wrong.push(format!("{seed} {dialect}: {sql}\n  {}", again.unwrap_or_default()));
            }
        }
    }
    let shown = wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {} are not:\n{shown}", wrong.len(), PLANS as usize * Dialect::ALL.len());
}
