//! The state of a conversation.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlogue_language::Trial;

use super::{Judge, ProposedQuery, QueryResult, RefinementLine, SentCells, Turn, TurnError, Wanted, Written};
use crate::ambiguity::{Ambiguity, Choice, Correction};
use crate::base::json;
use crate::intent::{Intent, Signal};
use crate::lesson::{Lesson, TrackRecord};
use crate::plan::{
    Confidence, JoinInference, PlanEdit, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};
use crate::schema::{Fingerprint, Schema};

/// Everything a conversation is: what `query_database` takes from the turn before and returns for the next.
///
/// It is plain data, `Serialize` and `Deserialize`; [`ConversationState::to_json`] and
/// [`ConversationState::from_json`] are its saved form, with a version and checks. It holds no connection, no path,
/// no key and no limit: those belong to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationState {
    /// The version of this form.
    pub version: u32,
    /// The conversation's id; constant from its first turn to its last.
    pub session_id: String,
    /// The name of the database that is spoken of.
    pub database: String,
    /// The shape of the schema when it was last read.
    #[serde(default)]
    pub(super) schema_fingerprint: Option<Fingerprint>,

    /// False in the first turn, true in follow-ups.
    #[serde(default)]
    pub is_continuation: bool,
    /// What was asked in this turn.
    #[serde(default)]
    pub user_question: String,
    /// What was wanted in this turn beside the question.
    #[serde(default, skip_serializing_if = "Wanted::is_empty")]
    pub wanted: Wanted,
    /// What was asked in all turns kept, oldest first.
    #[serde(default)]
    pub user_questions: Vec<String>,
    /// The SQL of this turn.
    #[serde(default)]
    pub query: Option<String>,
    /// The latest statements that ran, oldest first: at most one a turn, and as many as turns are kept.
    #[serde(default)]
    pub queries: Vec<String>,
    /// The plan of this turn, where the planner made one.
    #[serde(default)]
    pub planner_output: Option<PlannerOutput>,
    /// The latest plans, oldest first, as many as turns are kept.
    #[serde(default)]
    pub planner_outputs: Vec<PlannerOutput>,
    /// How the router asked the planner to work; null in a new query and in an inline revision.
    #[serde(default)]
    pub router_mode: Option<RouterMode>,
    /// What the router told the planner to do.
    #[serde(default)]
    pub router_instructions: Option<String>,
    /// The same as typed edits, where the router could say it so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) router_edits: Vec<PlanEdit>,
    /// The tables that the current query speaks of.
    #[serde(default)]
    pub schema: Option<Arc<Schema>>,
    /// The rows of this turn.
    #[serde(default)]
    pub result: Option<Arc<QueryResult>>,
    /// What to tell the person about this turn.
    #[serde(default)]
    pub message: Option<String>,
    /// How often the SQL of this turn was repaired.
    #[serde(default)]
    pub retry_count: u32,
    /// How often the SQL of this turn was refined because it returned nothing.
    #[serde(default)]
    pub refined_count: u32,

    /// The turns kept, oldest first.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// The number of the latest turn, from 1; 0 before the first.
    #[serde(default)]
    pub turn_number: u64,
    /// The first input of the current line of refinement.
    #[serde(default)]
    pub original_question: Option<String>,
    /// The last SQL that succeeded.
    #[serde(default)]
    pub current_query: Option<String>,
    /// The same as a typed query, where that is known.
    #[serde(default)]
    pub(super) current_plan: Option<QueryPlan>,
    /// The rows of the last SQL that succeeded.
    #[serde(default)]
    pub current_result: Option<Arc<QueryResult>>,
    /// What kind of input this turn's was taken for.
    #[serde(default)]
    pub intent: Option<Intent>,
    /// How sure the classifier of the intent was.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// Which rules of the classifier fired, and on what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
    /// The way this turn took.
    #[serde(default)]
    pub route: Option<Route>,
    /// How sure the reasoner is of the answer.
    #[serde(default)]
    pub answer_confidence: Option<Confidence>,
    /// The words of this turn that the answer does not account for; where there are any, the answer is
    /// not sure, or probably right where something was chosen and nothing else speaks against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What else speaks against the answer of this turn, one reason each; where there are any, the answer is not sure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// How sure the answer of the last SQL that succeeded is; a follow-up of it is no surer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) current_confidence: Option<Confidence>,
    /// What a model wrote for the question of the last answer, where one was asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written: Option<Box<Written>>,
    /// Why the answer is what it is, one reason a line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<String>,
    /// What this turn changed about the query before it.
    #[serde(default)]
    pub refinement_summary: Option<String>,
    /// How the turn stands.
    #[serde(default)]
    pub status: Status,
    /// Why the turn failed.
    #[serde(default)]
    pub error: Option<TurnError>,
    /// The question put to the person, while a correction is awaited.
    #[serde(default)]
    pub pending: Option<Ambiguity>,
    /// The ways to read the question of the last answer, where others stand beside the one that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Readings>,
    /// What the person settled in the current line of refinement.
    #[serde(default)]
    pub corrections: Vec<Correction>,
    /// How often the current question was corrected.
    #[serde(default)]
    pub(super) correction_attempts: u32,
    /// What models cost in this turn.
    #[serde(default)]
    pub usage: Usage,
    /// Which cells of the database models were shown in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent_cells: Vec<SentCells>,
    /// What models cost in the whole conversation.
    #[serde(default)]
    pub(super) total_usage: Usage,

    /// The lines of refinement about other databases, the one left longest ago first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lines: Vec<RefinementLine>,

    /// What the planner and the execution of the turn under way have found so far; empty between turns.
    #[serde(default, skip_serializing_if = "Scratch::is_empty", deserialize_with = "json::object")]
    pub scratch: Scratch,
}

/// What a turn has found on its way and needs no longer once it is closed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scratch {
    /// The turn's id.
    pub turn_id: String,
    /// When the turn began.
    pub started: Option<Timestamp>,
    /// What the planner is asked, and how; a correction goes back to it.
    pub asked: Asked,
    /// Who judges, where that was chosen already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// The lessons that bear on what is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Arc<Lesson>>,
    /// How often models were right about the database.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<TrackRecord>,
    /// Whether the person said in this turn that the answer before is right.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
    /// Whether the router found that the input means the same by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stands_alone: bool,
    /// Tables still to be evaluated.
    pub tables_left: Vec<String>,
    /// Tables evaluated so far.
    pub evaluated: Vec<TableRelevance>,
    /// The tables that were kept when all were seen together.
    pub refinement: Option<TableRefinement>,
    /// What the query has to do.
    pub understanding: Option<QueryUnderstanding>,
    /// The joins found.
    pub joins: Option<JoinInference>,
    /// The query that was written for the question, where somebody was asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposedQuery>,
    /// The SQL of the plan, where it runs as somebody wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// What came of trying the readings of the question, the likeliest first; their rows are kept elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
    /// The ways to read the question, that of the answer first, where there are others worth offering.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readings: Option<Ambiguity>,
    /// The typed plan of `query`.
    pub query_plan: Option<QueryPlan>,
    /// The statements that failed in this turn, with the database's words.
    pub failures: Vec<Failure>,
    /// Why the result is suspicious, until its author was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// What came back empty, or suspicious, before a refinement was tried.
    pub empty: Option<EmptyResult>,
    /// Whether this turn has put its SQL into `queries`.
    pub executed: bool,
    /// Whether a repair or a refinement found nothing to change, so that what is known of `query` stands.
    pub settled: bool,
}

/// What the planner is asked, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// How the router asked the planner to work.
    pub mode: Option<RouterMode>,
    /// What the router told the planner to do.
    pub instructions: Option<String>,
    /// The same as typed edits.
    pub edits: Vec<PlanEdit>,
    /// What is wanted beside the question.
    #[serde(skip_serializing_if = "Wanted::is_empty")]
    pub wanted: Wanted,
}

/// The readings that an answer stands among.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Readings {
    /// What was asked; taking another reading goes back to it.
    pub asked: Asked,
    /// The readings, that of the answer first.
    pub choices: Ambiguity,
}

/// A statement that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The statement.
    pub sql: String,
    /// What was wrong.
    pub error: TurnError,
}

/// A query that ran and returned nothing, or nothing that can be believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmptyResult {
    /// The SQL.
    pub sql: String,
    /// The same as a typed query.
    pub plan: Option<QueryPlan>,
    /// Its result.
    pub result: Arc<QueryResult>,
}

impl Scratch {
    /// True between turns.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How the router asks the planner to work (FLOW); an inline revision has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouterMode {
    /// Change the previous plan.
    Update,
    /// Make a new plan, with the previous one for context.
    Rewrite,
}

/// The way a turn takes through the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Route {
    /// A fresh plan.
    New,
    /// The previous SQL, edited.
    Inline,
    /// The previous plan, edited.
    Update,
    /// A new plan that takes the previous one into account.
    Rewrite,
    /// The planner again, with what the person settled.
    Correction,
}

/// How a turn stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No turn yet, or one under way.
    #[default]
    Open,
    /// The question was answered.
    Completed,
    /// It was not; `error` says why.
    Failed,
    /// It can be read in several ways; `pending` says which.
    AwaitingCorrection,
}

/// What language models cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Requests sent.
    pub llm_calls: u64,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.llm_calls = self.llm_calls.saturating_add(other.llm_calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
    }
}

impl Route {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Inline => "inline",
            Self::Update => "update",
            Self::Rewrite => "rewrite",
            Self::Correction => "correction",
        }
    }
}

impl Status {
    /// The name as written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::AwaitingCorrection => "awaiting_correction",
        }
    }
}

impl ConversationState {
    /// The version of the saved form that this build writes.
    pub const VERSION: u32 = 1;

    /// A conversation about `database` in which nothing was said yet.
    pub fn new(session_id: impl Into<String>, database: impl Into<String>) -> Self {
        Self {
            version: Self::VERSION,
            session_id: session_id.into(),
            database: database.into(),
            schema_fingerprint: None,
            is_continuation: false,
            user_question: String::new(),
            wanted: Wanted::default(),
            user_questions: Vec::new(),
            query: None,
            queries: Vec::new(),
            planner_output: None,
            planner_outputs: Vec::new(),
            router_mode: None,
            router_instructions: None,
            router_edits: Vec::new(),
            schema: None,
            result: None,
            message: None,
            retry_count: 0,
            refined_count: 0,
            turns: Vec::new(),
            turn_number: 0,
            original_question: None,
            current_query: None,
            current_plan: None,
            current_result: None,
            intent: None,
            confidence: None,
            signals: Vec::new(),
            route: None,
            answer_confidence: None,
            left_out: Vec::new(),
            doubts: Vec::new(),
            current_confidence: None,
            written: None,
            explanation: Vec::new(),
            refinement_summary: None,
            status: Status::Open,
            error: None,
            pending: None,
            readings: None,
            corrections: Vec::new(),
            correction_attempts: 0,
            usage: Usage::default(),
            sent_cells: Vec::new(),
            total_usage: Usage::default(),
            lines: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// The shape of the schema when it was last read.
    pub fn schema_fingerprint(&self) -> Option<&Fingerprint> {
        self.schema_fingerprint.as_ref()
    }

    /// What the router told the planner to do, as typed edits, where it could say it so.
    pub fn router_edits(&self) -> &[PlanEdit] {
        &self.router_edits
    }

    /// True where the last input came as a follow-up and was read as a question that could have been asked first.
    pub fn is_new_after_all(&self) -> bool {
        self.route == Some(Route::Rewrite) && self.scratch.stands_alone
    }

    /// The last SQL that succeeded as a typed query, where that is known.
    pub fn current_plan(&self) -> Option<&QueryPlan> {
        self.current_plan.as_ref()
    }

    /// How often the current question was corrected.
    pub fn correction_attempts(&self) -> u32 {
        self.correction_attempts
    }

    /// How sure the answer of the last SQL that succeeded is; a follow-up of it is no surer.
    pub fn current_confidence(&self) -> Option<Confidence> {
        self.current_confidence
    }

    /// What a model wrote for the question of the last answer, where one was asked for it.
    pub fn written(&self) -> Option<&Written> {
        self.written.as_deref()
    }

    /// What models cost in the whole conversation.
    pub fn total_usage(&self) -> Usage {
        self.total_usage
    }

    /// The lines of refinement about other databases, the one left longest ago first.
    pub fn lines(&self) -> &[RefinementLine] {
        &self.lines
    }

    /// The other ways to read the question of this turn, the likeliest first: the second of all readings, which is taken by
    /// saying `2`, the third, and so on. Empty where there is no answer.
    pub fn other_readings(&self) -> &[Choice] {
        match &self.readings {
            Some(readings) if self.status == Status::Completed => readings.choices.others(),
            _ => &[],
        }
    }

    /// The rows of this turn as a text table, as the command line prints it; empty where there is no result.
    pub fn result_table(&self) -> String {
        self.result.as_deref().map(super::table::text_table).unwrap_or_default()
    }
}
