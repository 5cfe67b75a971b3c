//! One answer as one line of JSON: what `batch` and `ask --format json` print, and the server sends.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value as Json;

use super::Shown;
use crate::conversation::{ConversationState, ErrorKind, Route, SentCells, Status, Usage};
use crate::database::Rows;
use crate::intent::{self, Intent, Rule, Signal};
use crate::plan::Confidence;
use crate::schema::Value;
use crate::sentence::sentence;

/// The answer to a question.
// The fields stand in the order in which they are written. They are a promise to programs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Answer")]
pub struct Line<'a> {
    /// What the line of the question calls itself.
    id: Json,
    /// The conversation, as the question names it; the id of the conversation in `ask`.
    session: Json,
    /// The number of the turn in its conversation, from 1; null where no turn could begin.
    turn: Option<u64>,
    /// Whether it was answered. A greeting is, by `message`, and so is `what tables are there?`; a command in plain words that only a
    /// chat can obey, such as `undo that`, is `failed`.
    #[schemars(extend("enum" = ["completed", "failed", "awaiting_correction"]))]
    status: &'static str,
    /// What kind of input it was taken for.
    #[schemars(extend("enum" = ["new_query", "refinement", "correction", "command", null]))]
    intent: Option<&'static str>,
    /// How sure it is that the intent is the right one. It says nothing about the answer: see `answer_confidence`.
    #[schemars(extend("enum" = ["low", "medium", "high", null]))]
    confidence: Option<&'static str>,
    /// The way a follow-up took: a new query, the SQL edited, the plan updated or rewritten, a correction.
    #[schemars(extend("enum" = ["new", "inline", "update", "rewrite", "correction", null]))]
    route: Option<&'static str>,
    /// The SQL of the answer.
    sql: Option<&'a str>,
    /// How sure it is that the answer is the right one; null where there is none.
    #[schemars(extend("enum" = ["low", "medium", "high", null]))]
    answer_confidence: Option<&'static str>,
    /// The names of the columns, equal ones included.
    columns: &'a [String],
    /// The rows, each as long as `columns`; left out with `--no-rows`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "rows")]
    rows: Option<&'a [Vec<Value>]>,
    /// How many rows there are, here or not.
    row_count: u64,
    /// Whether `rows` are fewer than there are.
    truncated: bool,
    /// What there is to tell a person: why it failed, the question back, a note.
    message: Option<&'a str>,
    /// The choices of a question back; `1` as the next input takes the first.
    options: Vec<&'a str>,
    /// The words that the answer does not account for. Where there are any, `answer_confidence` is `low`.
    left_out: &'a [String],
    /// What else speaks against the answer, or was chosen where a word may mean several things, one line each. Where there are any,
    /// `answer_confidence` is `low`, or `medium` where a choice is all.
    doubts: &'a [String],
    /// The other ways to read the question; `2` as the next input takes the first of them.
    readings: Vec<Reading<'a>>,
    /// What a follow-up changed about the query before it.
    refinement_summary: Option<&'a str>,
    /// The nodes of the graph that the turn went through.
    path: &'a [String],
    /// What language models cost.
    #[schemars(with = "UsageShape")]
    usage: Usage,
    /// The cells of the database that went to a language model, by column; left out where there are none.
    #[schemars(with = "Vec<SentShape>")]
    #[serde(skip_serializing_if = "<[SentCells]>::is_empty")]
    sent_cells: &'a [SentCells],
    /// How long it took, in milliseconds.
    elapsed_ms: f64,
    /// Why the answer is what it is, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a [String]>,
    /// The answer in one sentence, with `--explain`, where it lists or counts the rows of one table.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
}

/// Another way to read the question, beside the answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Reading<'a> {
    /// What it means, in words.
    label: &'a str,
    /// Its SQL.
    sql: Option<&'a str>,
}

/// [`Usage`] for the schema: the library's own has none.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct UsageShape {
    /// Requests sent.
    llm_calls: u64,
    /// Tokens sent.
    prompt_tokens: u64,
    /// Tokens received.
    completion_tokens: u64,
}

/// Cells of one column.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct SentShape {
    /// The column, as `table.column`.
    column: String,
    /// Its cells, each once.
    cells: Vec<String>,
}

fn rows(generator: &mut SchemaGenerator) -> Schema {
    let cell = cell_schema(generator);
    schemars::json_schema!({
        "description": "The rows, each as long as `columns`; left out with `--no-rows`.",
        "type": "array",
        "items": { "type": "array", "items": cell }
    })
}

/// How a line is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Form {
    /// Whether the rows are part of it.
    pub rows: bool,
    /// At most so many of them.
    pub most: usize,
    /// Whether the reasons are part of it, and the answer in one sentence.
    pub explain: bool,
    /// Whether the schema's numbers of rows are exact, as they are in SQLite, so that a sentence may name them.
    pub counted: bool,
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
            doubts: &state.doubts,
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
            sentence: form.explain.then(|| sentence(state, form.counted)).flatten(),
        }
    }

    /// The same as an answer to the line that calls itself `id`.
    pub fn to(self, id: Json, session: Json) -> Self {
        Self { id, session, ..self }
    }

    /// How the turn ended: `completed`, `failed` or `awaiting_correction`.
    pub fn status(&self) -> &'static str {
        self.status
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
            doubts: &[],
            readings: Vec::new(),
            refinement_summary: None,
            path: &[],
            usage: Usage::default(),
            sent_cells: &[],
            elapsed_ms: 0.0,
            explanation: None,
            sentence: None,
        }
    }
}

/// Milliseconds with three decimals: more would only be noise.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 1e6).round() / 1e3
}

/// What a cell is in JSON.
pub fn cell_schema(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({
        "description": "A cell: bytes are `{\"$blob\": \"0aff\"}`, and numbers that are not finite `{\"$real\": \"NaN\"}`.",
        "type": ["null", "boolean", "number", "string", "object"]
    })
}

/// The commands in plain words that ask for something that every turn can tell. The others only a chat can obey.
const TOLD: [&str; 7] = ["sql", "why", "tables", "describe", "help", "history", "wrong"];

/// True where a greeting, or a command such as *what tables are there?*, was answered in words: the turn has no query, and nothing
/// went wrong.
pub fn replied(state: &ConversationState) -> bool {
    let nothing = state.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput);
    let told = |signal: &Signal| signal.rule == Rule::Command && TOLD.contains(&signal.evidence.as_str());
    nothing
        && match state.intent {
            Some(Intent::Command) => state.signals.iter().any(told),
            _ => intent::courtesy(&state.user_question).is_some(),
        }
}
