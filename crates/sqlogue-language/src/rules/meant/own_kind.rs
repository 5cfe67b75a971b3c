//! Averages of one's own kind: *priced above the average of their category* compares each product with those of its category, and
//! not with all.

use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Condition, Expr, QueryPlan};

/// So many words lie between *average* and the kind at most.
const NEAR: usize = 6;

/// Drops the readings that compare with the average of all rows, where a kind is said and another reading compares with its average.
pub(super) fn averages_of_kinds_first(all: &mut Vec<Proposal>, asked: &Question) {
    let word = |at: usize| asked.word(at);
    let is_average = |at: &usize| matches!(word(*at), "average" | "avg" | "mean" | "typical" | "usual");
    let says_kind = |at: usize| {
        matches!(word(at), "of" | "in" | "for" | "within" | "at")
            && (matches!(word(at + 1), "their" | "its" | "his" | "her")
                || word(at + 1) == "the" && matches!(word(at + 2), "same" | "respective"))
    };
    let mut averages = (0..asked.tokens.len()).filter(is_average);
    if !averages.any(|at| (at + 1..at + NEAR).any(says_kind)) {
        return;
    }
    let of_kind = |one: &Proposal| compares_with_average(&one.draft.plan, true);
    if all.iter().any(of_kind) {
        all.retain(|one| !compares_with_average(&one.draft.plan, false));
    }
}

/// True where a plan compares with an average of rows that are alike in something, or of all where `alike` is not asked for.
fn compares_with_average(plan: &QueryPlan, alike: bool) -> bool {
    let is_average = |shown: &Expr| matches!(shown, Expr::Aggregate { function: Aggregate::Avg, .. });
    let compares = |condition: &Condition| {
        let Condition::Compare { right: Expr::Query(query), .. } = condition else { return false };
        let shown = query.select.projection.first();
        shown.is_some_and(|shown| is_average(&shown.expr)) && query.select.filter.is_some() == alike
    };
    plan.select.filter.iter().flat_map(Condition::conjuncts).any(compares)
}
