//! Columns that are named one by one: each row of the subject has one of every of them, so they are looked for in its table and
//! above it, the nearest first.

use super::{Filler, Role, Slots};
use crate::rules::grammar::form::{Noun, Pred, Query, Unsaid, Words};
use crate::rules::joins::JoinEdge;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::root;

/// By how much better words must fit a column to be one of a row farther away.
const NEARER: f32 = 0.3;
/// As well a word fits a column that bears just its name.
const FULL: f32 = 0.99;
/// As many steps farther away than its columns is a row from itself.
const ITSELF: usize = 2;

/// The tables around the rows of which columns are asked for.
struct Around<'a> {
    knowledge: &'a Knowledge,
    /// The tables that the subject may be.
    subject: Vec<TableId>,
    /// Those with one row for each of its rows, with how many steps away they are, the nearest first.
    near: Vec<(TableId, usize)>,
}

impl<'a> Around<'a> {
    fn new(knowledge: &'a Knowledge, subject: Vec<TableId>) -> Self {
        let mut near: Vec<(TableId, usize)> =
            subject.iter().flat_map(|table| one_row_each(knowledge, *table)).collect();
        near.sort_by_key(|(_, steps)| *steps);
        Self { knowledge, subject, near }
    }

    /// The row of a table that each row of the subject leads to. It is missing where the reference to it is, so it is known by that:
    /// by the one of several that the words name too, or that is called as the table is.
    fn row_of(&self, table: TableId, score: f32, noun: &Noun) -> Filler {
        let joins = self.knowledge.joins();
        let references = |(from, _): &(TableId, usize)| -> Vec<ColumnId> {
            let edges = joins.between(*from, table).into_iter().filter(|edge| edge.to == table);
            let single = |edge: &JoinEdge| match edge.columns.as_slice() {
                [(id, _)] => Some(*id),
                _ => None,
            };
            edges.filter_map(single).collect()
        };
        let is_known = |ids: &Vec<ColumnId>| !ids.is_empty();
        let nearest = self.near.iter().map(references).find(is_known).unwrap_or_default();
        let said = noun.columns.iter().map(|(id, _)| *id).find(|id| nearest.contains(id));
        match (nearest.as_slice(), said.or_else(|| self.called_like(table, &nearest))) {
            ([only], _) => filler(self.knowledge.column(*only).table, Some(*only), score),
            (_, Some(id)) => filler(self.knowledge.column(id).table, Some(id), score),
            _ => filler(table, None, score),
        }
    }

    /// The only one of the columns with a word of the table's name in its own.
    fn called_like(&self, table: TableId, columns: &[ColumnId]) -> Option<ColumnId> {
        let names = &self.knowledge.table(table).forms;
        let is_like = |id: &&ColumnId| {
            let mut words = self.knowledge.column(**id).forms.iter().flatten();
            words.any(|word| names.iter().flatten().any(|own| root(own) == root(word)))
        };
        let mut alike = columns.iter().filter(is_like);
        alike.next().copied().filter(|_| alike.next().is_none())
    }

    /// A column as it is asked for: *the student's name* is more than the first of the two columns of names, and so a row.
    fn column(&self, id: ColumnId, score: f32, noun: &Noun) -> Filler {
        let table = self.knowledge.column(id).table;
        match self.is_part_of_name(id) && score < FULL && !self.subject.contains(&table) {
            true => self.row_of(table, score, noun),
            false => filler(table, Some(id), score),
        }
    }

    fn is_part_of_name(&self, id: ColumnId) -> bool {
        let label = &self.knowledge.table(self.knowledge.column(id).table).label;
        label.len() > 1 && label.contains(&id)
    }

    /// How far from the subject something is; none where a row of it may have several or none.
    fn steps(&self, filler: &Filler) -> Option<usize> {
        let of_table = self.near.iter().find(|(table, _)| *table == filler.table).map(|(_, steps)| *steps);
        let is_itself = filler.column.is_none() && self.subject.contains(&filler.table);
        of_table.map(|steps| if is_itself { steps + ITSELF } else { steps })
    }
}

impl Slots<'_> {
    /// A column that is asked for of each row of the subject. Of what the words fit alike, it is the nearest.
    pub(super) fn column_of(&mut self, noun: &Noun, query: &Query) {
        let subject = query.subject.as_ref();
        let tables: Vec<TableId> = match subject {
            Some(subject) => subject.tables.iter().map(|(table, _)| *table).collect(),
            None => self.knowledge.tables().map(|(table, _)| table).collect(),
        };
        if noun.unsaid == Some(Unsaid::Date) {
            return self.own_dates(noun.words, &tables, query);
        }
        if subject.is_none() || noun.unsaid.is_some() {
            return self.noun(noun, Role::Any);
        }
        let around = Around::new(self.knowledge, tables);
        let mut known: Vec<Filler> =
            noun.tables.iter().map(|(table, score)| around.row_of(*table, *score, noun)).collect();
        for column in noun.columns.iter().map(|(id, score)| around.column(*id, *score, noun)) {
            match known.iter_mut().find(|other| other.column == column.column) {
                Some(other) => other.score = other.score.max(column.score),
                None => known.push(column),
            }
        }
        // *name* alone is no half of a person's name, which is asked for as such.
        let is_half = |filler: &Filler| {
            let own = around.subject.contains(&filler.table);
            own && filler.score < FULL && filler.column.is_some_and(|id| around.is_part_of_name(id))
        };
        let one_word = noun.words.end == noun.words.start + 1;
        let is_nearest = |filler: &Filler| {
            let is_nearer = |other: &Filler, far: usize| {
                other.score + NEARER >= filler.score && around.steps(other).is_some_and(|near| near < far)
            };
            around.steps(filler).is_some_and(|far| !known.iter().any(|other| is_nearer(other, far)))
        };
        let candidates = match one_word && known.iter().any(is_half) {
            true => Vec::new(),
            false => known.iter().filter(|filler| is_nearest(filler)).cloned().collect(),
        };
        self.slot(noun.words, candidates, 12);
    }

    /// The date by which the rows are chosen, or else the one that says when a row came to be.
    fn own_dates(&mut self, words: Words, tables: &[TableId], query: &Query) {
        let own = |id: ColumnId| {
            let table = self.knowledge.column(id).table;
            tables.contains(&table).then(|| filler(table, Some(id), 0.95))
        };
        let chosen_by = query.preds.iter().find_map(|pred| match pred {
            Pred::In(Some(date), _) => date.columns.first().and_then(|(id, _)| own(*id)),
            _ => None,
        });
        let event = |table: &TableId| own(*self.knowledge.dates(*table).first()?);
        let candidates = match chosen_by {
            Some(date) => vec![date],
            None => tables.iter().filter_map(event).collect(),
        };
        self.slot(words, candidates, 12);
    }
}

fn filler(table: TableId, column: Option<ColumnId>, score: f32) -> Filler {
    Filler { table, column, value: None, score, shrinks: false }
}

/// The tables with at most one row for each row of a table, with how many steps away they are: itself, what it refers to, and
/// what refers to it by a unique key.
fn one_row_each(knowledge: &Knowledge, table: TableId) -> Vec<(TableId, usize)> {
    let joins = knowledge.joins();
    let mut found = vec![(table, 0)];
    let mut at = 0;
    while let Some(&(known, steps)) = found.get(at) {
        for other in joins.neighbours(known) {
            let is_one = |edge: &&JoinEdge| {
                let is_key = |(id, _): &(ColumnId, ColumnId)| knowledge.column(*id).unique;
                edge.from == known || edge.columns.len() == 1 && edge.columns.iter().all(is_key)
            };
            let is_new = !found.iter().any(|(table, _)| *table == other);
            if is_new && joins.between(known, other).iter().any(is_one) {
                found.push((other, steps + 1));
            }
        }
        at += 1;
    }
    found
}
