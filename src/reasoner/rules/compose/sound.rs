//! Plans that no database runs in the sense of the words are no readings.

use crate::plan::{Condition, Expr, QueryPlan, Select};

/// False for summaries beside single rows without groups, summaries in conditions on rows, and `*` as a value; in
/// nested queries too.
pub(super) fn is_sound(plan: &QueryPlan) -> bool {
    let orders = plan.order_by.iter().map(|order| &order.expr);
    std::iter::once(&plan.select)
        .chain(plan.set_operations.iter().map(|operation| &operation.select))
        .all(select_is_sound)
        && orders.clone().all(is_value)
        && (!plan.select.group_by.is_empty() || sorts_alike(plan))
}

/// True where ungrouped rows are sorted by what each of them has, and one summary by nothing else.
fn sorts_alike(plan: &QueryPlan) -> bool {
    let summarised = plan.select.projection.iter().any(|item| item.expr.is_aggregate());
    plan.order_by.iter().all(|order| summarised || !order.expr.is_aggregate())
}

fn select_is_sound(select: &Select) -> bool {
    let summaries = select.projection.iter().filter(|item| item.expr.is_aggregate()).count();
    if select.group_by.is_empty() && summaries > 0 && summaries < select.projection.len() {
        return false;
    }
    let starred = select.projection.iter().any(|item| matches!(item.expr, Expr::All(_)));
    if starred && select.projection.len() > 1 {
        return false;
    }
    let values =
        select.projection.iter().all(|item| matches!(item.expr, Expr::All(_)) || is_value(&item.expr));
    values
        && select.group_by.iter().all(|expr| is_value(expr) && !expr.is_aggregate())
        && select.filter.as_ref().is_none_or(|filter| holds(filter, false))
        && select.having.as_ref().is_none_or(|having| holds(having, true))
}

/// True for a condition that can be asked of a row, or of a group.
fn holds(condition: &Condition, of_groups: bool) -> bool {
    let fits = |expr: &Expr| is_value(expr) && (of_groups || !expr.is_aggregate());
    match condition {
        Condition::And(all) | Condition::Or(all) => all.iter().all(|one| holds(one, of_groups)),
        Condition::Not(one) => holds(one, of_groups),
        Condition::Compare { left, right, .. } => fits(left) && fits(right),
        Condition::Between { expr, low, high } => fits(expr) && fits(low) && fits(high),
        Condition::In { expr, .. } | Condition::Like { expr, .. } | Condition::IsNull { expr, .. } => {
            fits(expr)
        }
        Condition::InQuery { expr, query, .. } => fits(expr) && is_sound(query),
        Condition::Exists { query, .. } => is_sound(query),
    }
}

/// True for a single value: no bare `*`, no summary of a summary.
fn is_value(expr: &Expr) -> bool {
    match expr {
        Expr::All(_) => false,
        Expr::Aggregate { argument, .. } => {
            !argument.is_aggregate() && (matches!(**argument, Expr::All(_)) || is_value(argument))
        }
        Expr::Query(query) => is_sound(query),
        Expr::Window(window) => window.exprs().all(|part| matches!(part, Expr::All(_)) || is_value(part)),
        other => other.parts().into_iter().all(is_value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Select {
        Select::from_table("member")
    }

    #[test]
    fn a_summary_stands_beside_groups_only() {
        let mixed = members().project(Expr::column("member", "city")).project(Expr::count_all());
        assert!(!is_sound(&QueryPlan::from(mixed.clone())));
        let grouped = Select { group_by: vec![Expr::column("member", "city")], ..mixed };
        assert!(is_sound(&QueryPlan::from(grouped)));
    }

    #[test]
    fn a_summary_is_no_condition_on_rows() {
        let condition = Condition::equal(Expr::count_all(), Expr::literal(2));
        let rows = Select { filter: Some(condition), ..members().project(Expr::column("member", "city")) };
        assert!(!is_sound(&QueryPlan::from(rows.clone())));
        let nested = Expr::Query(Box::new(QueryPlan::from(rows)));
        let outer = Condition::equal(Expr::column("member", "city"), nested);
        let outer = Select { filter: Some(outer), ..members().project(Expr::column("member", "city")) };
        assert!(!is_sound(&QueryPlan::from(outer)));
    }
}
