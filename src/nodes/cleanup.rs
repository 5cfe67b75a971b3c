//! `cleanup`: closes the turn.

use super::{Known, Memory};
use crate::conversation::{Change, ConversationState, ErrorKind, Route, Status, TurnError};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::plan;

/// Decides how the turn ended, says what it changed, and prunes the history.
pub struct Cleanup {
    /// What is known of the database.
    pub known: Known,
    /// What was learnt.
    pub memory: Memory,
    /// How many turns a conversation keeps.
    pub max_turns: usize,
}

impl Node<ConversationState> for Cleanup {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let empty_again =
            state.scratch.empty.is_some() && state.result.as_ref().is_none_or(|result| result.is_empty());
        let reverted = empty_again || (state.scratch.empty.is_some() && state.error.is_some());
        if reverted {
            let tried = state.query.as_deref().unwrap_or_default();
            let was_empty = state.scratch.empty.as_ref().is_some_and(|first| first.result.is_empty());
            let note = match was_empty {
                true => format!("Nothing matches. A near match was tried and found nothing either: {tried}"),
                false => {
                    format!("The result looks wrong. Another query was tried and came to nothing: {tried}")
                }
            };
            changes.push(Change::RefinementReverted { note });
        }
        let (status, message) = match &state.error {
            _ if state.error.is_none() && state.pending.is_some() => {
                (Status::AwaitingCorrection, state.pending.as_ref().map(|pending| pending.question.clone()))
            }
            Some(error) if !reverted => (Status::Failed, Some(error.message.clone())),
            _ if reverted || state.result.is_some() => (Status::Completed, None),
            _ => {
                let message = "The turn ended without an answer.";
                let error = TurnError::new(ErrorKind::NotUnderstood, message);
                changes.push(Change::TurnFailed { error });
                (Status::Failed, Some(message.to_owned()))
            }
        };
        if self.memory.learns() {
            let knowledge = self.known.knowledge().await?;
            changes.extend(self.memory.learnt(state, status, &knowledge, context).await);
        }
        changes.push(Change::TurnClosed {
            status,
            message,
            refinement_summary: (status == Status::Completed).then(|| summary(state)).flatten(),
            keep: self.max_turns,
        });
        Ok(Outcome::Done(changes))
    }
}

/// What a refinement changed, found by comparing the two queries. A question that stands alone changes nothing.
fn summary(state: &ConversationState) -> Option<String> {
    let changes = matches!(state.route, Some(Route::Inline | Route::Update | Route::Rewrite));
    if !changes || state.is_new_after_all() {
        return None;
    }
    let (before, after) = (state.current_plan()?, state.scratch.query_plan.as_ref()?);
    Some(plan::summary(&plan::compare(before, after)))
}
