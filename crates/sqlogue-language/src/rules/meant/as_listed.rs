//! Columns that a question lists at its end: *orders over 150 euro: number, date, total* and *... Give the name and the budget*. What is
//! listed is shown, also where the rows are bounded by it.

use super::last_sentence::last_sentence;
use crate::rules::grammar::WordLists;
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{Link, Target};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Expr, Projection, QueryPlan};
use std::ops::Range;

/// How well words fit a column that they name.
const NAMED: f32 = 0.3;

/// Shows the listed columns that a plan uses and does not show, each at its place.
pub(super) fn show_all(plan: &mut QueryPlan, asked: &Question, links: &[Link], knowledge: &Knowledge) {
    let select = &plan.select;
    let is_plain = select.group_by.is_empty() && plan.with.is_empty() && plan.set_operations.is_empty();
    let items = items(asked);
    if !is_plain || items.len() < 2 {
        return;
    }
    let shown: Vec<ColumnId> = shown(plan, knowledge);
    let used: Vec<ColumnRef> = select
        .filter
        .iter()
        .flat_map(|filter| filter.columns())
        .chain(plan.order_by.iter().flat_map(|order| order.expr.columns()))
        .cloned()
        .collect();
    let is_shown = |item: &Range<usize>| named(item, links).any(|id| shown.contains(&id));
    if !items.iter().any(is_shown) {
        return;
    }
    let missing = items.iter().enumerate().filter(|(_, item)| !is_shown(item)).filter_map(|(at, item)| {
        let is_named = |column: &&ColumnRef| {
            knowledge.column_in(plan, column).is_some_and(|id| named(item, links).any(|named| named == id))
        };
        Some((at, used.iter().find(is_named)?.clone()))
    });
    for (at, column) in missing.collect::<Vec<_>>() {
        let at = at.min(plan.select.projection.len());
        plan.select.projection.insert(at, Projection::from(Expr::Column(column)));
    }
}

/// Drops the readings without a number of rows where a question ends in *with the count*, and another shows it.
pub(super) fn counts_shown_first(all: &mut Vec<Proposal>, asked: &Question) {
    let end = asked.tokens.len();
    let word = |before: usize| end.checked_sub(before).map_or("", |at| asked.word(at));
    let skipped = usize::from(matches!(word(2), "the" | "their" | "its" | "a"));
    let asks = matches!(word(1), "count" | "counts" | "number" | "numbers")
        && matches!(word(2 + skipped), "with" | "and" | "plus" | "," | ":");
    let counts = |one: &Proposal| {
        let mut shown = one.draft.plan.select.projection.iter();
        shown.any(|shown| matches!(shown.expr, Expr::Aggregate { function: Aggregate::Count, .. }))
    };
    if asks && all.iter().any(|one| counts(one) && one.account.left_out.is_empty()) {
        all.retain(counts);
    }
}

/// The columns that a plan shows, also within what it reckons.
fn shown(plan: &QueryPlan, knowledge: &Knowledge) -> Vec<ColumnId> {
    let columns = plan.select.projection.iter().flat_map(|shown| shown.expr.columns());
    columns.filter_map(|column| knowledge.column_in(plan, column)).collect()
}

/// The columns that words name, or the first of them: *due date since May*.
fn named<'a>(item: &'a Range<usize>, links: &'a [Link]) -> impl Iterator<Item = ColumnId> + 'a {
    let is_column = |link: &&Link| matches!(link.target, Target::Column(_)) && link.score >= NAMED;
    let of_item =
        links.iter().filter(is_column).filter(|link| link.start == item.start && link.end <= item.end);
    let last = of_item.map(|link| link.end).max().unwrap_or(item.end);
    links.iter().filter_map(move |link| match link.target {
        Target::Column(id) if link.start == item.start && link.end == last && link.score >= NAMED => Some(id),
        _ => None,
    })
}

/// What is listed behind a colon, in a last sentence, or behind *with*.
fn items(asked: &Question) -> Vec<Range<usize>> {
    let end = asked.tokens.len();
    let colon = (0..end).rfind(|at| asked.word(*at) == ":").map(|at| at + 1..end);
    let with = || {
        let start = (1..end).rfind(|at| asked.word(*at) == "with")? + 1;
        let ends = |at: &usize| WordLists::embedded().has("ends_list", asked.word(*at));
        Some(start..(start..end).find(ends).unwrap_or(end))
    };
    let Some(listed) = colon.or_else(|| last_sentence(asked)).or_else(with) else { return Vec::new() };
    let is_between = |at: usize| matches!(asked.word(at), "," | "and" | "&" | "." | "plus");
    let skipped = |at: usize| matches!(asked.word(at), "the" | "their" | "its" | "a" | "an");
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for at in listed.clone() {
        match start {
            Some(from) if is_between(at) => {
                items.push(from..at);
                start = None;
            }
            None if !is_between(at) && !skipped(at) => start = Some(at),
            _ => {}
        }
    }
    items.extend(start.map(|from| from..listed.end));
    items
}
