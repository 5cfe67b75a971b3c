//! Rows that have nothing to do with each other but what both belong to: the requests and the building permits of one district. Listed
//! side by side, each stands beside each, and a count by the one counts the other again and again. Data modelling calls it a chasm
//! trap.

use crate::rules::knowledge::Knowledge;
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{ColumnRef, Expr, QueryPlan, Select};

/// Which way a join goes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// To the one row that is referred to.
    Up,
    /// To the rows that refer to it.
    Down,
    /// From one row to one row, or nobody knows.
    Level,
}

/// Drops the readings that put unrelated rows side by side, where another leaves no more words out.
pub(super) fn related_rows_first(all: &mut Vec<Proposal>, question: &Question, knowledge: &Knowledge) {
    if compares(question) {
        return;
    }
    let unrelated: Vec<bool> = all.iter().map(|one| crosses(&one.draft.plan, knowledge)).collect();
    let least = all
        .iter()
        .zip(&unrelated)
        .filter(|(_, unrelated)| !**unrelated)
        .map(|(one, _)| one.account.left_out.len())
        .min();
    let Some(least) = least else { return };
    let mut unrelated = unrelated.into_iter();
    all.retain(|one| !unrelated.next().unwrap_or(false) || one.account.left_out.len() < least);
}

/// *shops in the same city as a customer* compares them by what both belong to.
pub(in crate::rules) fn compares(question: &Question) -> bool {
    question.tokens.iter().any(|token| token.lower == "same")
}

/// True where what a plan shows or makes groups by is reached from the rest of what it shows only over rows that both belong to.
pub(in crate::rules) fn crosses(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let select = &plan.select;
    if select.joins.len() < 2 || !plan.set_operations.is_empty() {
        return false;
    }
    let edges = edges(plan, knowledge);
    let (plain, summed): (Vec<&Expr>, Vec<&Expr>) = select
        .projection
        .iter()
        .map(|shown| &shown.expr)
        .chain(&select.group_by)
        .partition(|expr| !expr.is_aggregate());
    let mut alone: Vec<&str> = tables_of(&plain);
    let mut other = alone.clone();
    other.extend(tables_of(&summed));
    alone.sort_unstable();
    alone.dedup();
    other.sort_unstable();
    other.dedup();
    alone.iter().any(|from| other.iter().any(|to| from != to && goes_up_and_down(from, to, &edges)))
}

fn tables_of<'a>(exprs: &[&'a Expr]) -> Vec<&'a str> {
    let columns = exprs.iter().flat_map(|expr| expr.columns());
    columns.map(|column| column.table.as_str()).collect()
}

/// The joins of a plan, each with the way from its first table to its second.
fn edges<'a>(plan: &'a QueryPlan, knowledge: &Knowledge) -> Vec<(&'a str, &'a str, Way)> {
    let is_one = |column: &ColumnRef| {
        // A query of its own has one row for each of what it was made for.
        let id = knowledge.column_in(plan, column);
        id.is_none_or(|id| {
            let entry = knowledge.column(id);
            entry.unique || knowledge.table(entry.table).key.as_slice() == [id]
        })
    };
    let Select { joins, .. } = &plan.select;
    let pairs = joins.iter().filter_map(|join| join.on.first());
    pairs
        .map(|(one, other)| {
            let way = match (is_one(one), is_one(other)) {
                (false, true) => Way::Up,
                (true, false) => Way::Down,
                _ => Way::Level,
            };
            (one.table.as_str(), other.table.as_str(), way)
        })
        .collect()
}

/// True where the way between two tables goes up to what both belong to, and down again.
fn goes_up_and_down(from: &str, to: &str, edges: &[(&str, &str, Way)]) -> bool {
    // Each table with the way to it so far: up, or up and down.
    let mut reached = vec![(from, Some(Way::Level))];
    let mut next = 0;
    while let Some((table, so_far)) = reached.get(next).copied() {
        if table == to {
            return so_far == Some(Way::Down);
        }
        for (one, other, way) in edges {
            let (there, way) = match (*one == table, *other == table, way) {
                (true, _, way) => (*other, *way),
                (_, true, Way::Up) => (*one, Way::Down),
                (_, true, Way::Down) => (*one, Way::Up),
                (_, true, Way::Level) => (*one, Way::Level),
                _ => continue,
            };
            let then = match (so_far, way) {
                (so_far, Way::Level) => so_far,
                (Some(Way::Level | Way::Up), Way::Up) => Some(Way::Up),
                (Some(Way::Up | Way::Down), Way::Down) => Some(Way::Down),
                // By way of rows that link the two, they are related.
                _ => None,
            };
            if !reached.iter().any(|(known, ..)| *known == there) {
                reached.push((there, then));
            }
        }
        next += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::of_office;

    #[test]
    fn rows_of_one_district_have_nothing_else_to_do_with_each_other() {
        let made = of_office("requests by type");
        let first = made.first().cloned().unwrap_or_default();
        assert!(!first.contains("permit"), "{first}");
    }
}
