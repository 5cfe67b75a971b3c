//! `handle_error`: SQL in place of one that failed.

use std::borrow::Cow;

use super::{Services, judged};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};

/// Repairs the SQL with the error as feedback.
pub struct HandleError {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for HandleError {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let Some(failure) = state.scratch.failures.last() else {
            return Err(NodeError::message("there is no failure to repair"));
        };
        context.progress("repairing the query");
        let knowledge = self.services.knowledge().await?;
        let recalled = self.services.recalled_for_error(state, &failure.error.message, knowledge.schema());
        let mut seen = Cow::Borrowed(state);
        if let Some(change) = recalled {
            seen.to_mut().apply(&change);
            changes.push(change);
        }
        let ask = self.services.ask(&seen, &knowledge, context);
        let change = match judged(self.services.reasoner(ask).repair(ask, failure).await, &mut changes) {
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
