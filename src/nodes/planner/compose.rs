//! The end of planning: a plan, a question back, or a failure that says why.

use super::{Services, granted, judged, planned};
use crate::conversation::{Change, ConversationState, Route};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::intent::Rule;
use crate::nodes::no_surer;
use crate::plan::Confidence;
use crate::reasoner::Planned;

/// `compose_plan`: a plan from all that the phases found.
pub struct ComposePlan {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for ComposePlan {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.services.knowledge().await?;
        let ask = self.services.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let composed = match judged(self.services.reasoner(ask).compose_plan(ask).await, &mut changes) {
            Ok(Planned::Plan { mut output, mut explanation }) => {
                changes.extend(self.services.mapped(&mut output, state, knowledge.schema()));
                changes.extend(granted(ask, &mut output));
                if !self.services.is_written(state) {
                    let (confidence, reason) = in_conversation(output.confidence, state);
                    output.confidence = confidence;
                    explanation.extend(reason);
                }
                if state.scratch.readings.is_some() {
                    output.confidence = output.confidence.min(Confidence::Medium);
                }
                Planned::Plan { output, explanation }
            }
            Ok(failed) => failed,
            Err(error) => Planned::Failed(error),
        };
        changes.push(planned(composed, &knowledge));
        Ok(Outcome::Done(changes))
    }
}

/// How sure a plan is that would be so sure if it stood alone, and the reason where that makes a difference.
fn in_conversation(confidence: Confidence, state: &ConversationState) -> (Confidence, Option<String>) {
    match state.route {
        // The router has judged already how far the input goes on from the last answer.
        Some(Route::Rewrite) => {
            no_surer(state.answer_confidence.map_or(confidence, |bound| bound.min(confidence)), state)
        }
        Some(Route::New) if state.is_continuation && !is_reset(state) && is_short(&state.user_question) => {
            let reason =
                "So short an input often goes on from the question before, and it was read as a new one.";
            let lower = match confidence {
                Confidence::High => Confidence::Medium,
                _ => Confidence::Low,
            };
            (lower, (lower < confidence).then(|| reason.to_owned()))
        }
        _ => (confidence, None),
    }
}

/// True where the person said that something new begins.
fn is_reset(state: &ConversationState) -> bool {
    state.signals.iter().any(|signal| signal.rule == Rule::Reset)
}

/// True for an input of so few words that more of them than not were meant as follow-ups, as far as was measured.
fn is_short(input: &str) -> bool {
    const WORDS: usize = 8;
    input.split_whitespace().count() <= WORDS
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
        let mut changes = Vec::new();
        let change = match judged(self.services.reasoner(ask).update_plan(ask).await, &mut changes) {
            Ok(mut updated) => {
                if let Planned::Plan { output, .. } = &mut updated {
                    changes.extend(granted(ask, output));
                }
                planned(updated, &knowledge)
            }
            Err(error) => Change::TurnFailed { error },
        };
        changes.push(change);
        Ok(Outcome::Done(changes))
    }
}
