//! What the choices of a question back would give: the first rows of each.

use tokio_util::sync::CancellationToken;

use super::Services;
use crate::ambiguity::{Ambiguity, Correction, Preview};
use crate::database::Limits;
use crate::plan::{Expr, QueryPlan, Select};
use crate::reasoner::Rivals;
use crate::schema::Value;
use crate::sql::{self, guard};

/// So many rows show what a choice means.
const ROWS: usize = 3;

/// A preview with more bytes of cells is left out.
const BYTES: usize = 4096;

/// Two readings are compared by so many rows.
const COMPARED: usize = 1000;

impl Services {
    /// The same question with the first rows of every table to choose from; what cannot run has none.
    pub(super) async fn previewed(&self, mut ambiguity: Ambiguity, cancel: &CancellationToken) -> Ambiguity {
        for choice in ambiguity.options_mut() {
            if let Correction::TableSelection { selected_table, .. } = &choice.correction {
                let plan = QueryPlan::from(Select::from_table(selected_table).project(Expr::All(None)));
                choice.preview = self.first_rows(&plan, ROWS, cancel).await.map(short);
            }
        }
        ambiguity
    }

    /// The question to put where readings give different rows; `None` where they do not, and there is nothing to choose.
    ///
    /// What fails is no choice, and neither is what finds nothing where the likeliest finds something.
    pub(super) async fn apart(&self, rivals: &Rivals, cancel: &CancellationToken) -> Option<Ambiguity> {
        let mut options = Vec::new();
        let mut seen: Vec<Vec<Vec<Value>>> = Vec::new();
        for (choice, plan) in &rivals.readings {
            let Some(found) = self.first_rows(plan, COMPARED, cancel).await else {
                if options.is_empty() {
                    // The likeliest reading fails; that is no question but an error to mend.
                    return None;
                }
                continue;
            };
            let mut rows = found.rows.clone();
            if plan.order_by.is_empty() {
                rows.sort_by_cached_key(|row| format!("{row:?}"));
            }
            let says_nothing = rows.is_empty() && !seen.is_empty();
            if !says_nothing && !seen.contains(&rows) {
                seen.push(rows);
                let mut choice = choice.clone();
                choice.preview = Some(short(found));
                options.push(choice);
            }
        }
        Ambiguity::new(rivals.kind, rivals.question.clone(), options)
    }

    async fn first_rows(&self, plan: &QueryPlan, rows: usize, cancel: &CancellationToken) -> Option<Preview> {
        let dialect = self.database.dialect();
        let checked = guard::check(&sql::render(plan, dialect), dialect).ok()?;
        let limits = Limits { rows, ..self.limits };
        let found = self.database.execute(&checked, &limits, cancel).await.ok()?;
        Some(Preview { columns: found.columns, rows: found.rows })
    }
}

/// The first few rows. A preview travels with the conversation, which has to stay small.
fn short(Preview { columns, mut rows }: Preview) -> Preview {
    rows.truncate(ROWS);
    if rows.iter().flatten().map(Value::size).sum::<usize>() > BYTES {
        rows.clear();
    }
    Preview { columns, rows }
}
