//! `generate_query`: from a plan to SQL.

use super::{Services, judged};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};

/// Writes the SQL of the plan. Whether it may run is decided where it runs, in `execute_query`.
pub struct GenerateQuery {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for GenerateQuery {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let Some(plan) = &state.planner_output else {
            return Err(NodeError::message("there is no plan to generate a query from"));
        };
        let mut changes = Vec::new();
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        match judged(self.services.reasoner(ask).generate_sql(ask, plan).await, &mut changes) {
            Ok(written) => {
                changes.push(Change::QuerySet { query: written.sql, plan: written.plan.map(Box::new) });
            }
            Err(error) => changes.push(Change::TurnFailed { error }),
        }
        Ok(Outcome::Done(changes))
    }
}
