//! What each change does to the state of a conversation.

use std::sync::Arc;

use jiff::Timestamp;

use super::state::{Asked, EmptyResult, Failure, Readings, Scratch};
use super::{
    Change, ConversationState, ProposedQuery, QueryResult, Route, SentCells, Status, Turn, TurnError, Usage,
    Wanted, Written,
};
use crate::ambiguity::Correction;
use crate::intent::Intent;
use crate::plan::{Confidence, PlannerOutput, QueryPlan};
use crate::schema::{Fingerprint, Schema};

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
            Change::SchemaLoaded { fingerprint, tables } => self.begin_planning(fingerprint, tables),
            Change::Routed { route, mode, instructions, edits, question } => {
                let asked = Asked {
                    question: question.as_ref().unwrap_or(&self.user_question).clone(),
                    mode: *mode,
                    instructions: instructions.clone(),
                    edits: edits.clone(),
                    wanted: self.wanted.clone(),
                };
                let chooses = *route == Route::Correction && question.is_none();
                self.take_route(*route, asked, chooses);
            }
            Change::StandsAlone => self.scratch.stands_alone = true,
            Change::CorrectionAdded { correction } => self.add_correction(correction),
            Change::PendingDropped => {
                self.pending = None;
                self.correction_attempts = 0;
            }
            Change::LessonsRecalled { lessons } => self.scratch.lessons.clone_from(lessons),
            Change::ModelsRecalled { models } => self.scratch.models.clone_from(models),
            Change::TablesToEvaluate { tables } => self.scratch.tables_left.clone_from(tables),
            Change::TableEvaluated { relevance } => self.scratch.evaluated.push(relevance.clone()),
            Change::TablesRefined { refinement } => self.scratch.refinement = Some(refinement.clone()),
            Change::RequirementsSynthesized { understanding } => {
                self.scratch.understanding = Some(understanding.clone());
            }
            Change::JoinsInferred { inference } => self.scratch.joins = Some(inference.clone()),
            Change::QueryProposed { proposal } => self.scratch.proposal = Some(proposal.as_ref().clone()),
            Change::PlanAdded { output, sql, schema, explanation } => {
                self.scratch.sql.clone_from(sql);
                self.add_plan(output, schema, explanation);
            }
            Change::AnswerJudged { confidence, left_out, doubts } => {
                self.judge_answer(*confidence, left_out, doubts);
            }
            Change::ReadingsTried { trials, .. } => self.scratch.trials.clone_from(trials),
            Change::AnswerConfirmed => self.confirm(),
            Change::AmbiguityRaised { ambiguity } => self.pending = Some(ambiguity.as_ref().clone()),
            Change::ReadingsOffered { readings } => self.scratch.readings = Some(readings.as_ref().clone()),
            Change::QuerySet { query, plan } => self.set_query(query, plan.as_deref()),
            Change::QueryRepaired { query, plan, note } => self.repair_query(query, plan.as_deref(), note),
            Change::QueryRefined { query, plan, note } => self.refine_query(query, plan.as_deref(), note),
            Change::RepairAbandoned { reason } => {
                self.retry_count = self.retry_count.saturating_add(1);
                self.settle(reason);
            }
            Change::RefinementAbandoned { reason } => {
                self.refined_count = self.refined_count.saturating_add(1);
                self.settle(reason);
            }
            Change::QueryExecuted { result } => self.keep_result(result),
            Change::ResultDoubted { doubt } => self.scratch.doubt = Some(doubt.clone()),
            Change::RefinementReverted { note } => self.revert_refinement(note),
            Change::QueryFailed { error } => self.fail_query(error),
            Change::QueryDeclined { error } => {
                self.scratch.settled = true;
                self.error = Some(error.clone());
            }
            Change::TurnFailed { error } => self.error = Some(error.clone()),
            Change::Explained { reasons } => self.explanation.extend(reasons.iter().cloned()),
            Change::Noted { note } => self.note(note),
            Change::JudgeChosen { judge } => self.scratch.judge = Some(judge.clone()),
            Change::ModelUsed { usage, cells } => self.use_model(*usage, cells),
            Change::TurnClosed { status, message, refinement_summary, keep } => {
                self.close_turn(*status, message.as_deref(), refinement_summary.as_deref(), *keep);
            }
            Change::Cleared => self.clear(),
        }
    }

    /// The person said that the last answer is right.
    fn confirm(&mut self) {
        if self.current_query.is_some() {
            self.current_confidence = Some(Confidence::High);
            self.scratch.confirmed = true;
        }
    }

    fn use_model(&mut self, usage: Usage, cells: &[SentCells]) {
        SentCells::add(&mut self.sent_cells, cells);
        self.usage += usage;
        self.total_usage += usage;
    }

    /// Forgets the conversation, but for where it takes place and what it has cost.
    fn clear(&mut self) {
        let Self { session_id, database, schema_fingerprint, total_usage, .. } = &*self;
        *self = Self {
            schema_fingerprint: schema_fingerprint.clone(),
            total_usage: *total_usage,
            ..Self::new(session_id.clone(), database.clone())
        };
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
        self.doubts.clear();
        self.explanation.clear();
        self.refinement_summary = None;
        self.status = Status::Open;
        self.error = None;
        self.usage = Usage::default();
        self.sent_cells.clear();
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

    /// The schema is known: the input is a new question until a router says otherwise.
    fn begin_planning(&mut self, fingerprint: &Fingerprint, tables: &[String]) {
        self.schema_fingerprint = Some(fingerprint.clone());
        self.forget_phases();
        self.scratch.tables_left = tables.to_vec();
        self.route.get_or_insert(Route::New);
        self.scratch.asked.question.clone_from(&self.user_question);
        self.scratch.asked.wanted = self.wanted.clone();
    }

    /// Sends the turn on its way. Whoever only `chooses` among the readings of the turn before asks what was asked then.
    fn take_route(&mut self, route: Route, asked: Asked, chooses: bool) {
        self.route = Some(route);
        if chooses {
            if let Some(Readings { asked, .. }) = &self.readings {
                self.scratch.asked = asked.clone();
            }
            // They may want something else of the answer, too.
            if !self.wanted.is_empty() {
                self.scratch.asked.wanted = self.wanted.clone();
            }
        } else {
            self.forget_phases();
            self.scratch.asked = asked;
        }
        let Asked { mode, instructions, edits, .. } = &self.scratch.asked;
        self.router_mode = *mode;
        self.router_instructions.clone_from(instructions);
        self.router_edits.clone_from(edits);
        if route == Route::New {
            self.begin_line_of_refinement();
        }
    }

    fn add_correction(&mut self, correction: &Correction) {
        self.corrections.push(correction.clone());
        self.correction_attempts = self.correction_attempts.saturating_add(1);
        self.pending = None;
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
        self.scratch.proposal = None;
    }

    fn add_plan(&mut self, output: &PlannerOutput, schema: &Arc<Schema>, explanation: &[String]) {
        self.judge_answer(output.confidence, &output.left_out, &output.doubts);
        self.planner_output = Some(output.clone());
        self.planner_outputs.push(output.clone());
        self.schema = Some(Arc::clone(schema));
        self.explanation.extend_from_slice(explanation);
    }

    fn judge_answer(&mut self, confidence: Confidence, left_out: &[String], doubts: &[String]) {
        self.answer_confidence = Some(confidence);
        self.left_out = left_out.to_vec();
        self.doubts = doubts.to_vec();
    }

    fn set_query(&mut self, query: &str, plan: Option<&QueryPlan>) {
        self.query = Some(query.to_owned());
        self.scratch.query_plan = plan.cloned();
        self.result = None;
    }

    fn repair_query(&mut self, query: &str, plan: Option<&QueryPlan>, note: &str) {
        self.retry_count = self.retry_count.saturating_add(1);
        self.error = None;
        self.explanation.push(note.to_owned());
        self.set_query(query, plan);
    }

    /// Replaces a query that found nothing, and remembers what it found, for where the new one does no better.
    fn refine_query(&mut self, query: &str, plan: Option<&QueryPlan>, note: &str) {
        self.refined_count = self.refined_count.saturating_add(1);
        if let (Some(sql), Some(result)) = (&self.query, &self.result) {
            let (sql, plan) = (sql.clone(), self.scratch.query_plan.clone());
            self.scratch.empty = Some(EmptyResult { sql, plan, result: Arc::clone(result) });
        }
        // The readings beside the answer were those of the query that goes.
        if self.scratch.doubt.take().is_some() {
            self.scratch.readings = None;
            self.explanation.push(note.to_owned());
        } else {
            self.note(note);
        }
        self.set_query(query, plan);
    }

    fn revert_refinement(&mut self, note: &str) {
        if let Some(EmptyResult { sql, plan, result }) = self.scratch.empty.take() {
            self.set_query(&sql, plan.as_ref());
            self.result = Some(result);
            self.record_query();
        }
        self.error = None;
        self.message = Some(note.to_owned());
    }

    /// The loops have nothing left to try, for this reason.
    fn settle(&mut self, reason: &str) {
        self.scratch.settled = true;
        self.explanation.push(reason.to_owned());
    }

    fn keep_result(&mut self, result: &Arc<QueryResult>) {
        self.result = Some(Arc::clone(result));
        self.error = None;
        self.record_query();
    }

    fn fail_query(&mut self, error: &TurnError) {
        self.result = None;
        self.error = Some(error.clone());
        let sql = self.query.clone().unwrap_or_default();
        self.scratch.failures.push(Failure { sql, error: error.clone() });
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
            self.written = self.scratch.proposal.take().and_then(|proposal| {
                let ProposedQuery { by, sql: Some(sql), trial, .. } = proposal else { return None };
                (!by.is_empty()).then(|| Box::new(Written { by, sql, trial }))
            });
            self.correction_attempts = 0;
            self.pending = None;
        }
        // Where a turn fails the answer before it stands, and so do the readings beside it.
        if status != Status::Failed {
            let choices = self.scratch.readings.take().filter(|_| status == Status::Completed);
            self.readings = choices.map(|choices| Readings { asked: self.scratch.asked.clone(), choices });
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
            judge: self.scratch.judge.clone(),
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
