//! `generate_query`: from a plan to SQL.

use super::{Judges, judged};
use crate::conversation::{Change, ConversationState, Wanted};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::plan::Condition;
use crate::reasoner::{Ask, WrittenQuery, grant, not_granted};
use crate::sql;

/// Writes the SQL of the plan. Whether it may run is decided where it runs, in `execute_query`.
pub struct GenerateQuery {
    /// Who judges what words mean.
    pub judges: Judges,
}

impl Node<ConversationState> for GenerateQuery {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let Some(plan) = &state.planner_output else {
            return Err(NodeError::message("there is no plan to generate a query from"));
        };
        let mut changes = Vec::new();
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let was_written = state.scratch.sql.is_some();
        let written = match &state.scratch.sql {
            Some(sql) => {
                let (sql, plan) = (sql.clone(), plan.query_plan.clone());
                Ok(WrittenQuery { sql, plan, note: "Taken as it was written.".to_owned() })
            }
            None => judged(self.judges.reasoner(ask).generate_sql(ask, plan).await, &mut changes),
        };
        match written {
            Ok(mut written) => {
                let wanted = &state.scratch.asked.wanted;
                // A typed plan has it already.
                if (plan.query_plan.is_none() || was_written) && !wanted.is_empty() {
                    changes.extend(granted(ask, wanted, &mut written));
                }
                changes.push(Change::QuerySet { query: written.sql, plan: written.plan.map(Box::new) });
            }
            Err(error) => changes.push(Change::TurnFailed { error }),
        }
        Ok(Outcome::Done(changes))
    }
}

/// Sees to it that SQL without a typed plan behind it gives what was wanted beside the question. Its author was told, so an
/// order or a time that it has is left as it is.
fn granted(ask: Ask<'_>, wanted: &Wanted, written: &mut WrittenQuery) -> Vec<Change> {
    let noted = |note: String| Change::Noted { note };
    let Some(plan) = written.plan.clone() else {
        return not_granted(wanted).map(noted).into_iter().collect();
    };
    let has_time = plan.selects().any(|select| {
        select.filter.iter().flat_map(Condition::parts).any(|condition| condition.as_period().is_some())
    });
    let left = Wanted {
        time_filter: wanted.time_filter.clone().filter(|_| !has_time),
        sort_order: wanted.sort_order.clone().filter(|_| plan.order_by.is_empty()),
        result_limit: wanted.result_limit,
    };
    let granted = grant(ask, &left, plan.clone());
    if granted.plan != plan {
        written.sql = sql::render_named(&granted.plan, ask.dialect);
        written.plan = Some(granted.plan);
    }
    granted.notes.into_iter().map(noted).collect()
}
