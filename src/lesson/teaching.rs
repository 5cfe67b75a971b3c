//! What lessons say, their kinds and their names.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::key::PrimaryKey;
use super::names::{phrase, plain};
use super::reference::Reference;
use super::rule::TransformationRule;
use crate::plan::{ColumnRef, JoinCondition};

/// No text of a lesson is longer; a statement that is, is no pattern.
const LONGEST: usize = 2000;

/// What a lesson says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Teaching {
    /// A table goes by another name.
    TableMapping {
        /// The name in the schema's description, or the name that people say.
        schema_name: String,
        /// The name in the database.
        actual_name: String,
        /// How the one becomes the other.
        transformation_rule: TransformationRule,
        /// Tables that look alike and are not meant.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        instead_of: Vec<String>,
    },
    /// A word means a column, or a value in it.
    ColumnMapping {
        /// The word or phrase.
        term: String,
        /// The column, under its table's own name.
        column: ColumnRef,
        /// The value in that column which is meant, where it is not the column itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// An error that came up, and what repaired it.
    ErrorPattern {
        /// Part of the database's message.
        error: String,
        /// What repairs it, for people and models.
        fix: String,
        /// The name that was wrong, where one name was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wrong: Option<String>,
        /// The column that was right instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        right: Option<ColumnRef>,
    },
    /// A way to ask that worked.
    QueryPattern {
        /// The question, or what the template is for.
        question: String,
        /// The SQL.
        template: String,
        /// The tables it needs.
        #[serde(default)]
        tables: Vec<String>,
        /// How two tables are joined, where that is what the pattern is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        join: Option<JoinCondition>,
    },
    /// Which rows refer to which: what no database declares, and names and values do not show or show wrongly.
    Reference {
        /// What is said of it.
        #[serde(flatten)]
        reference: Reference,
    },
    /// A word with the SQL expression that it stands for: a metric, or a term for rows.
    Definition {
        /// The word or phrase: `revenue`, `active customer`.
        name: String,
        /// The expression: `sum(order_items.quantity * order_items.unit_price)`, `customers.status = 'active'`.
        expression: String,
    },
    /// Which columns tell the rows of a table apart: what no database declares.
    Key {
        /// What is said of them.
        #[serde(flatten)]
        key: PrimaryKey,
    },
}

/// The kinds of lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonKind {
    /// A table goes by another name.
    TableMapping,
    /// A word means a column.
    ColumnMapping,
    /// An error and what repairs it.
    ErrorPattern,
    /// A way to ask that worked.
    QueryPattern,
    /// Which rows refer to which.
    Reference,
    /// Which columns tell the rows of a table apart.
    Key,
    /// A word with the SQL expression that it stands for.
    Definition,
}

/// The name of a lesson: `table-1f0c6a52d3e8`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LessonId(String);

impl Teaching {
    /// That `schema_name` is `actual_name` in the database, by the rule that leads from one to the other.
    pub fn table(schema_name: impl Into<String>, actual_name: impl Into<String>) -> Self {
        let (schema_name, actual_name) = (schema_name.into(), actual_name.into());
        let transformation_rule = TransformationRule::between(&schema_name, &actual_name);
        Self::TableMapping { schema_name, actual_name, transformation_rule, instead_of: Vec::new() }
    }

    /// That `term` means a column.
    pub fn column(term: impl Into<String>, table: impl Into<String>, column: impl Into<String>) -> Self {
        Self::ColumnMapping { term: term.into(), column: ColumnRef::new(table, column), value: None }
    }

    /// Its kind.
    pub fn kind(&self) -> LessonKind {
        match self {
            Self::TableMapping { .. } => LessonKind::TableMapping,
            Self::ColumnMapping { .. } => LessonKind::ColumnMapping,
            Self::ErrorPattern { .. } => LessonKind::ErrorPattern,
            Self::QueryPattern { .. } => LessonKind::QueryPattern,
            Self::Reference { .. } => LessonKind::Reference,
            Self::Key { .. } => LessonKind::Key,
            Self::Definition { .. } => LessonKind::Definition,
        }
    }

    /// The SQL that answers a question, where that very question was settled before: the same words in the same order, in
    /// whatever case.
    pub fn answer(&self, asked: &str) -> Option<&str> {
        match self {
            Self::QueryPattern { question, template, join: None, .. } if said(question) == said(asked) => {
                Some(template)
            }
            _ => None,
        }
    }

    /// The question and its SQL, where it is a question that somebody settled.
    pub fn example(&self) -> Option<(&str, &str)> {
        match self {
            Self::QueryPattern { question, template, join: None, .. } => Some((question, template)),
            _ => None,
        }
    }

    /// The same with every text in one line of bounded length.
    pub(super) fn plain(mut self) -> Self {
        let line = |text: &mut String| *text = plain(text, LONGEST);
        let column = |column: &mut ColumnRef| {
            line(&mut column.table);
            line(&mut column.column);
        };
        match &mut self {
            Self::TableMapping { schema_name, actual_name, instead_of, transformation_rule } => {
                line(schema_name);
                line(actual_name);
                instead_of.truncate(100);
                instead_of.iter_mut().for_each(line);
                if let TransformationRule::Prefix(affix) | TransformationRule::Suffix(affix) =
                    transformation_rule
                {
                    line(affix);
                }
            }
            Self::ColumnMapping { term, column: named, value } => {
                line(term);
                column(named);
                value.iter_mut().for_each(line);
            }
            Self::ErrorPattern { error, fix, wrong, right } => {
                line(error);
                line(fix);
                wrong.iter_mut().for_each(line);
                right.iter_mut().for_each(column);
            }
            Self::QueryPattern { question, template, tables, join } => {
                line(question);
                line(template);
                tables.truncate(100);
                tables.iter_mut().for_each(line);
                join.iter_mut()
                    .for_each(|join| [&mut join.left, &mut join.right].into_iter().for_each(column));
            }
            Self::Reference { reference } => {
                for side in [&mut reference.from, &mut reference.to] {
                    line(&mut side.table);
                    side.columns.truncate(100);
                    side.columns.iter_mut().for_each(line);
                }
            }
            Self::Definition { name, expression } => {
                line(name);
                line(expression);
            }
            Self::Key { key } => {
                line(&mut key.columns.table);
                key.columns.columns.truncate(100);
                key.columns.columns.iter_mut().for_each(line);
            }
        }
        self
    }
}

/// A question as it is compared with another.
fn said(question: &str) -> Vec<String> {
    let end = |letter: char| letter.is_whitespace() || matches!(letter, '?' | '.' | '!' | ';');
    question.trim_end_matches(end).split_whitespace().map(str::to_lowercase).collect()
}

impl LessonKind {
    /// The name as written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::TableMapping => "table_mapping",
            Self::ColumnMapping => "column_mapping",
            Self::ErrorPattern => "error_pattern",
            Self::QueryPattern => "query_pattern",
            Self::Reference => "reference",
            Self::Key => "key",
            Self::Definition => "definition",
        }
    }
}

impl LessonId {
    /// The id of a teaching about a database.
    pub(super) fn of(teaching: &Teaching, database: Option<&str>) -> Self {
        let (kind, first, second) = match teaching {
            Teaching::TableMapping { schema_name, actual_name, .. } => {
                ("table", schema_name.to_lowercase(), actual_name.to_lowercase())
            }
            Teaching::ColumnMapping { term, column, value } => {
                let value = value.as_deref().unwrap_or_default();
                ("column", phrase(term), format!("{}.{}={value}", column.table, column.column).to_lowercase())
            }
            Teaching::ErrorPattern { error, fix, .. } => ("error", error.to_lowercase(), fix.to_lowercase()),
            Teaching::QueryPattern { question, template, join: None, .. } => {
                ("query", phrase(question), template.clone())
            }
            // Which side of a join comes first makes no difference.
            Teaching::QueryPattern { join: Some(JoinCondition { left, right }), .. } => {
                let mut sides =
                    [left, right].map(|side| format!("{}.{}", side.table, side.column).to_lowercase());
                sides.sort();
                ("join", String::new(), sides.join("="))
            }
            Teaching::Reference { reference } => {
                ("reference", String::new(), reference.to_string().to_lowercase())
            }
            Teaching::Definition { name, expression } => ("define", phrase(name), expression.to_lowercase()),
            Teaching::Key { key } => ("key", String::new(), key.to_string().to_lowercase()),
        };
        let database = database.map(str::to_lowercase);
        let parts = [database.as_deref().unwrap_or("*"), &first, &second];
        // FNV-1a: it must be the same in every release, and only tells a few thousand lessons apart.
        let hash = parts
            .iter()
            .flat_map(|part| part.bytes().chain([0]))
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Self(format!("{kind}-{:012x}", hash >> 16))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for LessonId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for LessonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
