//! What the choices of a question back would give: the first rows of each.

use tokio_util::sync::CancellationToken;

use super::Services;
use crate::ambiguity::{Ambiguity, AmbiguityKind, Correction, Preview};
use crate::database::Limits;
use crate::plan::{Expr, QueryPlan, Select};
use crate::schema::Value;
use crate::sql::{self, guard};

/// So many rows show what a choice means.
const ROWS: usize = 3;

/// A preview with more bytes of cells is left out.
const BYTES: usize = 4096;

/// Two readings are compared by so many rows.
const COMPARED: usize = 1000;

impl Services {
    /// The same question with the first rows of every choice; choices that cannot run have none.
    pub(super) async fn previewed(&self, mut ambiguity: Ambiguity, cancel: &CancellationToken) -> Ambiguity {
        for choice in ambiguity.options_mut() {
            let plan = match &choice.correction {
                Correction::TableSelection { selected_table, .. } => {
                    let rows = Select::from_table(selected_table).project(Expr::All(None));
                    Some(QueryPlan::from(rows))
                }
                Correction::Reading { query_plan } => Some(query_plan.as_ref().clone()),
                _ => None,
            };
            if let Some(plan) = plan {
                choice.preview = self.first_rows(&plan, ROWS, cancel).await;
            }
        }
        ambiguity
    }

    /// Whether the readings to choose from give different rows. What gives the same rows is no choice.
    pub(super) async fn differ(&self, ambiguity: &Ambiguity, cancel: &CancellationToken) -> bool {
        if ambiguity.kind != AmbiguityKind::Reading {
            return true;
        }
        let mut results = Vec::new();
        for choice in ambiguity.options() {
            let Correction::Reading { query_plan } = &choice.correction else { return true };
            let rows = self.first_rows(query_plan, COMPARED, cancel).await.map(|preview| preview.rows);
            if !results.contains(&rows) {
                results.push(rows);
            }
        }
        results.len() > 1
    }

    async fn first_rows(&self, plan: &QueryPlan, rows: usize, cancel: &CancellationToken) -> Option<Preview> {
        let dialect = self.database.dialect();
        let checked = guard::check(&sql::render(plan, dialect), dialect).ok()?;
        let limits = Limits { rows, ..self.limits };
        let found = self.database.execute(&checked, &limits, cancel).await.ok()?;
        // A preview travels with the conversation, which has to stay small.
        let bytes: usize = found.rows.iter().take(ROWS).flatten().map(Value::size).sum();
        let rows = if rows <= ROWS && bytes > BYTES { Vec::new() } else { found.rows };
        Some(Preview { columns: found.columns, rows })
    }
}
