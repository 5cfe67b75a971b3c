//! Expressions of analysis in words: dates, cases, window functions.

use std::fmt::{self, Display as _, Formatter};

use super::{joined, list};
use crate::plan::{
    Aggregate, Arithmetic, Branch, CastType, Condition, Expr, Frame, FrameBound, Function, TimeUnit, Window,
    WindowFunction,
};
use crate::schema::Value;

pub(super) fn function(function: Function, arguments: &[Expr], f: &mut Formatter<'_>) -> fmt::Result {
    match (function, arguments) {
        (Function::Extract(part), _) => {
            write!(f, "{} of ", part.name())?;
            list(arguments, f)
        }
        (Function::Truncate(unit) | Function::Label(unit), _) => {
            write!(f, "{} of ", unit.name())?;
            list(arguments, f)
        }
        (Function::WeekdayName | Function::MonthName, _) => {
            write!(f, "{} of ", function.name())?;
            list(arguments, f)
        }
        (Function::Elapsed(unit), [from, to]) => {
            write!(f, "{} from ", if unit == TimeUnit::Year { "whole years" } else { unit.plural() })?;
            from.fmt(f)?;
            f.write_str(" to ")?;
            to.fmt(f)
        }
        (Function::Shift(unit), [date, by]) => {
            f.write_str("(")?;
            date.fmt(f)?;
            f.write_str(" + ")?;
            by.fmt(f)?;
            write!(f, " {})", unit.plural())
        }
        // How a time is stored is no part of what is said.
        (Function::FromEpoch(_) | Function::FromDateKey | Function::Cast(CastType::Timestamp), [one]) => {
            one.fmt(f)
        }
        (Function::Concat, _) => joined(arguments, " || ", f),
        _ => {
            write!(f, "{}(", function.name())?;
            list(arguments, f)?;
            f.write_str(")")
        }
    }
}

/// `count(*)`, `count(distinct city)`, `sum(total) where status = 'open'`, `90th percentile of age`.
pub(super) fn aggregate(
    function: Aggregate,
    distinct: bool,
    argument: &Expr,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    let (argument, condition) = match argument {
        Expr::Case { branches, otherwise: None } => match branches.as_slice() {
            [Branch { when, then }] => (then, Some(when)),
            _ => (argument, None),
        },
        _ => (argument, None),
    };
    let is_row = condition.is_some() && function == Aggregate::Count && is_constant(argument);
    match function {
        Aggregate::MEDIAN => f.write_str("median(")?,
        Aggregate::Percentile(percent) | Aggregate::PercentileValue(percent) => {
            write!(f, "percentile {percent}(")?;
        }
        _ => write!(f, "{}({}", function.name(), if distinct { "distinct " } else { "" })?,
    }
    if is_row {
        f.write_str("*")?;
    } else {
        argument.fmt(f)?;
    }
    f.write_str(")")?;
    condition.map_or(Ok(()), |condition| {
        f.write_str(" where ")?;
        enclosed(condition, f)
    })
}

/// A condition that more words follow.
fn enclosed(condition: &Condition, f: &mut Formatter<'_>) -> fmt::Result {
    if !matches!(condition, Condition::And(_)) {
        return condition.fmt(f);
    }
    f.write_str("(")?;
    condition.fmt(f)?;
    f.write_str(")")
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(value) if *value != Value::Null)
}

pub(super) fn case(branches: &[Branch], otherwise: Option<&Expr>, f: &mut Formatter<'_>) -> fmt::Result {
    for (at, Branch { when, then }) in branches.iter().enumerate() {
        f.write_str(if at == 0 { "(" } else { ", " })?;
        then.fmt(f)?;
        f.write_str(" if ")?;
        enclosed(when, f)?;
    }
    if let Some(otherwise) = otherwise {
        f.write_str(", else ")?;
        otherwise.fmt(f)?;
    }
    f.write_str(")")
}

/// `rank by total descending for each city`, `running sum(total) by month`.
pub(super) fn window(window: &Window, f: &mut Formatter<'_>) -> fmt::Result {
    let Window { function, arguments, partition_by, order_by, frame } = window;
    let is_summary = matches!(function, WindowFunction::Aggregate(_));
    let so_far = is_summary && !order_by.is_empty();
    match frame {
        Some(Frame { from: FrameBound::Start, to: FrameBound::Current }) if is_summary => {
            f.write_str("running ")?;
        }
        None if so_far => f.write_str("running ")?,
        _ => {}
    }
    match (function, arguments.as_slice()) {
        (WindowFunction::Aggregate(function), [argument]) => aggregate(*function, false, argument, f)?,
        (WindowFunction::Lag(rows) | WindowFunction::Lead(rows), [argument]) => {
            argument.fmt(f)?;
            let side = if matches!(function, WindowFunction::Lag(_)) { "before" } else { "after" };
            write!(f, " {rows} {} {side}", if *rows == 1 { "row" } else { "rows" })?;
        }
        (WindowFunction::Tile(parts), _) => write!(f, "which of {parts} equal parts")?,
        (function, []) => f.write_str(function.name())?,
        (function, arguments) => {
            write!(f, "{} ", function.name())?;
            list(arguments, f)?;
        }
    }
    if let Some(Frame { from, to }) = frame
        && is_summary
        && !matches!((from, to), (FrameBound::Start, FrameBound::Current | FrameBound::End))
    {
        f.write_str(" over rows ")?;
        bound(*from, f)?;
        f.write_str(" to ")?;
        bound(*to, f)?;
    }
    if is_summary && order_by.is_empty() && partition_by.is_empty() {
        f.write_str(" of all")?;
    }
    if !order_by.is_empty() {
        f.write_str(" by ")?;
        joined(order_by, ", ", f)?;
    }
    if !partition_by.is_empty() {
        f.write_str(" for each ")?;
        list(partition_by, f)?;
    }
    Ok(())
}

fn bound(bound: FrameBound, f: &mut Formatter<'_>) -> fmt::Result {
    match bound {
        FrameBound::Start => f.write_str("first"),
        FrameBound::Before(rows) => write!(f, "-{rows}"),
        FrameBound::Current => f.write_str("this"),
        FrameBound::After(rows) => write!(f, "+{rows}"),
        FrameBound::End => f.write_str("last"),
    }
}

impl Aggregate {
    /// The name, as SQL has it in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::MEDIAN => "median",
            Self::Deviation => "standard deviation",
            Self::Variance => "variance",
            Self::Percentile(_) | Self::PercentileValue(_) => "percentile",
        }
    }
}

impl Arithmetic {
    /// The operator's sign.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::DivideWhole => "div",
            Self::Remainder => "mod",
        }
    }
}

impl Function {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Length => "length",
            Self::Abs => "abs",
            Self::Round => "round",
            Self::Extract(part) => part.name(),
            Self::Coalesce => "coalesce",
            Self::NullIf => "nullif",
            Self::Concat => "concat",
            Self::Truncate(unit) | Self::Label(unit) => unit.name(),
            Self::WeekdayName => "weekday",
            Self::MonthName => "month",
            Self::Elapsed(unit) | Self::Shift(unit) => unit.plural(),
            Self::FromEpoch(_) | Self::Cast(CastType::Timestamp) => "time",
            Self::FromDateKey => "date",
            Self::Cast(CastType::Integer) => "whole number",
            Self::Cast(CastType::Real) | Self::ToNumber => "number",
            Self::Cast(CastType::Text) => "text",
        }
    }
}

impl WindowFunction {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::RowNumber => "number",
            Self::Rank => "rank",
            Self::DenseRank => "dense rank",
            Self::CumulativeShare => "cumulative share",
            Self::Tile(_) => "part",
            Self::Lag(_) => "previous",
            Self::Lead(_) => "next",
            Self::First => "first",
            Self::Last => "last",
            Self::Aggregate(function) => function.name(),
        }
    }
}
