//! What a refinement starts from.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::conversation::{ConversationState, QueryResult, Status, Turn};
use crate::intent::Intent;

/// The context of the next refinement, in the words of the refinement workflow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefinementContext {
    /// The first input of the current line of refinement.
    pub original_question: Option<String>,
    /// The last query that succeeded.
    pub current_query: Option<String>,
    /// What it returned.
    pub current_result: Option<Arc<QueryResult>>,
    /// What the person says now.
    pub feedback: String,
    /// The turns so far, oldest first.
    pub previous_turns: Vec<ContextTurn>,
}

/// A turn as it is shown beside a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextTurn {
    /// Its id.
    pub id: String,
    /// Its number in the conversation, from 1.
    pub turn_number: u64,
    /// When it began.
    pub timestamp: Timestamp,
    /// What the person said.
    pub user_input: String,
    /// What kind of input it was taken for.
    pub intent: Intent,
    /// The query it ended with.
    pub query: Option<String>,
    /// How many rows that returned.
    pub row_count: Option<u64>,
    /// Whether it failed.
    pub error: bool,
}

impl RefinementContext {
    /// The context in which `feedback` is said.
    pub fn of(state: &ConversationState, feedback: impl Into<String>) -> Self {
        Self {
            original_question: state.original_question.clone(),
            current_query: state.current_query.clone(),
            current_result: state.current_result.clone(),
            feedback: feedback.into(),
            previous_turns: state.turns.iter().map(ContextTurn::of).collect(),
        }
    }
}

impl ContextTurn {
    /// The turn without its rows and plan.
    pub fn of(turn: &Turn) -> Self {
        Self {
            id: turn.id.clone(),
            turn_number: turn.number,
            timestamp: turn.timestamp,
            user_input: turn.input.clone(),
            intent: turn.intent,
            query: turn.query.clone(),
            row_count: turn.result.as_ref().map(|result| result.row_count),
            error: turn.status == Status::Failed,
        }
    }
}
