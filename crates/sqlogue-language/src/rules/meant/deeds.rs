//! What was done, and what never was. Things that are only named by it: *companies billed for a locker* speaks of bills and asks for none to be shown.

use crate::rules::grammar::flag;
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::link::{Link, Target};
use crate::rules::propose::Proposal;
use crate::rules::text::{Question, TokenKind};
use sqlogue_sql::plan::{Comparison, Condition, Expr, QueryPlan};

/// How well a word must name a table to count.
const NAMED: f32 = 0.2;

/// True where a plan shows by their name the rows of a table beside others, and only a participle names that table.
pub(super) fn shows_what_was_done(
    plan: &QueryPlan,
    asked: &Question,
    links: &[Link],
    knowledge: &Knowledge,
) -> bool {
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
            links.iter().any(|link| {
                link.start == start && link.target == Target::Column(id) && !is_participle(asked, link.end)
            })
        };
        let named = (0..asked.tokens.len()).any(names_column);
        is_label && !named && only_done(asked, links, table)
    })
}

/// True where a plan takes *never* for a row below what is shown that says no: who was never the captain is so in no match as one, and
/// not in some match as something else.
pub(super) fn denies_one_row(plan: &QueryPlan, asked: &Question, knowledge: &Knowledge) -> bool {
    let says_never = asked.tokens.iter().any(|token| token.lower == "never");
    let select = &plan.select;
    if !says_never || select.joins.is_empty() {
        return false;
    }
    let shown: Vec<TableId> = select
        .projection
        .iter()
        .flat_map(|shown| shown.expr.columns())
        .filter_map(|column| knowledge.column_in(plan, column))
        .map(|id| knowledge.column(id).table)
        .collect();
    let says_no = |condition: &Condition| {
        let Condition::Compare { left: Expr::Column(column), operator: Comparison::Equal, right } = condition
        else {
            return false;
        };
        let Some(id) = knowledge.column_in(plan, column) else { return false };
        let below = knowledge.column(id).table;
        let no = flag(knowledge, id).is_some_and(|(_, no)| *right == Expr::Literal(no));
        let refers = |table: &TableId| knowledge.joins().refers(below, *table);
        no && !shown.contains(&below) && shown.iter().any(refers)
    };
    select.filter.iter().flat_map(Condition::conjuncts).any(says_no)
}

/// Drops the readings that ask for some row of a kind, where another asks that all of them are: *customers whose orders were all
/// cancelled*.
pub(super) fn all_of_theirs_first(all: &mut Vec<Proposal>) {
    const ALL: [&str; 3] = ["only_rows_of_value", "all_of_theirs", "all_of_whose"];
    let asks_all = |one: &Proposal| one.draft.choices.iter().any(|choice| ALL.contains(&choice.name));
    if all.iter().any(|one| asks_all(one) && one.account.left_out.is_empty()) {
        all.retain(asks_all);
    }
}

/// True where a plan leaves out whoever has a row of some kind, and the words ask for a row that is not of that kind: *customers with an
/// order that is not paid* may have others that are.
pub(super) fn denies_all_rows(plan: &QueryPlan, asked: &Question) -> bool {
    let word = |at: usize| asked.word(at);
    let denies_row = |at: usize| {
        let is = matches!(word(at + 1), "is" | "are" | "was" | "were" | "has" | "have");
        matches!(word(at), "that" | "which") && is && matches!(word(at + 2), "not" | "n't")
    };
    let holds = |at: usize| {
        let has =
            (0..at).rev().find(|before| matches!(word(*before), "have" | "has" | "had" | "with" | "having"));
        has.is_some_and(|has| at - has <= 4 && !(has + 1..at).any(|between| is_denial(word(between))))
    };
    let says_so = (2..asked.tokens.len()).any(|at| denies_row(at) && holds(at));
    let leaves_out = |condition: &Condition| match condition {
        Condition::InQuery { query, negated: true, .. } => {
            query.select.filter.as_ref().is_some_and(|filter| {
                !filter.conjuncts().iter().all(|one| matches!(one, Condition::IsNull { negated: true, .. }))
            })
        }
        _ => false,
    };
    says_so && plan.select.filter.iter().flat_map(Condition::conjuncts).any(leaves_out)
}

fn is_denial(word: &str) -> bool {
    matches!(word, "no" | "not" | "never" | "without" | "none")
}

/// True where words name a table, each of them a participle.
fn only_done(asked: &Question, links: &[Link], table: TableId) -> bool {
    let mut names =
        links.iter().filter(|link| link.target == Target::Table(table) && link.score >= NAMED).peekable();
    names.peek().is_some() && names.all(|link| link.end == link.start + 1 && is_participle(asked, link.end))
}

/// True where the word before is one for what was done: *billed*, *booked*.
fn is_participle(asked: &Question, end: usize) -> bool {
    let token = end.checked_sub(1).and_then(|at| asked.tokens.get(at));
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
    fn a_row_that_is_not_so_leaves_others_alone() {
        let made = of_office("districts with a permit that is not a Garage");
        assert!(!made.iter().any(|sql| sql.contains("NOT IN")), "{made:?}");
    }

    #[test]
    fn what_was_done_is_not_shown() {
        let made = of_office("districts that permitted a Garage");
        assert!(
            !made.iter().any(|sql| sql.contains("SELECT district.district_name, permit.permit_no")),
            "{made:?}"
        );
    }
}
