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
    let words = |list: &str| lists.list(list).iter().flatten().map(|word| root(word)).collect::<Vec<_>>();
    let (first, last) = (words("end_first"), words("end_last"));
    let directed = || named_by(knowledge, table, &first, &last, false);
    let alike = || {
        lists.list("ends_alike").iter().find_map(|pair| {
            let [one, other] = pair.as_slice() else { return None };
            named_by(knowledge, table, &[root(one)], &[root(other)], true)
        })
    };
    directed().or_else(alike)
}

/// The numbers that tell what each side has, where two columns do: `home_goals` and `away_goals`.
fn score(
    knowledge: &Knowledge,
    table: TableId,
    one: &[String],
    other: &[String],
) -> Option<(ColumnId, ColumnId)> {
    let counts = |id: &ColumnId| {
        let entry = knowledge.column(*id);
        let says = entry
            .forms
            .first()
            .is_some_and(|form| form.iter().any(|word| WordLists::embedded().has("score", word)));
        entry.numeric && !entry.is_foreign && !entry.is_key && says
    };
    let columns: Vec<ColumnId> = knowledge.table(table).columns.iter().copied().filter(counts).collect();
    let named = |words: &[String]| {
        let bears = |id: &ColumnId| bears(knowledge.column(*id), words);
        columns.iter().copied().filter(bears).collect::<Vec<_>>()
    };
    named(one).into_iter().find_map(|first| {
        let differs = |id: &ColumnId| differ_by(knowledge.column(first), one, knowledge.column(*id), other);
        Some((first, named(other).into_iter().find(differs)?))
    })
}

fn named_by(
    knowledge: &Knowledge,
    table: TableId,
    one: &[String],
    other: &[String],
    alike: bool,
) -> Option<Ends> {
    let columns = &knowledge.table(table).columns;
    let with = |words: &[String]| -> Vec<ColumnId> {
        let has = |id: &ColumnId| bears(knowledge.column(*id), words);
        columns.iter().copied().filter(has).collect()
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

fn bears(column: &ColumnEntry, words: &[String]) -> bool {
    column.forms.first().is_some_and(|form| form.iter().any(|own| words.contains(&root(own))))
}

/// True for two names that are the same but for one word each, which are of these.
fn differ_by(one: &ColumnEntry, words: &[String], other: &ColumnEntry, partners: &[String]) -> bool {
    let rest = |column: &ColumnEntry, words: &[String]| {
        let form = column.forms.first().map_or(&[][..], Vec::as_slice);
        let rest: Vec<String> = form.iter().filter(|own| !words.contains(&root(own))).cloned().collect();
        (rest.len() + 1 == form.len()).then_some(rest)
    };
    match (rest(one, words), rest(other, partners)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}
