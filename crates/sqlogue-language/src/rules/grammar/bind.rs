//! Binding: which table or column each noun means, and which cell each value, chosen for the whole question at once.
//!
//! A beam over the nouns: what fits the words, what the noun must be (a number to be summed, a date to be cut), and how near
//! the tables lie to each other decide together.

mod columns_asked;
mod derived;

use std::cell::RefCell;
use std::collections::HashMap;

use super::columns::{flag, is_date, is_number, price_and_quantity, worth_and_quantity};
use super::form::{
    Against, Among, Attr, By, Columns, Group, Key, Measure, Named, Noun, Per, Pred, Query, Show, Unsaid,
    Utmost, Words,
};
use super::levels::price_and_stock;
use super::lower::states::told_by;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::Aggregate;
use sqlogue_sql::schema::{ColumnType, Value};

/// How many partial bindings are kept.
const BEAM: usize = 8;
/// How many bindings of one query are handed on.
const KEPT: usize = 3;
/// What it costs to go to a table one join away.
const STEP: f32 = 0.16;
/// What it costs to go to a table that cannot be reached.
const APART: f32 = 3.0;

/// What a noun or a value was taken for.
#[derive(Debug, Clone, PartialEq)]
pub struct Filler {
    /// The table.
    pub table: TableId,
    /// The column; none where the table itself is meant.
    pub column: Option<ColumnId>,
    /// The cell, where a value is meant.
    pub value: Option<Value>,
    /// How well the words fit, 0 to 1.
    pub score: f32,
    /// True where the column shrinks with the adjective that names it.
    pub shrinks: bool,
}

/// What the nouns and values of a query were taken for, by where they stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Binding {
    /// By the words.
    pub fillers: HashMap<Words, Filler>,
    /// How well all of it fits: 0 is as well as the words alone allow.
    pub score: f32,
}

/// What a noun must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Rows,
    Any,
    Column,
    /// A number or a date, where the words name any: *the smallest area* is no district.
    Ordered,
    Number,
    Date,
    /// A date, or a year that is written down.
    Period,
    Flag,
}

/// A noun or a value that is to be bound.
struct Slot {
    words: Words,
    candidates: Vec<Filler>,
    /// What binding it elsewhere than the best reading of its words costs is counted from here.
    best: f32,
}

/// How far tables are apart, remembered for a question.
pub struct Distances<'a> {
    knowledge: &'a Knowledge,
    known: RefCell<HashMap<(TableId, TableId), Option<f32>>>,
}

impl<'a> Distances<'a> {
    /// Nothing is known yet.
    pub fn new(knowledge: &'a Knowledge) -> Self {
        Self { knowledge, known: RefCell::default() }
    }

    fn between(&self, one: TableId, other: TableId) -> Option<f32> {
        if one == other {
            return Some(0.0);
        }
        let key = (one.min(other), one.max(other));
        *self.known.borrow_mut().entry(key).or_insert_with(|| self.knowledge.joins().distance(key.0, key.1))
    }
}

/// True where every noun of a query can be something that it must be.
pub fn can_bind(query: &Query, knowledge: &Knowledge) -> bool {
    Slots::new(knowledge).of(query).is_some()
}

/// The likeliest bindings of a query, best first; none where a noun can be nothing that it must be. What is `known` of its
/// words is as it is.
pub fn bind(query: &Query, distances: &Distances<'_>, known: &HashMap<Words, Filler>) -> Vec<Binding> {
    let slots = Slots::new(distances.knowledge).of(query);
    let Some(slots) = slots else { return Vec::new() };
    let mut tables: Vec<TableId> = known.values().map(|filler| filler.table).collect();
    tables.sort_unstable();
    tables.dedup();
    let mut beam = vec![(Binding { fillers: known.clone(), score: 0.0 }, tables)];
    for slot in slots {
        let mut next = Vec::new();
        for (binding, tables) in &beam {
            if binding.fillers.contains_key(&slot.words) {
                next.push((binding.clone(), tables.clone()));
                continue;
            }
            for filler in &slot.candidates {
                let mut binding = binding.clone();
                let mut tables = tables.clone();
                binding.score += 1.6 * (filler.score - slot.best) + weight(filler, distances.knowledge);
                let distance = tables.iter().map(|table| distances.between(*table, filler.table)).fold(
                    None,
                    |least: Option<Option<f32>>, one| match (least, one) {
                        (Some(Some(least)), Some(one)) => Some(Some(least.min(one))),
                        (Some(Some(least)), None) => Some(Some(least)),
                        (_, one) => Some(one),
                    },
                );
                binding.score -= match distance {
                    None => 0.0,
                    Some(Some(steps)) => STEP * steps,
                    Some(None) => APART,
                };
                // Of two that fit alike, it is the subject's.
                if tables.first().is_some_and(|first| *first != filler.table) {
                    binding.score -= 0.02;
                }
                if !tables.contains(&filler.table) {
                    tables.push(filler.table);
                }
                binding.fillers.insert(slot.words, filler.clone());
                next.push((binding, tables));
            }
        }
        next.sort_by(|one, other| other.0.score.total_cmp(&one.0.score));
        next.truncate(BEAM);
        beam = next;
    }
    beam.truncate(KEPT);
    beam.into_iter().map(|(binding, _)| binding).collect()
}

/// Of two columns that fit alike it is that of the larger table: a city is the customers' sooner than the employees'. Less than
/// anything that is said.
fn weight(filler: &Filler, knowledge: &Knowledge) -> f32 {
    const OF_TEN_TIMES: f32 = 0.008;
    let rows = knowledge.table(filler.table).rows.filter(|_| filler.column.is_some());
    rows.map_or(0.0, |rows| OF_TEN_TIMES * ((rows as f32).max(1.0).log10() - 6.0).min(0.0))
}

/// Collects what is to be bound, the subject first.
struct Slots<'a> {
    knowledge: &'a Knowledge,
    /// The tables of what is listed and of what is named.
    near: Vec<TableId>,
    /// What is listed.
    subject: Option<Noun>,
    found: Vec<Slot>,
}

impl<'a> Slots<'a> {
    fn new(knowledge: &'a Knowledge) -> Self {
        Self { knowledge, near: Vec::new(), subject: None, found: Vec::new() }
    }

    /// The slots of a query; none where one of them has no candidate.
    fn of(mut self, query: &Query) -> Option<Vec<Slot>> {
        self.near = derived::named_tables(query, self.knowledge);
        self.subject = query.subject.clone();
        query.subject.iter().for_each(|noun| self.noun(noun, Role::Rows));
        for pred in &query.preds {
            self.pred(pred);
        }
        for key in &query.keys {
            self.key(key);
        }
        for show in &query.show {
            match show {
                Show::Noun(noun) if query.columns != Columns::Unsaid => self.column_of(noun, query),
                Show::Noun(noun) => self.noun(noun, Role::Any),
                Show::Measure(measure) => self.measure(measure),
            }
        }
        for having in &query.having {
            self.measure(&having.measure);
            match &having.with {
                Against::Named(named) => self.value(named, None),
                Against::MeanOfKind(kind) => self.noun(kind, Role::Any),
                Against::Own(column) => self.noun(column, Role::Number),
                Against::Value(_) | Against::Overall | Against::MeanOfGroups(_) | Against::AllThereAre => {}
            }
        }
        let ordered = query.order.iter().map(|(by, _)| by);
        for by in ordered.chain(query.take.iter().map(|take| &take.by)) {
            match by {
                By::Attr(attr) => self.attr(attr, Role::Ordered),
                By::Measure(measure) => self.measure(measure),
                By::Shown | By::Date | By::Name => {}
            }
        }
        match &query.ends {
            Some((By::Attr(attr), _)) => self.attr(attr, Role::Column),
            Some((By::Measure(measure), _)) => self.measure(measure),
            Some((By::Shown | By::Date | By::Name, _)) | None => {}
        }
        for key in query.take.iter().filter_map(|take| take.each.as_ref()) {
            self.key(key);
        }
        query.together.iter().for_each(|noun| self.noun(noun, Role::Rows));
        query.within.iter().for_each(|noun| self.noun(noun, Role::Any));
        query.date.iter().for_each(|noun| self.noun(noun, Role::Date));
        query.pivot.iter().flatten().for_each(|noun| self.noun(noun, Role::Column));
        if let Some(Utmost { rows: Some(noun), .. }) = &query.utmost {
            self.noun(noun, Role::Rows);
        }
        self.found.iter().all(|slot| !slot.candidates.is_empty()).then_some(self.found)
    }

    fn key(&mut self, key: &Key) {
        match key {
            Key::Noun(noun) => self.noun(noun, Role::Any),
            Key::Time(_, noun) => noun.iter().for_each(|noun| self.noun(noun, Role::Date)),
            Key::Bands(attr, _) => self.attr(attr, Role::Number),
            Key::ColumnOf(named) => self.value(named, None),
            Key::Place(words, rows) => {
                self.noun(rows, Role::Rows);
                self.place(*words, rows);
            }
        }
    }

    fn attr(&mut self, attr: &Attr, role: Role) {
        match attr {
            Attr::Noun(noun) => self.noun(noun, role),
            Attr::Between(from, to, _) => {
                self.attr(from, Role::Date);
                self.attr(to, Role::Date);
            }
            Attr::When(noun) | Attr::Use(noun, _) | Attr::Amount(noun) | Attr::Pieces(noun) => {
                self.noun(noun, Role::Rows);
            }
            Attr::Since(date, _) => self.attr(date, Role::Date),
            Attr::Recurring(words) => self.recurring(*words),
            Attr::Revenue(words) => self.revenue(*words),
            Attr::Net(words, discount) => {
                self.priced(*words, price_and_quantity);
                discount.iter().for_each(|noun| self.noun(noun, Role::Number));
            }
            Attr::Profit(words) => self.profit(*words),
            Attr::Stock(words) => self.priced(*words, price_and_stock),
            Attr::Level(words, level) => self.level(*words, *level),
            Attr::Sold(words) => self.priced(*words, worth_and_quantity),
            Attr::Adjective(words, index) => self.adjective(*words, *index),
            Attr::Lasting(words, of, unit) => self.lasting(*words, of.as_ref(), *unit),
            Attr::Waited(words, how, _) => self.waited(*words, how),
            Attr::Price(words) => self.price(*words),
            Attr::Rate(words, unit) => self.rate(*words, unit),
            Attr::Given(..) => {}
            Attr::Begin(noun) => self.noun(noun, Role::Date),
            Attr::Math(_, one, other) => {
                self.attr(one, Role::Number);
                self.attr(other, Role::Number);
            }
            Attr::Times(_, of) => self.attr(of, Role::Number),
            Attr::Age(words, said) => self.age(*words, *said),
        }
    }

    fn measure(&mut self, measure: &Measure) {
        match measure {
            Measure::Count(noun) => noun.iter().for_each(|noun| self.noun(noun, Role::Any)),
            Measure::Distinct(noun) => self.noun(noun, Role::Any),
            Measure::Periods(_) => {}
            Measure::Of(Aggregate::Min | Aggregate::Max, attr) => self.attr(attr, Role::Column),
            Measure::Interval(_, rows, whose, _) => {
                std::iter::once(rows).chain(whose).for_each(|noun| self.noun(noun, Role::Rows));
            }
            Measure::Of(_, attr) | Measure::Percentile(_, attr) | Measure::Spread(attr) => {
                self.attr(attr, Role::Number);
            }
            Measure::Ratio(one, other)
            | Measure::Percent(one, other)
            | Measure::Less(one, other)
            | Measure::Change(one, other) => {
                self.measure(one);
                self.measure(other);
            }
            Measure::Share(part, _) | Measure::At(part, _) => self.measure(part),
            Measure::Defined(_) => {}
            Measure::Mean(measure, per) => {
                self.measure(measure);
                if let Per::Row(per) = per {
                    // *per owner* may name a reference alone.
                    self.noun(per, if per.tables.is_empty() { Role::Column } else { Role::Rows });
                }
            }
            Measure::Where(measure, preds) => {
                self.measure(measure);
                preds.iter().for_each(|pred| self.pred(pred));
            }
        }
    }

    fn pred(&mut self, pred: &Pred) {
        match pred {
            Pred::Is { values, column, .. } => {
                if let Some(column) = column {
                    self.noun(column, Role::Column);
                }
                values.iter().for_each(|named| self.value(named, column.as_ref()));
            }
            Pred::Compare(attr, ..) | Pred::Range(attr, ..) => self.attr(attr, Role::Number),
            Pred::Summary(attr, _, _, among) => {
                self.attr(attr, Role::Number);
                if let Among::Same(noun) = among {
                    self.noun(noun, Role::Column);
                }
            }
            Pred::Attrs(one, _, other) => {
                self.attr(one, Role::Column);
                self.attr(other, Role::Column);
            }
            Pred::In(noun, _) | Pred::Outside(noun, _) => {
                noun.iter().for_each(|noun| self.noun(noun, Role::Period));
            }
            Pred::On(noun, _) => noun.iter().for_each(|noun| self.noun(noun, Role::Date)),
            Pred::Flag(noun, _) => self.noun(noun, Role::Flag),
            Pred::Happened(noun, _) | Pred::Overdue(noun, _) => self.noun(noun, Role::Date),
            Pred::Known(noun, _) => self.noun(noun, Role::Column),
            Pred::Key(noun, _) | Pred::OpenRows(noun) => self.noun(noun, Role::Rows),
            Pred::Holds(noun, ..) => self.noun(noun, Role::Any),
            Pred::Late(noun, _) => noun.iter().for_each(|noun| self.noun(noun, Role::Date)),
            Pred::Through(named, sold, preds, _) => {
                self.value(named, None);
                self.traded(sold.as_ref());
                preds.iter().for_each(|pred| self.pred(pred));
            }
            Pred::Used(_, preds, _) => preds.iter().for_each(|pred| self.pred(pred)),
            Pred::Assigned(noun, _) => noun.iter().for_each(|noun| self.noun(noun, Role::Rows)),
            Pred::Beside(attr, _, named) => {
                self.attr(attr, Role::Column);
                self.value(named, None);
            }
            Pred::Under(named, by) => {
                self.value(named, None);
                by.iter().for_each(|noun| self.noun(noun, Role::Column));
            }
            Pred::Only(named, sold) => {
                self.value(named, None);
                self.traded(sold.as_ref());
            }
            Pred::Way(from, to) => {
                self.value(from, None);
                self.value(to, None);
            }
            Pred::SameEnds(noun, _) => self.noun(noun, Role::Any),
            Pred::SameAs(column, rows, _) => {
                self.noun(column, Role::Column);
                self.noun(rows, Role::Rows);
            }
            Pred::Again(again) => self.noun(&again.same, Role::Rows),
            Pred::Utmost(rows, ..) => self.noun(rows, Role::Rows),
            Pred::Any(preds) => preds.iter().for_each(|pred| self.pred(pred)),
            Pred::Open { .. }
            | Pred::Ended(_)
            | Pred::Result(..)
            | Pred::LastDay(_)
            | Pred::Current
            | Pred::Superior(_)
            | Pred::Given(..)
            | Pred::Defined(_) => {}
            Pred::State(state) => {
                let tells = |(table, _)| told_by(self.knowledge, table, state).is_some();
                // Where no date tells of such a state, nothing can be bound.
                if !self.knowledge.tables().any(tells) {
                    self.found.push(Slot { words: Words::default(), candidates: Vec::new(), best: 0.0 });
                }
            }
            Pred::Related(Group { of, preds }, _) => {
                self.noun(of, Role::Rows);
                preds.iter().for_each(|pred| self.pred(pred));
            }
        }
    }

    fn noun(&mut self, noun: &Noun, role: Role) {
        match &noun.unsaid {
            Some(Unsaid::Superior) => return self.superior(noun, false),
            Some(Unsaid::Superiors) => return self.superior(noun, true),
            Some(Unsaid::Sold) => return self.things_sold(noun.words),
            Some(Unsaid::Doer(verb)) => return self.doer(noun.words, verb),
            Some(Unsaid::Way | Unsaid::Date) | None => {}
        }
        let mut candidates = Vec::new();
        if matches!(role, Role::Rows | Role::Any) {
            candidates.extend(noun.tables.iter().map(|(table, score)| Filler {
                table: *table,
                column: None,
                value: None,
                score: *score,
                shrinks: false,
            }));
        }
        if role != Role::Rows {
            let fits =
                |id: ColumnId| self.fits(id, role) && (role != Role::Any || !self.stands_for(noun, id));
            candidates.extend(noun.columns.iter().filter(|(id, _)| fits(*id)).map(|(id, score)| Filler {
                table: self.knowledge.column(*id).table,
                column: Some(*id),
                value: None,
                score: *score,
                shrinks: false,
            }));
        }
        let in_order = |filler: &Filler| {
            let has = |id| is_number(self.knowledge, id) || is_date(self.knowledge, id);
            filler.column.is_some_and(has)
        };
        if role == Role::Ordered && candidates.iter().any(in_order) {
            candidates.retain(in_order);
        }
        self.slot(noun.words, candidates, 12);
    }

    /// A value in a column that is said where one is, else in any that holds it.
    fn value(&mut self, named: &Named, column: Option<&Noun>) {
        let mut candidates: Vec<Filler> = Vec::new();
        for link in named.links.iter() {
            let columns: Vec<ColumnId> = match (link.column, column) {
                (Some(held), Some(noun)) if noun.columns.iter().any(|(known, _)| *known == held) => {
                    vec![held]
                }
                (Some(held), None) => vec![held],
                (None, Some(noun)) => noun.columns.iter().map(|(known, _)| *known).take(3).collect(),
                _ => Vec::new(),
            };
            for id in columns {
                candidates.push(Filler {
                    table: self.knowledge.column(id).table,
                    column: Some(id),
                    value: Some(link.value.clone()),
                    score: link.score,
                    shrinks: false,
                });
            }
        }
        candidates.truncate(12);
        let best = candidates.first().map_or(0.0, |filler| filler.score);
        self.found.push(Slot { words: named.words, candidates, best });
    }

    /// A slot with its best candidates.
    fn slot(&mut self, words: Words, mut candidates: Vec<Filler>, most: usize) {
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        candidates.truncate(most);
        let best = candidates.first().map_or(0.0, |filler| filler.score);
        self.found.push(Slot { words, candidates, best });
    }

    /// True for the key of a row that the noun names itself: *customer* is the customer, and not an order's `customer_id`,
    /// unless an order refers to several.
    fn stands_for(&self, noun: &Noun, id: ColumnId) -> bool {
        let joins = self.knowledge.joins();
        joins.reference(id).is_some_and(|edge| {
            edge.from != edge.to
                && noun.tables.iter().any(|(table, _)| *table == edge.to)
                && joins.between(edge.from, edge.to).len() == 1
        })
    }

    fn fits(&self, id: ColumnId, role: Role) -> bool {
        match role {
            Role::Number => is_number(self.knowledge, id),
            Role::Date => is_date(self.knowledge, id),
            Role::Period => is_date(self.knowledge, id) || self.knowledge.column(id).kind == ColumnKind::Year,
            Role::Flag => {
                flag(self.knowledge, id).is_some()
                    || self.knowledge.column(id).column_type == ColumnType::Boolean
            }
            _ => true,
        }
    }
}
