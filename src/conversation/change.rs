//! Everything that can happen to a conversation, and what each does to its state.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::state::{Asked, EmptyResult, Failure, Scratch};
use super::{ConversationState, QueryResult, Route, RouterMode, Status, Turn, TurnError, Usage, Wanted};
use crate::ambiguity::{Ambiguity, Correction};
use crate::intent::{Intent, Signal};
use crate::lesson::Lesson;
use crate::plan::{
    Confidence, JoinInference, PlanEdit, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};
use crate::schema::{Fingerprint, Schema};

/// One thing that happened in a turn. A turn's changes, applied in order to the state before it, give the state after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
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
    /// The planner made a plan.
    PlanAdded {
        /// The plan.
        output: Box<PlannerOutput>,
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
    },
    /// The person said that the answer of the turn before is right.
    AnswerConfirmed,
    /// Readings were run before one was taken: to see how far they agree, or to show what each would give.
    ReadingsTried {
        /// The readings.
        readings: Vec<TriedReading>,
    },
    /// The question can be read in several ways.
    AmbiguityRaised {
        /// The ways.
        ambiguity: Box<Ambiguity>,
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
    /// SQL that returned nothing was replaced.
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
    /// A model was asked.
    ModelUsed {
        /// What it cost.
        usage: Usage,
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

impl ConversationState {
    /// Makes `change` happen. In a turn nothing else changes a state; who sets a field by hand leaves no change behind.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::DatabaseChanged { database } => self.change_database(database),
            Change::TurnStarted { id, at, input } => self.start_turn(id, *at, input),
            Change::AskedWith { wanted } => self.wanted = wanted.clone(),
            Change::IntentDetected { intent, confidence, signals } => {
                self.intent = Some(*intent);
                self.confidence = Some(*confidence);
                self.signals.clone_from(signals);
            }
            Change::SchemaLoaded { fingerprint, tables } => {
                self.schema_fingerprint = Some(fingerprint.clone());
                self.forget_phases();
                self.scratch.tables_left.clone_from(tables);
                self.route.get_or_insert(Route::New);
                self.scratch.asked.question.clone_from(&self.user_question);
                self.scratch.asked.wanted = self.wanted.clone();
            }
            Change::Routed { route, mode, instructions, edits, question } => {
                self.route = Some(*route);
                if *route != Route::Correction || question.is_some() {
                    self.forget_phases();
                    self.scratch.asked = Asked {
                        question: question.clone().unwrap_or_else(|| self.user_question.clone()),
                        mode: *mode,
                        instructions: instructions.clone(),
                        edits: edits.clone(),
                        wanted: self.wanted.clone(),
                    };
                } else if !self.wanted.is_empty() {
                    // Whoever answers a question back may want something else of the answer, too.
                    self.scratch.asked.wanted = self.wanted.clone();
                }
                let Asked { mode, instructions, edits, .. } = &self.scratch.asked;
                self.router_mode = *mode;
                self.router_instructions.clone_from(instructions);
                self.router_edits.clone_from(edits);
                if *route == Route::New {
                    self.begin_line_of_refinement();
                }
            }
            Change::CorrectionAdded { correction } => {
                self.corrections.push(correction.clone());
                self.correction_attempts = self.correction_attempts.saturating_add(1);
                self.pending = None;
            }
            Change::PendingDropped => {
                self.pending = None;
                self.correction_attempts = 0;
            }
            Change::LessonsRecalled { lessons } => self.scratch.lessons.clone_from(lessons),
            Change::TablesToEvaluate { tables } => self.scratch.tables_left.clone_from(tables),
            Change::TableEvaluated { relevance } => {
                self.scratch.evaluated.push(relevance.clone());
            }
            Change::TablesRefined { refinement } => self.scratch.refinement = Some(refinement.clone()),
            Change::RequirementsSynthesized { understanding } => {
                self.scratch.understanding = Some(understanding.clone());
            }
            Change::JoinsInferred { inference } => self.scratch.joins = Some(inference.clone()),
            Change::PlanAdded { output, schema, explanation } => {
                self.answer_confidence = Some(output.confidence);
                self.left_out.clone_from(&output.left_out);
                self.planner_output = Some(output.as_ref().clone());
                self.planner_outputs.push(output.as_ref().clone());
                self.schema = Some(Arc::clone(schema));
                self.explanation.extend(explanation.iter().cloned());
            }
            Change::AnswerJudged { confidence, left_out } => {
                self.answer_confidence = Some(*confidence);
                self.left_out.clone_from(left_out);
            }
            // What they gave is judged by the changes that follow.
            Change::ReadingsTried { .. } => {}
            Change::AnswerConfirmed => {
                if self.current_query.is_some() {
                    self.current_confidence = Some(Confidence::High);
                }
            }
            Change::AmbiguityRaised { ambiguity } => self.pending = Some(ambiguity.as_ref().clone()),
            Change::QuerySet { query, plan } => self.set_query(query, plan.as_deref()),
            Change::QueryRepaired { query, plan, note } => {
                self.retry_count = self.retry_count.saturating_add(1);
                self.error = None;
                self.explanation.push(note.clone());
                self.set_query(query, plan.as_deref());
            }
            Change::QueryRefined { query, plan, note } => {
                self.refined_count = self.refined_count.saturating_add(1);
                if let (Some(sql), Some(result)) = (&self.query, &self.result) {
                    let (sql, plan) = (sql.clone(), self.scratch.query_plan.clone());
                    self.scratch.empty = Some(EmptyResult { sql, plan, result: Arc::clone(result) });
                }
                self.note(note);
                self.set_query(query, plan.as_deref());
            }
            Change::RepairAbandoned { reason } => {
                self.retry_count = self.retry_count.saturating_add(1);
                self.scratch.settled = true;
                self.explanation.push(reason.clone());
            }
            Change::RefinementAbandoned { reason } => {
                self.refined_count = self.refined_count.saturating_add(1);
                self.scratch.settled = true;
                self.explanation.push(reason.clone());
            }
            Change::QueryExecuted { result } => {
                self.result = Some(Arc::clone(result));
                self.error = None;
                self.record_query();
            }
            Change::RefinementReverted { note } => {
                if let Some(EmptyResult { sql, plan, result }) = self.scratch.empty.take() {
                    self.set_query(&sql, plan.as_ref());
                    self.result = Some(result);
                    self.record_query();
                }
                self.error = None;
                self.message = Some(note.clone());
            }
            Change::QueryFailed { error } => {
                self.result = None;
                self.error = Some(error.clone());
                let sql = self.query.clone().unwrap_or_default();
                self.scratch.failures.push(Failure { sql, error: error.clone() });
            }
            Change::QueryDeclined { error } => {
                self.scratch.settled = true;
                self.error = Some(error.clone());
            }
            Change::TurnFailed { error } => self.error = Some(error.clone()),
            Change::Explained { reasons } => self.explanation.extend(reasons.iter().cloned()),
            Change::Noted { note } => self.note(note),
            Change::ModelUsed { usage } => {
                self.usage += *usage;
                self.total_usage += *usage;
            }
            Change::TurnClosed { status, message, refinement_summary, keep } => {
                self.close_turn(*status, message.as_deref(), refinement_summary.as_deref(), *keep);
            }
            Change::Cleared => {
                let Self { session_id, database, schema_fingerprint, total_usage, .. } = &*self;
                *self = Self {
                    schema_fingerprint: schema_fingerprint.clone(),
                    total_usage: *total_usage,
                    ..Self::new(session_id.clone(), database.clone())
                };
            }
        }
    }

    /// Carries the conversation over from the turn before: the histories stay, what belongs to one turn is reset.
    fn start_turn(&mut self, id: &str, at: Timestamp, input: &str) {
        self.is_continuation = self.turn_number > 0;
        self.turn_number = self.turn_number.saturating_add(1);
        self.user_question = input.to_owned();
        self.user_questions.push(input.to_owned());
        self.wanted = Wanted::default();
        self.query = None;
        self.planner_output = None;
        self.router_mode = None;
        self.router_instructions = None;
        self.router_edits.clear();
        self.result = None;
        self.message = None;
        self.retry_count = 0;
        self.refined_count = 0;
        self.intent = None;
        self.confidence = None;
        self.signals.clear();
        self.route = None;
        self.answer_confidence = None;
        self.left_out.clear();
        self.explanation.clear();
        self.refinement_summary = None;
        self.status = Status::Open;
        self.error = None;
        self.usage = Usage::default();
        let awaited = std::mem::take(&mut self.scratch);
        self.scratch = Scratch {
            turn_id: id.to_owned(),
            started: Some(at),
            asked: awaited.asked,
            tables_left: awaited.tables_left,
            evaluated: awaited.evaluated,
            refinement: awaited.refinement,
            understanding: awaited.understanding,
            joins: awaited.joins,
            ..Scratch::default()
        };
        if !self.is_continuation {
            self.begin_line_of_refinement();
        }
    }

    /// What is asked now stands alone: nothing settled for earlier questions holds for it.
    fn begin_line_of_refinement(&mut self) {
        self.original_question = Some(self.user_question.clone());
        self.corrections.clear();
        self.correction_attempts = 0;
    }

    fn forget_phases(&mut self) {
        self.scratch.tables_left.clear();
        self.scratch.evaluated.clear();
        self.scratch.refinement = None;
        self.scratch.understanding = None;
        self.scratch.joins = None;
    }

    fn set_query(&mut self, query: &str, plan: Option<&QueryPlan>) {
        self.query = Some(query.to_owned());
        self.scratch.query_plan = plan.cloned();
        self.result = None;
    }

    /// Keeps one statement a turn in `queries`: the one whose result stands.
    fn record_query(&mut self) {
        let Some(query) = self.query.clone() else { return };
        if self.scratch.executed {
            self.queries.pop();
        }
        self.queries.push(query);
        self.scratch.executed = true;
    }

    fn note(&mut self, note: &str) {
        match &mut self.message {
            Some(message) if message.lines().any(|line| line == note) => {}
            Some(message) => {
                message.push('\n');
                message.push_str(note);
            }
            None => self.message = Some(note.to_owned()),
        }
    }

    fn close_turn(&mut self, status: Status, message: Option<&str>, summary: Option<&str>, keep: usize) {
        self.status = status;
        self.refinement_summary = summary.map(str::to_owned);
        if let Some(message) = message {
            self.note(message);
        }
        if status == Status::Completed {
            self.current_query.clone_from(&self.query);
            self.current_plan.clone_from(&self.scratch.query_plan);
            self.current_result.clone_from(&self.result);
            self.current_confidence = self.answer_confidence;
            self.correction_attempts = 0;
            self.pending = None;
        }
        let turn = Turn {
            id: self.scratch.turn_id.clone(),
            number: self.turn_number,
            timestamp: self.scratch.started.unwrap_or_default(),
            input: self.user_question.clone(),
            intent: self.intent.unwrap_or(Intent::NewQuery),
            confidence: self.confidence.unwrap_or_default(),
            route: self.route,
            status,
            query: self.query.clone(),
            query_plan: self.scratch.query_plan.clone(),
            result: self.result.as_deref().map(QueryResult::shape),
            error: self.error.clone().filter(|_| status == Status::Failed),
            refinement_summary: self.refinement_summary.clone(),
            answer_confidence: self.answer_confidence.filter(|_| status == Status::Completed),
            left_out: self.left_out.clone(),
        };
        self.turns.push(turn);
        self.prune(keep.max(1));
        // A person who answers the question that is pending wants the planner to go on from what it found.
        let scratch = std::mem::take(&mut self.scratch);
        if status == Status::AwaitingCorrection {
            self.scratch = Scratch {
                asked: scratch.asked,
                tables_left: scratch.tables_left,
                evaluated: scratch.evaluated,
                refinement: scratch.refinement,
                understanding: scratch.understanding,
                joins: scratch.joins,
                ..Scratch::default()
            };
        }
    }

    /// Drops the oldest turns, and from each history as much as belonged to no turn that is kept.
    fn prune(&mut self, keep: usize) {
        fn keep_last<T>(list: &mut Vec<T>, keep: usize) {
            list.drain(..list.len().saturating_sub(keep));
        }
        keep_last(&mut self.turns, keep);
        keep_last(&mut self.user_questions, keep);
        keep_last(&mut self.queries, keep);
        keep_last(&mut self.planner_outputs, keep);
    }
}
