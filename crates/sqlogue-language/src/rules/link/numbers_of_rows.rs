//! Numbers that rows are known by: *order numbers* are the keys of orders, where no column is called so.

use super::{Link, Target};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::text::Question;

/// How well the words name a table, or a column of that name.
const NAMED: f32 = 0.8;

/// How well they name its key.
const FITS: f32 = 0.9;

/// The keys that a table's name and *numbers* stand for, or what a key itself is called: *case number* for `case_id`. One *number* is as
/// often how many there are, so that something beside it must say that it is one of each row.
pub(super) fn links(question: &Question, knowledge: &Knowledge, named: &[Link]) -> Vec<Link> {
    let of_rows = named.iter().filter_map(|link| {
        let Target::Table(table) = link.target else { return None };
        let key = key(knowledge, table).filter(|_| link.score >= NAMED)?;
        Some((link.start, link.end, key))
    });
    let of_keys = (0..question.tokens.len()).filter_map(|at| {
        let [key] = keys_called(question, at, knowledge)[..] else { return None };
        Some((at, at + 1, key))
    });
    let found = of_rows.chain(of_keys).filter_map(|(start, end, key)| {
        let is_column = |other: &Link| {
            matches!(other.target, Target::Column(_))
                && other.end == end + 1
                && other.start <= start
                && other.score >= NAMED
        };
        let is_number = says_key(question, start, end) && !named.iter().any(is_column);
        is_number.then(|| Link { start, end: end + 1, target: Target::Column(key), score: FITS })
    });
    found.collect()
}

/// True for a *number* behind these words that each row has: *the order number*, *order number, date and total*.
fn says_key(question: &Question, start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map_or("", |before| question.word(before));
    let behind = question.word(end + 1);
    match question.word(end) {
        "numbers" => !matches!(behind, "of" | "by" | "per"),
        "number" | "no" | "nr" => {
            let is_listed = matches!(before, "the" | "and" | "," | ":" | "-" | "their" | "its" | "with")
                || !before.is_empty() && matches!(behind, "," | "and" | "&");
            is_listed && !matches!(behind, "by" | "per" | "of")
        }
        _ => false,
    }
}

/// The keys of tables that are called by a word and nothing else.
fn keys_called(question: &Question, at: usize, knowledge: &Knowledge) -> Vec<ColumnId> {
    let Some(token) = question.tokens.get(at) else { return Vec::new() };
    let is_called = |id: &ColumnId| {
        let forms = &knowledge.column(*id).forms;
        forms.iter().any(|form| matches!(form.as_slice(), [own, last] if *own == token.stem && last == "id"))
    };
    let keys = knowledge.tables().filter_map(|(table, _)| key(knowledge, table));
    keys.filter(is_called).collect()
}

fn key(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    match knowledge.table(table).key.as_slice() {
        [key] => Some(*key),
        _ => None,
    }
}
