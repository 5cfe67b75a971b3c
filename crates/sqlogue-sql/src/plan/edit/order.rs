//! In which order, and how many.

use super::source::is_of_group;
use super::{EditError, unused_table};
use crate::plan::{Expr, Order, QueryPlan};

pub(super) fn set(mut plan: QueryPlan, order: &[Order]) -> Result<QueryPlan, EditError> {
    order.iter().try_for_each(|order| check(&plan, &order.expr))?;
    plan.order_by = Order::once(order.iter().cloned());
    Ok(plan)
}

pub(super) fn add(mut plan: QueryPlan, order: &Order) -> Result<QueryPlan, EditError> {
    check(&plan, &order.expr)?;
    plan.order_by.retain(|other| other.expr != order.expr);
    plan.order_by.push(order.clone());
    Ok(plan)
}

fn check(plan: &QueryPlan, expr: &Expr) -> Result<(), EditError> {
    if let Some(table) = unused_table(&plan.select, expr.columns()) {
        return Err(EditError::TableNotUsed(table.to_owned()));
    }
    let is_summary = plan.select.projection.iter().any(|shown| shown.expr.is_aggregate());
    if plan.select.group_by.is_empty() && plan.set_operations.is_empty() && is_summary != expr.is_aggregate()
    {
        let expr = Box::new(expr.clone());
        return Err(if is_summary { EditError::Summarised(expr) } else { EditError::SingleRows(expr) });
    }
    let is_grouped = !plan.select.group_by.is_empty();
    if is_grouped && expr.is_windowed() && !is_of_group(expr, &plan.select.group_by) {
        return Err(EditError::Summarised(Box::new(expr.clone())));
    }
    let shown = || plan.select.projection.iter().any(|shown| shown.expr == *expr);
    if !plan.set_operations.is_empty() && !shown() {
        return Err(EditError::OrderNotShown(Box::new(expr.clone())));
    }
    Ok(())
}

pub(super) fn reverse(mut plan: QueryPlan) -> Result<QueryPlan, EditError> {
    if plan.order_by.is_empty() {
        return Err(EditError::NotSorted);
    }
    for order in &mut plan.order_by {
        order.direction = order.direction.opposite();
    }
    Ok(plan)
}

pub(super) fn clear(mut plan: QueryPlan) -> Result<QueryPlan, EditError> {
    if plan.order_by.is_empty() {
        return Err(EditError::NotSorted);
    }
    plan.order_by.clear();
    Ok(plan)
}

pub(super) fn set_limit(mut plan: QueryPlan, limit: u64) -> Result<QueryPlan, EditError> {
    if limit == 0 {
        return Err(EditError::EmptyLimit);
    }
    plan.limit = Some(limit);
    Ok(plan)
}

pub(super) fn clear_limit(mut plan: QueryPlan) -> Result<QueryPlan, EditError> {
    if plan.limit.is_none() {
        return Err(EditError::NotLimited);
    }
    plan.limit = None;
    plan.offset = None;
    Ok(plan)
}
