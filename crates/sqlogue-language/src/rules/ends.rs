//! Rows with two ends: where a trip starts and where it goes, who pays and who is paid, who plays at home and who away.
//!
//! Two columns are the ends of a row where both refer to rows of one table, or hold the same kind of text, and their names say
//! which is which by a pair of words (`data/grammar.tsv`, `ends` and `ends_alike`).

use super::grammar::WordLists;
use super::knowledge::{ColumnEntry, ColumnId, Knowledge, TableId};
use super::stem::root;

/// The two ends of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// Where it begins, or which side is named first.
    pub start: ColumnId,
    /// Where it goes, or the other side.
    pub end: ColumnId,
    /// The table that both refer to, with the column of it that they hold; none where both are texts.
    pub to: Option<(TableId, ColumnId)>,
    /// True where a row belongs to both ends in the same way: a match to the team at home and to its guest.
    pub alike: bool,
    /// What each side has, the first side's first: goals, points.
    pub score: Option<(ColumnId, ColumnId)>,
}

/// The two ends of each row of a table.
pub fn of_table(knowledge: &Knowledge, table: TableId) -> Option<Ends> {
    let lists = WordLists::embedded();
    [("ends", false), ("ends_alike", true)].into_iter().find_map(|(list, alike)| {
        lists.list(list).iter().find_map(|pair| {
            let [one, other] = pair.as_slice() else { return None };
            named_by(knowledge, table, &root(one), &root(other), alike)
        })
    })
}

/// The numbers that tell what each side has, where two columns do: `home_goals` and `away_goals`.
fn score(knowledge: &Knowledge, table: TableId, one: &str, other: &str) -> Option<(ColumnId, ColumnId)> {
    let counts = |id: &ColumnId| {
        let entry = knowledge.column(*id);
        let says = entry
            .forms
            .first()
            .is_some_and(|form| form.iter().any(|word| WordLists::embedded().has("score", word)));
        entry.numeric && !entry.is_foreign && !entry.is_key && says
    };
    let columns: Vec<ColumnId> = knowledge.table(table).columns.iter().copied().filter(counts).collect();
    let named = |word: &str| {
        let bears = |id: &ColumnId| bears(knowledge.column(*id), word);
        columns.iter().copied().filter(bears).collect::<Vec<_>>()
    };
    named(one).into_iter().find_map(|first| {
        let differs = |id: &ColumnId| differ_by(knowledge.column(first), one, knowledge.column(*id), other);
        Some((first, named(other).into_iter().find(differs)?))
    })
}

fn named_by(knowledge: &Knowledge, table: TableId, one: &str, other: &str, alike: bool) -> Option<Ends> {
    let columns = &knowledge.table(table).columns;
    let with = |word: &str| -> Vec<ColumnId> {
        columns.iter().copied().filter(|id| bears(knowledge.column(*id), word)).collect()
    };
    let (starts, ends) = (with(one), with(other));
    starts.into_iter().find_map(|start| {
        ends.iter().copied().filter(|end| *end != start).find_map(|end| {
            let refers = |id: ColumnId| {
                let edge = knowledge.joins().reference(id)?;
                Some((edge.to, edge.columns.first()?.1))
            };
            match (refers(start), refers(end)) {
                (Some(to), Some(of_end)) if to == of_end => {
                    let score = alike.then(|| score(knowledge, table, one, other)).flatten();
                    Some(Ends { start, end, to: Some(to), alike, score })
                }
                (None, None) if !alike => {
                    let (from, to) = (knowledge.column(start), knowledge.column(end));
                    let places = is_place(from) && is_place(to) && differ_by(from, one, to, other);
                    places.then_some(Ends { start, end, to: None, alike, score: None })
                }
                _ => None,
            }
        })
    })
}

/// True for texts that name what rows share: a city, an account's number, and no remark.
fn is_place(column: &ColumnEntry) -> bool {
    !column.numeric
        && !column.is_key
        && !column.unique
        && !column.kind.is_date()
        && column.date_cells.is_none()
}

fn bears(column: &ColumnEntry, word: &str) -> bool {
    column.forms.first().is_some_and(|form| form.iter().any(|own| root(own) == word))
}

/// True for two names that are the same but for one word.
fn differ_by(one: &ColumnEntry, word: &str, other: &ColumnEntry, partner: &str) -> bool {
    let rest = |column: &ColumnEntry, word: &str| {
        let form = column.forms.first().map_or(&[][..], Vec::as_slice);
        let rest: Vec<String> = form.iter().filter(|own| root(own) != word).cloned().collect();
        (rest.len() + 1 == form.len()).then_some(rest)
    };
    match (rest(one, word), rest(other, partner)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}
