//! Things that are only named by what was done: *companies billed for a locker* speaks of bills and asks for none to be shown.

use super::knowledge::{Knowledge, TableId};
use super::link::{Linked, Target};
use super::text::TokenKind;
use sqlogue_sql::plan::{Expr, QueryPlan};

/// How well a word must name a table to count.
const NAMED: f32 = 0.2;

/// True where a plan shows by their name the rows of a table beside others, and only a participle names that table.
pub(super) fn shows_what_was_done(plan: &QueryPlan, linked: &Linked, knowledge: &Knowledge) -> bool {
    let select = &plan.select;
    if select.joins.is_empty() || select.projection.len() < 2 {
        return false;
    }
    select.projection.iter().any(|shown| {
        let Expr::Column(column) = &shown.expr else { return false };
        let Some(id) = knowledge.column_in(plan, column) else { return false };
        let table = knowledge.column(id).table;
        let is_label = knowledge.table(table).label.contains(&id);
        let names_column = |start: usize| {
            linked.links.iter().any(|link| {
                link.start == start && link.target == Target::Column(id) && !is_participle(linked, link.end)
            })
        };
        let named = (0..linked.question.tokens.len()).any(names_column);
        is_label && !named && only_done(linked, table)
    })
}

/// True where words name a table, each of them a participle.
fn only_done(linked: &Linked, table: TableId) -> bool {
    let mut names = linked
        .links
        .iter()
        .filter(|link| link.target == Target::Table(table) && link.score >= NAMED)
        .peekable();
    names.peek().is_some() && names.all(|link| link.end == link.start + 1 && is_participle(linked, link.end))
}

/// True where the word before is one for what was done: *billed*, *booked*.
fn is_participle(linked: &Linked, end: usize) -> bool {
    let token = end.checked_sub(1).and_then(|at| linked.question.tokens.get(at));
    token.is_some_and(|token| {
        token.kind == TokenKind::Word
            && token.lower.len() > 4
            && token.lower.ends_with("ed")
            && token.stem != token.lower
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::of_office;

    #[test]
    fn what_was_done_is_not_shown() {
        let made = of_office("districts that permitted a Garage");
        assert!(
            !made.iter().any(|sql| sql.contains("SELECT district.district_name, permit.permit_no")),
            "{made:?}"
        );
    }
}
