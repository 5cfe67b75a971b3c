//! Which rows count.

use super::{EditError, source, unused_table};
use crate::plan::{ColumnRef, Condition, Expr, Projection, QueryPlan, Select, SetOperator};

pub(super) fn add(plan: QueryPlan, condition: &Condition) -> Result<QueryPlan, EditError> {
    condition.conjuncts().iter().try_fold(plan, add_one)
}

fn add_one(mut plan: QueryPlan, condition: &Condition) -> Result<QueryPlan, EditError> {
    if condition.is_windowed() {
        return add_to_windows(plan, condition);
    }
    if let Some(table) = unused_table(&plan.select, condition.columns()).map(str::to_owned) {
        let reached =
            source::in_sources(&mut plan, &condition.columns(), &mut |source| add_one(source, condition))?;
        return if reached { Ok(plan) } else { Err(EditError::TableNotUsed(table)) };
    }
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

/// A rank is known when all rows are, so that the condition is on the rows with their ranks.
fn add_to_windows(mut plan: QueryPlan, condition: &Condition) -> Result<QueryPlan, EditError> {
    if !plan.set_operations.is_empty() {
        return Err(EditError::Combined);
    }
    // Each window as the condition says it, as the plan shows it, and whether it was shown before.
    let mut windows = Vec::new();
    for expr in condition.exprs().into_iter().filter(|expr| expr.is_windowed()) {
        let inside = source::brought_out(&mut plan, expr)?;
        let is_shown = plan.select.projection.iter().any(|shown| shown.expr == inside);
        plan = super::columns::add(plan, &inside)?;
        windows.push((expr.clone(), inside, is_shown));
    }
    let shown: Vec<Expr> = plan.select.projection.iter().map(|shown| shown.expr.clone()).collect();
    let mut plan = source::over_rows(plan)?;
    let names: Vec<Expr> = plan.select.projection.iter().map(|shown| shown.expr.clone()).collect();
    let name_of = |expr: &Expr| {
        let inside = windows.iter().find(|(said, ..)| said == expr).map_or(expr, |(_, inside, _)| inside);
        shown.iter().position(|other| other == inside).and_then(|at| names.get(at)).cloned()
    };
    let mut condition = condition.clone();
    condition.replace(&mut |part| name_of(part));
    if condition.is_windowed() {
        return Err(EditError::Combined);
    }
    // What is only compared is not shown.
    for (expr, ..) in windows.iter().filter(|(.., is_shown)| !is_shown) {
        let name = name_of(expr);
        plan.select.projection.retain(|shown| Some(&shown.expr) != name.as_ref());
    }
    add_one(plan, &condition)
}

fn add_to_select(select: &mut Select, condition: &Condition) -> Result<(), EditError> {
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
    source::each_layer(&mut plan, &mut |plan| {
        for place in plan.selects_mut().flat_map(|select| [&mut select.filter, &mut select.having]) {
            replaced |= replace_in(place, condition);
        }
    });
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
    source::each_layer(&mut plan, &mut |plan| {
        for place in plan.selects_mut().flat_map(|select| [&mut select.filter, &mut select.having]) {
            let Some(all) = place.take() else { continue };
            // A window of time goes with both of its ends, wherever they stand.
            let gone = condition.conjuncts();
            let is_there = gone.iter().all(|one| all.conjuncts().contains(one));
            let kept = all.conjuncts().iter().filter(|other| !(is_there && gone.contains(other))).cloned();
            *place = Condition::all(kept.collect());
            removed |= is_there;
        }
    });
    if removed { Ok(plan) } else { Err(EditError::NoSuchFilter(Box::new(condition.clone()))) }
}

pub(super) fn clear(mut plan: QueryPlan) -> Result<QueryPlan, EditError> {
    let mut cleared = false;
    source::each_layer(&mut plan, &mut |plan| {
        // The first of each group are what is asked for, and no restriction of it.
        let all = plan.select.filter.take();
        let of_rank: Vec<Condition> = all
            .iter()
            .flat_map(Condition::conjuncts)
            .filter(|condition| plan.is_on_window(condition))
            .cloned()
            .collect();
        cleared |= all.map_or(0, |all| all.conjuncts().len()) > of_rank.len();
        plan.select.filter = Condition::all(of_rank);
        cleared |= plan.select.having.take().is_some();
        for operation in &mut plan.set_operations {
            cleared |= operation.select.filter.take().is_some();
            cleared |= operation.select.having.take().is_some();
        }
        // What was combined only to restrict rows is a restriction too.
        let restricts = |operator| matches!(operator, SetOperator::Intersect | SetOperator::Except);
        cleared |= plan.set_operations.iter().any(|operation| restricts(operation.operator));
        plan.set_operations.retain(|operation| !restricts(operation.operator));
    });
    if cleared { Ok(plan) } else { Err(EditError::NoFilters) }
}
