//! Numbers that rows are known by: *order numbers* are the keys of orders, where no column is called so.

use super::{Link, Target};
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::text::Question;

/// How well the words name a table, or a column of that name.
const NAMED: f32 = 0.8;

/// How well they name its key.
const FITS: f32 = 0.9;

/// The keys that a table's name and *numbers* stand for. One *number* is as often how many there are, so that something before it
/// must say that it is one of each row.
pub(super) fn links(question: &Question, knowledge: &Knowledge, named: &[Link]) -> Vec<Link> {
    let found = named.iter().filter_map(|link| {
        let Target::Table(table) = link.target else { return None };
        let end = link.end + 1;
        let says_key = match question.word(link.end) {
            "numbers" => !matches!(question.word(end), "of" | "by" | "per"),
            "number" => {
                let before = link.start.checked_sub(1).map_or("", |before| question.word(before));
                matches!(before, "the" | "and" | "," | "their" | "its")
                    && !matches!(question.word(end), "by" | "per")
            }
            _ => false,
        };
        let is_column = |other: &Link| {
            matches!(other.target, Target::Column(_))
                && other.end == end
                && other.start <= link.start
                && other.score >= NAMED
        };
        let key = key(knowledge, table)
            .filter(|_| link.score >= NAMED && says_key && !named.iter().any(is_column))?;
        Some(Link { start: link.start, end, target: key, score: FITS })
    });
    found.collect()
}

fn key(knowledge: &Knowledge, table: TableId) -> Option<Target> {
    match knowledge.table(table).key.as_slice() {
        [key] => Some(Target::Column(*key)),
        _ => None,
    }
}
