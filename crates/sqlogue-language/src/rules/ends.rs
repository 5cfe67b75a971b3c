//! Rows with two ends: where a trip starts and where it goes, who pays and who is paid, who plays at home and who away.
//!
//! Two columns are the ends of a row where both refer to rows of one table, or hold the same kind of text, and their names say
//! which is which (`data/grammar.tsv`: `end_first`, `end_last` and `ends_alike`).

use std::sync::OnceLock;

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

/// The words of names by which ends are told, as roots.
struct Words {
    first: Vec<String>,
    last: Vec<String>,
    alike: Vec<[Vec<String>; 2]>,
}

impl Words {
    fn embedded() -> &'static Self {
        static WORDS: OnceLock<Words> = OnceLock::new();
        WORDS.get_or_init(|| {
            let lists = WordLists::embedded();
            let roots = |list: &str| lists.list(list).iter().flatten().map(|word| root(word)).collect();
            let pair = |pair: &Vec<&str>| match pair.as_slice() {
                [one, other] => Some([vec![root(one)], vec![root(other)]]),
                _ => None,
            };
            let alike = lists.list("ends_alike").iter().filter_map(pair).collect();
            Self { first: roots("end_first"), last: roots("end_last"), alike }
        })
    }
}

/// A column with the words of its name, and their roots.
struct Column<'a> {
    id: ColumnId,
    entry: &'a ColumnEntry,
    words: &'a [String],
    roots: Vec<String>,
}

/// The two ends of each row of a table.
pub fn of_table(knowledge: &Knowledge, table: TableId) -> Option<Ends> {
    let words = Words::embedded();
    let column = |id: &ColumnId| {
        let entry = knowledge.column(*id);
        let words = entry.forms.first().map_or(&[][..], Vec::as_slice);
        Column { id: *id, entry, words, roots: words.iter().map(|word| root(word)).collect() }
    };
    let columns: Vec<Column<'_>> = knowledge.table(table).columns.iter().map(column).collect();
    let directed = || named_by(knowledge, &columns, &words.first, &words.last, false);
    let alike = |[one, other]: &[Vec<String>; 2]| named_by(knowledge, &columns, one, other, true);
    directed().or_else(|| words.alike.iter().find_map(alike))
}

fn named_by(
    knowledge: &Knowledge,
    columns: &[Column<'_>],
    one: &[String],
    other: &[String],
    alike: bool,
) -> Option<Ends> {
    let with = |words| columns.iter().filter(move |column| column.bears(words));
    let refers = |column: &Column<'_>| {
        let edge = knowledge.joins().reference(column.id)?;
        Some((edge.to, edge.columns.first()?.1))
    };
    with(one).find_map(|start| {
        with(other).filter(|end| end.id != start.id).find_map(|end| match (refers(start), refers(end)) {
            (Some(to), Some(of_end)) if to == of_end => {
                let score = alike.then(|| score(columns, one, other)).flatten();
                Some(Ends { start: start.id, end: end.id, to: Some(to), alike, score })
            }
            (None, None) if !alike => {
                let places = start.is_place() && end.is_place() && start.differs_by(one, end, other);
                places.then_some(Ends { start: start.id, end: end.id, to: None, alike, score: None })
            }
            _ => None,
        })
    })
}

/// The numbers that tell what each side has, where two columns do: `home_goals` and `away_goals`.
fn score(columns: &[Column<'_>], one: &[String], other: &[String]) -> Option<(ColumnId, ColumnId)> {
    let counted = || columns.iter().filter(|column| column.is_score());
    counted().filter(|column| column.bears(one)).find_map(|first| {
        let mut partners = counted().filter(|column| column.bears(other));
        Some((first.id, partners.find(|second| first.differs_by(one, second, other))?.id))
    })
}

impl Column<'_> {
    fn bears(&self, words: &[String]) -> bool {
        self.roots.iter().any(|own| words.contains(own))
    }

    /// True for texts that name what rows share: a city, an account's number, and no remark.
    fn is_place(&self) -> bool {
        let entry = self.entry;
        let is_date = entry.kind.is_date() || entry.date_cells.is_some();
        !entry.numeric && !entry.is_key && !entry.unique && !is_date
    }

    fn is_score(&self) -> bool {
        let says = self.words.iter().any(|word| WordLists::embedded().has("score", word));
        self.entry.numeric && !self.entry.is_foreign && !self.entry.is_key && says
    }

    /// True for two names that are the same but for one word each, which are of these.
    fn differs_by(&self, words: &[String], other: &Self, partners: &[String]) -> bool {
        match (self.without(words), other.without(partners)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }

    /// The name without the one word of it that is of these.
    fn without(&self, words: &[String]) -> Option<Vec<&String>> {
        let named = self.words.iter().zip(&self.roots);
        let rest: Vec<&String> =
            named.filter(|(_, root)| !words.contains(root)).map(|(word, _)| word).collect();
        (rest.len() + 1 == self.words.len()).then_some(rest)
    }
}
