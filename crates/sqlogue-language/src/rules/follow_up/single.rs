//! A part of the groups that only one value is left of: *weekly ones only*, after a number for each box and rhythm.

use sqlogue_sql::plan::{Condition, Expr, PlanEdit, QueryPlan};

/// Takes a key out of the groups of a plan where all rows have one value of it by what a follow-up says, so that it would show
/// the same beside every other key.
pub(super) fn leave_out_key(plan: &mut QueryPlan, before: &QueryPlan) {
    let is_fixed = |filter: &Option<Condition>, key: &Expr| {
        filter.as_ref().is_some_and(|filter| filter.fixed(key).is_some())
    };
    let select = &plan.select;
    let is_single = |key: &&Expr| {
        before.select.group_by.contains(key)
            && is_fixed(&select.filter, key)
            && !is_fixed(&before.select.filter, key)
    };
    let Some(key) = select.group_by.iter().find(is_single).cloned() else { return };
    // Where nothing else is shown of the groups, it is what they are called.
    let mut shown = select.projection.iter().map(|shown| &shown.expr);
    if !shown.any(|expr| *expr != key && select.group_by.contains(expr)) {
        return;
    }
    plan.select.group_by.retain(|expr| *expr != key);
    plan.select.projection.retain(|shown| shown.expr != key);
    plan.order_by.retain(|order| order.expr != key);
}

/// The plan that edits make, without such a key, and the edits that make it; none where they cannot be applied.
pub(super) fn applied(edits: Vec<PlanEdit>, before: &QueryPlan) -> Option<(QueryPlan, Vec<PlanEdit>)> {
    let edited = before.apply_all(&edits).ok()?;
    let mut plan = edited.clone();
    leave_out_key(&mut plan, before);
    let edits = if plan == edited { edits } else { vec![PlanEdit::restate(before, plan.clone())] };
    Some((plan, edits))
}
