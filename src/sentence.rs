//! An answer in one sentence: *30 of 120 customers are from Germany*.

mod predicate;

use crate::base::number::grouped;
use crate::conversation::{ConversationState, Status};
use crate::plan::{Condition, Expr, QueryPlan, Source, TableUse};
use crate::schema::{Table, Value};

/// The answer of the last turn in one sentence, where it lists or counts the rows of one table; none elsewhere.
///
/// `counted` says whether the schema's numbers of rows are exact and not estimates, as they are in SQLite; only then is it
/// said of how many rows these are some.
pub fn sentence(state: &ConversationState, counted: bool) -> Option<String> {
    let plan = state.current_plan().filter(|_| state.status == Status::Completed)?;
    let result = state.result.as_deref()?;
    let table = one_table(plan)?;
    let count = match plan.select.projection.as_slice() {
        [one] if is_count(&one.expr) => match result.rows.first()?.first()? {
            Value::Integer(count) => u64::try_from(*count).ok()?,
            _ => return None,
        },
        _ if plan.limit.is_some() || plan.offset.is_some() || plan.select.distinct || result.more => {
            return None;
        }
        all if all.iter().any(|one| one.expr.is_aggregate() || one.expr.is_windowed()) => return None,
        _ => result.row_count,
    };
    let known = state.schema.as_ref().and_then(|schema| schema.table(&table.table));
    let total = known.filter(|_| counted).and_then(|table| table.row_count);
    said(count, total, table, known, plan.select.filter.as_ref())
}

/// The table of a query that reads one and does not group its rows.
fn one_table(plan: &QueryPlan) -> Option<&TableUse> {
    let select = &plan.select;
    let Source::Table(table) = &select.from else { return None };
    let plain = select.joins.is_empty()
        && select.group_by.is_empty()
        && select.having.is_none()
        && plan.set_operations.is_empty()
        && !plan.with.iter().any(|query| query.name == table.table);
    plain.then_some(table)
}

fn is_count(expr: &Expr) -> bool {
    *expr == Expr::count_all()
}

fn said(
    count: u64,
    total: Option<u64>,
    table: &TableUse,
    known: Option<&Table>,
    filter: Option<&Condition>,
) -> Option<String> {
    let things = |count: u64| predicate::things(&table.table, known, count);
    let Some(filter) = filter else {
        let are = if count == 1 { "is" } else { "are" };
        return Some(format!("There {are} {} {}.", grouped(count), things(count)));
    };
    // An estimate, or a number that is older than the rows, is no total.
    let (of, is) = match total.filter(|total| *total >= count) {
        Some(total) if total == count && count > 1 => {
            (format!("All {} {}", grouped(count), things(count)), total)
        }
        Some(total) => (format!("{} of {} {}", grouped(count), grouped(total), things(total)), total),
        None => (format!("{} {}", grouped(count), things(count)), count),
    };
    let of = match (count, total) {
        (0, Some(2..)) => of.replacen("0 of", "None of the", 1),
        (0, Some(_)) => of.replacen('0', "None", 1),
        (0, None) => of.replacen('0', "No", 1),
        _ => of,
    };
    let one = count == 1 || is == 1;
    // *None of 599 customers have no email* is said the other way round.
    if let (0, Some(total @ 2..)) = (count, total)
        && let Some(thing) = predicate::lacking(filter)
    {
        return Some(format!("All {} {} have {thing}.", grouped(total), things(total)));
    }
    Some(format!("{of} {}.", predicate::said(filter, known, one)?))
}
