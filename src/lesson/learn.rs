//! What a finished turn teaches.
//!
//! Pure functions from the facts of a turn to [`LessonChange`]s. Three things teach: what a person settled or confirmed, once
//! the turn that took it succeeded; a success after a failure, where it is plain what made the difference; and every use of
//! a lesson, by how the turn ended. Nothing else does: an answer that nobody confirmed teaches nothing.

use std::sync::Arc;

use jiff::Timestamp;

use super::change::LessonChange;
use super::model::{Lesson, Origin};
use super::names::{key_words, words};
use super::recovery;
use super::rule::TransformationRule;
use super::sql_names;
use super::teaching::Teaching;
use crate::plan::{ColumnRef, JoinCondition};
use crate::schema::Schema;

/// What is known of a turn when it ends.
#[derive(Debug, Clone, Copy)]
pub struct TurnFacts<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The question that was answered: where this turn's input was a correction, the one it corrects.
    pub question: &'a str,
    /// The database.
    pub database: &'a str,
    /// When the turn ended.
    pub at: Timestamp,
    /// How.
    pub outcome: Outcome,
    /// The statements that failed in it, in order.
    pub failed: &'a [FailedAttempt<'a>],
    /// The statement that succeeded.
    pub sql: Option<&'a str>,
    /// What the person settled about this question.
    pub settled: &'a [Settled],
    /// The lessons that were used.
    pub used: &'a [Arc<Lesson>],
}

/// How a turn ended, as far as lessons are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its SQL ran and answered the question.
    Succeeded,
    /// Its SQL could not be made to run.
    Failed,
    /// It ended before any SQL ran, for reasons that say nothing about lessons: a question back, a limit, no approval.
    Open,
}

/// A statement that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedAttempt<'a> {
    /// The statement.
    pub sql: &'a str,
    /// The database's message.
    pub error: &'a str,
}

/// What a person settled.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Settled {
    /// This table, and not those.
    Table {
        /// The one meant.
        selected: String,
        /// Those not meant.
        rejected: Vec<String>,
    },
    /// Two tables are joined by these columns.
    Join {
        /// The one side.
        left: ColumnRef,
        /// The other side.
        right: ColumnRef,
    },
    /// A word means this column.
    Column {
        /// The word.
        term: String,
        /// The column, under its table's own name.
        column: ColumnRef,
    },
    /// A word means this value.
    Value {
        /// The word.
        term: String,
        /// The column that holds the value.
        column: ColumnRef,
        /// The value.
        value: String,
    },
    /// The question means the statement that answered it: the person chose that reading.
    Reading,
    /// The same: the person said that the answer is right.
    Confirmed,
}

/// What a finished turn teaches.
pub fn learn(facts: &TurnFacts<'_>, schema: &Schema) -> Vec<LessonChange> {
    let succeeded = match facts.outcome {
        Outcome::Succeeded => true,
        Outcome::Failed => false,
        Outcome::Open => return Vec::new(),
    };
    let mut learned: Vec<Lesson> = Vec::new();
    if succeeded {
        let corrections = facts.settled.iter().filter_map(|settled| correction(settled, facts));
        let recoveries = recovery::recovered(facts, schema);
        for lesson in corrections.chain(recoveries) {
            // What a person said about a thing stands before what happened to work.
            if lesson.check(schema).is_ok()
                && !learned.iter().any(|known| known.subject() == lesson.subject())
            {
                learned.push(lesson);
            }
        }
    }
    let used = facts.used.iter().filter(|used| {
        // A lesson that the person just contradicted did not help, whatever became of the turn.
        !learned.iter().any(|new| new.id != used.id && new.subject() == used.subject())
    });
    let used = used.map(|used| LessonChange::Use { id: used.id.clone(), succeeded, at: facts.at });
    let used: Vec<LessonChange> = used.collect();
    let learned = learned.into_iter().map(|lesson| LessonChange::Learn { lesson: Box::new(lesson) });
    learned.chain(used).collect()
}

/// The lesson in what a person settled.
fn correction(settled: &Settled, facts: &TurnFacts<'_>) -> Option<Lesson> {
    let teaching = match settled {
        Settled::Table { selected, rejected } => table(selected, rejected, facts)?,
        Settled::Join { left, right } => Teaching::QueryPattern {
            question: format!("joining {} and {}", left.table, right.table),
            template: format!(
                "{} JOIN {} ON {}.{} = {}.{}",
                left.table, right.table, left.table, left.column, right.table, right.column
            ),
            tables: vec![left.table.clone(), right.table.clone()],
            join: Some(JoinCondition { left: left.clone(), right: right.clone() }),
        },
        Settled::Column { term, column } => {
            Teaching::ColumnMapping { term: term.clone(), column: column.clone(), value: None }
        }
        Settled::Value { term, column, value } => {
            Teaching::ColumnMapping { term: term.clone(), column: column.clone(), value: Some(value.clone()) }
        }
        Settled::Reading | Settled::Confirmed => {
            let template = facts.sql?;
            Teaching::QueryPattern {
                question: facts.question.to_owned(),
                template: template.to_owned(),
                tables: sql_names::names(template).tables,
                join: None,
            }
        }
    };
    let (at, question, turn) = (facts.at, facts.question.to_owned(), facts.turn.to_owned());
    let origin = match settled {
        Settled::Confirmed => Origin::Confirmation { at, question, turn },
        _ => Origin::Correction { at, question, turn },
    };
    Some(Lesson::new(teaching, Some(facts.database), origin))
}

/// The mapping in the choice of a table among others.
///
/// What the names have in common is what people call them: `Customers` for `PROD_Customers` and `Customers_Archive`.
/// Names that have nothing in common are told apart by the question.
fn table(selected: &str, rejected: &[String], facts: &TurnFacts<'_>) -> Option<Teaching> {
    // A table that the successful statement does not use was not what made it right.
    let used = facts.sql.is_none_or(|sql| {
        sql_names::names(sql).tables.iter().any(|table| table.eq_ignore_ascii_case(selected))
    });
    if !used {
        return None;
    }
    let rejected: Vec<String> =
        rejected.iter().filter(|other| !other.eq_ignore_ascii_case(selected)).cloned().collect();
    let mut common = words(selected);
    for other in &rejected {
        let other = words(other);
        common.retain(|word| other.contains(word));
    }
    let spelled = rejected.iter().map(String::as_str).chain([selected]).find(|table| words(table) == common);
    let schema_name = match spelled {
        Some(table) if !rejected.is_empty() => table.to_owned(),
        _ if !common.is_empty() && !rejected.is_empty() => common.join(" "),
        _ => key_words(facts.question).join(" "),
    };
    if schema_name.is_empty() {
        return None;
    }
    let transformation_rule = TransformationRule::between(&schema_name, selected);
    Some(Teaching::TableMapping {
        schema_name,
        actual_name: selected.to_owned(),
        transformation_rule,
        instead_of: rejected,
    })
}
