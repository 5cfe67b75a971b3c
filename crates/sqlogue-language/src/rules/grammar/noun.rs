//! Words with all that they may name: nothing is bound yet.

use std::rc::Rc;

use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::link::ValueLink;

/// The tokens of a question from the first to before the last: by it a noun is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Words {
    /// The first token.
    pub start: usize,
    /// The token after the last.
    pub end: usize,
}

/// Words that name a table or a column, with all that they may name.
#[derive(Debug, Clone, PartialEq)]
pub struct Noun {
    /// Where it stands.
    pub words: Words,
    /// Tables with how well the words fit, best first.
    pub tables: Rc<[(TableId, f32)]>,
    /// Columns with how well the words fit, best first.
    pub columns: Rc<[(ColumnId, f32)]>,
    /// True where the words say *date*, *day* or the like: *order date*, but not *sign-ups*.
    pub says_when: bool,
    /// What is meant where no column bears the words; none for words that name something.
    pub unsaid: Option<Unsaid>,
}

/// Somebody or something that a row leads to, and that no name of the schema says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsaid {
    /// Whoever or whatever is above a row, by a reference within its table: *the person they report to*.
    Superior,
    /// The rows of a table to which others of it refer as theirs: *managers*.
    Superiors,
    /// Whoever did with a row what the verb says, whose root this is: *who rented them*.
    Doer(Rc<str>),
    /// The things that are sold: *what sells best*.
    Sold,
    /// When a row came to be: *orders: number, customer, date*.
    Date,
    /// Both ends of a row: *by route*, *from depot to depot*. The noun's columns are where it may start.
    Way,
}

/// Words that name a cell's value, with the columns that hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Where it stands.
    pub words: Words,
    /// The cells it may be, best first.
    pub links: Rc<[ValueLink]>,
}

impl Words {
    /// The tokens from `start` to before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

impl Noun {
    /// How well the best table fits, 0 where none does.
    pub fn table_score(&self) -> f32 {
        self.tables.first().map_or(0.0, |(_, score)| *score)
    }

    /// How well the best column fits, 0 where none does.
    pub fn column_score(&self) -> f32 {
        self.columns.first().map_or(0.0, |(_, score)| *score)
    }

    /// How well the best reading fits.
    pub fn score(&self) -> f32 {
        self.table_score().max(self.column_score())
    }

    /// What is meant by words that no column bears, so that they name neither tables nor columns.
    pub fn unsaid(words: Words, meant: Unsaid) -> Self {
        let (tables, columns) = (Rc::from([]), Rc::from([]));
        Self { words, tables, columns, says_when: false, unsaid: Some(meant) }
    }

    /// The same words as columns only; none where they name none.
    pub fn as_column(&self) -> Option<Self> {
        (!self.columns.is_empty()).then(|| Self { tables: Rc::from([]), ..self.clone() })
    }

    /// The same words as rows: those of a table, or else what a column tells apart, as an order's number does its lines.
    pub fn as_rows(&self) -> Option<Self> {
        self.as_table().or_else(|| self.as_column())
    }

    /// The same words as what things are counted for each of: a column where they fit one better than any table.
    pub fn as_each(&self) -> Option<Self> {
        match self.column_score() > self.table_score() {
            true => self.as_column(),
            false => self.as_table(),
        }
    }

    /// The same words as tables only; none where they name none.
    pub fn as_table(&self) -> Option<Self> {
        (!self.tables.is_empty()).then(|| Self { columns: Rc::from([]), ..self.clone() })
    }
}
