//! `refine_query`: SQL in place of one that returned nothing.

use super::{Judges, judged};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};

/// Finds the literal that matches nothing and what it nearly matches.
pub struct RefineQuery {
    /// Who judges what words mean.
    pub judges: Judges,
}

impl Node<ConversationState> for RefineQuery {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let sql = state.query.as_deref().unwrap_or_default();
        context.progress("nothing found; looking for a near match");
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let plan = state.scratch.query_plan.as_ref();
        let change = match judged(self.judges.reasoner(ask).refine(ask, sql, plan).await, &mut changes) {
            Ok(Some(written)) if written.sql != sql => Change::QueryRefined {
                query: written.sql,
                plan: written.plan.map(Box::new),
                note: written.note,
            },
            Ok(_) => {
                Change::RefinementAbandoned { reason: "Nothing matches, and nothing comes near.".to_owned() }
            }
            Err(error) => Change::RefinementAbandoned { reason: error.message },
        };
        changes.push(change);
        Ok(Outcome::Done(changes))
    }
}
