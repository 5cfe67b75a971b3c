//! Expressions: columns, literals, aggregates, arithmetic, nested queries.

use serde::{Deserialize, Serialize};

use super::QueryPlan;
use crate::schema::Value;

/// A column of one of the tables in use.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnRef {
    /// The name of the table's use: its alias, or the table's own name ([`super::TableUse::name`]).
    pub table: String,
    /// The column's name in the schema.
    pub column: String,
}

/// A value computed for each row or group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expr {
    /// A column.
    Column(ColumnRef),
    /// Every column (`*`), or every column of one table in use.
    All(Option<String>),
    /// A constant.
    Literal(Value),
    /// A summary of many rows.
    Aggregate {
        /// Which summary.
        function: Aggregate,
        /// Whether equal values count once.
        #[serde(default)]
        distinct: bool,
        /// What is summarised; [`Expr::All`] in `count(*)`.
        argument: Box<Expr>,
    },
    /// Two numbers combined.
    Arithmetic {
        /// How.
        operator: Arithmetic,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// A function of one row's values.
    Function {
        /// Which function.
        function: Function,
        /// Its arguments, in order.
        arguments: Vec<Expr>,
    },
    /// The single value that a nested query returns.
    Query(Box<QueryPlan>),
}

/// A summary of many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// How many.
    Count,
    /// The total.
    Sum,
    /// The mean.
    Avg,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// How two numbers are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arithmetic {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, with its fraction also where both operands are whole numbers.
    Divide,
}

/// A function of one row's values. Each dialect spells it in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// Text in lower case.
    Lower,
    /// Text in upper case.
    Upper,
    /// The number of characters of a text.
    Length,
    /// A number without its sign.
    Abs,
    /// A number rounded to as many decimals as the second argument says.
    Round,
    /// A part of a date as a whole number.
    Extract(DatePart),
    /// The first argument that is not NULL.
    Coalesce,
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DatePart {
    /// The year, four digits.
    Year,
    /// The quarter, 1 to 4.
    Quarter,
    /// The month, 1 to 12.
    Month,
    /// The day of the month, 1 to 31.
    Day,
    /// The day of the week, 0 (Sunday) to 6.
    Weekday,
    /// The hour, 0 to 23.
    Hour,
}

impl ColumnRef {
    /// The column `column` of the table in use under the name `table`.
    pub fn new(table: impl Into<String>, column: impl Into<String>) -> Self {
        Self { table: table.into(), column: column.into() }
    }
}

impl Expr {
    /// A column.
    pub fn column(table: impl Into<String>, column: impl Into<String>) -> Self {
        Self::Column(ColumnRef::new(table, column))
    }

    /// `count(*)`.
    pub fn count_all() -> Self {
        Self::aggregate(Aggregate::Count, Self::All(None))
    }

    /// An aggregate over all values of `argument`, equal ones as often as they come.
    pub fn aggregate(function: Aggregate, argument: Expr) -> Self {
        Self::Aggregate { function, distinct: false, argument: Box::new(argument) }
    }

    /// A constant.
    pub fn literal(value: impl Into<Value>) -> Self {
        Self::Literal(value.into())
    }

    /// True where the value depends on more than one row: an aggregate, or arithmetic on one.
    pub fn is_aggregate(&self) -> bool {
        match self {
            Self::Aggregate { .. } => true,
            Self::Arithmetic { left, right, .. } => left.is_aggregate() || right.is_aggregate(),
            Self::Function { arguments, .. } => arguments.iter().any(Self::is_aggregate),
            Self::Column(_) | Self::All(_) | Self::Literal(_) | Self::Query(_) => false,
        }
    }
}

impl From<ColumnRef> for Expr {
    fn from(column: ColumnRef) -> Self {
        Self::Column(column)
    }
}
