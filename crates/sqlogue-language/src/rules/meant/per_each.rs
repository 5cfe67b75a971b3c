//! *Loans per member on average* is how many they have, and no mean of what loans are worth, which nobody named.

use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{Link, Target};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Expr, QueryPlan};

/// A column that fits a word as well as this may be meant by it.
const NAMED: f32 = 0.4;

/// Drops the readings that take the mean of a column that no word names, where rows are said to be *per* something on average and
/// another reading takes the mean of how many they are.
pub(super) fn counts_on_average_first(
    all: &mut Vec<Proposal>,
    asked: &Question,
    links: &[Link],
    knowledge: &Knowledge,
) {
    let says = |word: &str| asked.tokens.iter().any(|token| token.lower == word);
    if !says("per") || !says("average") || !all.iter().any(|one| is_mean_of_counts(&one.draft.plan)) {
        return;
    }
    let is_named =
        |id: ColumnId| links.iter().any(|link| link.target == Target::Column(id) && link.score >= NAMED);
    let unnamed = |plan: &QueryPlan| {
        let averaged = plan.select.projection.iter().filter_map(|shown| match &shown.expr {
            Expr::Aggregate { function: Aggregate::Avg, argument, .. } => Some(argument.columns()),
            _ => None,
        });
        let mut of_what = averaged.map(|columns| {
            let mut ids =
                columns.into_iter().filter_map(|column| knowledge.column_in(plan, column)).peekable();
            ids.peek().is_some() && !ids.any(is_named)
        });
        !plan.select.group_by.is_empty() && of_what.any(|is_unnamed| is_unnamed)
    };
    all.retain(|one| !unnamed(&one.draft.plan));
}

/// True for the mean of a number of rows that a named query counts for each.
fn is_mean_of_counts(plan: &QueryPlan) -> bool {
    let counts = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count, .. });
    let is_mean = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Avg, .. });
    let counted = plan.with.iter().flat_map(|named| &named.query.select.projection);
    counted.into_iter().any(|shown| counts(&shown.expr))
        && plan.select.projection.iter().any(|shown| is_mean(&shown.expr))
}
