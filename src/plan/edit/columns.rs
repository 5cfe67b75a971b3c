//! What is shown.

use super::{EditError, source, unused_table};
use crate::plan::{Expr, Projection, QueryPlan, Select};

pub(super) fn add(mut plan: QueryPlan, expr: &Expr) -> Result<QueryPlan, EditError> {
    let expr = match plan.set_operations.is_empty() {
        true => &source::brought_out(&mut plan, expr)?,
        false => expr,
    };
    for select in plan.selects_mut() {
        add_to_select(select, expr)?;
    }
    Ok(plan)
}

fn add_to_select(select: &mut Select, expr: &Expr) -> Result<(), EditError> {
    if let Some(table) = unused_table(select, expr.columns()) {
        return Err(EditError::TableNotUsed(table.to_owned()));
    }
    if select.projection.iter().any(|shown| shown.expr == *expr) {
        return Ok(());
    }
    let summarises = select.projection.iter().any(|shown| shown.expr.is_aggregate());
    let is_grouped = summarises || !select.group_by.is_empty();
    let fits = || source::is_of_group(expr, &select.group_by);
    if is_grouped && (expr.is_windowed() || !expr.is_aggregate()) && !fits() {
        // What looks at other rows looks at groups, and cannot be grouped by.
        if select.group_by.is_empty() || expr.is_windowed() {
            return Err(EditError::Summarised(Box::new(expr.clone())));
        }
        // A database that minds shows beside groups only what they are grouped by.
        select.group_by.push(expr.clone());
    }
    if !is_grouped && expr.is_aggregate() {
        return Err(EditError::SingleRows(Box::new(expr.clone())));
    }
    // Every column stays every column, with one more.
    if select.projection.is_empty() {
        select.projection.push(Projection::from(Expr::All(None)));
    }
    select.projection.push(Projection::from(expr.clone()));
    Ok(())
}

pub(super) fn remove(mut plan: QueryPlan, expr: &Expr) -> Result<QueryPlan, EditError> {
    let shows_all = |select: &Select| {
        select.projection.is_empty()
            || select.projection.iter().all(|shown| matches!(shown.expr, Expr::All(_)))
    };
    if plan.selects().any(shows_all) {
        return Err(EditError::EveryColumnShown(Box::new(expr.clone())));
    }
    let at = plan
        .select
        .projection
        .iter()
        .position(|shown| shown.expr == *expr)
        .ok_or_else(|| EditError::ColumnNotShown(Box::new(expr.clone())))?;
    for select in plan.selects_mut() {
        if select.projection.len() < 2 {
            return Err(EditError::LastColumn(Box::new(expr.clone())));
        }
        if at < select.projection.len() {
            select.projection.remove(at);
        }
    }
    Ok(plan)
}

pub(super) fn replace(mut plan: QueryPlan, columns: &[Expr]) -> Result<QueryPlan, EditError> {
    for select in plan.selects_mut() {
        if let Some(table) = unused_table(select, columns.iter().flat_map(Expr::columns)) {
            return Err(EditError::TableNotUsed(table.to_owned()));
        }
        // One row for all the rows, as long as only summaries are asked for; a column of the rows ends that.
        select.projection = columns.iter().cloned().map(Projection::from).collect();
    }
    if plan.set_operations.is_empty() {
        return Ok(plan);
    }
    // A combination is sorted by what it shows.
    plan.order_by.retain(|order| columns.contains(&order.expr));
    Ok(plan)
}

pub(super) fn set_distinct(mut plan: QueryPlan, distinct: bool) -> Result<QueryPlan, EditError> {
    plan.select.distinct = distinct;
    Ok(plan)
}
