//! What a question opens with: *employees earning above the average salary* asks for employees, and not for salaries.

use super::knowledge::Knowledge;
use super::link::{Link, Target};
use super::text::Question;
use sqlogue_sql::plan::{Condition, Expr, QueryPlan};

/// How well a word must name a table, or a column, to count.
const NAMED: f32 = 0.8;

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
