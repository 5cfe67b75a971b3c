//! The end of planning: a plan, a question back, or a failure that says why.

use super::{Services, planned};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};

/// `compose_plan`: a plan from all that the phases found.
pub struct ComposePlan {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for ComposePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        Ok(Outcome::Done(planned(self.services.reasoner.compose_plan(ask).await, &knowledge)))
    }
}

/// `update_plan`: the previous plan, changed as the router says.
pub struct UpdatePlan {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for UpdatePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        Ok(Outcome::Done(planned(self.services.reasoner.update_plan(ask).await, &knowledge)))
    }
}
