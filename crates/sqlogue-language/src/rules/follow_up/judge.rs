//! What speaks against a follow-up besides the words that it leaves out: that it drops what was asked before.

use super::previous::Previous;
use super::reading::Reading;
use crate::rules::account::Doubt;
use sqlogue_sql::plan::{Condition, Expr, QueryPlan};

/// What speaks against a plan that edits the previous one.
pub(super) fn of_edits(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let kept = |expr: &Expr| plan.select.projection.iter().any(|shown| shown.expr == *expr);
    let before: Vec<&Expr> = previous.plan.select.projection.iter().map(|shown| &shown.expr).collect();
    let restricts = conditions(plan).any(|condition| !previous.conditions().any(|other| other == condition));
    let shrinks = plan.select.projection.len() < before.len()
        && plan.select.projection.iter().all(|shown| before.contains(&&shown.expr));
    if shrinks && restricts || reading.also && !before.iter().all(|expr| kept(expr)) && !shows_all(plan) {
        doubts.push(Doubt::LostColumns);
    }
    if reading.also && !keeps_conditions(previous, plan) {
        doubts.push(Doubt::LostConditions);
    }
    if reading.instead && keeps_conditions(previous, plan) && restricts {
        doubts.push(Doubt::NotReplaced);
    }
    if *plan == *previous.plan {
        doubts.push(Doubt::NothingChanged);
    }
    if computes(previous.plan) {
        doubts.push(Doubt::ChangedAnalysis);
    }
    doubts
}

/// True for a query that computes more than summaries of columns.
fn computes(plan: &QueryPlan) -> bool {
    fn any(expr: &Expr) -> bool {
        matches!(expr, Expr::Case { .. } | Expr::Window(_) | Expr::Arithmetic { .. } | Expr::Query(_))
            || expr.parts().into_iter().any(any)
    }
    !plan.with.is_empty()
        || plan.select.having.is_some()
        || plan.select.projection.iter().any(|shown| any(&shown.expr))
        || plan.order_by.iter().any(|order| any(&order.expr))
}

/// What speaks against a plan that was made anew for words that point back at what was shown.
pub(super) fn of_new_plan(
    reading: &Reading,
    refers: bool,
    previous: &Previous<'_>,
    plan: &QueryPlan,
) -> Vec<Doubt> {
    let groups = &previous.plan.select.group_by;
    // *Also the number of instructors* of the same groups comes beside what was measured of them.
    let kept = |expr: &&Expr| plan.select.projection.iter().any(|shown| shown.expr == **expr);
    let loses = reading.also
        && !groups.is_empty()
        && plan.select.group_by == *groups
        && !previous.summaries().iter().all(kept);
    let cut = previous.plan.limit.is_some() && plan.limit.is_none();
    // *Which employee served them?*, and nothing of what *they* are.
    let is_other = !plan.select.tables().any(|table| {
        previous.plan.selects().any(|before| before.tables().any(|one| one.table == table.table))
    });
    let drops = refers && (cut || is_other || !keeps_conditions(previous, plan));
    let computed = refers && computes(previous.plan);
    let doubts = [
        drops.then_some(Doubt::LostConditions),
        loses.then_some(Doubt::LostColumns),
        computed.then_some(Doubt::ChangedAnalysis),
    ];
    doubts.into_iter().flatten().collect()
}

fn shows_all(plan: &QueryPlan) -> bool {
    plan.select.projection.iter().any(|shown| matches!(shown.expr, Expr::All(_)))
}

/// True where everything that restricted the rows before restricts them still.
fn keeps_conditions(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    previous.conditions().all(|condition| {
        conditions(plan).any(|other| {
            other == condition
                || matches!(other, Condition::Or(all) if all.contains(condition))
                || widened(condition, other)
        })
    })
}

/// `= 'Rome'` that has become one of a list.
fn widened(before: &Condition, after: &Condition) -> bool {
    match (before, after) {
        (Condition::Compare { left, right, .. }, Condition::In { expr, list, negated: false }) => {
            left == expr && list.contains(right)
        }
        _ => false,
    }
}

fn conditions(plan: &QueryPlan) -> impl Iterator<Item = &Condition> {
    let own = plan.select.filter.iter().chain(&plan.select.having);
    let nested = own.clone().flat_map(Condition::queries);
    let nested = nested.flat_map(|query| query.select.filter.iter().chain(&query.select.having));
    own.chain(nested).flat_map(Condition::conjuncts)
}
