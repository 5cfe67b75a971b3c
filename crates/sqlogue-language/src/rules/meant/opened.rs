//! What a question opens with: *employees earning above the average salary* asks for employees, and not for salaries.

use crate::rules::knowledge::Knowledge;
use crate::rules::link::{Link, Target};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Condition, Expr, QueryPlan};

/// How well a word must name a table, or a column, to count.
const NAMED: f32 = 0.8;

/// Words before *information* that ask for all of it.
const WHOLE: [&str; 14] = [
    "all", "the", "full", "complete", "any", "more", "me", "show", "give", "list", "every", "get", "find",
    "display",
];

/// A column that fits a word as well as this may be meant by it.
const COLUMN: f32 = 0.4;

/// True where a plan shows nothing but the number by which it keeps rows, and the question opens with the rows.
pub(super) fn shows_what_is_compared(
    plan: &QueryPlan,
    asked: &Question,
    links: &[Link],
    knowledge: &Knowledge,
) -> bool {
    let select = &plan.select;
    let [shown] = select.projection.as_slice() else { return false };
    let Expr::Column(column) = &shown.expr else { return false };
    let is_compared = |condition: &Condition| match condition {
        Condition::Compare { left: Expr::Column(left), .. } => left == column,
        _ => false,
    };
    if !select.group_by.is_empty() || !select.filter.iter().flat_map(Condition::conjuncts).any(is_compared) {
        return false;
    }
    let Some(id) = knowledge.column_in(plan, column) else { return false };
    let entry = knowledge.column(id);
    let first = usize::from(matches!(asked.word(0), "which" | "what" | "list" | "show" | "all" | "the"));
    let opens = links.iter().any(|link| {
        // *employees earning* says what they do, where *employee salaries* would ask for salaries.
        let next = asked.word(link.end);
        let is_verb = next.ends_with("ing") || next.ends_with("ed");
        let goes_on = !is_verb
            && links.iter().any(|next| {
                next.start == link.end && next.score >= NAMED && matches!(next.target, Target::Column(_))
            });
        link.start == first && link.score >= NAMED && link.target == Target::Table(entry.table) && !goes_on
    });
    entry.numeric && !entry.is_key && opens
}

/// Drops the readings that show names, where everything about the rows is asked for and another reading shows it: *details of orders
/// from Oslo*. Where a column is called so, it is meant.
pub(super) fn whole_rows_first(all: &mut Vec<Proposal>, asked: &Question, links: &[Link]) {
    let asks_all = (0..asked.tokens.len().min(7)).any(|at| {
        let said = matches!(asked.word(at), "info" | "information" | "details" | "detail" | "everything");
        let is_column = links.iter().any(|link| {
            (link.start..link.end).contains(&at)
                && link.score >= COLUMN
                && matches!(link.target, Target::Column(_))
        });
        // *delegate information* is that of a column.
        let is_whole = at.checked_sub(1).is_none_or(|before| WHOLE.contains(&asked.word(before)));
        said && is_whole && matches!(asked.word(at + 1), "about" | "of" | "for" | "on") && !is_column
    });
    let shows = |one: &Proposal| {
        one.draft.plan.select.projection.iter().any(|shown| matches!(shown.expr, Expr::All(_)))
    };
    let fewest = |all: &[Proposal], test: &dyn Fn(&Proposal) -> bool| {
        all.iter().filter(|one| test(one)).map(|one| one.account.left_out.len()).min()
    };
    let is_list = |one: &Proposal| {
        let select = &one.draft.plan.select;
        select.group_by.is_empty()
            && select.projection.iter().all(|shown| matches!(shown.expr, Expr::Column(_)))
    };
    if asks_all
        && let (Some(whole), Some(named)) = (fewest(all, &shows), fewest(all, &is_list))
        && whole <= named
    {
        all.retain(|one| !is_list(one));
    }
}
