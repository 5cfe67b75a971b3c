//! Which tables are asked about.

use super::{EditError, uses};
use crate::plan::{
    ColumnRef, Condition, Expr, Join, JoinKind, Projection, QueryPlan, Select, Source, TableUse,
};

pub(super) fn negate(plan: QueryPlan, entity: &TableUse, key: &ColumnRef) -> Result<QueryPlan, EditError> {
    if !uses(&plan.select, entity.name()) {
        return Err(EditError::TableNotUsed(entity.name().to_owned()));
    }
    if let Some(turned) = turn_membership(&plan) {
        return Ok(turned);
    }
    let of_entity = |expr: &Expr| {
        let columns = expr.columns();
        !expr.is_aggregate()
            && !expr.is_windowed()
            && !columns.is_empty()
            && columns.iter().all(|column| column.table == entity.name())
    };
    let projection: Vec<Projection> =
        plan.select.projection.iter().filter(|shown| of_entity(&shown.expr)).cloned().collect();
    let mut meant = plan;
    if meant.limit.is_none() {
        meant.order_by.clear();
    }
    meant.select.distinct = false;
    for select in meant.selects_mut() {
        select.projection = vec![Projection::from(Expr::Column(key.clone()))];
    }
    // A row without a partner has no key.
    let has_gaps = meant.selects().flat_map(|select| &select.joins).any(|join| join.kind == JoinKind::Left);
    let key = Expr::Column(key.clone());
    let filter = match has_gaps {
        true => Condition::none_of(key, meant),
        false => Condition::InQuery { expr: key, query: Box::new(meant), negated: true },
    };
    let select =
        Select { projection, from: Source::Table(entity.clone()), filter: Some(filter), ..Select::default() };
    Ok(QueryPlan::from(select))
}

/// Where the plan's one condition is a membership, its opposite is the other membership.
fn turn_membership(plan: &QueryPlan) -> Option<QueryPlan> {
    let is_plain = plan.set_operations.is_empty() && plan.limit.is_none() && plan.select.group_by.is_empty();
    let mut turned = plan.clone();
    let select = &mut turned.select;
    match &mut select.filter {
        Some(
            Condition::InQuery { negated, .. }
            | Condition::Exists { negated, .. }
            | Condition::IsNull { negated, .. },
        ) if is_plain && select.joins.is_empty() => {
            *negated = !*negated;
            Some(turned)
        }
        _ => None,
    }
}

pub(super) fn join(mut plan: QueryPlan, joins: &[Join]) -> Result<QueryPlan, EditError> {
    for select in plan.selects_mut() {
        for join in joins {
            if uses(select, join.table.name()) {
                continue;
            }
            let partners = join.filter.iter().flat_map(Condition::columns);
            let other = join
                .on
                .iter()
                .flat_map(|(left, right)| [left, right])
                .chain(partners)
                .find(|column| column.table != join.table.name() && !uses(select, &column.table));
            if let Some(column) = other {
                return Err(EditError::TableNotUsed(column.table.clone()));
            }
            keep_meaning_of_all(select);
            select.joins.push(join.clone());
        }
    }
    Ok(plan)
}

/// Every column stays every column of the tables that were there.
fn keep_meaning_of_all(select: &mut Select) {
    let all = Expr::All(Some(select.from.name().to_owned()));
    if !select.joins.is_empty() {
        return;
    }
    if select.projection.is_empty() {
        select.projection.push(Projection::from(all));
        return;
    }
    for shown in &mut select.projection {
        if shown.expr == Expr::All(None) {
            shown.expr = all.clone();
        }
    }
}

pub(super) fn replace(
    mut plan: QueryPlan,
    from: &str,
    to: &TableUse,
    columns: &[(String, String)],
) -> Result<QueryPlan, EditError> {
    let mut found = false;
    plan.for_each_table_mut(&mut |table| {
        if table.name() == from {
            *table = to.clone();
            found = true;
        }
    });
    for select in plan.selects_mut() {
        for shown in &mut select.projection {
            if shown.expr == Expr::All(Some(from.to_owned())) {
                shown.expr = Expr::All(Some(to.name().to_owned()));
            }
        }
    }
    if !found {
        return Err(EditError::TableNotUsed(from.to_owned()));
    }
    let mut missing = None;
    plan.for_each_column_mut(&mut |column| {
        if column.table != from {
            return;
        }
        match columns.iter().find(|(before, _)| *before == column.column) {
            Some((_, after)) => *column = ColumnRef::new(to.name(), after),
            None => missing = missing.take().or_else(|| Some(column.clone())),
        }
    });
    match missing {
        Some(column) => Err(EditError::NoCounterpart(column, to.table.clone())),
        None => Ok(plan),
    }
}
