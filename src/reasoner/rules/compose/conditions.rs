//! One condition of a frame as a condition of a plan.

use super::build::{Builder, applied};
use super::extremum::summary_of_all;
use super::frame::{Filter, Measure, Test};
use crate::plan::{Comparison, Condition, Expr};
use crate::reasoner::rules::knowledge::ColumnId;
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
            compare(builder, left, column, applied(*comparison, filter.negated), value)
        }
        Test::Between(low, high) => {
            let between = match column.filter(|_| matches!(filter.measure, Measure::Plain(_))) {
                Some(column) if holds_dates(builder, column) => Condition::And(vec![
                    compare(builder, left.clone(), Some(column), Comparison::GreaterOrEqual, low),
                    compare(builder, left, Some(column), Comparison::LessOrEqual, high),
                ]),
                _ => Condition::Between {
                    expr: left,
                    low: Expr::Literal(low.clone()),
                    high: Expr::Literal(high.clone()),
                },
            };
            if filter.negated { Condition::Not(Box::new(between)) } else { between }
        }
        Test::Within(range, comparison) => {
            let first = Expr::literal(range.first.to_string());
            let last = Expr::literal(range.last.to_string());
            let year_column =
                column.is_some_and(|column| builder.knowledge.column(column).column_type.is_numeric());
            let (first, last) = if year_column {
                (Expr::literal(i64::from(range.first.year())), Expr::literal(i64::from(range.last.year())))
            } else {
                (first, last)
            };
            let plain = match comparison {
                Some(Comparison::Greater) => Condition::compare(left, Comparison::Greater, last),
                Some(Comparison::GreaterOrEqual) => {
                    Condition::compare(left, Comparison::GreaterOrEqual, first)
                }
                Some(Comparison::Less) => Condition::compare(left, Comparison::Less, first),
                Some(Comparison::LessOrEqual) => Condition::compare(left, Comparison::LessOrEqual, last),
                _ if range.first == range.last => Condition::equal(left, first),
                _ => Condition::Between { expr: left, low: first, high: last },
            };
            if filter.negated { Condition::Not(Box::new(plain)) } else { plain }
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
fn holds_dates(builder: &Builder<'_>, column: ColumnId) -> bool {
    let entry = builder.knowledge.column(column);
    if entry.seen {
        !entry.numeric && (entry.column_type.is_temporal() || entry.holds_years)
    } else {
        entry.column_type.is_temporal()
    }
}

/// `first day <= column < first day after`, which holds for dates and for times of a day alike.
fn in_year(left: Expr, year: i64) -> Condition {
    Condition::And(vec![
        Condition::compare(left.clone(), Comparison::GreaterOrEqual, first_day(year)),
        Condition::compare(left, Comparison::Less, first_day(year + 1)),
    ])
}

fn first_day(year: i64) -> Expr {
    Expr::literal(format!("{year:04}-01-01"))
}

fn compare(
    builder: &Builder<'_>,
    left: Expr,
    column: Option<ColumnId>,
    comparison: Comparison,
    value: &Value,
) -> Condition {
    let Some(column) = column.filter(|_| matches!(left, Expr::Column(_))) else {
        return Condition::compare(left, comparison, Expr::Literal(value.clone()));
    };
    let entry = builder.knowledge.column(column);
    if holds_dates(builder, column)
        && let Value::Integer(year @ 1000..=2200) = value
    {
        // A year among dates: all of its days. Dates in another spelling than ISO's can only be searched.
        let searched = entry.seen && !entry.iso_dates || !entry.column_type.is_temporal();
        return match comparison {
            Comparison::Equal | Comparison::NotEqual if searched => Condition::Like {
                expr: left,
                pattern: format!("%{year}%"),
                negated: comparison == Comparison::NotEqual,
            },
            Comparison::Equal => in_year(left, *year),
            Comparison::NotEqual => Condition::Not(Box::new(in_year(left, *year))),
            // A moment of the last day is after its date.
            Comparison::Greater if entry.column_type == ColumnType::DateTime => {
                Condition::compare(left, Comparison::GreaterOrEqual, first_day(year + 1))
            }
            Comparison::LessOrEqual if entry.column_type == ColumnType::DateTime => {
                Condition::compare(left, Comparison::Less, first_day(year + 1))
            }
            Comparison::Greater | Comparison::LessOrEqual => {
                Condition::compare(left, comparison, Expr::literal(format!("{year:04}-12-31")))
            }
            Comparison::Less | Comparison::GreaterOrEqual => {
                Condition::compare(left, comparison, first_day(*year))
            }
        };
    }
    let text = entry.column_type == ColumnType::Text;
    let literal = match comparison {
        Comparison::Equal | Comparison::NotEqual if text => Value::Text(value.to_string()),
        _ => value.clone(),
    };
    Condition::compare(left, comparison, Expr::Literal(literal))
}
