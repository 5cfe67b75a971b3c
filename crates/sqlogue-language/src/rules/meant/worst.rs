//! What is worst: of what nobody wants (cancelled orders, complaints, days of delay) it is the most, and of all else the least.

use crate::rules::grammar::WordLists;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Arithmetic, Comparison, Condition, Direction, Expr, QueryPlan, Source};
use sqlogue_sql::schema::{Value, pieces};

/// Turns an order that the words *worst* or *best* have made round where the rows are sorted by how much there is of something bad:
/// the worst driver is the one with the most failed deliveries.
pub(in crate::rules) fn most_of_what_is_bad(plan: &mut QueryPlan, asked: &Question) {
    let says = |word: &str| asked.tokens.iter().any(|token| token.lower == word);
    let direction = match (says("worst"), says("best")) {
        (true, false) => Direction::Descending,
        (false, true) => Direction::Ascending,
        _ => return,
    };
    let is_by_bad = plan.order_by.first().is_some_and(|order| is_bad(&order.expr, plan));
    if is_by_bad && let Some(order) = plan.order_by.first_mut() {
        order.direction = direction;
    }
}

/// True for a number that tells how much there is of something bad: of rows in such a state, of such rows, or what is called so.
fn is_bad(measure: &Expr, plan: &QueryPlan) -> bool {
    // A cost that is taken off a price leaves something good.
    let mut is_left = false;
    measure.for_each(&mut |part| {
        is_left |= matches!(part, Expr::Arithmetic { operator: Arithmetic::Subtract, right, .. } if names_bad(right));
    });
    if is_left {
        return false;
    }
    let (mut is_named_so, mut adds_up) = (false, false);
    measure.for_each(&mut |part| match part {
        Expr::Column(column) => is_named_so |= says_bad(&column.column),
        Expr::Literal(Value::Text(text)) => is_named_so |= says_bad(text),
        Expr::Aggregate { function, .. } => adds_up |= matches!(function, Aggregate::Count | Aggregate::Sum),
        _ => {}
    });
    let of_bad_rows = || match &plan.select.from {
        Source::Table(table) => says_bad(&table.table),
        _ => false,
    };
    let in_bad_state = || plan.select.filter.iter().flat_map(Condition::parts).any(|part| holds_bad(&part));
    is_named_so || adds_up && (of_bad_rows() || in_bad_state())
}

/// True for a number with a word for what nobody wants in the name of a column.
fn names_bad(expr: &Expr) -> bool {
    expr.columns().iter().any(|column| says_bad(&column.column))
}

/// True for a condition that keeps rows in a bad state: `status = 'failed'`, `is_refunded = 1`.
fn holds_bad(condition: &Condition) -> bool {
    let is_bad_text = |expr: &Expr| matches!(expr, Expr::Literal(Value::Text(text)) if says_bad(text));
    let is_true = |expr: &Expr| matches!(expr, Expr::Literal(Value::Integer(1) | Value::Boolean(true)));
    let is_bad_flag = |expr: &Expr| matches!(expr, Expr::Column(column) if says_bad(&column.column));
    match condition {
        Condition::Compare { left, operator: Comparison::Equal, right } => {
            is_bad_text(right) || is_bad_flag(left) && is_true(right)
        }
        Condition::In { list, negated: false, .. } => list.iter().all(is_bad_text),
        _ => false,
    }
}

/// True for a name or a value with a word for what nobody wants in it.
fn says_bad(text: &str) -> bool {
    let (lists, words) = (WordLists::embedded(), pieces(text));
    // *no-show* is one word for it.
    lists.has("bad", &words.concat()) || words.iter().any(|word| lists.has("bad", word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_sql::plan::ColumnRef;

    #[test]
    fn what_a_cost_leaves_of_a_price_is_good() {
        let column = |name: &str| Expr::Column(ColumnRef::new("items", name));
        let left = Expr::arithmetic(Arithmetic::Subtract, column("price"), column("cost"));
        let plan = QueryPlan::default();
        assert!(!is_bad(&left, &plan));
        assert!(is_bad(&column("cost"), &plan));
    }
}
