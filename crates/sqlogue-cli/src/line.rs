//! One answer as one line of JSON: what `batch` and `ask --format json` print.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use super::show::answer::Result as Shown;
use sqlogue::conversation::{ConversationState, SentCells, Usage};
use sqlogue::database::Rows;
use sqlogue::intent::Intent;
use sqlogue::plan::Confidence;
use sqlogue::schema::Value;

/// The fields of a line, in the order in which they are written. They are a promise to programs.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
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
    #[serde(skip_serializing_if = "<[SentCells]>::is_empty")]
    sent_cells: &'a [SentCells],
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
pub(super) struct Form {
    /// Whether the rows are part of it.
    pub(super) rows: bool,
    /// At most so many of them.
    pub(super) most: usize,
    /// Whether the reasons are part of it.
    pub(super) explain: bool,
}

impl<'a> Line<'a> {
    /// The line for a turn.
    pub(super) fn new(
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
            status: state.status.name(),
            intent: state.intent.map(Intent::name),
            confidence: state.confidence.map(Confidence::name),
            route: state.route.map(sqlogue::conversation::Route::name),
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
            sent_cells: &state.sent_cells,
            elapsed_ms: milliseconds(elapsed),
            explanation: form.explain.then_some(&state.explanation),
        }
    }

    /// The same as an answer to the line that calls itself `id`.
    pub(super) fn to(self, id: Json, session: Json) -> Self {
        Self { id, session, ..self }
    }

    /// The line for a turn that could not begin.
    pub(super) fn failed(message: &'a str, form: Form) -> Self {
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
            sent_cells: &[],
            elapsed_ms: 0.0,
            explanation: None,
        }
    }
}

/// Milliseconds with three decimals: more would only be noise.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 1e6).round() / 1e3
}

/// The line for an input that is no question at all.
pub(super) fn unreadable(id: &Json, message: &str) -> String {
    serde_json::json!({ "id": id, "status": "failed", "message": message }).to_string()
}

/// A value as JSON on one line. Nothing that is printed here can fail to be written as JSON.
pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| unreadable(&Json::Null, &error.to_string()))
}
