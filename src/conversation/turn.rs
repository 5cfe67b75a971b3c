//! The record of one turn, its result and its error.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Route, Status};
use crate::intent::Intent;
use crate::plan::{Confidence, QueryPlan};
use crate::schema::Value;

/// One question and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// A unique id.
    pub id: String,
    /// The turn's number in the conversation, from 1; numbers are never used twice, also after pruning.
    pub number: u64,
    /// When it began.
    pub timestamp: Timestamp,
    /// What the person said.
    pub input: String,
    /// What kind of input it was taken for.
    pub intent: Intent,
    /// How sure the classifier was.
    pub confidence: Confidence,
    /// The way it took through the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// How it ended.
    pub status: Status,
    /// The SQL it ended with, if it got that far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The same as a typed query, where that is known; what undo and later follow-ups start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_plan: Option<QueryPlan>,
    /// The shape of its result. Only the conversation's current result keeps its rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<QueryResult>,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// What it changed about the query before it, for refinements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement_summary: Option<String>,
    /// How sure its answer is, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_confidence: Option<Confidence>,
    /// The words that its answer does not account for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Who judged it, where that was to be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
}

/// Who judges a turn, where both rules and a model could, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Judge {
    /// The rules: they are sure.
    Rules,
    /// A model: the rules are not sure.
    Model,
    /// The rules in place of the model: they are not sure, but the model cannot be used.
    RulesInstead {
        /// What kept the model.
        why: String,
    },
}

/// Rows that a query returned, as far as a conversation keeps them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryResult {
    /// The names of the columns, in order; names can repeat.
    pub columns: Vec<String>,
    /// The rows kept, each as long as `columns`.
    pub rows: Vec<Vec<Value>>,
    /// How many rows the query returned, as far as they were counted.
    pub row_count: u64,
    /// True where `rows` holds fewer rows than the query has.
    pub truncated: bool,
    /// True where the query has more rows than `row_count`: a limit stopped the database from returning them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

impl QueryResult {
    /// True where the query returned no row.
    pub fn is_empty(&self) -> bool {
        self.row_count == 0
    }

    /// The same without its rows.
    #[must_use]
    pub fn shape(&self) -> Self {
        Self {
            columns: self.columns.clone(),
            rows: Vec::new(),
            row_count: self.row_count,
            truncated: self.truncated || !self.rows.is_empty(),
            more: self.more,
        }
    }
}

/// Why a turn failed. The conversation goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnError {
    /// The kind, for programs.
    pub kind: ErrorKind,
    /// What is wrong and what to do, for people.
    pub message: String,
}

/// The kinds of failure of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input holds no question.
    EmptyInput,
    /// The input is longer than is read.
    InputTooLong,
    /// Nothing in the database fits the question.
    NoRelevantTables,
    /// The question was not understood well enough to answer.
    NotUnderstood,
    /// The SQL was refused by the guard.
    Refused,
    /// The database answered with an error that could not be repaired.
    QueryFailed,
    /// A limit on time or size was reached.
    Limit,
    /// The language model could not be used.
    Model,
    /// The person did not confirm the SQL.
    NotConfirmed,
    /// The person's corrections did not lead to an answer in the allowed number of attempts.
    TooManyCorrections,
}

impl TurnError {
    /// An error of that kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
