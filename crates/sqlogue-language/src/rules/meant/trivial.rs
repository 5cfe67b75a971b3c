//! Plans whose answer is known before any row is read: what is all of itself, or has what every row has.
//!
//! Nobody asks how many percent of the refunds were refunded, or of the invoices paid late were paid: the words mean something else.

use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::Knowledge;
use crate::rules::stem::root;
use sqlogue_sql::plan::{Aggregate, Arithmetic, ColumnRef, Condition, Expr, Projection, QueryPlan, Select};

/// True where a plan divides something by itself, compares something with a multiple of itself, or counts how many percent of rows have a date that they all have.
pub(super) fn is_known(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    plan.selects().any(|select| {
        let mut found = false;
        for shown in &select.projection {
            shown.expr.for_each(&mut |expr| {
                found |= divided(expr).is_some_and(|(part, whole)| {
                    part == whole || is_count_of_all(whole) && all_have(part, plan, select, knowledge)
                });
            });
            // Beside *how many were won*, nothing else is of those alone.
            found |= select.projection.len() > 1 && is_of_all(&shown.expr, select);
        }
        let conditions = select.filter.iter().flat_map(Condition::conjuncts);
        found
            || conditions.into_iter().any(compares_with_itself)
            || tells_years_of_decades(select, plan, knowledge)
    }) || plan.queries().into_iter().any(|query| is_known(query, knowledge))
}

/// True where a plan shows a column twice, or beside all columns of its rows.
pub(super) fn shows_twice(plan: &QueryPlan) -> bool {
    let twice = |select: &Select| {
        let shown = &select.projection;
        let is_in_all = |one: &Projection| match &one.expr {
            Expr::Column(column) => shown.iter().any(|other| match &other.expr {
                Expr::All(Some(table)) => column.table == *table,
                Expr::All(None) => select.joins.is_empty(),
                _ => false,
            }),
            _ => false,
        };
        let column = |one: &&Projection| matches!(one.expr, Expr::Column(_));
        let repeats = |(at, one): (usize, &Projection)| {
            column(&one) && shown.iter().skip(at + 1).any(|other| other.expr == one.expr)
        };
        shown.iter().any(is_in_all) || shown.iter().enumerate().any(repeats)
    };
    let named = plan.with.iter().flat_map(|named| named.query.selects());
    plan.selects().chain(named).any(twice)
}

/// True where a column is compared with a multiple of itself.
fn compares_with_itself(condition: &Condition) -> bool {
    let Condition::Compare { left: Expr::Column(column), right, .. } = condition else { return false };
    let Expr::Arithmetic { left: one, right: other, .. } = right else { return false };
    match (one.as_ref(), other.as_ref()) {
        (Expr::Literal(_), Expr::Column(own)) | (Expr::Column(own), Expr::Literal(_)) => own == column,
        _ => false,
    }
}

/// True where the mean of a year, or the like, is shown for each decade of it.
fn tells_years_of_decades(select: &Select, plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let is_year = |column: &&ColumnRef| {
        knowledge.column_in(plan, column).is_some_and(|id| knowledge.column(id).kind == ColumnKind::Year)
    };
    let keys = select.group_by.iter().filter(|key| !matches!(key, Expr::Column(_)));
    let cut: Vec<&ColumnRef> = keys.flat_map(Expr::columns).filter(is_year).collect();
    let tells = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Avg | Aggregate::Sum, argument, .. } => {
            match argument.as_ref() {
                Expr::Column(column) => cut.contains(&column),
                _ => false,
            }
        }
        _ => false,
    };
    select.projection.iter().any(|shown| tells(&shown.expr))
}

/// What is divided by what, percentages as the shares that they are.
fn divided(expr: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Arithmetic { operator: Arithmetic::Divide, left, right } = expr else { return None };
    let part = match left.as_ref() {
        Expr::Arithmetic { operator: Arithmetic::Multiply, left, right }
            if matches!(left.as_ref(), Expr::Literal(_)) =>
        {
            right
        }
        _ => left,
    };
    Some((part, right))
}

fn is_count_of_all(expr: &Expr) -> bool {
    let all = |argument: &Expr| matches!(argument, Expr::All(_));
    matches!(expr, Expr::Aggregate { function: Aggregate::Count, argument, .. } if all(argument))
}

/// True for the number of rows that meet what the filter asks for already, or have a date which the filter asks for already, or which says that the row is one at all, as
/// `refunded_on` of refunds does.
fn all_have(part: &Expr, plan: &QueryPlan, select: &Select, knowledge: &Knowledge) -> bool {
    let Expr::Aggregate { function: Aggregate::Count, argument, .. } = part else { return false };
    let Expr::Case { branches, otherwise: None } = argument.as_ref() else { return false };
    let [branch] = branches.as_slice() else { return false };
    if is_of_all(part, select) {
        return true;
    }
    // *normal, urgent or emergency*, where every job is one of these.
    if let Condition::In { expr: Expr::Column(column), list, negated: false } = &branch.when {
        let few = knowledge.column_in(plan, column).map(|id| knowledge.column(id).few_values.as_slice());
        return few.is_some_and(|few| few.len() > 1 && few.len() <= list.len());
    }
    let Condition::IsNull { expr: Expr::Column(column), negated: true } = &branch.when else { return false };
    let compares = |condition: &Condition| match condition {
        Condition::Compare { .. } => condition.columns().contains(&column),
        _ => false,
    };
    let filtered = select.filter.iter().flat_map(Condition::conjuncts).any(compares);
    filtered || says_that_it_is(column, plan, knowledge)
}

/// True for the number of rows that meet what the filter asks for already.
fn is_of_all(counted: &Expr, select: &Select) -> bool {
    let Expr::Aggregate { function: Aggregate::Count, argument, .. } = counted else { return false };
    let Expr::Case { branches, otherwise: None } = argument.as_ref() else { return false };
    let [branch] = branches.as_slice() else { return false };
    let kept: Vec<&Condition> = select.filter.iter().flat_map(Condition::conjuncts).collect();
    branch.when.conjuncts().iter().all(|asked| kept.contains(&asked))
}

fn says_that_it_is(column: &ColumnRef, plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let Some(id) = knowledge.column_in(plan, column) else { return false };
    let entry = knowledge.column(id);
    let rows: Vec<String> = knowledge
        .table(entry.table)
        .forms
        .iter()
        .filter_map(|form| form.last())
        .map(|word| root(word))
        .collect();
    let deed = entry.forms.first().and_then(|form| form.first()).map(|word| root(word));
    entry.kind.is_date() && deed.is_some_and(|deed| rows.contains(&deed))
}
