//! Results with what surrounds them in a conversation.

use serde::Serialize;

use super::context::ContextTurn;
use crate::conversation::{ConversationState, Status};
use crate::error::Error;
use crate::intent::Intent;
use crate::plan::Confidence;

/// The result of a turn with the conversation around it, for display and for logs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrichedResult {
    /// The SQL of the turn.
    pub query: Option<String>,
    /// Why the answer is what it is.
    pub explanation: String,
    /// How far the result is to be trusted: the intent and the answer together are as sure as the less sure of the two.
    pub confidence: Confidence,
    /// What kind of input it was taken for.
    pub intent: Intent,
    /// The number of the turn in the conversation, from 1.
    pub turn_number: u64,
    /// The id of the session.
    pub session_id: String,
    /// What changed, for refinements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement_summary: Option<String>,
    /// The turns before it, oldest first.
    pub conversation_context: Vec<ContextTurn>,
    /// True where the turn failed; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
    /// What to tell the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether saying it again, or in other words, may help; only with errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_retry: Option<bool>,
}

impl EnrichedResult {
    /// The result of the turn that led from `before` to `after`.
    pub fn of(before: &ConversationState, after: &ConversationState) -> Self {
        let failed = after.status == Status::Failed;
        let asked = after.pending.as_ref().map(|pending| pending.question.clone());
        let told = after.error.as_ref().filter(|_| failed).map(|error| error.message.clone());
        let intent_confidence = after.confidence.unwrap_or_default();
        Self {
            query: after.query.clone(),
            explanation: after.explanation.join("\n"),
            confidence: after.answer_confidence.map_or(intent_confidence, |sure| sure.min(intent_confidence)),
            intent: after.intent.unwrap_or(Intent::NewQuery),
            turn_number: after.turn_number,
            session_id: after.session_id.clone(),
            refinement_summary: after.refinement_summary.clone(),
            conversation_context: before.turns.iter().map(ContextTurn::of).collect(),
            error: failed,
            message: told.or(asked).or_else(|| after.message.clone()),
            can_retry: failed.then_some(true),
        }
    }

    /// The result of a turn that could not be carried out at all; the conversation stands as it was.
    pub fn failed(before: &ConversationState, error: &Error) -> Self {
        Self {
            query: None,
            explanation: String::new(),
            confidence: Confidence::Low,
            intent: Intent::NewQuery,
            turn_number: before.turn_number.saturating_add(1),
            session_id: before.session_id.clone(),
            refinement_summary: None,
            conversation_context: before.turns.iter().map(ContextTurn::of).collect(),
            error: true,
            message: Some(error.to_string()),
            // Saying it again does not open another database or correct a setting.
            can_retry: Some(!error.is_usage()),
        }
    }
}
