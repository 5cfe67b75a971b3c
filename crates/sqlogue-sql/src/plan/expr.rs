//! Expressions: columns, literals, aggregates, arithmetic, nested queries.

use serde::{Deserialize, Serialize};

use super::{Branch, Condition, DatePart, DateUnit, EpochUnit, QueryPlan, TimeUnit, Window};
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
    /// The value of the first branch whose condition holds.
    Case {
        /// The branches, in the order in which they are tried.
        branches: Vec<Branch>,
        /// The value where none is taken; none for NULL.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        otherwise: Option<Box<Expr>>,
    },
    /// 1 where a condition holds, 0 where it does not, NULL where that is unknown.
    Test(Box<Condition>),
    /// A value that looks at other rows of the result.
    Window(Box<Window>),
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
    /// How far the values lie from their mean: the standard deviation of a sample.
    Deviation,
    /// Its square.
    Variance,
    /// The value that so many percent of the values lie below, between two of them where it falls there; the median
    /// is that of 50.
    Percentile(u8),
    /// The smallest value that at least so many percent of the values do not exceed.
    PercentileValue(u8),
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
    /// Quotient, with its fraction also where both operands are whole numbers; NULL where the divisor is zero.
    Divide,
    /// Quotient of two whole numbers without its fraction; NULL where the divisor is zero.
    DivideWhole,
    /// What remains of a whole number after division by another; NULL where that is zero.
    Remainder,
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
    /// The first argument, or NULL where it equals the second.
    NullIf,
    /// Texts one after the other; NULL where one of them is.
    Concat,
    /// The beginning of the period that a date lies in, as a day, or as a time for an hour.
    Truncate(DateUnit),
    /// The period that a date lies in as a text that people would write: `2026`, `2026-Q2`, `2026-04`.
    Label(DateUnit),
    /// The name of a date's day of the week, in English.
    WeekdayName,
    /// The name of a date's month, in English.
    MonthName,
    /// The time from the first argument to the second.
    Elapsed(TimeUnit),
    /// The first argument moved by as many units as the second says.
    Shift(TimeUnit),
    /// The time that a number counts since the beginning of 1970.
    FromEpoch(EpochUnit),
    /// The day that a whole number such as `20260401` spells.
    FromDateKey,
    /// The value as another type.
    Cast(CastType),
    /// The number that a text spells; NULL where it spells none.
    ToNumber,
}

/// What a value is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CastType {
    /// A whole number; a fraction is cut off.
    Integer,
    /// A number with a fraction.
    Real,
    /// A text.
    Text,
    /// A date with a time of day. For the day alone there is [`Function::Truncate`].
    Timestamp,
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

    /// Two numbers combined.
    pub fn arithmetic(operator: Arithmetic, left: Expr, right: Expr) -> Self {
        Self::Arithmetic { operator, left: Box::new(left), right: Box::new(right) }
    }

    /// A function of one row's values.
    pub fn function(function: Function, arguments: Vec<Expr>) -> Self {
        Self::Function { function, arguments }
    }

    /// The middle of all values.
    pub fn median(argument: Expr) -> Self {
        Self::aggregate(Aggregate::MEDIAN, argument)
    }

    /// A constant.
    pub fn literal(value: impl Into<Value>) -> Self {
        Self::Literal(value.into())
    }

    /// True where the value needs groups, or all rows as one: an aggregate, or something computed from one. A window
    /// function over rows is none.
    pub fn is_aggregate(&self) -> bool {
        match self {
            Self::Aggregate { .. } => true,
            _ => self.parts().into_iter().any(Self::is_aggregate),
        }
    }

    /// True where the value looks at other rows of the result: a window function, or something computed from one.
    pub fn is_windowed(&self) -> bool {
        match self {
            Self::Window(_) => true,
            _ => self.parts().into_iter().any(Self::is_windowed),
        }
    }
}

impl Aggregate {
    /// The middle of all values.
    pub const MEDIAN: Self = Self::Percentile(50);

    /// True for what needs all values in their order at once.
    pub fn is_percentile(self) -> bool {
        matches!(self, Self::Percentile(_) | Self::PercentileValue(_))
    }
}

impl From<ColumnRef> for Expr {
    fn from(column: ColumnRef) -> Self {
        Self::Column(column)
    }
}
