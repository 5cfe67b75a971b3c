//! Everything that can happen to a conversation.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlogue_language::Trial;

use super::{
    Judge, ProposedQuery, QueryResult, Route, RouterMode, SentCells, Status, TurnError, Usage, Wanted,
};
use crate::ambiguity::{Ambiguity, Correction};
use crate::intent::{Intent, Signal};
use crate::lesson::{Lesson, TrackRecord};
use crate::plan::{
    Confidence, JoinInference, PlanEdit, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};
use crate::schema::{Fingerprint, Schema};

/// One thing that happened in a turn. A turn's changes, applied in order to the state before it, give the state after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Change {
    /// The conversation went over to another database.
    DatabaseChanged {
        /// The database, by its name.
        database: String,
    },
    /// A person said something; a turn begins.
    TurnStarted {
        /// The turn's id.
        id: String,
        /// When.
        at: Timestamp,
        /// What was said.
        input: String,
    },
    /// Something is wanted beside the question.
    AskedWith {
        /// What.
        wanted: Wanted,
    },
    /// The classifier said what kind of input it is.
    IntentDetected {
        /// The kind.
        intent: Intent,
        /// How sure.
        confidence: Confidence,
        /// Which rules fired, and on what.
        signals: Vec<Signal>,
    },
    /// The schema was read, or the one in memory was found to hold still.
    SchemaLoaded {
        /// Its shape.
        fingerprint: Fingerprint,
        /// The names of its tables, which the planner will judge.
        tables: Vec<String>,
    },
    /// The router chose the way.
    Routed {
        /// The way.
        route: Route,
        /// How the planner is to work.
        mode: Option<RouterMode>,
        /// What the planner is to do.
        instructions: Option<String>,
        /// The same as typed edits.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        edits: Vec<PlanEdit>,
        /// What is asked in full, where the input leaves out what only the conversation tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
    },
    /// The input means the same by itself, so that nothing hangs on the answer before it.
    StandsAlone,
    /// The person settled something.
    CorrectionAdded {
        /// What.
        correction: Correction,
    },
    /// A question put to the person was not answered and is dropped.
    PendingDropped,
    /// Lessons that bear on what is asked were found.
    LessonsRecalled {
        /// The lessons, the weightiest first.
        lessons: Vec<Arc<Lesson>>,
    },
    /// It is known how often models were right about the database.
    ModelsRecalled {
        /// The records.
        models: Vec<TrackRecord>,
    },
    /// These tables are still to be judged.
    TablesToEvaluate {
        /// Their names.
        tables: Vec<String>,
    },
    /// One table was judged alone.
    TableEvaluated {
        /// The judgement.
        relevance: TableRelevance,
    },
    /// The tables kept were judged together.
    TablesRefined {
        /// The judgement.
        refinement: TableRefinement,
    },
    /// What the query has to do is known.
    RequirementsSynthesized {
        /// What it has to do.
        understanding: QueryUnderstanding,
    },
    /// How the tables are joined is known.
    JoinsInferred {
        /// How.
        inference: JoinInference,
    },
    /// Somebody wrote a query for the question, or tried one that was written.
    QueryProposed {
        /// The query.
        proposal: Box<ProposedQuery>,
    },
    /// The planner made a plan.
    PlanAdded {
        /// The plan.
        output: Box<PlannerOutput>,
        /// SQL that runs as it stands, where somebody wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sql: Option<String>,
        /// The tables it speaks of.
        schema: Arc<Schema>,
        /// Why it is what it is, one reason a line.
        explanation: Vec<String>,
    },
    /// It is known how sure the answer is that was not planned, and what it leaves out.
    AnswerJudged {
        /// How sure.
        confidence: Confidence,
        /// The words that it does not account for.
        left_out: Vec<String>,
        /// What else speaks against it, one reason each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        doubts: Vec<String>,
    },
    /// The person said that the answer of the turn before is right.
    AnswerConfirmed,
    /// Readings were run before one was taken: to see how far they agree, or to show what each would give.
    ReadingsTried {
        /// The readings that were run now.
        readings: Vec<TriedReading>,
        /// What came of each reading that was worth trying, the likeliest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        trials: Vec<Trial>,
    },
    /// The question can be read in several ways.
    AmbiguityRaised {
        /// The ways.
        ambiguity: Box<Ambiguity>,
    },
    /// The question can be read in other ways too, and the likeliest is answered.
    ReadingsOffered {
        /// The ways, that of the answer first.
        readings: Box<Ambiguity>,
    },
    /// There is SQL to run.
    QuerySet {
        /// The SQL.
        query: String,
        /// The same as a typed query, where that is known.
        plan: Option<Box<QueryPlan>>,
    },
    /// SQL that failed was replaced.
    QueryRepaired {
        /// The new SQL.
        query: String,
        /// The same as a typed query, where that is known.
        plan: Option<Box<QueryPlan>>,
        /// What was changed.
        note: String,
    },
    /// SQL that returned nothing, or something suspicious, was replaced.
    QueryRefined {
        /// The new SQL.
        query: String,
        /// The same as a typed query, where that is known.
        plan: Option<Box<QueryPlan>>,
        /// What was changed.
        note: String,
    },
    /// A repair was tried and found nothing to change.
    RepairAbandoned {
        /// Why.
        reason: String,
    },
    /// A refinement was tried and found nothing to change.
    RefinementAbandoned {
        /// Why.
        reason: String,
    },
    /// The SQL ran.
    QueryExecuted {
        /// What it returned, as far as the conversation keeps it.
        result: Arc<QueryResult>,
    },
    /// The SQL ran, and what it returned is suspicious.
    ResultDoubted {
        /// Why.
        doubt: String,
    },
    /// The refined SQL returned nothing either, so the query as it was first meant stands.
    RefinementReverted {
        /// What was tried.
        note: String,
    },
    /// The SQL was refused or failed.
    QueryFailed {
        /// Why.
        error: TurnError,
    },
    /// The SQL does not run because nobody confirmed it.
    QueryDeclined {
        /// What to tell the person.
        error: TurnError,
    },
    /// The turn cannot go on.
    TurnFailed {
        /// Why.
        error: TurnError,
    },
    /// Why the answer is what it is.
    Explained {
        /// The reasons, one a line.
        reasons: Vec<String>,
    },
    /// Something the person should know.
    Noted {
        /// The note, a sentence.
        note: String,
    },
    /// It is known who judges the turn, or judges the rest of it.
    JudgeChosen {
        /// Who, and why.
        judge: Judge,
    },
    /// A model was asked.
    ModelUsed {
        /// What it cost.
        usage: Usage,
        /// Which cells of the database it was shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cells: Vec<SentCells>,
    },
    /// The turn is over.
    TurnClosed {
        /// How it ended.
        status: Status,
        /// What to tell the person.
        message: Option<String>,
        /// What it changed about the query before it.
        refinement_summary: Option<String>,
        /// How many turns the conversation keeps.
        keep: usize,
    },
    /// The conversation was cleared; its id and database stay.
    Cleared,
}

/// A reading that was run before it was known whether it is the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedReading {
    /// Its SQL.
    pub sql: String,
    /// How many rows it gave, as far as they were counted; none where it failed or took too long.
    pub rows: Option<u64>,
}
