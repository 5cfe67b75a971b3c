//! Questions that sqlogue asks back, and the answers people give.
//!
//! An [`Ambiguity`] has at least two [`Choice`]s; each choice carries the [`Correction`] that taking it means, so that
//! an answer is turned into a constraint without reading the question again.

mod answer;
pub mod detect;
mod instead;
mod offered;

use std::fmt;

pub use answer::{answer, mistake, taken};
pub(crate) use instead::nearest;
pub use instead::{Replaced, replace, the_other};
pub(crate) use offered::accepted;

use serde::{Deserialize, Deserializer, Serialize};

use crate::plan::{ColumnRef, QueryPlan};
use crate::schema::Value;

/// A question that can be read in at least two ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ambiguity {
    /// What is unclear.
    #[serde(rename = "type")]
    pub kind: AmbiguityKind,
    /// The question put to the person, in plain words.
    pub question: String,
    /// The readings to choose from, the likeliest first.
    #[serde(deserialize_with = "two_or_more")]
    options: Vec<Choice>,
}

/// What is unclear about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AmbiguityKind {
    /// Several tables fit, and the question needs only one.
    TableSelection,
    /// Two tables can be joined in several ways.
    JoinInference,
    /// Several whole readings of the question are about equally likely.
    Reading,
}

/// One way to read the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What a person types to take it (its number works too).
    pub label: String,
    /// What taking it would mean.
    pub meaning: String,
    /// The constraint that taking it sets.
    pub correction: Correction,
    /// The SQL that taking it would run, where it is a reading of a whole question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The first rows that it would give, where they were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
}

/// The first rows that a choice would give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

/// What a person settled; it holds for the rest of the line of refinement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Correction {
    /// Use this table, and not those.
    TableSelection {
        /// The table that must be used.
        selected_table: String,
        /// The tables that must not be used.
        #[serde(default)]
        rejected_tables: Vec<String>,
    },
    /// Join two tables by these columns.
    JoinClarification {
        /// The one side.
        left: ColumnRef,
        /// The other side.
        right: ColumnRef,
    },
    /// Take this column for a word.
    ColumnSelection {
        /// The word, as it was said or as the wrong column is called.
        term: String,
        /// The column that is meant.
        selected: ColumnRef,
    },
    /// Compare a column with this value.
    ValueSelection {
        /// The column.
        column: ColumnRef,
        /// The value that is meant.
        selected: String,
        /// The value that is not.
        rejected: String,
    },
    /// Read the question as this query.
    Reading {
        /// The query that was meant.
        query_plan: Box<QueryPlan>,
        /// What words mean by that, where it is all that tells the readings apart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        means: Option<Meaning>,
    },
    /// Read the question as this SQL, as somebody wrote it.
    Statement {
        /// The SQL.
        sql: String,
    },
}

/// What words of a question mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meaning {
    /// The words.
    pub term: String,
    /// The column that they speak of, under its table's own name.
    pub column: ColumnRef,
    /// The value in that column which is meant, where it is not the column itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl Ambiguity {
    /// An ambiguity between a first choice and others; `None` where there is nothing to choose between.
    pub fn new(kind: AmbiguityKind, question: impl Into<String>, options: Vec<Choice>) -> Option<Self> {
        (options.len() >= 2).then(|| Self { kind, question: question.into(), options })
    }

    /// The same choices, to add previews or to take them out.
    pub fn options_mut(&mut self) -> &mut [Choice] {
        &mut self.options
    }

    /// The choices, at least two, the likeliest first.
    pub fn options(&self) -> &[Choice] {
        &self.options
    }

    /// The choices but the likeliest.
    pub fn others(&self) -> &[Choice] {
        self.options.get(1..).unwrap_or_default()
    }
}

fn two_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Choice>, D::Error> {
    let options = Vec::<Choice>::deserialize(deserializer)?;
    if options.len() < 2 {
        return Err(serde::de::Error::custom("an ambiguity needs at least two options"));
    }
    Ok(options)
}

/// In a person's words, as they could be typed.
impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TableSelection { selected_table, rejected_tables } if rejected_tables.is_empty() => {
                write!(f, "use table {selected_table}")
            }
            Self::TableSelection { selected_table, rejected_tables } => {
                write!(f, "select {selected_table} not {}", rejected_tables.join(", "))
            }
            Self::JoinClarification { left, right } => {
                write!(f, "join {}.{} with {}.{}", left.table, left.column, right.table, right.column)
            }
            Self::ColumnSelection { term, selected } => {
                write!(f, "use {}.{} instead of {term}", selected.table, selected.column)
            }
            Self::ValueSelection { selected, rejected, .. } => {
                write!(f, "use '{selected}' instead of '{rejected}'")
            }
            Self::Reading { query_plan, .. } => write!(f, "take it as: {query_plan:#}"),
            Self::Statement { sql } => write!(f, "take it as: {sql}"),
        }
    }
}
