//! The end of planning: a plan, a question back, or a failure that says why.

use super::{Services, planned};
use crate::ambiguity::Correction;
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::plan::{Confidence, PlannerOutput};
use crate::reasoner::{Ask, Judged, Planned};

/// `compose_plan`: a plan from all that the phases found.
pub struct ComposePlan {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for ComposePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        let readings = self.services.reasoner.worth_trying(ask);
        let trials = self.services.tried(&readings, context.cancellation()).await;
        let ask = Ask { trials: &trials, ..ask };
        let mut composed = self.services.reasoner.compose_plan(ask).await;
        let mut changes = Vec::new();
        if let Ok(Judged { value, .. }) = &mut composed {
            self.compare(value, context).await;
            if let Planned::Plan { output, .. } = value {
                changes.extend(self.services.mapped(output, state, knowledge.schema()));
            }
        }
        changes.extend(planned(composed, &knowledge));
        Ok(Outcome::Done(changes))
    }
}

impl ComposePlan {
    /// Readings that give the same rows are one: the likeliest is taken. Others are shown with their first rows.
    async fn compare(&self, planned: &mut Planned, context: &Context) {
        let Planned::Ambiguous(ambiguity) = planned else { return };
        let cancel = context.cancellation();
        if self.services.differ(ambiguity, cancel).await {
            **ambiguity = self.services.previewed((**ambiguity).clone(), cancel).await;
            return;
        }
        if let Some(Correction::Reading { query_plan }) =
            ambiguity.options().first().map(|choice| &choice.correction)
        {
            let reason = "Other readings give the same rows.".to_owned();
            let output = PlannerOutput::from_plan(query_plan, reason.clone(), Confidence::Medium);
            *planned = Planned::Plan { output: Box::new(output), explanation: vec![reason] };
        }
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
