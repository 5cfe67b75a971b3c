//! Binding: which table or column each noun means, and which cell each value, chosen for the whole question at once.
//!
//! A beam over the nouns: what fits the words, what the noun must be (a number to be summed, a date to be cut), and how near
//! the tables lie to each other decide together.

use std::cell::RefCell;
use std::collections::HashMap;

use super::columns::{
    amount, flag, is_date, is_duration, is_number, named, price_and_cost, price_and_quantity,
    price_and_stock, ranked_amount, start_and_end,
};
use super::form::{
    Against, Among, Attr, By, First, Group, Key, Measure, Named, Noun, Per, Pred, Query, Show, Words,
};
use crate::rules::event_date;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Item, Knowledge, TableId};
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::{Aggregate, TimeUnit};
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
    Number,
    Date,
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

/// The likeliest bindings of a query, best first; none where a noun can be nothing that it must be. What is `known` of its
/// words is as it is.
pub fn bind(query: &Query, distances: &Distances<'_>, known: &HashMap<Words, Filler>) -> Vec<Binding> {
    let slots = Slots { knowledge: distances.knowledge, found: Vec::new() }.of(query);
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
    found: Vec<Slot>,
}

impl Slots<'_> {
    /// The slots of a query; none where one of them has no candidate.
    fn of(mut self, query: &Query) -> Option<Vec<Slot>> {
        query.subject.iter().for_each(|noun| self.noun(noun, Role::Rows));
        for pred in &query.preds {
            self.pred(pred);
        }
        for key in &query.keys {
            self.key(key);
        }
        for show in &query.show {
            match show {
                Show::Noun(noun) => self.noun(noun, Role::Any),
                Show::Measure(measure) => self.measure(measure),
            }
        }
        for having in &query.having {
            self.measure(&having.measure);
            if let Against::Named(named) = &having.with {
                self.value(named, None);
            }
        }
        let ordered = query.order.iter().map(|(by, _)| by);
        for by in ordered.chain(query.take.iter().map(|take| &take.by)) {
            match by {
                By::Attr(attr) => self.attr(attr, Role::Column),
                By::Measure(measure) => self.measure(measure),
                By::Shown => {}
            }
        }
        for key in query.take.iter().filter_map(|take| take.each.as_ref()) {
            self.key(key);
        }
        query.date.iter().for_each(|noun| self.noun(noun, Role::Date));
        query.pivot.iter().flatten().for_each(|noun| self.noun(noun, Role::Column));
        if let Some(First::Of(noun)) = &query.first {
            self.noun(noun, Role::Rows);
        }
        self.found.iter().all(|slot| !slot.candidates.is_empty()).then_some(self.found)
    }

    fn key(&mut self, key: &Key) {
        match key {
            Key::Noun(noun) => self.noun(noun, Role::Any),
            Key::Time(_, noun) => noun.iter().for_each(|noun| self.noun(noun, Role::Date)),
            Key::Bands(attr, _) => self.attr(attr, Role::Number),
            Key::ColumnOf(_) => {}
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
            Attr::Revenue(words) => self.revenue(*words),
            Attr::Net(words, discount) => {
                self.priced(*words, price_and_quantity);
                discount.iter().for_each(|noun| self.noun(noun, Role::Number));
            }
            Attr::Profit(words) => self.profit(*words),
            Attr::Stock(words) => self.priced(*words, price_and_stock),
            Attr::Sold(words) => self.priced(*words, price_and_quantity),
            Attr::Adjective(words, index) => self.adjective(*words, *index),
            Attr::Lasting(words, of, unit) => self.lasting(*words, of.as_ref(), *unit),
            Attr::Price(words) => self.price(*words),
            Attr::Given(..) => {}
            Attr::Begin(noun) => self.noun(noun, Role::Date),
            Attr::Math(_, one, other) => {
                self.attr(one, Role::Number);
                self.attr(other, Role::Number);
            }
            Attr::Age(words) => {
                if let Some(old) = Lexicon::embedded().adjective_named("old") {
                    self.adjective(*words, old);
                }
            }
        }
    }

    fn measure(&mut self, measure: &Measure) {
        match measure {
            Measure::Count(noun) => noun.iter().for_each(|noun| self.noun(noun, Role::Any)),
            Measure::Distinct(noun) => self.noun(noun, Role::Any),
            Measure::Of(Aggregate::Min | Aggregate::Max, attr) => self.attr(attr, Role::Column),
            Measure::Of(_, attr) | Measure::Median(attr) | Measure::Spread(attr) => {
                self.attr(attr, Role::Number);
            }
            Measure::Ratio(one, other) | Measure::Percent(one, other) | Measure::Change(one, other) => {
                self.measure(one);
                self.measure(other);
            }
            Measure::Share(part, _) => self.measure(part),
            Measure::Defined(_) => {}
            Measure::Mean(measure, per) => {
                self.measure(measure);
                if let Per::Row(per) = per {
                    self.noun(per, Role::Rows);
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
            Pred::In(noun, _) | Pred::On(noun, _) => {
                noun.iter().for_each(|noun| self.noun(noun, Role::Date));
            }
            Pred::Flag(noun, _) => self.noun(noun, Role::Flag),
            Pred::Happened(noun, _) => self.noun(noun, Role::Date),
            Pred::Known(noun, _) => self.noun(noun, Role::Column),
            Pred::Holds(noun, ..) => self.noun(noun, Role::Any),
            Pred::Late(noun, _) => noun.iter().for_each(|noun| self.noun(noun, Role::Date)),
            Pred::Through(named, sold, preds, _) => {
                self.value(named, None);
                if let Some(trade) = sold
                    && self
                        .knowledge
                        .tables()
                        .any(|(table, _)| price_and_quantity(self.knowledge, table).is_some())
                {
                    self.priced(trade.words, price_and_quantity);
                }
                preds.iter().for_each(|pred| self.pred(pred));
            }
            Pred::Used(_, preds, _) => preds.iter().for_each(|pred| self.pred(pred)),
            Pred::Beside(attr, _, named) => {
                self.attr(attr, Role::Column);
                self.value(named, None);
            }
            Pred::Under(named, by) => {
                self.value(named, None);
                by.iter().for_each(|noun| self.noun(noun, Role::Column));
            }
            Pred::Way(from, to) => {
                self.value(from, None);
                self.value(to, None);
            }
            Pred::Any(preds) => preds.iter().for_each(|pred| self.pred(pred)),
            Pred::Open { .. } | Pred::Ended(_) | Pred::LastDay | Pred::Given(..) | Pred::Defined(_) => {}
            Pred::Related(Group { of, preds }, _) => {
                self.noun(of, Role::Rows);
                preds.iter().for_each(|pred| self.pred(pred));
            }
        }
    }

    fn noun(&mut self, noun: &Noun, role: Role) {
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

    /// Tables that have a price and a quantity, or columns of amounts.
    fn revenue(&mut self, words: Words) {
        let mut candidates = Vec::new();
        let mut add = |table: TableId, column: Option<ColumnId>, score: f32| {
            candidates.push(Filler { table, column, value: None, score, shrinks: false });
        };
        for (table, entry) in self.knowledge.tables() {
            let is_money = |id: &&ColumnId| {
                is_number(self.knowledge, **id)
                    && named(self.knowledge, **id, &["revenue", "turnover", "sale", "income"])
            };
            if price_and_quantity(self.knowledge, table).is_some() {
                add(table, None, 0.8);
            } else if let Some((rank, id)) = ranked_amount(self.knowledge, table) {
                add(table, Some(id), 0.58 - 0.01 * f32::from(rank));
            }
            for id in entry.columns.iter().filter(is_money) {
                add(table, Some(*id), 0.7);
            }
        }
        self.slot(words, candidates, 12);
    }

    /// The tables that hold how much there is of something, and at which price.
    fn priced(&mut self, words: Words, columns: fn(&Knowledge, TableId) -> Option<(ColumnId, ColumnId)>) {
        let tables = self.knowledge.tables().map(|(table, _)| table);
        let held = tables.filter(|table| columns(self.knowledge, *table).is_some());
        let filler = |table| Filler { table, column: None, value: None, score: 0.8, shrinks: false };
        let candidates = held.map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// The tables that tell both what something was sold for and what it cost, those first that tell how many were sold.
    fn profit(&mut self, words: Words) {
        let parts = |table: TableId| price_and_cost(self.knowledge, table).map(|(.., sold)| (table, sold));
        let tables = self.knowledge.tables().filter_map(|(table, _)| parts(table));
        let filler = |(table, sold): (TableId, Option<ColumnId>)| {
            let score = if sold.is_some() { 0.8 } else { 0.55 };
            Filler { table, column: None, value: None, score, shrinks: false }
        };
        let candidates = tables.map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// Columns of money, those that say what a row is worth first.
    fn price(&mut self, words: Words) {
        let mut candidates = Vec::new();
        for (table, entry) in self.knowledge.tables() {
            let usual = amount(self.knowledge, table);
            for id in &entry.columns {
                let is_money = matches!(self.knowledge.column(*id).kind, ColumnKind::Money(_));
                if usual == Some(*id) || is_money {
                    let score = match (named(self.knowledge, *id, &["price"]), usual == Some(*id)) {
                        (true, _) => 0.85,
                        (false, true) => 0.8,
                        (false, false) => 0.7,
                    };
                    let column = Some(*id);
                    candidates.push(Filler { table, column, value: None, score, shrinks: false });
                }
            }
        }
        self.slot(words, candidates, 16);
    }

    /// Columns that say how long something lasted, and tables whose rows have a start and an end.
    fn lasting(&mut self, words: Words, of: Option<&Noun>, unit: Option<TimeUnit>) {
        let finer = matches!(unit, Some(TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour));
        let mut candidates = Vec::new();
        for (table, entry) in self.knowledge.tables() {
            let asked = match of {
                Some(noun) => noun.tables.iter().find(|(known, _)| *known == table).map(|(_, score)| *score),
                None => Some(1.0),
            };
            let Some(asked) = asked else { continue };
            let mut add = |column: Option<ColumnId>, score: f32| {
                candidates.push(Filler { table, column, value: None, score: score * asked, shrinks: false });
            };
            for id in entry.columns.iter().filter(|id| is_duration(self.knowledge, **id)) {
                let plainly = named(self.knowledge, *id, &["duration", "length"]);
                add(Some(*id), if plainly { 0.85 } else { 0.8 });
            }
            // Days tell no hours.
            let tells = |(start, end): (ColumnId, ColumnId)| {
                !finer || [start, end].iter().all(|id| self.knowledge.column(*id).kind != ColumnKind::Date)
            };
            if start_and_end(self.knowledge, table).is_some_and(tells) {
                add(None, 0.7);
            }
        }
        self.slot(words, candidates, 12);
    }

    /// A slot with its best candidates.
    fn slot(&mut self, words: Words, mut candidates: Vec<Filler>, most: usize) {
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        candidates.truncate(most);
        let best = candidates.first().map_or(0.0, |filler| filler.score);
        self.found.push(Slot { words, candidates, best });
    }

    /// The columns that an adjective speaks of, those first that it names first.
    fn adjective(&mut self, words: Words, index: usize) {
        let Some(adjective) = Lexicon::embedded().adjective(index) else { return };
        let mut candidates = Vec::new();
        let by_date = adjective.grows.iter().any(|name| name.iter().eq(["date"]));
        let by_time = by_date || adjective.shrinks.iter().any(|name| name.iter().eq(["date"]));
        if by_date {
            // The latest rows are those that came to be last, whatever their date is called.
            for (table, _) in self.knowledge.tables() {
                let date = event_date::in_order(self.knowledge, table).first().copied();
                candidates.extend(date.map(|id| Filler {
                    table,
                    column: Some(id),
                    value: None,
                    score: 0.96,
                    shrinks: false,
                }));
            }
        }
        for (names, shrinks) in [(&adjective.grows, false), (&adjective.shrinks, true)] {
            for (rank, name) in names.iter().enumerate() {
                let Some(first) = name.first() else { continue };
                for place in self.knowledge.places_of_stem(first) {
                    let Item::Column(id) = place.item else { continue };
                    let entry = self.knowledge.column(id);
                    let named = entry.forms.iter().any(|form| name.iter().all(|word| form.contains(word)));
                    // Nobody's birth is *the latest* unless it is said.
                    let of_life = by_date && event_date::is_of_life(entry);
                    // A calendar year is no length of time.
                    let is_other = of_life || !by_time && entry.kind == ColumnKind::Year;
                    if named && !is_other && (is_number(self.knowledge, id) || is_date(self.knowledge, id)) {
                        candidates.push(Filler {
                            table: entry.table,
                            column: Some(id),
                            value: None,
                            score: 0.95 - 0.04 * rank as f32,
                            shrinks,
                        });
                    }
                }
            }
        }
        self.slot(words, candidates, 16);
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
            Role::Flag => {
                flag(self.knowledge, id).is_some()
                    || self.knowledge.column(id).column_type == ColumnType::Boolean
            }
            _ => true,
        }
    }
}
