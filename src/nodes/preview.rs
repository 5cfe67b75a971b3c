//! What the choices of a question back would give: the first rows of each.

use tokio_util::sync::CancellationToken;

use super::Services;
use crate::ambiguity::{Ambiguity, Choice, Correction, Preview};
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

    /// The first of these questions whose readings give different rows; `None` where all give the same, and there is
    /// nothing to choose.
    ///
    /// What fails is no choice, and neither is what finds nothing where the likeliest finds something.
    pub(super) async fn apart(&self, questions: &[Rivals], cancel: &CancellationToken) -> Option<Ambiguity> {
        // Where the likeliest reading fails there is no question to put but an error to mend.
        let (choice, plan) = questions.first()?.readings.first()?;
        let likeliest = self.shown(choice, plan, cancel).await?;
        for question in questions {
            let mut found = vec![likeliest.clone()];
            if let Some((choice, _)) = question.readings.first() {
                // What it is called differs from question to question.
                found.iter_mut().for_each(|(known, _)| {
                    *known = Choice { preview: known.preview.take(), ..choice.clone() };
                });
            }
            for (choice, plan) in question.readings.iter().skip(1) {
                let Some((choice, rows)) = self.shown(choice, plan, cancel).await else { continue };
                if !rows.is_empty() && found.iter().all(|(_, known)| *known != rows) {
                    found.push((choice, rows));
                }
            }
            let options = found.into_iter().map(|(choice, _)| choice).collect();
            let ambiguity = Ambiguity::new(question.kind, question.question.clone(), options);
            if ambiguity.is_some() {
                return ambiguity;
            }
        }
        None
    }

    /// A choice with its first rows, and the rows to compare it by; `None` where its query fails.
    async fn shown(
        &self,
        choice: &Choice,
        plan: &QueryPlan,
        cancel: &CancellationToken,
    ) -> Option<(Choice, Vec<Vec<Value>>)> {
        let found = self.first_rows(plan, COMPARED, cancel).await?;
        let mut rows = found.rows.clone();
        if plan.order_by.is_empty() {
            rows.sort_by_cached_key(|row| format!("{row:?}"));
        }
        Some((Choice { preview: Some(short(found)), ..choice.clone() }, rows))
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
