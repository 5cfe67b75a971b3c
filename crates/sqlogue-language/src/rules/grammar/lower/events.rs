//! The tables around a table: those that tell what its rows did, what they are parts of, and whose rows bear its codes.

use std::cmp::Reverse;

use super::Lowering;
use crate::rules::event_date;
use crate::rules::grammar::bind::Binding;
use crate::rules::grammar::columns::{is_date, is_number, price_and_quantity};
use crate::rules::grammar::form::{Key, Measure, Noun, Pred, Query, Show, Unsaid};
use crate::rules::grammar::words::WordLists;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::names_deed;

/// *how many different films in May*: each row is one of its own, so those are meant that something was done with then.
pub(super) fn done_with(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let different = query.show.iter().find_map(|show| match show {
        Show::Measure(Measure::Distinct(noun)) => Some(noun),
        _ => None,
    })?;
    let filler = binding.fillers.get(&different.words).filter(|filler| filler.column.is_none())?;
    let is_event = |other: &TableId| {
        let ways = knowledge.joins().between(*other, filler.table);
        *other != filler.table
            && ways.iter().any(|way| way.from == *other)
            && !knowledge.dates(*other).is_empty()
    };
    let has_events = knowledge.joins().neighbours(filler.table).iter().any(is_event);
    if !has_events || query.date.is_some() || !query.keys.is_empty() {
        return None;
    }
    let mut full = query.clone();
    for pred in full.preds.iter_mut().filter(|pred| matches!(pred, Pred::In(None, _))) {
        *pred = Pred::Used(None, vec![pred.clone()], true);
    }
    full.subject.get_or_insert_with(|| different.clone());
    (full.preds != query.preds).then_some(full)
}

impl Lowering<'_> {
    /// *absences per month*: what a code says is told of the rows that bear it, and not of the table of codes.
    pub(super) fn told_by_code(&self) -> Option<TableId> {
        self.query.preds.iter().find_map(|pred| self.bearer_of_code(pred))
    }

    /// The one table whose rows bear the code that a condition speaks of.
    pub(super) fn bearer_of_code(&self, pred: &Pred) -> Option<TableId> {
        let table = match pred {
            Pred::Is { negated: false, .. } => self.pred_table(pred)?,
            _ => return None,
        };
        let is_plain = |id: &ColumnId| !is_number(self.knowledge, *id) && !is_date(self.knowledge, *id);
        let entry = self.knowledge.table(table);
        let plain = entry.columns.len() <= 4 && entry.columns.iter().all(is_plain);
        let mut bearers = self.knowledge.joins().below(table);
        let first = bearers.next().filter(|_| plain)?;
        self.supply("told_by_code", 0.1);
        bearers.next().is_none().then_some(first)
    }

    /// *the busiest month*: what most is told of, where nothing else is said. What was sold comes first.
    pub(super) fn main_event(&self, keys: &[Key]) -> Option<TableId> {
        let by_time = keys.iter().any(|key| matches!(key, Key::Time(_, None)));
        if !by_time || self.query.take.is_none() {
            return None;
        }
        let tables = || self.knowledge.tables().map(|(table, _)| table);
        let dated = |table: &TableId| !self.dates(*table).is_empty();
        let sold = tables().filter(|table| price_and_quantity(self.knowledge, *table).is_some());
        let sold =
            sold.filter_map(|lines| if dated(&lines) { Some(lines) } else { self.bearer(lines) }).next();
        self.supply("main_event", 0.3);
        sold.or_else(|| tables().filter(dated).max_by_key(|table| self.knowledge.table(*table).rows))
    }

    /// The table that another's rows are parts of: it is referred to and has a date.
    pub(super) fn bearer(&self, table: TableId) -> Option<TableId> {
        let parents = self.knowledge.joins().above(table).filter(|other| !self.dates(*other).is_empty());
        // A line is known by its receipt; that says when it was sold, and a product only when it was delisted.
        let is_key = |other: &TableId| {
            let edges = self.knowledge.joins().between(table, *other);
            edges.iter().flat_map(|edge| &edge.columns).any(|(from, _)| self.knowledge.column(*from).is_key)
        };
        let strange = |other: &TableId| {
            let first = self.dates(*other).first().copied();
            first.map(|id| event_date::strangeness_of(self.knowledge, id))
        };
        parents
            .min_by_key(|other| (!is_key(other), strange(other), Reverse(self.knowledge.table(*other).rows)))
    }

    /// The table that tells by its own words that something was done with the rows of another, and the column that refers to them
    /// then: those who *bought* are `buyer_id` of something, and what was *sold* is in the lines with a price and a quantity.
    pub(super) fn event_done(&self, table: TableId, verb: &Noun) -> Option<(TableId, Option<ColumnId>)> {
        let Some(Unsaid::Doer(verb)) = &verb.unsaid else { return None };
        let joins = self.knowledge.joins();
        let edges =
            |other: TableId| joins.between(other, table).into_iter().filter(move |edge| edge.from == other);
        let does = |word: &String| names_deed(word, verb);
        let column = |other: &TableId| {
            edges(*other).find_map(|edge| match edge.columns.as_slice() {
                [(id, _)] if self.knowledge.column(*id).forms.iter().flatten().any(does) => Some(*id),
                _ => None,
            })
        };
        let events: Vec<TableId> =
            joins.neighbours(table).into_iter().filter(|other| edges(*other).next().is_some()).collect();
        if let Some(found) = events.iter().find_map(|other| Some((*other, Some(column(other)?)))) {
            return Some(found);
        }
        let trades = WordLists::embedded().has("trading", verb);
        let sold = |other: &&TableId| price_and_quantity(self.knowledge, **other).is_some();
        events.iter().find(sold).filter(|_| trades).map(|lines| (*lines, None))
    }

    /// What the rows of a table were done with: of what they refer to, what refers to most itself. A refund is one of an order, and
    /// not one of a customer.
    pub(super) fn told_of(&self, table: TableId) -> Option<TableId> {
        let joins = self.knowledge.joins();
        let nameless = |other: &TableId| self.knowledge.table(*other).label.is_empty();
        joins.above(table).max_by_key(|other| (nameless(other), joins.above(*other).count(), Reverse(*other)))
    }

    /// The table whose rows tell what the rows of another did: it refers to it and has a date.
    pub(super) fn event_of(&self, table: TableId) -> Option<TableId> {
        let mut events: Vec<TableId> = self.knowledge.joins().below(table).collect();
        // The lines of an order are dated by the order.
        // Of two, that of which there is more to tell.
        let undated = |other: &TableId| self.dates(*other).is_empty() && self.dates_above(*other).is_empty();
        events.sort_by_key(|other| (undated(other), Reverse(self.knowledge.table(*other).rows)));
        self.supply("event_of", 0.3);
        events.first().copied()
    }

    /// The table of such rows that a verb names: *never **sold***.
    pub(super) fn event_named(&self, table: TableId, verb: &Noun) -> Option<TableId> {
        let joins = self.knowledge.joins();
        let refers = |other: &TableId| joins.refers(*other, table);
        let columns = verb.columns.iter().map(|(id, _)| self.knowledge.column(*id).table);
        verb.tables.iter().map(|(table, _)| *table).chain(columns).find(refers)
    }
}
