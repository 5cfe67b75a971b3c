//! What the numbers of a result come to: which columns may be added up, and their sums.
//!
//! A sum of ids, years, prices, averages or percentages says nothing, and a sum of groups that overlap says something wrong.
//! Where it is not clear what a column holds, it has no total.

use crate::conversation::ConversationState;
use crate::plan::{Aggregate, Arithmetic, Expr, Function, QueryPlan};
use crate::schema::{Value, pieces};

/// The last words of the names of columns whose numbers are amounts, of which there is more in two rows than in one.
const AMOUNTS: &[&str] = &[
    "amount", "budget", "cost", "costs", "expense", "expenses", "fee", "fees", "income", "paid", "pieces",
    "profit", "qty", "quantity", "revenue", "sales", "spent", "stock", "subtotal", "tax", "total",
    "turnover", "units",
];

/// Words that make of any number one that is no amount.
const NO_AMOUNTS: &[&str] = &[
    "average",
    "avg",
    "cumulative",
    "each",
    "growth",
    "highest",
    "id",
    "index",
    "least",
    "limit",
    "lowest",
    "max",
    "maximum",
    "mean",
    "median",
    "min",
    "minimum",
    "moving",
    "no",
    "number",
    "per",
    "percent",
    "pct",
    "price",
    "rank",
    "rate",
    "ratio",
    "running",
    "score",
    "share",
    "unit",
    "year",
];

/// The sum of each column of a result that may be added up, in the order of the columns; none where there is nothing to add
/// up. The rows must be all rows of the result.
///
/// ```
/// use sqlogue::schema::Value;
/// use sqlogue::totals::totals;
///
/// let columns = ["city", "sum(amount)", "avg(amount)"].map(str::to_owned);
/// let rows = [("Rome", 3), ("Oslo", 4)].map(|(city, sum)| vec![Value::from(city), Value::from(sum), Value::from(sum)]);
/// assert_eq!(totals(&columns, &rows, None), Some(vec![None, Some(Value::from(7)), None]));
/// ```
pub fn totals(
    columns: &[String],
    rows: &[Vec<Value>],
    plan: Option<&QueryPlan>,
) -> Option<Vec<Option<Value>>> {
    if rows.len() < 2 {
        return None;
    }
    let sums = columns.iter().enumerate().map(|(index, name)| {
        let is_amount = match plan {
            Some(plan) => planned(plan, columns.len(), index, name)?,
            None => called_amount(name, true),
        };
        is_amount.then(|| sum(rows, index))?
    });
    let sums: Vec<Option<Value>> = sums.collect();
    sums.iter().any(Option::is_some).then_some(sums)
}

/// The same of the last answer of a conversation.
pub fn totals_of(
    state: &ConversationState,
    columns: &[String],
    rows: &[Vec<Value>],
) -> Option<Vec<Option<Value>>> {
    totals(columns, rows, state.current_plan())
}

/// Whether the numbers that an expression gives for groups of rows may be added up over the groups.
pub(crate) fn adds_up(expr: &Expr) -> bool {
    match expr {
        Expr::Aggregate { function: Aggregate::Sum, .. } => true,
        Expr::Aggregate { function: Aggregate::Count, distinct, .. } => !distinct,
        Expr::Arithmetic { operator: Arithmetic::Add | Arithmetic::Subtract, left, right } => {
            adds_up(left) && adds_up(right)
        }
        Expr::Function { function: Function::Round | Function::Coalesce, arguments } => {
            arguments.first().is_some_and(adds_up)
        }
        _ => false,
    }
}

/// Whether a column of a planned query is an amount; none where the plan does not tell what stands in the column.
fn planned(plan: &QueryPlan, width: usize, index: usize, name: &str) -> Option<bool> {
    let select = &plan.select;
    // A row of one table that is joined to several of another comes several times, and the first few of many rows come to
    // nothing that anybody asks about.
    let is_list = select.joins.is_empty() && plan.limit.is_none() && plan.offset.is_none();
    if !plan.set_operations.is_empty() {
        return Some(false);
    }
    if select.projection.iter().any(|one| matches!(one.expr, Expr::All(_))) {
        return Some(is_list && called_amount(name, false));
    }
    let shown = select.projection.get(index).filter(|_| select.projection.len() == width)?;
    Some(match &shown.expr {
        Expr::Column(column) => {
            is_list && !select.distinct && select.group_by.is_empty() && called_amount(&column.column, false)
        }
        Expr::Aggregate { function: Aggregate::Sum, argument, .. } if is_key(argument) => false,
        expr => adds_up(expr),
    })
}

/// A sum of keys is no amount, whoever asked for it.
fn is_key(expr: &Expr) -> bool {
    matches!(expr, Expr::Column(column) if pieces(&column.column).last().is_some_and(|last| last == "id"))
}

/// Whether a column is an amount by its name alone; `computed` allows for the names that databases give to what was counted
/// and summed up.
fn called_amount(name: &str, computed: bool) -> bool {
    let lower = name.to_lowercase();
    if computed && lower.ends_with(')') {
        let counts = lower.starts_with("count(") && !lower.contains("distinct");
        return counts || lower.starts_with("sum(");
    }
    let words = pieces(name);
    words.last().is_some_and(|last| AMOUNTS.contains(&last.as_str()))
        && !words.iter().any(|word| NO_AMOUNTS.contains(&word.as_str()))
}

/// The sum of a column that holds nothing but numbers, at least two of them.
fn sum(rows: &[Vec<Value>], index: usize) -> Option<Value> {
    let values = || rows.iter().filter_map(|row| row.get(index)).filter(|value| !value.is_null());
    values().nth(1)?;
    let whole = values().try_fold(0_i64, |sum, value| match value {
        Value::Integer(number) => sum.checked_add(*number),
        _ => None,
    });
    let fraction = || {
        let numbers = values().map(|value| match value {
            Value::Integer(_) | Value::Real(_) => value.as_f64(),
            _ => None,
        });
        numbers.sum::<Option<f64>>().filter(|sum| sum.is_finite()).map(Value::Real)
    };
    whole.map(Value::Integer).or_else(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_amounts_from_other_numbers() {
        for amount in ["amount", "total", "order_total", "Stock", "unitsSold_qty", "net_revenue"] {
            assert!(called_amount(amount, false), "{amount}");
        }
        for other in
            ["id", "year", "price", "unit_cost", "average_total", "sales_percent", "running_total", "age"]
        {
            assert!(!called_amount(other, true), "{other}");
        }
        assert!(called_amount("count(*)", true) && called_amount("SUM(a * b)", true));
        assert!(!called_amount("count(DISTINCT x)", true) && !called_amount("sum(x) / count(*)", false));
    }

    #[test]
    fn only_numbers_have_a_sum() {
        let rows = |values: &[Value]| values.iter().map(|value| vec![value.clone()]).collect::<Vec<_>>();
        let number = |value: i64| Value::from(value);
        assert_eq!(sum(&rows(&[number(1), Value::Null, number(2)]), 0), Some(number(3)));
        assert_eq!(sum(&rows(&[number(1), Value::from(0.5)]), 0), Some(Value::from(1.5)));
        assert_eq!(sum(&rows(&[number(1), Value::Null]), 0), None, "the sum of one number is that number");
        assert_eq!(sum(&rows(&[number(1), Value::from("2")]), 0), None);
        assert!(matches!(sum(&rows(&[number(i64::MAX), number(1)]), 0), Some(Value::Real(_))));
    }
}
