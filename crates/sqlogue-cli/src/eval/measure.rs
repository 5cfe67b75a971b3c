//! Asking the questions of one database.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::super::connect::limits;
use sqlogue::conversation::{ConversationState, ErrorKind, Status};
use sqlogue::database::Rows;
use sqlogue::engine::Engine;
use sqlogue::plan::Confidence;
use sqlogue::sql::guard;
use sqlogue_eval::compare;
use sqlogue_eval::load::{Example, Turn};
use sqlogue_eval::report::Scored;

/// What became of one question.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Outcome {
    pub(super) database: String,
    /// The conversation, numbered over all of them.
    pub(super) conversation: (usize, usize),
    /// The turn in it, from 1.
    pub(super) turn: usize,
    pub(super) question: String,
    pub(super) gold: String,
    pub(super) sql: Option<String>,
    pub(super) status: &'static str,
    /// Whether the gold query runs, so that the answer can be judged.
    pub(super) scored: bool,
    pub(super) right: bool,
    /// Where it was answered by a question back: whether one of the options gives the right rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) right_offered: Option<bool>,
    pub(super) confidence: Option<Confidence>,
    /// The words that the answer does not account for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<String>,
    /// Why the answer is what it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) explanation: Vec<String>,
    pub(super) intent: Option<&'static str>,
    pub(super) intent_confidence: Option<Confidence>,
    pub(super) route: Option<&'static str>,
    /// What went wrong, as a kind.
    pub(super) error: Option<ErrorKind>,
    pub(super) message: Option<String>,
    pub(super) elapsed_us: u128,
    /// Calls of a language model.
    pub(super) llm_calls: u64,
    /// The first question of a database pays for reading its schema.
    pub(super) first: bool,
}

/// Asks all of it, each conversation on its own history. What was asked is counted in `counted`.
pub(super) async fn measure(
    engine: &Engine,
    group: usize,
    examples: Vec<Example>,
    counted: &AtomicUsize,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (number, example) in examples.into_iter().enumerate() {
        let mut state: Option<ConversationState> = None;
        for (turn, asked) in example.turns.into_iter().enumerate() {
            let first = outcomes.is_empty();
            let (outcome, after) = ask(engine, &asked, state.take()).await;
            state = after;
            counted.fetch_add(1, Ordering::Relaxed);
            outcomes.push(Outcome {
                database: example.database.clone(),
                conversation: (group, number),
                turn: turn + 1,
                question: asked.question,
                gold: asked.gold,
                first,
                ..outcome
            });
        }
    }
    outcomes
}

async fn ask(
    engine: &Engine,
    turn: &Turn,
    before: Option<ConversationState>,
) -> (Outcome, Option<ConversationState>) {
    let gold = if turn.scored { run_gold(engine, &turn.gold).await } else { None };
    let mut outcome = Outcome {
        database: String::new(),
        conversation: (0, 0),
        turn: 0,
        question: String::new(),
        gold: String::new(),
        sql: None,
        status: Status::Failed.name(),
        scored: gold.is_some(),
        right: false,
        right_offered: None,
        confidence: None,
        left_out: Vec::new(),
        explanation: Vec::new(),
        intent: None,
        intent_confidence: None,
        route: None,
        error: None,
        message: None,
        elapsed_us: 0,
        llm_calls: 0,
        first: false,
    };
    let answer = match engine.ask(turn.question.as_str(), before.clone()).await {
        Ok(answer) => answer,
        Err(error) => {
            outcome.message = Some(error.to_string());
            return (outcome, before);
        }
    };
    let state = &answer.state;
    outcome.sql.clone_from(&state.query);
    outcome.status = state.status.name();
    outcome.confidence = state.answer_confidence;
    outcome.left_out.clone_from(&state.left_out);
    outcome.explanation.clone_from(&state.explanation);
    outcome.intent_confidence = state.confidence;
    outcome.intent = state.intent.map(sqlogue::intent::Intent::name);
    outcome.route = state.route.map(sqlogue::conversation::Route::name);
    outcome.error = state.error.as_ref().map(|error| error.kind);
    outcome.message = state.error.as_ref().map(|error| error.message.clone());
    outcome.elapsed_us = answer.elapsed.as_micros();
    outcome.llm_calls = state.usage.llm_calls;
    let is_right = |rows: Option<&Rows>| match (&gold, rows) {
        (Some(gold), Some(rows)) => compare::same(&gold.rows, &rows.rows, compare::is_ordered(&turn.gold)),
        _ => false,
    };
    outcome.right = is_right(answer.rows.as_deref());
    if let Some(pending) = state.pending.as_ref().filter(|_| state.status == Status::AwaitingCorrection) {
        // Every option is taken once, as a person would take it; none of it stays in the conversation.
        let mut offered = false;
        for option in 1..=pending.options().len() {
            let taken = engine.ask(option.to_string().as_str(), Some(state.clone())).await;
            offered |= taken.is_ok_and(|taken| is_right(taken.rows.as_deref()));
        }
        outcome.right_offered = Some(offered);
    }
    (outcome, Some(answer.state))
}

impl Outcome {
    /// The same in the terms of the report.
    pub(super) fn scored(&self) -> Scored {
        let answered = self.status == Status::Completed.name();
        Scored {
            database: self.database.clone(),
            question: self.question.clone(),
            gold: self.gold.clone(),
            answer: self.sql.clone().filter(|_| answered),
            confidence: self.confidence.unwrap_or_default(),
            right: self.right,
            error: self.message.clone().filter(|_| self.error == Some(ErrorKind::QueryFailed)),
        }
    }
}

/// The rows of the gold query, by the same guard and within the same limits as any other.
async fn run_gold(engine: &Engine, gold: &str) -> Option<Rows> {
    let database = engine.database();
    let limits = limits(engine.settings());
    let checked = guard::check(gold, database.dialect()).ok()?;
    database.execute(&checked, &limits, &CancellationToken::new()).await.ok()
}
