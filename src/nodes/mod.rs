//! The work of each node of the conversation graph, one file a node.
//!
//! A node reads the state, asks those that it holds, and returns changes. Its fields say what it may touch. Nodes name no
//! vendor: the database, the reasoner and the catalog are handed to them by the engine. What a node expects to go wrong is a change too, so that
//! the graph's decisions can route it; an `Err` is only for what no other node could repair.

pub mod analyze_schema;
mod beyond;
pub mod catalog;
pub mod cleanup;
pub mod execute_query;
pub mod generate_query;
pub mod handle_error;
mod learning;
mod memory;
pub mod planner;
mod readings;
pub mod refine_query;
pub mod router;
mod services;
mod suspicion;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::conversation::{Change, ConversationState, ErrorKind, Status, Turn, TurnError, Usage};
use crate::database::Rows;
use crate::graph::RunId;
use crate::plan::Confidence;
use crate::reasoner::{Judged, ReasonerError};

pub use catalog::Catalog;
pub use memory::Memory;
pub use readings::Trying;
pub use services::{Judges, Known, Services};

/// How much of a result a conversation keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultLimits {
    /// At most this many rows.
    pub rows: usize,
    /// At most about this many bytes of cells.
    pub bytes: usize,
}

impl Default for ResultLimits {
    /// 100 rows, and 24 KB, so that a conversation of ten turns with wide results stays below 100 KB.
    fn default() -> Self {
        Self { rows: 100, bytes: 24 * 1024 }
    }
}

/// The full rows of turns under way. A state keeps only the first rows of a result; the caller of a turn gets all.
#[derive(Default)]
pub struct FullRows {
    turns: Mutex<HashMap<RunId, TurnRows>>,
}

/// The rows of one turn.
#[derive(Default)]
struct TurnRows {
    /// What its latest statement returned.
    answer: Option<Arc<Rows>>,
    /// What its readings returned that were run before one was taken, by their SQL.
    tried: HashMap<String, Arc<Rows>>,
}

impl FullRows {
    /// Puts aside what a run's latest statement returned.
    pub fn put(&self, run: RunId, rows: Arc<Rows>) {
        self.turns().entry(run).or_default().answer = Some(rows);
    }

    /// Puts aside what a reading of a run returned.
    pub fn keep_tried(&self, run: RunId, sql: String, rows: Arc<Rows>) {
        self.turns().entry(run).or_default().tried.insert(sql, rows);
    }

    /// What a reading of a run returned, if it was run.
    pub fn tried(&self, run: RunId, sql: &str) -> Option<Arc<Rows>> {
        self.turns().get(&run)?.tried.get(sql).map(Arc::clone)
    }

    /// Takes what a run's latest statement returned, and forgets its readings.
    pub fn take(&self, run: RunId) -> Option<Arc<Rows>> {
        self.turns().remove(&run)?.answer
    }

    /// Forgets what a run leaves behind when this is dropped, also where nobody waits for its end.
    pub fn of(&self, run: RunId) -> RowsOfRun<'_> {
        RowsOfRun { rows: self, run }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<RunId, TurnRows>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rows of one run, for as long as somebody works on it.
pub struct RowsOfRun<'a> {
    rows: &'a FullRows,
    run: RunId,
}

impl Drop for RowsOfRun<'_> {
    fn drop(&mut self) {
        self.rows.turns().remove(&self.run);
    }
}

/// What is asked in full, as far as the conversation tells.
fn asked(state: &ConversationState) -> &str {
    match state.scratch.asked.question.as_str() {
        "" => &state.user_question,
        asked => asked,
    }
}

/// How sure a follow-up is that would be so sure if it stood alone: no surer than the answer it goes on from, and the
/// reason where that makes a difference.
fn no_surer(confidence: Confidence, state: &ConversationState) -> (Confidence, Option<String>) {
    // What `them` stands for is unclear after an input that led to no answer.
    let lost = |turn: &Turn| {
        let said_nothing = turn.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput);
        turn.status != Status::Completed && !said_nothing
    };
    if confidence > Confidence::Low && state.turns.last().is_some_and(lost) {
        let reason = "The input before had no answer, and it goes on from the answer before that.";
        return (Confidence::Low, Some(reason.to_owned()));
    }
    match state.current_confidence() {
        Some(before) if before < confidence => {
            let doubt = if before == Confidence::Low { "not sure" } else { "not certain" };
            (before, Some(format!("It goes on from an answer that is {doubt}.")))
        }
        _ => (confidence, None),
    }
}

/// A reason that is a sentence, as one of several doubts in a line.
fn as_doubt(reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    let mut letters = reason.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Splits a judgement into its value and the changes that record its cost and who judges, where there are any.
fn judged<T>(judgement: Result<Judged<T>, ReasonerError>, changes: &mut Vec<Change>) -> Result<T, TurnError> {
    let (value, usage, cells, judge, proposal) = match judgement {
        Ok(Judged { value, usage, cells, judge, proposal }) => (Ok(value), usage, cells, judge, proposal),
        Err(ReasonerError { error, usage, cells }) => (Err(error), usage, cells, None, None),
    };
    changes.extend(judge.map(|judge| Change::JudgeChosen { judge }));
    changes.extend(proposal.map(|proposal| Change::QueryProposed { proposal }));
    if usage != Usage::default() || !cells.is_empty() {
        changes.push(Change::ModelUsed { usage, cells });
    }
    value
}
