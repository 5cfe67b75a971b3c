//! Which rows count.

use super::{EditError, unused_table};
use crate::plan::{ColumnRef, Condition, Expr, Projection, QueryPlan, Select, SetOperator};

pub(super) fn add(mut plan: QueryPlan, condition: &Condition) -> Result<QueryPlan, EditError> {
    // Rows that leave the first part of an intersection or a difference leave the whole; a union has them from
    // every part.
    let in_all = plan
        .set_operations
        .iter()
        .any(|operation| matches!(operation.operator, SetOperator::Union | SetOperator::UnionAll));
    let parts = if in_all { plan.set_operations.len() + 1 } else { 1 };
    for select in plan.selects_mut().take(parts) {
        add_to_select(select, condition)?;
    }
    Ok(plan)
}

fn add_to_select(select: &mut Select, condition: &Condition) -> Result<(), EditError> {
    for condition in condition.conjuncts() {
        if let Some(table) = unused_table(select, condition.columns()) {
            return Err(EditError::TableNotUsed(table.to_owned()));
        }
        let place = if condition.is_aggregate() {
            if select.group_by.is_empty() {
                return Err(EditError::NotGrouped(Box::new(condition.clone())));
            }
            &mut select.having
        } else {
            &mut select.filter
        };
        *place = Some(match place.take() {
            Some(there) if there.conjuncts().contains(condition) => there,
            Some(there) => there.and(condition.clone()),
            None => condition.clone(),
        });
    }
    Ok(())
}

pub(super) fn add_to_shown(
    plan: QueryPlan,
    condition: &Condition,
    key: Option<&ColumnRef>,
) -> Result<QueryPlan, EditError> {
    let Some(limit) = plan.limit else { return add(plan, condition) };
    // The rows that were cut are chosen by their key, so that the condition meets exactly those.
    let key = key.ok_or(EditError::NoKey(limit))?;
    if !plan.uses(&key.table) || !plan.set_operations.is_empty() || !plan.select.group_by.is_empty() {
        return Err(EditError::NoKey(limit));
    }
    let mut chosen = plan.clone();
    chosen.select.distinct = false;
    chosen.select.projection = vec![Projection::from(Expr::Column(key.clone()))];
    let mut outer = plan;
    outer.limit = None;
    outer.offset = None;
    outer.select.filter =
        Some(Condition::InQuery { expr: Expr::Column(key.clone()), query: Box::new(chosen), negated: false });
    add(outer, condition)
}

pub(super) fn replace(mut plan: QueryPlan, condition: &Condition) -> Result<QueryPlan, EditError> {
    let mut replaced = false;
    for select in plan.selects_mut() {
        for place in [&mut select.filter, &mut select.having] {
            replaced |= replace_in(place, condition);
        }
    }
    if replaced { Ok(plan) } else { Err(EditError::NoSuchFilter(Box::new(condition.clone()))) }
}

/// Puts a condition where the first one on the same thing was, and drops the others.
fn replace_in(place: &mut Option<Condition>, condition: &Condition) -> bool {
    let Some(all) = place.take() else { return false };
    let is_same = |other: &Condition| other.subject().is_some() && other.subject() == condition.subject();
    let mut replaced = false;
    let mut kept = Vec::new();
    for other in all.parts() {
        if !is_same(&other) {
            kept.push(other);
        } else if !std::mem::replace(&mut replaced, true) {
            kept.push(condition.clone());
        }
    }
    *place = Condition::all(kept);
    replaced
}

pub(super) fn remove(mut plan: QueryPlan, condition: &Condition) -> Result<QueryPlan, EditError> {
    let mut removed = false;
    for select in plan.selects_mut() {
        for place in [&mut select.filter, &mut select.having] {
            let Some(all) = place.take() else { continue };
            // A window of time goes with both of its ends, wherever they stand.
            let gone = condition.conjuncts();
            let is_there = gone.iter().all(|one| all.conjuncts().contains(one));
            let kept = all.conjuncts().iter().filter(|other| !(is_there && gone.contains(other))).cloned();
            *place = Condition::all(kept.collect());
            removed |= is_there;
        }
    }
    if removed { Ok(plan) } else { Err(EditError::NoSuchFilter(Box::new(condition.clone()))) }
}

pub(super) fn clear(mut plan: QueryPlan) -> Result<QueryPlan, EditError> {
    let mut cleared = false;
    for select in plan.selects_mut() {
        cleared |= select.filter.take().is_some();
        cleared |= select.having.take().is_some();
    }
    // What was combined only to restrict rows is a restriction too.
    if !plan.set_operations.is_empty() {
        let restricts = |operator| matches!(operator, SetOperator::Intersect | SetOperator::Except);
        cleared |= plan.set_operations.iter().any(|operation| restricts(operation.operator));
        plan.set_operations.retain(|operation| !restricts(operation.operator));
    }
    if cleared { Ok(plan) } else { Err(EditError::NoFilters) }
}
