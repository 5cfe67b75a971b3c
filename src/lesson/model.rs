//! What a lesson is.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::names::{phrase, plain};
use super::rule::TransformationRule;
use super::sql_names;
use super::teaching::{LessonId, LessonKind, Teaching};
use crate::plan::{ColumnRef, JoinCondition};
use crate::schema::Schema;
use crate::sql::{Definition, DefinitionError, Dialect};

/// One thing that is known about a database.
///
/// ```
/// use sqlogue::lesson::{Lesson, Origin, Teaching};
///
/// let lesson = Lesson::new(Teaching::table("Customers", "PROD_Customers"), Some("shop"), Origin::HandWritten);
/// assert_eq!(lesson.to_string(), "use table `PROD_Customers` for `Customers` (prefix PROD_)");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Its id: the same for the same teaching about the same database, whoever learned it.
    pub id: LessonId,
    /// The database it is about; `None` for every database.
    #[serde(default)]
    pub database: Option<String>,
    /// What it says.
    #[serde(flatten)]
    pub teaching: Teaching,
    /// How far it is to be trusted, from 0 to 1.
    pub confidence: f64,
    /// How often it was used.
    #[serde(default)]
    pub usage_count: u64,
    /// Which part of those uses went well, from 0 to 1; 0 before the first.
    #[serde(default)]
    pub success_rate: f64,
    /// Where it comes from.
    pub origin: Origin,
    /// Since when it is not used any more, because its confidence fell too low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<Timestamp>,
}

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// The file that people write.
    HandWritten,
    /// A person added it with a command.
    Added {
        /// When.
        at: Timestamp,
    },
    /// A person's correction of a question, whose answer then succeeded.
    Correction {
        /// When.
        at: Timestamp,
        /// The question.
        question: String,
        /// The turn.
        turn: String,
    },
    /// A person said that an answer is right.
    Confirmation {
        /// When.
        at: Timestamp,
        /// The question.
        question: String,
        /// The turn.
        turn: String,
    },
    /// A statement that failed, and the one that then succeeded.
    Recovery {
        /// When.
        at: Timestamp,
        /// The question.
        question: String,
        /// The turn.
        turn: String,
    },
}

/// How a lesson contradicts the schema of now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// It speaks of a table that there is not.
    #[error("there is no table `{table}`")]
    NoTable {
        /// The table.
        table: String,
    },
    /// It speaks of a column that there is not.
    #[error("table `{table}` has no column `{column}`")]
    NoColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
}

impl Lesson {
    /// A lesson that nobody has used yet, with the confidence of its origin.
    pub fn new(teaching: Teaching, database: Option<&str>, origin: Origin) -> Self {
        let teaching = teaching.plain();
        let database = database.map(|name| plain(name, 200));
        Self {
            id: LessonId::of(&teaching, database.as_deref()),
            confidence: origin.confidence(),
            usage_count: 0,
            success_rate: 0.0,
            retired: None,
            database,
            teaching,
            origin,
        }
    }

    /// Whether it is about this database.
    pub fn is_about(&self, database: &str) -> bool {
        self.database.as_deref().is_none_or(|own| own.eq_ignore_ascii_case(database))
    }

    /// Checks what it says against a schema.
    ///
    /// # Errors
    /// The first thing that it speaks of and that the schema does not have.
    pub fn check(&self, schema: &Schema) -> Result<(), Contradiction> {
        let table = |name: &str| {
            schema.table(name).map(|_| ()).ok_or_else(|| Contradiction::NoTable { table: name.to_owned() })
        };
        let column = |column: &ColumnRef| {
            let ColumnRef { table, column } = column;
            let missing = || Contradiction::NoColumn { table: table.clone(), column: column.clone() };
            let known = schema.table(table).ok_or_else(|| Contradiction::NoTable { table: table.clone() })?;
            known.column(column).map(|_| ()).ok_or_else(missing)
        };
        match &self.teaching {
            Teaching::TableMapping { actual_name, .. } => table(actual_name),
            Teaching::ColumnMapping { column: known, .. } => column(known),
            Teaching::ErrorPattern { right, .. } => right.as_ref().map_or(Ok(()), column),
            Teaching::QueryPattern { tables, join, .. } => {
                tables.iter().try_for_each(|name| table(name))?;
                join.as_ref().map_or(Ok(()), |join| column(&join.left).and_then(|()| column(&join.right)))
            }
            Teaching::Reference { reference } => {
                reference.from.check(schema).and_then(|()| reference.to.check(schema))
            }
            Teaching::Key { key } => key.columns.check(schema),
            Teaching::Definition { expression, .. } => defined(expression, schema),
        }
    }

    /// Whether a statement keeps to it: whether it uses the table, the column or the join that the lesson speaks of, and
    /// nothing in their place, or is the very query that the lesson stores.
    pub fn shows_in(&self, sql: &str) -> bool {
        let names = sql_names::names(sql);
        let table = |name: &str| names.tables.iter().any(|used| used.eq_ignore_ascii_case(name));
        let column = |column: &ColumnRef| {
            table(&column.table) && names.all.iter().any(|used| used.eq_ignore_ascii_case(&column.column))
        };
        match &self.teaching {
            Teaching::TableMapping { actual_name, instead_of, .. } => {
                let is_other = |name: &&String| !name.eq_ignore_ascii_case(actual_name);
                table(actual_name) && !instead_of.iter().filter(is_other).any(|other| table(other))
            }
            Teaching::ColumnMapping { column: meant, value, .. } => {
                let literal = |value: &String| sql.contains(&format!("'{}'", value.replace('\'', "''")));
                column(meant) && value.as_ref().is_none_or(literal)
            }
            Teaching::ErrorPattern { right, .. } => right.as_ref().is_some_and(column),
            Teaching::QueryPattern { join: Some(join), .. } => column(&join.left) && column(&join.right),
            Teaching::QueryPattern { template, .. } => is_same_statement(template, sql),
            Teaching::Reference { .. } | Teaching::Key { .. } => false,
            Teaching::Definition { expression, .. } => {
                let meant = sql_names::names(&format!("SELECT {expression}")).all;
                meant.iter().all(|name| names.all.iter().any(|used| used.eq_ignore_ascii_case(name)))
            }
        }
    }

    /// What two lessons that cannot both hold have in common: what they speak of.
    pub(super) fn subject(&self) -> (LessonKind, String) {
        let subject = match &self.teaching {
            Teaching::TableMapping { schema_name, .. } => schema_name.to_ascii_lowercase(),
            Teaching::ColumnMapping { term, .. } => phrase(term),
            Teaching::ErrorPattern { error, .. } => error.to_ascii_lowercase(),
            Teaching::QueryPattern { question, join: None, .. } => phrase(question),
            Teaching::QueryPattern { join: Some(join), .. } => {
                let mut sides = [&join.left.table, &join.right.table].map(|table| table.to_ascii_lowercase());
                sides.sort();
                sides.join(" join ")
            }
            Teaching::Reference { reference } => {
                format!("{} refers to {}", reference.from, reference.to).to_ascii_lowercase()
            }
            Teaching::Key { key } => key.columns.to_string().to_ascii_lowercase(),
            Teaching::Definition { name, .. } => phrase(name),
        };
        (self.teaching.kind(), subject)
    }

    /// A lesson from a file, made safe to show and to count with; `None` where it says nothing.
    pub(super) fn sound(mut self) -> Option<Self> {
        let share = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        self.confidence = share(self.confidence);
        self.success_rate = share(self.success_rate);
        self.teaching = self.teaching.plain();
        self.database = self.database.map(|name| plain(&name, 200));
        self.origin = self.origin.plain();
        self.id = LessonId::from(plain(self.id.as_str(), 80).as_str());
        (!self.subject().1.is_empty() && !self.id.as_str().is_empty()).then_some(self)
    }
}

/// What a definition speaks of and the schema does not have. What else may be wrong with it hangs on the dialect.
fn defined(expression: &str, schema: &Schema) -> Result<(), Contradiction> {
    match Definition::read(expression, schema, Dialect::Sqlite) {
        Err(DefinitionError::NoTable { table, .. }) => Err(Contradiction::NoTable { table }),
        Err(DefinitionError::NoColumn { column, .. }) => {
            let (table, column) = column.split_once('.').unwrap_or(("any", &column));
            Err(Contradiction::NoColumn { table: table.to_owned(), column: column.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Whether two statements are the same but for white space and a semicolon at the end.
fn is_same_statement(one: &str, other: &str) -> bool {
    let words = |sql: &str| -> Vec<String> {
        sql.trim_end_matches([';', ' ', '\n']).split_whitespace().map(str::to_owned).collect()
    };
    words(one) == words(other)
}

/// What it says, in a sentence that people read and models are given as a constraint.
impl fmt::Display for Lesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.teaching {
            Teaching::TableMapping { schema_name, actual_name, transformation_rule, instead_of } => {
                write!(f, "use table `{actual_name}`")?;
                if *transformation_rule != TransformationRule::Same {
                    write!(f, " for `{schema_name}` ({transformation_rule})")?;
                }
                let others = instead_of.iter().filter(|other| !other.eq_ignore_ascii_case(schema_name));
                let others: Vec<String> = others.map(|other| format!("`{other}`")).collect();
                if others.is_empty() { Ok(()) } else { write!(f, ", not {}", others.join(", ")) }
            }
            Teaching::ColumnMapping { term, column, value: None } => {
                write!(f, "\"{term}\" means the column `{}.{}`", column.table, column.column)
            }
            Teaching::ColumnMapping { term, column, value: Some(value) } => {
                write!(f, "\"{term}\" means `{}.{}` = '{value}'", column.table, column.column)
            }
            Teaching::ErrorPattern { error, fix, .. } => write!(f, "after \"{error}\": {fix}"),
            Teaching::QueryPattern { join: Some(join), .. } => {
                let JoinCondition { left, right } = join;
                write!(
                    f,
                    "join `{}` with `{}` on `{}.{}` = `{}.{}`",
                    left.table, right.table, left.table, left.column, right.table, right.column
                )
            }
            Teaching::QueryPattern { question, template, .. } => write!(f, "for \"{question}\": {template}"),
            Teaching::Reference { reference } => write!(f, "{reference}"),
            Teaching::Key { key } => write!(f, "{key}"),
            Teaching::Definition { name, expression } => write!(f, "{name} = {expression}"),
        }
    }
}

impl Origin {
    /// True for what somebody wrote down, as against what was learnt.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::HandWritten | Self::Added { .. })
    }

    /// How far a new lesson of this origin is trusted. What people say counts more than what happened.
    pub fn confidence(&self) -> f64 {
        match self {
            Self::HandWritten | Self::Added { .. } => 1.0,
            Self::Correction { .. } => 0.95,
            Self::Confirmation { .. } => 0.9,
            Self::Recovery { .. } => 0.8,
        }
    }

    /// When it was learned; `None` for hand-written ones, which have always been there.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Self::HandWritten => None,
            Self::Added { at }
            | Self::Correction { at, .. }
            | Self::Confirmation { at, .. }
            | Self::Recovery { at, .. } => Some(*at),
        }
    }

    /// Which of two lessons that contradict each other holds: people's before a correction before a recovery.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::HandWritten => 3,
            Self::Added { .. } => 2,
            Self::Correction { .. } | Self::Confirmation { .. } => 1,
            Self::Recovery { .. } => 0,
        }
    }

    fn plain(self) -> Self {
        match self {
            Self::Correction { at, question, turn } => {
                Self::Correction { at, question: plain(&question, 300), turn: plain(&turn, 80) }
            }
            Self::Confirmation { at, question, turn } => {
                Self::Confirmation { at, question: plain(&question, 300), turn: plain(&turn, 80) }
            }
            Self::Recovery { at, question, turn } => {
                Self::Recovery { at, question: plain(&question, 300), turn: plain(&turn, 80) }
            }
            origin => origin,
        }
    }
}
