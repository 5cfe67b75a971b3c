//! What goes over the wire, in both directions. The names here are promises to programs.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sqlogue::graph::journal::Mark;
use sqlogue::store::{StoredSession, TurnInfo};
use utoipa::ToSchema;

use crate::picture::{Look, Picture};

/// A turn: what `sqlogue ask --format json` prints, with the turn's id as `id` and the conversation's as `session`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Turn {
    /// The turn's id; null where it could not begin.
    pub(crate) id: Option<String>,
    /// The conversation's id.
    pub(crate) session: Option<String>,
    /// The number of the turn in the conversation, from 1.
    pub(crate) turn: Option<u64>,
    /// `completed`, `failed`, `awaiting_correction` (answer with one of `options`), or `awaiting_approval` (approve or
    /// cancel it).
    pub(crate) status: String,
    /// What kind of input it was taken for: `new_query`, `refinement`, `correction`, `command`.
    pub(crate) intent: Option<String>,
    /// How sure that is: `high`, `medium`, `low`.
    pub(crate) confidence: Option<String>,
    /// The way it took: `new`, `inline`, `update`, `rewrite`, `correction`.
    pub(crate) route: Option<String>,
    /// The SQL of the answer.
    pub(crate) sql: Option<String>,
    /// How sure the answer is: `high`, `medium`, `low`.
    pub(crate) answer_confidence: Option<String>,
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    /// The first rows.
    pub(crate) rows: Vec<Vec<Json>>,
    /// How many rows there are, shown or not.
    pub(crate) row_count: u64,
    /// Whether `rows` holds fewer than the query would return.
    pub(crate) truncated: bool,
    /// What to tell the person.
    pub(crate) message: Option<String>,
    /// The choices, where a correction is awaited.
    pub(crate) options: Vec<String>,
    /// The words that the answer does not account for.
    pub(crate) left_out: Vec<String>,
    /// What else speaks against the answer, or was chosen for the person, one line each.
    pub(crate) doubts: Vec<String>,
    /// The other ways to read the question; `2` as the next input takes the first of them.
    pub(crate) readings: Vec<Reading>,
    /// What a follow-up changed.
    pub(crate) refinement_summary: Option<String>,
    /// The nodes that it went through.
    pub(crate) path: Vec<String>,
    /// What models cost.
    pub(crate) usage: Usage,
    /// The cells of the database that went to a model, by column; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sent_cells: Vec<SentCells>,
    /// How long it took, in milliseconds.
    pub(crate) elapsed_ms: f64,
    /// Why the answer is what it is, one reason a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) explanation: Option<Vec<String>>,
    /// The answer in one sentence, beside the reasons, where it lists or counts the rows of one table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sentence: Option<String>,
}

/// Another way to read a question.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema, JsonSchema)]
pub(crate) struct Reading {
    /// In words.
    pub(crate) label: String,
    /// As SQL, where it is known.
    pub(crate) sql: Option<String>,
}

/// Cells of one column that were part of a request to a model.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema, JsonSchema)]
pub(crate) struct SentCells {
    /// The column, as `table.column`.
    pub(crate) column: String,
    /// Its cells, each once.
    pub(crate) cells: Vec<String>,
}

/// What models cost in a turn.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema, JsonSchema)]
pub(crate) struct Usage {
    pub(crate) llm_calls: u64,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
}

/// What is asked in a turn.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    /// The question, follow-up, correction or command, in a person's words.
    pub(crate) input: String,
    /// Whether the turn waits with its SQL until it is approved.
    #[serde(default)]
    pub(crate) confirm: bool,
    /// Whether the input is a new question, whatever it sounds like.
    #[serde(default)]
    pub(crate) fresh: bool,
    /// The turn that the caller thinks is the last one: where it is not, the answer is 409 and nothing happens.
    #[serde(default)]
    pub(crate) after: Option<String>,
    /// At most so many rows in the answer; 100 unless set. All of them are under `rows`.
    #[serde(default)]
    #[schema(maximum = 10000)]
    pub(crate) rows: Option<u32>,
    /// Whether the reasons for the answer are part of it.
    #[serde(default)]
    pub(crate) explain: bool,
}

/// A conversation.
#[derive(Debug, Clone, Serialize, ToSchema, JsonSchema)]
pub(crate) struct Conversation {
    /// Its id.
    pub(crate) id: String,
    /// The database it began with.
    pub(crate) database: String,
    /// Its first question; empty before there is one.
    pub(crate) title: String,
    /// When it was made.
    pub(crate) created: String,
    /// When a turn was last finished.
    pub(crate) updated: String,
    /// Whether it can only be read and branched.
    pub(crate) read_only: bool,
    /// The turn where it stands; null at the beginning.
    pub(crate) head: Option<String>,
    /// The turn that redo leads to in the end; the head where nothing was undone.
    pub(crate) tip: Option<String>,
    /// The turn that runs now, here or at another server of the store.
    pub(crate) running: Option<String>,
    /// The turn that waits for an approval.
    pub(crate) waiting: Option<Approval>,
    /// What is wrong with what is stored of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damaged: Option<String>,
}

impl Conversation {
    /// A stored conversation under the id that its owner knows.
    pub(crate) fn of(session: &StoredSession, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            database: session.database.clone(),
            title: session.title.clone(),
            created: session.created.to_string(),
            updated: session.updated.to_string(),
            read_only: session.read_only,
            head: session.position.head.map(|run| run.to_string()),
            tip: session.position.tip.map(|run| run.to_string()),
            running: None,
            waiting: None,
            damaged: session.damaged.clone(),
        }
    }
}

/// A turn that waits for an approval of its SQL.
#[derive(Debug, Clone, Serialize, ToSchema, JsonSchema)]
pub(crate) struct Approval {
    /// The turn.
    pub(crate) turn: String,
    /// `awaiting_approval`.
    pub(crate) status: &'static str,
    /// The SQL that would run.
    pub(crate) sql: String,
    /// What it would cost, where the database can say so.
    pub(crate) cost: Option<String>,
}

/// Conversations, the latest used first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationPage {
    /// This page.
    pub(crate) conversations: Vec<Conversation>,
    /// The `offset` of the next page, where there may be one.
    pub(crate) next: Option<u64>,
}

/// A conversation to be made.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewConversation {
    /// The database; the first one unless named.
    #[serde(default)]
    pub(crate) database: Option<String>,
    /// The id it is to have: letters, digits, `-`, `_` and `.`; a new one unless given.
    #[serde(default)]
    #[schema(max_length = 64, pattern = "^[A-Za-z0-9_.-]+$")]
    pub(crate) id: Option<String>,
}

/// A turn as it is listed: the tree of a conversation is in the parents.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct TurnItem {
    /// Its id.
    pub(crate) id: String,
    /// The turn before it; null for the first.
    pub(crate) parent: Option<String>,
    /// How many turns lead to it, itself too.
    pub(crate) number: u64,
    /// When it began.
    pub(crate) at: String,
    /// What was said.
    pub(crate) input: String,
    /// How it ended: `completed`, `failed`, `awaiting_correction`; or how it stands: `running`, `awaiting_approval`,
    /// `interrupted`, `given_up`, `damaged`.
    pub(crate) status: String,
    /// The SQL it ended with.
    pub(crate) sql: Option<String>,
}

impl From<TurnInfo> for TurnItem {
    fn from(turn: TurnInfo) -> Self {
        let status = match &turn.mark {
            _ if turn.damaged.is_some() => "damaged".to_owned(),
            Mark::Finished => turn.status.unwrap_or_default(),
            Mark::Abandoned { .. } => "given_up".to_owned(),
            _ if turn.running => "running".to_owned(),
            Mark::Interrupted { .. } => "awaiting_approval".to_owned(),
            _ => "interrupted".to_owned(),
        };
        Self {
            id: turn.run.to_string(),
            parent: turn.parent.map(|run| run.to_string()),
            number: turn.number,
            at: turn.at.to_string(),
            input: turn.input,
            status,
            sql: turn.query,
        }
    }
}

/// All turns of a conversation, also those undone and those not finished.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Turns {
    /// The turn where the conversation stands.
    pub(crate) head: Option<String>,
    /// Parents before children.
    pub(crate) turns: Vec<TurnItem>,
}

/// Whether SQL may run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approve {
    /// Whether it may; otherwise the turn fails without having run it.
    pub(crate) approved: bool,
}

/// How an interrupted turn is gone on with.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resume {
    /// Whether it waits with its SQL until it is approved.
    #[serde(default)]
    pub(crate) confirm: bool,
}

/// A branch to be made.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Branch {
    /// The turn to go on from; the last one unless given.
    #[serde(default)]
    pub(crate) turn: Option<String>,
    /// The id the branch is to have; a new one unless given.
    #[serde(default)]
    #[schema(max_length = 64, pattern = "^[A-Za-z0-9_.-]+$")]
    pub(crate) id: Option<String>,
}

/// Where a conversation can be read by whoever knows it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Share {
    /// The key, to be read under `shared/{key}`.
    pub(crate) key: String,
}

/// A conversation that was shared, as it was then.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Shared {
    /// Its first question.
    pub(crate) title: String,
    /// Its database.
    pub(crate) database: String,
    /// Its turns, from the first to the last, without rows.
    pub(crate) turns: Vec<SharedTurn>,
}

/// A turn of a shared conversation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedTurn {
    /// What was said.
    pub(crate) input: String,
    /// How it ended.
    pub(crate) status: String,
    /// Its SQL.
    pub(crate) sql: Option<String>,
    /// How many rows that returned.
    pub(crate) row_count: Option<u64>,
    /// What the person was told.
    pub(crate) message: Option<String>,
    /// When it began.
    pub(crate) at: String,
}

/// A database.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DatabaseItem {
    /// Its name.
    pub(crate) name: String,
    /// `sqlite`, `postgres`, `bigquery`; null where it could not be opened.
    pub(crate) dialect: Option<&'static str>,
    /// Whether it is asked where none is named.
    pub(crate) first: bool,
    /// Why it could not be opened.
    pub(crate) problem: Option<String>,
}

/// A statement to be checked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    /// The SQL.
    pub(crate) sql: String,
    /// The database whose dialect it is in; the first one unless named.
    #[serde(default)]
    pub(crate) database: Option<String>,
}

/// What the guard says of a statement, as `sqlogue check` does.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub(crate) struct Verdict {
    /// `allow` or `reject`.
    pub(crate) verdict: &'static str,
    /// The rule that was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'static str>,
    /// What was refused, and what to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// SQL to be run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSql {
    /// One query, which the guard has to allow.
    pub(crate) sql: String,
    /// At most so many rows; 100 unless set.
    #[serde(default)]
    #[schema(maximum = 10000)]
    pub(crate) rows: Option<u32>,
    /// Whether the picture that fits is part of the answer, and how it is drawn.
    #[serde(default)]
    pub(crate) picture: Option<Look>,
}

/// What SQL of one's own returned.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SqlRows {
    #[serde(flatten)]
    pub(crate) rows: RowPage,
    /// The picture that fits, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<Picture>,
}

/// Rows, or a page of them.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub(crate) struct RowPage {
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    /// The rows of this page.
    pub(crate) rows: Vec<Vec<Json>>,
    /// How many rows there are, as far as the limits of the server go.
    pub(crate) row_count: u64,
    /// Whether the database would have had more than `row_count`.
    pub(crate) truncated: bool,
    /// The `offset` of the next page.
    pub(crate) next: Option<u64>,
    /// Whether the query was run again to get them, so that they may differ from the first answer.
    pub(crate) asked_again: bool,
}

/// Questions that can be asked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Examples {
    /// In plain words, the simplest first; empty where too little is known of the database.
    pub(crate) questions: Vec<String>,
}

/// A metric or a term for rows.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Define {
    /// Its name: `revenue`, `active customer`.
    pub(crate) name: String,
    /// What it is, in SQL: `sum(orders.total)`, `customers.status = 'active'`.
    pub(crate) expression: String,
}

/// Something that was learnt or written about databases.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LessonItem {
    /// Its id.
    pub(crate) id: String,
    /// Its kind: `definition`, `query_pattern`, and others.
    pub(crate) kind: String,
    /// The database it is about; null for all.
    pub(crate) database: Option<String>,
    /// What it says, in words.
    pub(crate) lesson: String,
    /// How far it is trusted, from 0 to 1.
    pub(crate) confidence: f64,
    /// How often it helped.
    pub(crate) used: u64,
    /// Whether it is used no longer.
    pub(crate) retired: bool,
}

/// All lessons.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Lessons {
    /// Those that people wrote first.
    pub(crate) lessons: Vec<LessonItem>,
}

/// The time of now as the store wants it.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
