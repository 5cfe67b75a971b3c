//! One answer as one line of JSON: what `batch` and `ask --format json` print, and the server sends.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use super::Shown;
use crate::conversation::{ConversationState, ErrorKind, Route, Status, Usage};
use crate::database::Rows;
use crate::intent::{self, Intent};
use crate::plan::Confidence;
use crate::schema::Value;

/// The fields of a line, in the order in which they are written. They are a promise to programs.
#[derive(Debug, Serialize)]
pub struct Line<'a> {
    id: Json,
    session: Json,
    turn: Option<u64>,
    status: &'static str,
    intent: Option<&'static str>,
    confidence: Option<&'static str>,
    route: Option<&'static str>,
    sql: Option<&'a str>,
    answer_confidence: Option<&'static str>,
    columns: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<&'a [Vec<Value>]>,
    row_count: u64,
    truncated: bool,
    message: Option<&'a str>,
    options: Vec<&'a str>,
    left_out: &'a [String],
    readings: Vec<Reading<'a>>,
    refinement_summary: Option<&'a str>,
    path: &'a [String],
    usage: Usage,
    elapsed_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a [String]>,
}

/// Another way to read the question, beside the answer.
#[derive(Debug, Serialize)]
struct Reading<'a> {
    label: &'a str,
    sql: Option<&'a str>,
}

/// How a line is written.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// Whether the rows are part of it.
    pub rows: bool,
    /// At most so many of them.
    pub most: usize,
    /// Whether the reasons are part of it.
    pub explain: bool,
}

impl<'a> Line<'a> {
    /// The line for a turn.
    pub fn new(
        state: &'a ConversationState,
        rows: Option<&'a Rows>,
        path: &'a [String],
        elapsed: Duration,
        form: Form,
    ) -> Self {
        let result = Shown::of(state, rows).unwrap_or_default();
        let first = result.first(form.most);
        let pending = state.pending.as_ref();
        let error = state.error.as_ref().map(|error| error.message.as_str());
        // A command was answered beside the question that stays open; the message holds both.
        let asked = pending.filter(|_| state.intent != Some(Intent::Command));
        Self {
            id: Json::Null,
            session: Json::Null,
            turn: Some(state.turn_number),
            // Whoever says hello was answered, though no query was.
            status: if replied(state) { Status::Completed } else { state.status }.name(),
            intent: state.intent.map(Intent::name),
            confidence: state.confidence.map(Confidence::name),
            route: state.route.map(Route::name),
            sql: state.query.as_deref(),
            answer_confidence: state.answer_confidence.map(Confidence::name),
            columns: result.columns,
            rows: form.rows.then_some(first),
            row_count: result.count,
            truncated: result.truncated || first.len() as u64 != result.count && form.rows,
            message: error.or(asked.map(|pending| pending.question.as_str())).or(state.message.as_deref()),
            options: pending
                .iter()
                .flat_map(|pending| pending.options())
                .map(|option| option.label.as_str())
                .collect(),
            left_out: &state.left_out,
            readings: state
                .other_readings()
                .iter()
                .map(|choice| Reading { label: &choice.label, sql: choice.sql.as_deref() })
                .collect(),
            refinement_summary: state.refinement_summary.as_deref(),
            path,
            usage: state.usage,
            elapsed_ms: milliseconds(elapsed),
            explanation: form.explain.then_some(&state.explanation),
        }
    }

    /// The same as an answer to the line that calls itself `id`.
    pub fn to(self, id: Json, session: Json) -> Self {
        Self { id, session, ..self }
    }

    /// The line for a turn that could not begin.
    pub fn failed(message: &'a str, form: Form) -> Self {
        Self {
            id: Json::Null,
            session: Json::Null,
            turn: None,
            status: "failed",
            intent: None,
            confidence: None,
            route: None,
            sql: None,
            answer_confidence: None,
            columns: &[],
            rows: form.rows.then_some(&[]),
            row_count: 0,
            truncated: false,
            message: Some(message),
            options: Vec::new(),
            left_out: &[],
            readings: Vec::new(),
            refinement_summary: None,
            path: &[],
            usage: Usage::default(),
            elapsed_ms: 0.0,
            explanation: None,
        }
    }
}

/// True where a greeting or the like was answered in words: the turn has no query, and nothing went wrong.
fn replied(state: &ConversationState) -> bool {
    let nothing = state.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput);
    nothing && state.intent != Some(Intent::Command) && intent::courtesy(&state.user_question).is_some()
}

/// Milliseconds with three decimals: more would only be noise.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 1e6).round() / 1e3
}
