//! Summaries of what was shown.

use super::source::{SHOWN, is_of_group};
use super::{EditError, unused_table};
use crate::plan::{Aggregate, ColumnRef, Expr, Projection, QueryPlan, Select, Source};

pub(super) fn group_by(mut plan: QueryPlan, by: &[Expr], measures: &[Expr]) -> Result<QueryPlan, EditError> {
    if !plan.set_operations.is_empty() {
        return Err(EditError::Combined);
    }
    let select = &mut plan.select;
    if let Some(table) = unused_table(select, by.iter().chain(measures).flat_map(Expr::columns)) {
        return Err(EditError::TableNotUsed(table.to_owned()));
    }
    let measures: Vec<Expr> = if measures.is_empty() {
        let shown = select.projection.iter().map(|shown| &shown.expr);
        // A share or a rank among other groups stays where it is none of the old ones.
        shown.filter(|expr| expr.is_aggregate() && is_of_group(expr, by)).cloned().collect()
    } else {
        measures.to_vec()
    };
    let measures = if measures.is_empty() { vec![Expr::count_all()] } else { measures };
    select.distinct = false;
    select.projection = by.iter().cloned().chain(measures).map(Projection::from).collect();
    select.group_by = by.to_vec();
    select.having = None;
    let select = &plan.select;
    // Groups are sorted by what they are grouped by or by a summary; single rows' values are gone.
    plan.order_by.retain(|order| is_of_group(&order.expr, &select.group_by));
    plan.limit = None;
    plan.offset = None;
    Ok(plan)
}

pub(super) fn summarise(
    mut plan: QueryPlan,
    function: Aggregate,
    argument: Option<&Expr>,
) -> Result<QueryPlan, EditError> {
    let select = &plan.select;
    if let Some(table) = argument.and_then(|argument| unused_table(select, argument.columns())) {
        return Err(EditError::TableNotUsed(table.to_owned()));
    }
    let argument = match (argument, function) {
        (Some(argument), _) => Some(argument.clone()),
        (None, Aggregate::Count) => None,
        (None, _) => Some(only_column(select).ok_or(EditError::WhichColumn)?),
    };
    let is_plain = plan.set_operations.is_empty()
        && plan.limit.is_none()
        && select.group_by.is_empty()
        && !select.projection.iter().any(|shown| shown.expr.is_aggregate())
        && !argument.as_ref().is_some_and(Expr::is_windowed);
    plan.order_by.retain(|_| plan.limit.is_some());
    match (is_plain, argument) {
        (true, None) if !select.distinct => {
            plan.select.projection = vec![Projection::from(Expr::count_all())];
            Ok(plan)
        }
        (true, Some(argument)) if !select.distinct => {
            plan.select.projection = vec![Projection::from(Expr::aggregate(function, argument))];
            Ok(plan)
        }
        (true, None) if select.projection.len() == 1 => {
            // Equal rows were shown once, so they are counted once.
            let argument = only_column(select).ok_or(EditError::WhichColumn)?;
            plan.select.distinct = false;
            let count = Expr::Aggregate { function, distinct: true, argument: Box::new(argument) };
            plan.select.projection = vec![Projection::from(count)];
            Ok(plan)
        }
        (_, argument) => over_shown(plan, function, argument),
    }
}

/// Summarises the rows of the previous query as they were shown: cut, grouped, combined.
fn over_shown(
    mut plan: QueryPlan,
    function: Aggregate,
    argument: Option<Expr>,
) -> Result<QueryPlan, EditError> {
    let argument = match argument {
        None => Expr::All(None),
        Some(argument) => {
            let name = name_in_result(&mut plan, &argument)?;
            Expr::Column(ColumnRef::new(SHOWN, name))
        }
    };
    let from = Source::Query { query: Box::new(plan), alias: SHOWN.to_owned() };
    Ok(QueryPlan::from(Select { from, ..Select::default() }.project(Expr::aggregate(function, argument))))
}

/// The name under which a query shows an expression; a column that it does not show yet is added to it.
pub(super) fn name_in_result(plan: &mut QueryPlan, argument: &Expr) -> Result<String, EditError> {
    let is_combined = !plan.set_operations.is_empty();
    let projection = &mut plan.select.projection;
    if let Some(shown) = projection.iter_mut().find(|shown| shown.expr == *argument) {
        if let Some(alias) = &shown.alias {
            return Ok(alias.clone());
        }
        if let Expr::Column(column) = &shown.expr {
            return Ok(column.column.clone());
        }
        // A summary has no name of its own that every database agrees on.
        return Ok(shown.alias.insert("value".to_owned()).clone());
    }
    let Expr::Column(column) = argument else { return Err(EditError::WhichColumn) };
    let shows_all = projection.is_empty() || projection.iter().any(|shown| shown.expr == Expr::All(None));
    if !shows_all {
        let is_summary = projection.iter().any(|shown| shown.expr.is_aggregate());
        if is_combined || is_summary || !plan.select.group_by.is_empty() {
            return Err(EditError::ColumnNotShown(Box::new(argument.clone())));
        }
        projection.push(Projection::from(argument.clone()));
    }
    Ok(column.column.clone())
}

fn only_column(select: &Select) -> Option<Expr> {
    match select.projection.as_slice() {
        [one] if !matches!(one.expr, Expr::All(_)) => Some(one.expr.clone()),
        // Beside a group's name there is one summary.
        many => {
            let mut summaries = many.iter().map(|shown| &shown.expr).filter(|expr| expr.is_aggregate());
            summaries.next().cloned().filter(|_| summaries.next().is_none())
        }
    }
}

pub(super) fn change(mut plan: QueryPlan, new: Aggregate) -> Result<QueryPlan, EditError> {
    let mut changed = false;
    for shown in &mut plan.select.projection {
        if let Expr::Aggregate { function, distinct, argument } = &mut shown.expr {
            // Rows are counted, and have no value to summarise, those under a condition neither.
            let counts_rows = match &**argument {
                Expr::All(_) => true,
                Expr::Case { branches, .. } => {
                    branches.iter().all(|branch| matches!(branch.then, Expr::Literal(_)))
                }
                _ => false,
            };
            if counts_rows && new != Aggregate::Count {
                return Err(EditError::WhichColumn);
            }
            *function = new;
            *distinct &= new == Aggregate::Count;
            shown.alias = None;
            changed = true;
        }
    }
    if changed { Ok(plan) } else { Err(EditError::NotSummarised) }
}
