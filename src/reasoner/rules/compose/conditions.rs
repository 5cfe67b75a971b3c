//! One condition of a frame as a condition of a plan.

use super::build::{Builder, applied};
use super::extremum::summary_of_all;
use super::frame::{Filter, Measure, Test};
use crate::plan::{Aggregate, Comparison, Condition, Expr};
use crate::reasoner::rules::knowledge::{ColumnEntry, ColumnId};
use crate::reasoner::rules::window;
use crate::schema::{ColumnType, Value};

/// The condition, or none where it cannot be said.
pub(crate) fn condition(builder: &mut Builder<'_>, filter: &Filter) -> Option<Condition> {
    let filler = builder.filler(&filter.measure).cloned();
    let column = filler.as_ref().and_then(|filler| filler.column);
    let left = match (&filter.measure, column) {
        (Measure::Plain(slot), None) => {
            // A table stands for the name of its rows.
            let table = builder.binding.fillers.get(*slot)?.table;
            let label = builder.knowledge.table(table).label.first().copied()?;
            builder.column(label)
        }
        _ => builder.expr(&filter.measure)?,
    };
    Some(match &filter.test {
        Test::IsValue => {
            let value = filler?.value?;
            Condition::compare(left, applied(Comparison::Equal, filter.negated), Expr::Literal(value))
        }
        Test::Compare(comparison, value) => {
            compare(builder, left, column, applied(*comparison, filter.negated), value)?
        }
        Test::Between(low, high) => between(builder, left, column, (low, high), filter.negated)?,
        Test::Within(range, comparison) => {
            let comparison = applied(comparison.unwrap_or(Comparison::Equal), filter.negated);
            window::within(builder.knowledge.column(column?), left, range, comparison)?
        }
        Test::Like(pattern) => {
            Condition::Like { expr: left, pattern: pattern.clone(), negated: filter.negated }
        }
        Test::Missing => Condition::IsNull { expr: left, negated: filter.negated },
        Test::AgainstColumn(comparison, slot) => {
            let other = builder.binding.fillers.get(*slot)?.column?;
            let right = builder.column(other);
            if left == right {
                return None;
            }
            Condition::compare(left, applied(*comparison, filter.negated), right)
        }
        Test::Holds => {
            let wanted = super::flag::stored_as(builder.knowledge, column?, !filter.negated)?;
            Condition::equal(left, Expr::Literal(wanted))
        }
        Test::AgainstSummary(comparison, function) => {
            let right = summary_of_all(builder.knowledge, *function, column?);
            Condition::compare(left, applied(*comparison, filter.negated), right)
        }
    })
}

/// True where a column holds dates that are no numbers, so that a year alone compares with a part of them.
fn holds_dates(entry: &ColumnEntry) -> bool {
    if entry.seen {
        !entry.numeric && (entry.column_type.is_temporal() || entry.date_cells.is_some())
    } else {
        entry.column_type.is_temporal()
    }
}

/// What is compared, where it is a column, or the earliest or latest of its values.
fn compared<'a>(builder: &Builder<'a>, left: &Expr, column: Option<ColumnId>) -> Option<&'a ColumnEntry> {
    let is_one = |expr: &Expr| match expr {
        Expr::Column(_) => true,
        Expr::Aggregate { function: Aggregate::Min | Aggregate::Max, argument, .. } => {
            matches!(**argument, Expr::Column(_))
        }
        _ => false,
    };
    column.filter(|_| is_one(left)).map(|column| builder.knowledge.column(column))
}

/// The year that a number is, where it may be one.
fn year(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(year @ 1000..=2200) => Some(*year),
        _ => None,
    }
}

/// A number as the column stores it, be it said as a percentage.
fn stored(builder: &Builder<'_>, entry: Option<&ColumnEntry>, value: &Value) -> Value {
    match entry.filter(|_| builder.frame.percents.contains(value)) {
        Some(entry) => entry.percentage(value),
        None => value.clone(),
    }
}

fn between(
    builder: &Builder<'_>,
    left: Expr,
    column: Option<ColumnId>,
    (low, high): (&Value, &Value),
    negated: bool,
) -> Option<Condition> {
    if let Some(entry) = compared(builder, &left, column).filter(|entry| holds_dates(entry))
        && let (Some(low), Some(high)) = (year(low), year(high))
    {
        return window::within_years(entry, left, (low, high), applied(Comparison::Equal, negated));
    }
    let entry = compared(builder, &left, column);
    let end = |value: &Value| Expr::Literal(stored(builder, entry, value));
    let between = Condition::Between { expr: left, low: end(low), high: end(high) };
    Some(if negated { Condition::Not(Box::new(between)) } else { between })
}

fn compare(
    builder: &Builder<'_>,
    left: Expr,
    column: Option<ColumnId>,
    comparison: Comparison,
    value: &Value,
) -> Option<Condition> {
    let Some(entry) = compared(builder, &left, column) else {
        return Some(Condition::compare(left, comparison, Expr::Literal(value.clone())));
    };
    // A year among dates: all of its days.
    if let Some(year) = year(value).filter(|_| holds_dates(entry)) {
        return window::within_years(entry, left, (year, year), comparison);
    }
    let value = &stored(builder, Some(entry), value);
    let text = entry.column_type == ColumnType::Text;
    let literal = match comparison {
        Comparison::Equal | Comparison::NotEqual if text => Value::Text(value.to_string()),
        _ => value.clone(),
    };
    Some(Condition::compare(left, comparison, Expr::Literal(literal)))
}
