//! Questions that say nothing but the name of a table: *show me companies*.

use crate::rules::compose::Draft;
use crate::rules::grammar::WordLists;
use crate::rules::knowledge::Knowledge;
use crate::rules::link::{Chunk, Linked};
use sqlogue_sql::plan::{Expr, Projection, QueryPlan, Select};

/// True where a draft shows a table as it is, and the question says nothing but its name. A reading that the grammar itself
/// thinks poorer than another is not meant.
pub(super) fn lists_what_is_named(draft: &Draft, linked: &Linked, knowledge: &Knowledge) -> bool {
    lists_a_table(&draft.plan)
        && draft.grammar.is_none_or(|behind| behind == 0.0)
        && !says_more(draft, linked, knowledge)
}

/// True where a question says more than the name of the table that a plan shows: *orders by month* is no list of orders.
fn says_more(draft: &Draft, linked: &Linked, knowledge: &Knowledge) -> bool {
    let Some((chunks, _)) = linked.cuts.get(draft.cut) else { return false };
    let shown = draft.plan.select.tables().find_map(|table| knowledge.table_named(&table.table));
    let names_it = |chunk: &Chunk| chunk.tables.iter().any(|(table, _)| Some(*table) == shown);
    let mut others = chunks.iter().filter(|chunk| !names_it(chunk));
    let asks_for_rows = |at: usize| {
        let word = linked.question.word(at);
        !word.chars().any(char::is_alphanumeric) || WordLists::embedded().has("listing", word)
    };
    others.any(|chunk| !(chunk.start..chunk.end).all(asks_for_rows))
}

/// True where a plan shows a table as it is: with every word accounted for there is nothing else to mean.
pub(super) fn lists_a_table(plan: &QueryPlan) -> bool {
    let all = [Projection::from(Expr::All(None))];
    plan.select.projection == all
        && *plan
            == QueryPlan::from(Select {
                projection: all.to_vec(),
                from: plan.select.from.clone(),
                ..Select::default()
            })
}

/// Where a draft counts rows that nobody asks to be counted, the place of the one that lists them.
pub(super) fn listed_instead<T>(first: &Draft, all: &[T], draft: impl Fn(&T) -> &Draft) -> Option<usize> {
    let is_guess = first.choices.iter().any(|choice| choice.name == "rows_are_counted");
    let counted = &first.plan.select;
    let lists = |other: &Select| {
        other.group_by.is_empty()
            && other.from == counted.from
            && other.joins == counted.joins
            && other.filter == counted.filter
            && !other.projection.iter().any(|shown| shown.expr.is_aggregate())
    };
    let is_list = |one: &T| {
        let plan = &draft(one).plan;
        draft(one).grammar.is_some()
            && plan.limit.is_none()
            && plan.order_by.is_empty()
            && lists(&plan.select)
    };
    let places = all.iter().enumerate().filter(|(_, one)| is_guess && is_list(one));
    let likely = |one: &T| draft(one).grammar.unwrap_or(f32::NEG_INFINITY);
    places.max_by(|(_, one), (_, other)| likely(one).total_cmp(&likely(other))).map(|(at, _)| at)
}
