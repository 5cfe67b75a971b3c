//! `router`: where a follow-up goes.

use super::{Services, judged};
use crate::ambiguity;
use crate::conversation::{Change, ConversationState, Route, RouterMode};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::intent::Intent;
use crate::reasoner::RouterOutput;

/// Turns the classifier's intent into a route, and an inline revision into SQL.
pub struct Router {
    /// What it works with.
    pub services: Services,
}

impl Node<ConversationState> for Router {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        if state.error.is_some() {
            // There is nothing to route: the input itself cannot be used, and the planner passes the turn on to its end.
            return Ok(Outcome::Done(vec![routed(Route::Update, None, None)]));
        }
        if state.intent == Some(Intent::Correction)
            && state.pending.is_none()
            && !state.corrections.is_empty()
        {
            // The correction came in structured form.
            return Ok(Outcome::Done(vec![routed(Route::Correction, None, None)]));
        }
        if let Some(pending) = &state.pending {
            if let Some(correction) = ambiguity::answer(&state.user_question, pending) {
                changes.push(Change::CorrectionAdded { correction });
                changes.push(routed(Route::Correction, None, None));
                return Ok(Outcome::Done(changes));
            }
            changes.push(Change::PendingDropped);
            changes.push(Change::Noted { note: format!("Not answered, and dropped: {}", pending.question) });
        }
        let refines = matches!(state.intent, Some(Intent::Refinement));
        if !refines || state.current_query.is_none() {
            if refines {
                let note = "Starting new query (no previous query to refine)".to_owned();
                changes.push(Change::Noted { note });
            }
            changes.push(routed(Route::New, None, None));
            return Ok(Outcome::Done(changes));
        }
        let knowledge = self.services.knowledge().await?;
        // What an earlier question asked for says nothing about this one.
        let ask = crate::reasoner::Ask {
            question: &state.user_question,
            ..self.services.ask(state, &knowledge, context)
        };
        let output = match judged(self.services.reasoner.route(ask).await, &mut changes) {
            Ok(output) => output,
            Err(error) => RouterOutput::Failed(error),
        };
        match output {
            RouterOutput::Inline { query, plan, explanation } => {
                changes.push(routed(Route::Inline, None, None));
                changes.push(Change::Explained { reasons: explanation });
                changes.push(Change::QuerySet { query, plan });
            }
            RouterOutput::Plan { mode, instructions, edits, question } => {
                let route = match mode {
                    RouterMode::Update => Route::Update,
                    RouterMode::Rewrite => Route::Rewrite,
                };
                let (mode, instructions) = (Some(mode), Some(instructions));
                changes.push(Change::Routed { route, mode, instructions, edits, question });
            }
            RouterOutput::New => changes.push(routed(Route::New, None, None)),
            // The planner sees the error and passes the turn on to its end.
            RouterOutput::Failed(error) => {
                changes.push(routed(Route::Update, None, None));
                changes.push(Change::TurnFailed { error });
            }
        }
        Ok(Outcome::Done(changes))
    }
}

fn routed(route: Route, mode: Option<RouterMode>, instructions: Option<String>) -> Change {
    Change::Routed { route, mode, instructions, edits: Vec::new(), question: None }
}
