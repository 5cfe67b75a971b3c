//! What is there and what is missing: *orders with and without a coupon* are told apart by whether they have one, and not by which.

use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{Link, Target};
use crate::rules::text::Question;
use sqlogue_sql::plan::{Condition, Expr, QueryPlan};

/// How well words fit a column that they name.
const NAMED: f32 = 0.8;

/// True where a plan makes a group of each value of what rows have or have not.
pub(super) fn tells_values_apart(plan: &QueryPlan, asked: &Question, knowledge: &Knowledge) -> bool {
    let without = |at: &usize| {
        asked.word(*at) == "without"
            && matches!(asked.word(*at - 1), "and" | "or" | "vs" | "versus")
            && asked.word(at.saturating_sub(2)) == "with"
    };
    let Some(at) = (2..asked.tokens.len()).find(without) else { return false };
    let named: Vec<&str> =
        asked.tokens.iter().skip(at + 1).take(3).map(|token| token.stem.as_str()).collect();
    plan.select.group_by.iter().any(|key| {
        let id = match key {
            Expr::Column(column) => knowledge.column_in(plan, column),
            _ => None,
        };
        id.is_some_and(|id| {
            let entry = knowledge.column(id);
            let is_named = entry.forms.iter().flatten().any(|word| named.contains(&word.as_str()));
            is_named && entry.nullable && entry.kind.is_flag().is_none()
        })
    })
}

/// True where a plan asks for rows that lack the first of two things and passes over the second: *customers without email or phone* have
/// neither.
pub(super) fn forgets_second(
    plan: &QueryPlan,
    asked: &Question,
    links: &[Link],
    knowledge: &Knowledge,
) -> bool {
    let lacking: Vec<ColumnId> = missing(plan, knowledge);
    if lacking.is_empty() {
        return false;
    }
    let skips = |at: usize, words: &[&str]| at + usize::from(words.contains(&asked.word(at)));
    let named = |start: usize| {
        let is_column = |link: &&Link| link.start == start && matches!(link.target, Target::Column(_));
        let end =
            links.iter().filter(is_column).filter(|link| link.score >= NAMED).map(|link| link.end).max()?;
        let whole = links.iter().filter(is_column).filter(move |link| link.end == end);
        let ids = whole.filter_map(|link| match link.target {
            Target::Column(id) => Some(id),
            _ => None,
        });
        Some((end, ids.collect::<Vec<ColumnId>>()))
    };
    let is_lacking = |ids: &[ColumnId]| ids.iter().any(|id| lacking.contains(id));
    let passes_over = |at: usize| {
        let articles = ["a", "an", "any", "their", "the"];
        let (end, first) = named(skips(at + 1, &articles))?;
        matches!(asked.word(end), "or" | "nor" | "and").then_some(())?;
        let next = skips(skips(end + 1, &["without", "no", "with"]), &["no"]);
        let (_, second) = named(skips(next, &articles))?;
        let beside = second.iter().any(|id| {
            let table = knowledge.column(*id).table;
            first.iter().any(|one| knowledge.column(*one).table == table)
        });
        Some(beside && is_lacking(&first) && !is_lacking(&second))
    };
    let without =
        |at: &usize| matches!(asked.word(*at), "without" | "no" | "neither" | "missing" | "lacking");
    (0..asked.tokens.len()).filter(without).any(|at| passes_over(at) == Some(true))
}

/// The columns that a plan asks to have no value.
fn missing(plan: &QueryPlan, knowledge: &Knowledge) -> Vec<ColumnId> {
    let mut found = Vec::new();
    plan.clone().for_each_condition_mut(&mut |condition| {
        if let Condition::IsNull { expr: Expr::Column(column), negated: false } = condition {
            found.extend(knowledge.column_in(plan, column));
        }
    });
    found
}
