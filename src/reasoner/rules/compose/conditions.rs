//! One condition of a frame as a condition of a plan.

use super::build::{Builder, applied, summary_of_all};
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
                Some(column) if stored_as_text_date(builder, column) => Condition::And(vec![
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
        Test::AgainstSummary(comparison, function) => {
            let right = summary_of_all(builder.knowledge, *function, column?);
            Condition::compare(left, applied(*comparison, filter.negated), right)
        }
    })
}

/// True where a column holds dates as text, so that a year alone compares with a part of them.
fn stored_as_text_date(builder: &Builder<'_>, column: ColumnId) -> bool {
    let entry = builder.knowledge.column(column);
    (entry.column_type.is_temporal() || entry.column_type == ColumnType::Text) && entry.seen && !entry.numeric
        || (entry.column_type.is_temporal() && !entry.seen)
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
    let year = matches!(value, Value::Integer(1000..=2200));
    if stored_as_text_date(builder, column) && year {
        // A year among dates: all of its days.
        let first = Expr::literal(format!("{value}-01-01"));
        let last = Expr::literal(format!("{value}-12-31"));
        return match comparison {
            Comparison::Equal => {
                Condition::Like { expr: left, pattern: format!("%{value}%"), negated: false }
            }
            Comparison::NotEqual => {
                Condition::Like { expr: left, pattern: format!("%{value}%"), negated: true }
            }
            Comparison::Greater => Condition::compare(left, comparison, last),
            Comparison::LessOrEqual => Condition::compare(left, comparison, last),
            Comparison::Less | Comparison::GreaterOrEqual => Condition::compare(left, comparison, first),
        };
    }
    let text = entry.column_type == ColumnType::Text;
    let literal = match comparison {
        Comparison::Equal | Comparison::NotEqual if text => Value::Text(value.to_string()),
        _ => value.clone(),
    };
    Condition::compare(left, comparison, Expr::Literal(literal))
}
