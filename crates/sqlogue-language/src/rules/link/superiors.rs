//! *Boss*, *superior*, *the person they report to*: the column by which people refer to somebody above them, whatever it is
//! called.

use std::collections::BTreeSet;

use super::{Link, Target};
use crate::rules::grammar::columns::named;
use crate::rules::grammar::{WordLists, leads_up};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::text::Question;

/// How well such words name the column: less than its own name does.
const SCORE: f32 = 0.84;

/// The words that speak of somebody above, with the columns that refer to them.
pub(super) fn links(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    for start in 0..question.tokens.len() {
        let Some(end) = said(question, start, "superior") else { continue };
        for column in above(knowledge) {
            let target = Target::Column(column);
            let is_known = |link: &Link| (link.start, link.end) == (start, end) && link.target == target;
            if !known.iter().any(is_known) {
                found.push(Link { start, end, target, score: SCORE });
            }
        }
    }
    found.extend(below(question, knowledge, known));
    found
}

/// The words that speak of those below somebody, with the tables whose rows they are: *the most direct reports*, but not *who
/// reports to them*.
fn below(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    for start in 0..question.tokens.len() {
        let Some(end) = said(question, start, "subordinates") else { continue };
        // Whoever reports does so to somebody, and reports that a schema has are its own.
        let is_verb = question.word(end) == "to" || question.word(end) == "directly";
        let is_named =
            |link: &Link| link.start < end && link.end > start && matches!(link.target, Target::Table(_));
        if is_verb || known.iter().any(is_named) {
            continue;
        }
        // Whatever has a parent reports to nobody.
        let people = |column: &ColumnId| !named(knowledge, *column, &["parent"]);
        let tables: BTreeSet<TableId> =
            above(knowledge).filter(people).map(|column| knowledge.column(column).table).collect();
        found.extend(tables.into_iter().map(|table| Link {
            start,
            end,
            target: Target::Table(table),
            score: SCORE,
        }));
    }
    found
}

/// The token after a phrase of a list that begins at a token.
fn said(question: &Question, start: usize, list: &str) -> Option<usize> {
    let says = |phrase: &&Vec<&str>| {
        phrase.iter().enumerate().all(|(ahead, word)| question.word(start + ahead) == *word)
    };
    WordLists::embedded().list(list).iter().find(says).map(|phrase| start + phrase.len())
}

/// The columns that refer to somebody above in the same table.
fn above(knowledge: &Knowledge) -> impl Iterator<Item = ColumnId> {
    let edges = knowledge.tables().flat_map(|(table, _)| knowledge.joins().self_references(table));
    edges.filter_map(|edge| match edge.columns.as_slice() {
        [(from, _)] if leads_up(knowledge, *from) => Some(*from),
        _ => None,
    })
}
