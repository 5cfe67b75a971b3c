//! What a caller wants of an answer beside the question: its order, its size, its time, applied to the plan.

use super::constraints::{options, today};
use super::rules::follow_up::{in_time, sorted};
use super::{Ask, rules};
use crate::conversation::Wanted;
use crate::plan::QueryPlan;

/// A plan with what was wanted of it, and what could not be done, a sentence each.
#[derive(Debug, Clone, PartialEq)]
pub struct Granted {
    /// The plan.
    pub plan: QueryPlan,
    /// What could not be done.
    pub notes: Vec<String>,
}

/// Applies what is wanted beside the question. The time comes first, then the order, then the limit, which is the smaller one
/// where the question has one.
pub fn grant(ask: Ask<'_>, wanted: &Wanted, plan: QueryPlan) -> Granted {
    let options = rules::Options { today: today(ask), ..options(ask) };
    let words = ask.knowledge.words();
    let mut granted = Granted { plan, notes: Vec::new() };
    if let Some(time) = &wanted.time_filter {
        match in_time(&granted.plan, time, words, &options) {
            Some(plan) => granted.plan = plan,
            None => granted.notes.push(format!(
                "The time filter `{time}` was not applied: it names no time, or nothing that was asked about has a date."
            )),
        }
    }
    if let Some(order) = &wanted.sort_order {
        match sorted(&granted.plan, order, words, &options) {
            Some(plan) => granted.plan = plan,
            None => granted.notes.push(format!(
                "The sort order `{order}` was not applied: nothing that the rows of the answer have goes by that name."
            )),
        }
    }
    match wanted.result_limit {
        None => {}
        Some(0) => granted
            .notes
            .push("The limit of 0 rows was not applied: an answer without rows says nothing.".to_owned()),
        Some(rows) if is_one_row(&granted.plan) && rows > 0 => {}
        Some(rows) => granted.plan.limit = Some(granted.plan.limit.map_or(rows, |limit| limit.min(rows))),
    }
    granted
}

/// What cannot be seen to, where the query is none that can be changed.
pub fn not_granted(wanted: &Wanted) -> Option<String> {
    let parts = in_words(wanted);
    (!parts.is_empty()).then(|| {
        format!("The query is of a kind that is not changed, so this was not applied: {}.", parts.join(", "))
    })
}

/// What is wanted, each in a few words.
pub(super) fn in_words(wanted: &Wanted) -> Vec<String> {
    let time = wanted.time_filter.as_ref().map(|time| format!("time filter `{time}`"));
    let order = wanted.sort_order.as_ref().map(|order| format!("sorted by `{order}`"));
    let limit = wanted.result_limit.map(|rows| format!("at most {rows} rows"));
    [time, order, limit].into_iter().flatten().collect()
}

/// True for a plan that summarises all rows in one.
fn is_one_row(plan: &QueryPlan) -> bool {
    let shown = &plan.select.projection;
    plan.set_operations.is_empty()
        && plan.select.group_by.is_empty()
        && !shown.is_empty()
        && shown.iter().all(|item| item.expr.is_aggregate())
}
