//! The frame: what a question asks for, before its words are bound to tables and columns.

use crate::plan::{Aggregate, Comparison, Direction};
use crate::reasoner::rules::knowledge::{ColumnId, TableId};
use crate::schema::Value;

/// A place to be filled with a column or a table; its number is its position in [`Frame::slots`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    /// The chunk it comes from.
    pub chunk: usize,
    /// What may fill it, best first.
    pub options: Vec<Filler>,
    /// Tables that nearby words speak of, with how strongly.
    pub hints: Vec<(TableId, f32)>,
    /// Another slot whose column this one shares where it can.
    pub tie: Option<usize>,
    /// True inside a negated clause, whose tables are not those of the question.
    pub nested: bool,
}

/// One thing that may fill a slot.
#[derive(Debug, Clone)]
pub(crate) struct Filler {
    /// The column, or none for the table as a whole.
    pub column: Option<ColumnId>,
    /// The table.
    pub table: TableId,
    /// The value, where the slot is a condition on a cell.
    pub value: Option<Value>,
    /// How well it fits, 0 to 1.
    pub score: f32,
}

/// Something computed for each row or group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Measure {
    /// A slot's column, or the label of its table.
    Plain(usize),
    /// A summary of a slot's column.
    Summary(Aggregate, bool, usize),
    /// A summary of the product of two slots' columns.
    Product(Aggregate, usize, usize),
    /// How many rows: of a slot's table, or values of its column; of anything.
    Count(Option<usize>, bool),
    /// Whatever the question returns first.
    First,
    /// A difference (or ratio) of two measures.
    Combined(crate::plan::Arithmetic, Box<Measure>, Box<Measure>),
}

/// A condition.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    /// What it is about.
    pub measure: Measure,
    /// What must hold.
    pub test: Test,
    /// True where it must not hold.
    pub negated: bool,
    /// How it goes with the condition before.
    pub connective: Connective,
    /// True where it stands in a negated clause (*students without a …*).
    pub absent: bool,
}

/// How a condition goes with the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connective {
    /// Both hold.
    And,
    /// One of them holds.
    Or,
    /// *both … and …*: rows of either kind exist.
    Both,
}

/// What must hold for a measure.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// It is the value that fills the slot.
    IsValue,
    /// It compares with a constant.
    Compare(Comparison, Value),
    /// It lies between two constants.
    Between(Value, Value),
    /// It lies in a span of time.
    Within(crate::reasoner::rules::dates::DateRange, Option<Comparison>),
    /// It matches a pattern.
    Like(String),
    /// It is missing.
    Missing,
    /// It compares with a summary over all rows.
    AgainstSummary(Comparison, Aggregate),
    /// It compares with the column of another slot in the same row.
    AgainstColumn(Comparison, usize),
    /// It is true: a column that says yes or no.
    Holds,
}

/// A superlative: the first rows, or groups, in some order.
#[derive(Debug, Clone)]
pub(crate) struct Superlative {
    pub measure: Measure,
    pub direction: Direction,
    pub count: u64,
    /// What the groups are, where the measure is a count or a summary and the words say so.
    pub of: Option<usize>,
}

/// What a question asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub slots: Vec<Slot>,
    /// What is returned.
    pub outputs: Vec<Measure>,
    /// True where every column of the entity is returned.
    pub all_columns: bool,
    pub distinct: bool,
    /// The thing asked about, where a table names it.
    pub entity: Option<usize>,
    /// Other tables that the question speaks of.
    pub mentions: Vec<usize>,
    pub filters: Vec<Filter>,
    pub groups: Vec<usize>,
    pub orders: Vec<(Measure, Direction)>,
    pub limit: Option<u64>,
    pub superlatives: Vec<Superlative>,
    /// The tables of a negated clause; none where there is no such clause.
    pub absent: Option<Vec<usize>>,
    /// The chunks that were understood.
    pub used: Vec<usize>,
    /// The slots of things asked for by name.
    pub named: Vec<usize>,
    /// The person asked for by *who*, with no table said.
    pub who: bool,
    /// The numbers that were said as percentages.
    pub percents: Vec<Value>,
}
