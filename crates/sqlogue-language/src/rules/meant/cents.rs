//! Money that is stored in hundredths: people say prices in whole money, however they are stored.

use crate::rules::grammar::WordLists;
use crate::rules::kind::{ColumnKind, MoneyUnit};
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Arithmetic, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// Makes of every number that is compared with money in cents so many cents: *cheaper than 50* is less than 5000 of them.
/// Where the question itself speaks of cents, numbers stay as they are.
pub(in crate::rules) fn compare_whole_money(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    compare_new_whole_money(plan, None, asked, knowledge);
}

/// The same of a plan that changes another, whose numbers are cents already.
pub(in crate::rules) fn compare_new_whole_money(
    plan: &mut QueryPlan,
    before: Option<&QueryPlan>,
    asked: &Question,
    knowledge: &Knowledge,
) {
    let says_cents = (0..asked.tokens.len()).any(|at| WordLists::embedded().has("cents", asked.word(at)));
    let stores_cents =
        || knowledge.tables().any(|(_, table)| table.columns.iter().any(|id| in_cents(*id, knowledge)));
    if says_cents || !stores_cents() {
        return;
    }
    let mut known = Vec::new();
    if let Some(mut before) = before.cloned() {
        compared(&mut before, knowledge, &mut |number| known.push(number.clone()));
    }
    compared(plan, knowledge, &mut |number| {
        if !known.contains(number) {
            to_cents(number);
        }
    });
}

/// Shows money in whole units where that is said: *with the cost in pounds*.
pub(in crate::rules) fn show_whole_money(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let names_unit = |at: usize| WordLists::embedded().has("money", asked.word(at));
    if !(1..asked.tokens.len()).any(|at| asked.word(at - 1) == "in" && names_unit(at)) {
        return;
    }
    let stored = plan.clone();
    for shown in &mut plan.select.projection {
        if matches!(shown.expr, Expr::Column(_)) && is_in_cents(&shown.expr, &stored, knowledge) {
            let hundred = Expr::literal(100.0);
            shown.expr = Expr::arithmetic(Arithmetic::Divide, shown.expr.clone(), hundred);
        }
    }
}

/// Calls `change` on everything that money in cents is compared with.
fn compared(plan: &mut QueryPlan, knowledge: &Knowledge, change: &mut impl FnMut(&mut Expr)) {
    let whole = plan.clone();
    let is_money = |expr: &Expr| is_in_cents(expr, &whole, knowledge);
    plan.for_each_condition_mut(&mut |condition| match condition {
        Condition::Compare { left, right, .. } => {
            if is_money(left) && !is_money(right) {
                change(right);
            } else if is_money(right) && !is_money(left) {
                change(left);
            }
        }
        Condition::Between { expr, low, high } if is_money(expr) => {
            change(low);
            change(high);
        }
        Condition::In { expr, list, .. } if is_money(expr) => list.iter_mut().for_each(&mut *change),
        _ => {}
    });
}

/// True for a column of money that is stored in hundredths.
pub(in crate::rules) fn in_cents(id: ColumnId, knowledge: &Knowledge) -> bool {
    knowledge.column(id).kind == ColumnKind::Money(MoneyUnit::Cents)
}

/// True for a column of money in cents, for a total or another summary of it, and for what a named query makes of either.
fn is_in_cents(expr: &Expr, plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    match expr {
        Expr::Column(column) => match plan.named(plan.table_in_use(&column.table).unwrap_or(&column.table)) {
            Some(named) => {
                let shown = named.query.select.projection.iter();
                let own = shown.filter(|shown| shown.alias.as_deref() == Some(column.column.as_str()));
                own.into_iter().any(|shown| is_in_cents(&shown.expr, &named.query, knowledge))
            }
            None => knowledge.column_in(plan, column).is_some_and(|id| in_cents(id, knowledge)),
        },
        Expr::Aggregate { function, argument, .. } => {
            *function != Aggregate::Count && is_in_cents(argument, plan, knowledge)
        }
        // A price in cents of so many pieces.
        Expr::Arithmetic { operator: Arithmetic::Multiply, left, right } => {
            let [left, right] = [left, right].map(|side| is_in_cents(side, plan, knowledge));
            left != right
        }
        _ => false,
    }
}

fn to_cents(expr: &mut Expr) {
    match expr {
        Expr::Literal(Value::Integer(number)) => *number = number.saturating_mul(100),
        Expr::Literal(Value::Real(number)) => *number *= 100.0,
        // A total in cents compares with a limit in whole money.
        Expr::Column(_) | Expr::Aggregate { .. } => {
            let whole = std::mem::replace(expr, Expr::All(None));
            *expr = Expr::arithmetic(Arithmetic::Multiply, whole, Expr::literal(100));
        }
        _ => {}
    }
}
