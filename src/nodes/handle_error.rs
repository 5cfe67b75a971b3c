//! `handle_error`: SQL in place of one that failed.

use super::{Judges, Memory, judged, memory};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::reasoner::Ask;

/// Repairs the SQL with the error as feedback.
pub struct HandleError {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
}

impl Node<ConversationState> for HandleError {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let Some(failure) = state.scratch.failures.last() else {
            return Err(NodeError::message("there is no failure to repair"));
        };
        context.progress("repairing the query");
        let knowledge = self.judges.knowledge().await?;
        let recalled = self.memory.recalled_for_error(state, &failure.error.message, knowledge.schema());
        let recalled: Vec<Change> = recalled.into_iter().collect();
        let ask = self.judges.ask(state, &knowledge, context);
        let ask = Ask { lessons: memory::after(&recalled, state), ..ask };
        let mut changes = recalled.clone();
        let change = match judged(self.judges.reasoner(ask).repair(ask, failure).await, &mut changes) {
            // The same statement again would fail again.
            Ok(Some(written)) if state.scratch.failures.iter().all(|failure| failure.sql != written.sql) => {
                Change::QueryRepaired {
                    query: written.sql,
                    plan: written.plan.map(Box::new),
                    note: written.note,
                }
            }
            Ok(_) => {
                Change::RepairAbandoned { reason: "Nothing was found to repair the query with.".to_owned() }
            }
            Err(error) => Change::RepairAbandoned { reason: error.message },
        };
        changes.push(change);
        Ok(Outcome::Done(changes))
    }
}
