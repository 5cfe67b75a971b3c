//! What makes a result suspicious although its query ran: it is worth a word to whoever wrote the query.

use crate::conversation::ConversationState;
use crate::database::Rows;
use crate::plan::{QueryPlan, Source};
use crate::schema::{Schema, Value};

/// Why the rows of a query that a model wrote are suspicious; `None` where they are not, where the embedded rules come to the
/// same, and where the model was told already.
pub(super) fn suspicion(state: &ConversationState, rows: &Rows, schema: &Schema) -> Option<String> {
    if state.refined_count > 0 || !is_by_a_model(state) {
        return None;
    }
    let plan = state.scratch.query_plan.as_ref();
    only_nulls(rows)
        .or_else(|| like_a_cross_join(state, rows, schema))
        .or_else(|| filters_nothing(plan?, rows, schema))
}

/// Whether a model wrote the query, and nobody else came to the same.
fn is_by_a_model(state: &ConversationState) -> bool {
    let scratch = &state.scratch;
    match &scratch.proposal {
        Some(proposal) => proposal.like.is_empty() && proposal.sql == state.query,
        // In a follow-up what the rules planned has a typed plan.
        None => {
            state.usage.llm_calls > 0
                && state.planner_output.as_ref().is_none_or(|plan| plan.query_plan.is_none())
        }
    }
}

/// A column in which there is nothing.
fn only_nulls(rows: &Rows) -> Option<String> {
    let is_empty = |at: usize| rows.rows.iter().all(|row| row.get(at).is_none_or(Value::is_null));
    let at = (0..rows.columns.len()).find(|at| !rows.rows.is_empty() && is_empty(*at))?;
    let column = rows.columns.get(at)?;
    Some(format!("the column `{column}` of the result holds nothing but NULL"))
}

/// As many rows as there are pairs of rows, or more than any of the tables has.
fn like_a_cross_join(state: &ConversationState, rows: &Rows, schema: &Schema) -> Option<String> {
    let tables = &state.planner_output.as_ref()?.tables;
    let known = |name: &str| schema.table(name).and_then(|table| table.row_count).filter(|rows| *rows > 1);
    let counts: Vec<u64> = tables.iter().map(|table| known(&table.name)).collect::<Option<_>>()?;
    let (largest, pairs) = (counts.iter().max()?, counts.iter().copied().fold(1, u64::saturating_mul));
    let found = found(rows);
    let is_odd = counts.len() > 1 && if rows.truncated { found > *largest } else { found == pairs };
    let names: Vec<String> = tables.iter().map(|table| format!("`{}`", table.name)).collect();
    is_odd.then(|| {
        let more = if rows.truncated { "more than " } else { "" };
        format!(
            "it has {more}{found} rows, as if each row of {} were paired with each row of the others",
            names.join(", ")
        )
    })
}

/// A condition that every row of its table meets.
fn filters_nothing(plan: &QueryPlan, rows: &Rows, schema: &Schema) -> Option<String> {
    let select = &plan.select;
    let Source::Table(table) = &select.from else { return None };
    let is_plain = select.joins.is_empty()
        && select.group_by.is_empty()
        && plan.set_operations.is_empty()
        && plan.limit.is_none()
        && !select.distinct;
    let filter = select.filter.as_ref().filter(|_| is_plain)?;
    let all = schema.table(&table.table)?.row_count.filter(|all| *all > 1)?;
    (!rows.truncated && found(rows) == all)
        .then(|| format!("the condition {filter:#} removes none of the {all} rows of `{}`", table.table))
}

/// How many rows a query found: the number that it gives where it gives one, as a count does, and else the rows it gives.
fn found(rows: &Rows) -> u64 {
    match rows.rows.as_slice() {
        [row] => match row.as_slice() {
            [Value::Integer(count)] => u64::try_from(*count).unwrap_or(1),
            _ => 1,
        },
        rows => rows.len() as u64,
    }
}
