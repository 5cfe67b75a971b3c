//! Two sides of one deed: what a customer buys is sold to them, and what they sell is bought from them. Where a table refers to
//! people at both ends (`sold_to_id` and `bought_from_id`), the verb of the question says which end is meant.

use crate::rules::event_date::holds_days;
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::names::pieces;
use crate::rules::stem::{names_deed, root};
use crate::rules::text::Question;
use sqlogue_sql::plan::QueryPlan;

/// A table whose other end is meant: the reference that gives way to another, and dates that go with them.
pub(super) struct OtherEnd<'a> {
    table: &'a str,
    swaps: Vec<(ColumnId, ColumnId)>,
}

/// Where those are meant whom a thing was sold to, as the question says *bought*, or those of whom it was bought, as it says *sold us*.
pub(super) fn other_ends<'a>(question: &Question, knowledge: &'a Knowledge) -> Vec<OtherEnd<'a>> {
    let (buys, sells) = (deed_of_others(question, &BUYS), deed_of_others(question, &SELLS));
    if buys == sells {
        return Vec::new();
    }
    let turned = |(sold, bought)| if buys { (bought, sold) } else { (sold, bought) };
    let of_table = |table: TableId| {
        let ends = ends(knowledge, table)?;
        let swaps = std::iter::once(ends).chain(dates(knowledge, table)).map(turned).collect();
        Some(OtherEnd { table: &knowledge.table(table).name, swaps })
    };
    knowledge.tables().filter_map(|(table, _)| of_table(table)).collect()
}

/// Leads a plan that joins by the wrong end to the other.
pub(super) fn lead_to_other(
    plan: &mut QueryPlan,
    joins: &mut JoinTree,
    end: &OtherEnd<'_>,
    knowledge: &Knowledge,
) {
    let called = |id: ColumnId| &knowledge.column(id).name;
    let Some((wrong, right)) = end.swaps.first().copied() else { return };
    let mut is_used = false;
    plan.for_each_column_mut(&mut |column| {
        is_used |= column.table == end.table && column.column == *called(wrong);
    });
    if !is_used {
        return;
    }
    plan.for_each_column_mut(&mut |column| {
        let is_of_table = column.table == end.table;
        let swap = end.swaps.iter().find(|(from, _)| is_of_table && column.column == *called(*from));
        if let Some((_, to)) = swap {
            column.column.clone_from(called(*to));
        }
    });
    for (own, _) in joins.edges.iter_mut().flat_map(|edge| &mut edge.columns) {
        if *own == wrong {
            *own = right;
        }
    }
}

const BUYS: [&str; 2] = ["buy", "purchase"];
const SELLS: [&str; 1] = ["sell"];

/// True where others are said to do it, and not we: *customers who bought*, but not *cars we bought* or *cars bought from*.
fn deed_of_others(question: &Question, verbs: &[&str]) -> bool {
    let is_verb = |at: usize| {
        question.tokens.get(at).is_some_and(|token| verbs.iter().any(|verb| names_deed(verb, &token.root)))
    };
    let ours = |word: &str| matches!(word, "we" | "us" | "our" | "i");
    (0..question.tokens.len()).filter(|at| is_verb(*at)).any(|at| {
        let before = at.checked_sub(1).map_or("", |before| question.word(before));
        let behind = [question.word(at + 1), question.word(at + 2)];
        let from_whom = behind.contains(&"from") && !behind.iter().any(|word| ours(word));
        match verbs == SELLS {
            // What customers sell, they sell to us.
            true => behind.iter().any(|word| ours(word)),
            false => !ours(before) && !from_whom,
        }
    })
}

/// The references to whom something was sold, and of whom it was bought, where a table has both and they lead to one table.
fn ends(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let joins = knowledge.joins();
    let find = |verbs: &[&str], side: &str| {
        let mut columns = knowledge.table(table).columns.iter().copied();
        columns.find(|id| {
            let words = words(knowledge, *id);
            words.iter().any(|word| word == side) && bears(&words, verbs) && joins.reference(*id).is_some()
        })
    };
    let (sold_to, bought_from) = (find(&SELLS, "to")?, find(&BUYS, "from")?);
    let of = |id: ColumnId| joins.reference(id).map(|edge| edge.to);
    (of(sold_to) == of(bought_from)).then_some((sold_to, bought_from))
}

/// When it was sold, and when it was bought.
fn dates(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let find = |verbs: &[&str]| {
        let mut columns = knowledge.table(table).columns.iter().copied();
        columns.find(|id| holds_days(knowledge.column(*id)) && bears(&words(knowledge, *id), verbs))
    };
    Some((find(&SELLS)?, find(&BUYS)?))
}

fn bears(words: &[String], verbs: &[&str]) -> bool {
    words.iter().any(|word| verbs.iter().any(|verb| names_deed(verb, &root(word))))
}

/// The words of a column's name, with *to* and *from*.
fn words(knowledge: &Knowledge, id: ColumnId) -> Vec<String> {
    pieces(&knowledge.column(id).name).iter().map(|piece| piece.to_lowercase()).collect()
}
