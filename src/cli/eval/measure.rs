//! Asking the questions of one database.

use std::time::Duration;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::conversation::{ConversationState, ErrorKind, Status};
use crate::database::{Limits, Rows};
use crate::engine::Engine;
use crate::eval::compare;
use crate::eval::load::{Example, Turn};
use crate::plan::Confidence;
use crate::sql::guard;

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
    pub(super) confidence: Option<Confidence>,
    pub(super) intent: Option<&'static str>,
    pub(super) route: Option<&'static str>,
    /// What went wrong, as a kind.
    pub(super) error: Option<ErrorKind>,
    pub(super) message: Option<String>,
    pub(super) elapsed_us: u128,
    /// The first question of a database pays for reading its schema.
    pub(super) first: bool,
}

/// Asks all of it, each conversation on its own history.
pub(super) async fn measure(engine: &Engine, group: usize, examples: Vec<Example>) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (number, example) in examples.into_iter().enumerate() {
        let mut state: Option<ConversationState> = None;
        for (turn, asked) in example.turns.into_iter().enumerate() {
            let first = outcomes.is_empty();
            let (outcome, after) = ask(engine, &asked, state.take()).await;
            state = after;
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
        confidence: None,
        intent: None,
        route: None,
        error: None,
        message: None,
        elapsed_us: 0,
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
    outcome.intent = state.intent.map(crate::intent::Intent::name);
    outcome.route = state.route.map(crate::conversation::Route::name);
    outcome.error = state.error.as_ref().map(|error| error.kind);
    outcome.message = state.error.as_ref().map(|error| error.message.clone());
    outcome.elapsed_us = answer.elapsed.as_micros();
    outcome.right = match (&gold, &answer.rows) {
        (Some(gold), Some(rows)) => compare::same(&gold.rows, &rows.rows, compare::is_ordered(&turn.gold)),
        _ => false,
    };
    (outcome, Some(answer.state))
}

/// The rows of the gold query, by the same guard and within the same limits as any other.
async fn run_gold(engine: &Engine, gold: &str) -> Option<Rows> {
    let database = engine.database();
    let settings = engine.settings();
    let limits = Limits {
        rows: settings.max_rows,
        deadline: Duration::from_secs_f64(settings.query_timeout),
        ..Limits::default()
    };
    let checked = guard::check(gold, database.dialect()).ok()?;
    database.execute(&checked, &limits, &CancellationToken::new()).await.ok()
}
