//! What stands for a word that no name bears: where revenue, profit, a price, a length of time or an adjective is told.

use super::{Filler, Slots};
use crate::rules::event_date;
use crate::rules::grammar::amounts::amount;
use crate::rules::grammar::columns::{
    is_date, is_duration, is_number, is_planned, is_rate, lasts_otherwise, named, price_and_cost,
    price_and_quantity, price_and_units, sold_for, start_and_end, unit_of,
};
use crate::rules::grammar::form::{Level, Noun, Pred, Query, Trade, Waiting, Words};
use crate::rules::grammar::lower::who::{has_people, is_called};
use crate::rules::grammar::waiting::waits;
use crate::rules::grammar::words::WordLists;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Item, Knowledge, TableId};
use crate::rules::lexicon::Lexicon;
use crate::rules::meant::takings::is_listed_price;
use crate::rules::stem::{names_deed, stem};
use sqlogue_sql::plan::TimeUnit;

/// The tables that the subject of a query and the values in its conditions may be of.
pub(super) fn named_tables(query: &Query, knowledge: &Knowledge) -> Vec<TableId> {
    let of_subject = query.subject.iter().flat_map(|noun| noun.tables.iter()).map(|(table, _)| *table);
    let values = query.preds.iter().flat_map(|pred| match pred {
        Pred::Is { values, .. } => values.as_slice(),
        _ => &[],
    });
    let columns = values.flat_map(|named| named.links.iter()).filter_map(|link| link.column);
    let mut tables: Vec<TableId> = of_subject.chain(columns.map(|id| knowledge.column(id).table)).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

impl Slots<'_> {
    /// The columns of what is paid for each unit.
    pub(super) fn rate(&mut self, words: Words, unit: &str) {
        let columns = self.knowledge.tables().flat_map(|(_, entry)| entry.columns.iter().copied());
        let is_paid = |id: &ColumnId| is_rate(self.knowledge, *id, unit);
        let filler = |id: ColumnId| {
            let table = self.knowledge.column(id).table;
            Filler { table, column: Some(id), value: None, score: 0.9, shrinks: false }
        };
        let candidates = columns.filter(is_paid).map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// What a row refers to that does what a verb says: people before things, and those first whose name bears the verb.
    /// Those who wrote a book may be brought together with it by a table between them.
    pub(super) fn doer(&mut self, words: Words, verb: &str) {
        const FIRM: f32 = 0.6;
        let joins = self.knowledge.joins();
        let all: Vec<TableId> = match self.near.is_empty() {
            true => self.knowledge.tables().map(|(table, _)| table).take(8).collect(),
            false => self.near.clone(),
        };
        let own: Vec<Filler> = all.iter().flat_map(|table| self.doers_of(*table, verb, &self.near)).collect();
        let refers = |table: TableId| {
            let edges = move |other: &TableId| joins.between(*other, table);
            joins
                .neighbours(table)
                .into_iter()
                .filter(move |other| edges(other).iter().any(|edge| edge.from == *other))
        };
        let is_firm = |filler: &Filler| filler.score >= FIRM;
        let candidates = match own.iter().any(is_firm) {
            // Who did it is a person, or bears the name of what was done, where there is such.
            true => own.into_iter().filter(is_firm).collect(),
            false => {
                let between = all.iter().flat_map(|table| refers(*table));
                let mut below: Vec<Filler> =
                    between.flat_map(|table| self.doers_of(table, verb, &all)).filter(is_firm).collect();
                below.extend(own);
                below
            }
        };
        self.slot(words, candidates, 12);
    }

    /// The references of a table to rows that have a name, but for those to the tables it is reached from, or that are spoken of.
    fn doers_of(&self, table: TableId, verb: &str, from: &[TableId]) -> Vec<Filler> {
        let bears = |forms: &[Vec<String>]| forms.iter().flatten().any(|own| names_deed(own, verb));
        let sells = WordLists::embedded().has("selling", verb);
        let filler = |id: &ColumnId| {
            let edge = self.knowledge.joins().reference(*id)?;
            let target = self.knowledge.table(edge.to);
            if target.label.is_empty() || edge.from != edge.to && from.contains(&edge.to) {
                return None;
            }
            let is_named = bears(&self.knowledge.column(*id).forms) || bears(&target.forms);
            let sides = if sells { ["sellers", "buyers"] } else { ["buyers", "sellers"] };
            let side = sides.iter().position(|list| is_called(self.knowledge, edge.to, list));
            let mut score = 0.45;
            if is_named {
                score += 0.3;
            } else if edge.from == edge.to {
                score -= 0.2;
            }
            if side.is_some() || has_people(self.knowledge, edge.to) {
                score += 0.2;
            }
            if side == Some(0) {
                score += 0.05;
            }
            Some(Filler { table, column: Some(*id), value: None, score, shrinks: false })
        };
        self.knowledge.table(table).columns.iter().filter_map(filler).collect()
    }

    /// What is paid each month by contracts that have a beginning and an end.
    pub(super) fn recurring(&mut self, words: Words) {
        let is_monthly = |id: &ColumnId| {
            is_number(self.knowledge, *id)
                && named(
                    self.knowledge,
                    *id,
                    &["monthly", "month", "mrr"].map(stem).each_ref().map(String::as_str),
                )
        };
        let lasts = |table: TableId| start_and_end(self.knowledge, table).is_some();
        let tables = self.knowledge.tables().filter(|(table, _)| lasts(*table));
        let columns = tables.flat_map(|(_, entry)| entry.columns.iter().copied().filter(is_monthly));
        let filler = |id: ColumnId| {
            let table = self.knowledge.column(id).table;
            Filler { table, column: Some(id), value: None, score: 0.85, shrinks: false }
        };
        let candidates = columns.map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// Tables that have a price and a quantity, or columns of amounts.
    pub(super) fn revenue(&mut self, words: Words) {
        let mut candidates = Vec::new();
        let mut add = |table: TableId, column: Option<ColumnId>, score: f32| {
            candidates.push(Filler { table, column, value: None, score, shrinks: false });
        };
        for (table, entry) in self.knowledge.tables() {
            let is_cost = |id: ColumnId| named(self.knowledge, id, &["cost", "rate"]);
            let is_money = |id: &&ColumnId| {
                is_number(self.knowledge, **id)
                    && !matches!(self.knowledge.column(**id).kind, ColumnKind::Percentage { .. })
                    && !named(self.knowledge, **id, &["pct", "percent", "percentage", "rate", "share"])
                    && (named(self.knowledge, **id, &["revenue", "turnover", "sale", "income"])
                        || self.ends(**id, "gross"))
                    && !named(
                        self.knowledge,
                        **id,
                        &[
                            "tax",
                            "vat",
                            "cost",
                            "commission",
                            "target",
                            "goal",
                            "forecast",
                            "budget",
                            "discount",
                        ],
                    )
            };
            // What was taken in all over the world is more than the sales of one kind.
            let plainness = |id: ColumnId| {
                let all = named(self.knowledge, id, &["total", "overall", "worldwide", "global"]);
                let words = self.knowledge.column(id).forms.first().map_or(0, Vec::len);
                if all { 0.0 } else { 0.02 * words.saturating_sub(1).min(3) as f32 }
            };
            let is_stored = entry.columns.iter().any(|id| is_money(&id));
            if price_and_quantity(self.knowledge, table).is_some() {
                add(table, None, if is_stored { 0.66 } else { 0.8 });
            } else if price_and_units(self.knowledge, table).is_some_and(|(price, _)| !is_cost(price)) {
                add(table, None, 0.6);
            } else if let Some((rank, id)) = self.knowledge.worth(table) {
                // What a thing is listed at is taken in only where it is sold, and what goes back is not taken in at all.
                let listed = is_listed_price(self.knowledge, id);
                let goes_back = is_called(self.knowledge, table, "given_back");
                let less = if listed { 0.2 } else { 0.0 } + if goes_back { 0.2 } else { 0.0 };
                add(table, Some(id), 0.58 - 0.01 * f32::from(rank) - less);
            }
            for id in entry.columns.iter().filter(is_money) {
                add(table, Some(*id), 0.7 - plainness(*id));
            }
        }
        self.slot(words, candidates, 12);
    }

    /// True for a column whose name ends with a word.
    fn ends(&self, id: ColumnId, word: &str) -> bool {
        let form = self.knowledge.column(id).forms.first();
        form.and_then(|form| form.last()).is_some_and(|last| *last == stem(word))
    }

    /// The references of tables to themselves, or the `rows` that have them.
    pub(super) fn superior(&mut self, noun: &Noun, rows: bool) {
        let joins = self.knowledge.joins();
        let is_said =
            |table: TableId| noun.tables.is_empty() || noun.tables.iter().any(|(said, _)| *said == table);
        let tables = self.knowledge.tables().map(|(table, _)| table).filter(|table| is_said(*table));
        let own = tables.flat_map(|table| joins.self_references(table));
        let filler = |column: ColumnId| {
            let table = self.knowledge.column(column).table;
            let column = Some(column).filter(|_| !rows);
            Filler { table, column, value: None, score: 0.8, shrinks: false }
        };
        let candidates = own.filter_map(|edge| edge.columns.first()).map(|(from, _)| filler(*from)).collect();
        self.slot(noun.words, candidates, 12);
    }

    /// The things of which others tell how many were sold and for how much.
    pub(super) fn things_sold(&mut self, words: Words) {
        let joins = self.knowledge.joins();
        let lines = self.knowledge.tables().map(|(table, _)| table);
        let lines = lines.filter(|table| price_and_quantity(self.knowledge, *table).is_some());
        let above = lines.flat_map(|table| joins.above(table));
        // What people put in is no thing, but an order of several.
        let is_thing = |table: &TableId| {
            let entry = self.knowledge.table(*table);
            let of_people = joins.above(*table).any(|other| has_people(self.knowledge, other));
            !entry.label.is_empty() && !of_people && !has_people(self.knowledge, *table)
        };
        let filler = |table| Filler { table, column: None, value: None, score: 0.8, shrinks: false };
        let candidates = above.filter(is_thing).map(filler).collect();
        self.slot(words, candidates, 4);
    }

    /// The columns that tell where the rows of a table are, the plainest first.
    pub(super) fn place(&mut self, words: Words, rows: &Noun) {
        const PLACES: [&str; 9] =
            ["country", "city", "town", "region", "state", "province", "district", "location", "place"];
        let mut candidates = Vec::new();
        for (table, fits) in rows.tables.iter() {
            for id in &self.knowledge.table(*table).columns {
                let rank = PLACES.iter().position(|name| named(self.knowledge, *id, &[name]));
                candidates.extend(rank.map(|rank| Filler {
                    table: *table,
                    column: Some(*id),
                    value: None,
                    score: fits * (0.9 - 0.02 * rank as f32),
                    shrinks: false,
                }));
            }
        }
        self.slot(words, candidates, 8);
    }

    /// The tables that hold how much there is of something, and at which price.
    pub(super) fn priced(
        &mut self,
        words: Words,
        columns: fn(&Knowledge, TableId) -> Option<(ColumnId, ColumnId)>,
    ) {
        let tables = self.knowledge.tables().map(|(table, _)| table);
        let held = tables.filter(|table| columns(self.knowledge, *table).is_some());
        let filler = |table| Filler { table, column: None, value: None, score: 0.8, shrinks: false };
        let candidates = held.map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// The verb of trade stands for the rows that tell what was sold, where there are any.
    pub(super) fn traded(&mut self, sold: Option<&Trade>) {
        let sells = |table| price_and_quantity(self.knowledge, table).is_some();
        if let Some(trade) = sold
            && self.knowledge.tables().any(|(table, _)| sells(table))
        {
            self.priced(trade.words, price_and_quantity);
        }
    }

    /// The tables that tell how many pieces there are, or have to be.
    pub(super) fn level(&mut self, words: Words, level: Level) {
        let tables = self.knowledge.tables().map(|(table, _)| table);
        let held = tables.filter(|table| level.of(self.knowledge, *table).is_some());
        let filler = |table| Filler { table, column: None, value: None, score: 0.8, shrinks: false };
        let candidates = held.map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// The tables that tell both what something was sold for and what it cost, those first that tell how many were sold.
    pub(super) fn profit(&mut self, words: Words) {
        let parts = |table: TableId| price_and_cost(self.knowledge, table).map(|(.., sold)| (table, sold));
        let tables = self.knowledge.tables().filter_map(|(table, _)| parts(table));
        let filler = |(table, sold): (TableId, Option<ColumnId>)| {
            let score = if sold.is_some() { 0.8 } else { 0.55 };
            Filler { table, column: None, value: None, score, shrinks: false }
        };
        let is_profit = |id: &ColumnId| {
            is_number(self.knowledge, *id)
                && named(self.knowledge, *id, &["profit", "margin"])
                && !named(self.knowledge, *id, &["pct", "percent", "percentage", "rate", "ratio"])
        };
        // Where it is stored, it need not be worked out.
        let stored =
            self.knowledge.tables().flat_map(|(_, entry)| entry.columns.iter().copied().filter(is_profit));
        let stored = stored.map(|id| {
            let table = self.knowledge.column(id).table;
            Filler { table, column: Some(id), value: None, score: 0.85, shrinks: false }
        });
        let candidates = tables.map(filler).chain(stored).collect();
        self.slot(words, candidates, 12);
    }

    /// Columns of money, those that say what a row is worth first.
    pub(super) fn price(&mut self, words: Words) {
        let mut candidates = Vec::new();
        for (table, entry) in self.knowledge.tables() {
            let usual = amount(self.knowledge, table);
            for id in entry.columns.iter().filter(|id| sold_for(self.knowledge, **id).is_none()) {
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
        // *what does a product cost*: its own price, and not that at which it was sold.
        if let Some(rows) = self.subject.as_ref().filter(|rows| rows.words.start == words.start) {
            candidates
                .retain(|filler| rows.tables.iter().any(|(own, fits)| *own == filler.table && *fits >= 0.6));
        }
        self.slot(words, candidates, 16);
    }

    /// Columns that say how long something lasted, and tables whose rows have a start and an end.
    pub(super) fn lasting(&mut self, words: Words, of: Option<&Noun>, unit: Option<TimeUnit>) {
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
            let ends = start_and_end(self.knowledge, table);
            let has_dates = ends.is_some();
            let has_times = ends.is_some_and(|(start, end)| {
                [start, end].iter().all(|id| self.knowledge.column(*id).kind == ColumnKind::Timestamp)
            });
            for id in entry.columns.iter().filter(|id| is_duration(self.knowledge, **id)) {
                let plainly = named(self.knowledge, *id, &["duration", "length"]);
                // Hours of work are no days until it was done.
                let is_finer = matches!(
                    unit_of(self.knowledge, *id),
                    Some(TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour)
                );
                let is_work = unit.is_some() && !finer && is_finer && has_dates;
                if !is_work || plainly {
                    // The minutes of a break are no length of a shift that has a start and an end, nor is what it may take.
                    let is_other = has_times && lasts_otherwise(self.knowledge, *id)
                        || has_dates && is_planned(self.knowledge, *id);
                    let score = match (plainly, is_other) {
                        (true, _) => 0.85,
                        (false, true) => 0.65,
                        (false, false) => 0.8,
                    };
                    add(Some(*id), score);
                }
            }
            // Days tell no hours.
            let tells = |(start, end): (ColumnId, ColumnId)| {
                !finer || [start, end].iter().all(|id| self.knowledge.column(*id).kind != ColumnKind::Date)
            };
            if ends.is_some_and(tells) {
                add(None, 0.7);
            }
        }
        self.slot(words, candidates, 12);
    }

    /// The tables whose dates tell how long something waits.
    pub(super) fn waited(&mut self, words: Words, how: &Waiting) {
        let tables = self.knowledge.tables().map(|(table, _)| table);
        let told = tables.filter(|table| waits(self.knowledge, *table, how).is_some());
        let filler = |table| Filler { table, column: None, value: None, score: 0.8, shrinks: false };
        let candidates = told.map(filler).collect();
        self.slot(words, candidates, 12);
    }

    /// The columns that say how old a row is: an age, a date of birth, the year in which a thing was made. When a row came to
    /// be is meant only where an age is `said`, and nothing else tells it: *patients over 65*, but not *refunds over 65*.
    pub(super) fn age(&mut self, words: Words, said: bool) {
        let Some(index) = Lexicon::embedded().adjective_named("old") else { return };
        let is_limit = |id: ColumnId| named(self.knowledge, id, &["minimum", "maximum"]);
        let tells = |filler: &Filler| {
            filler.column.is_some_and(|id| {
                let entry = self.knowledge.column(id);
                // The least age that is let in is not how old a film is.
                let is_age = !is_date(self.knowledge, id) || event_date::is_of_life(entry);
                entry.kind == ColumnKind::Year || is_age && !is_limit(id)
            })
        };
        let mut candidates: Vec<Filler> = self.of_adjective(index).into_iter().filter(tells).collect();
        for filler in &mut candidates {
            if filler.column.is_some_and(|id| self.knowledge.column(id).kind == ColumnKind::Year) {
                filler.score = filler.score.max(0.9);
            }
        }
        for (table, _) in self.knowledge.tables().filter(|_| said) {
            let is_told = candidates.iter().any(|filler| filler.table == table);
            let date = self.knowledge.dates(table).first().copied().filter(|_| !is_told);
            let filler = |id| Filler { table, column: Some(id), value: None, score: 0.6, shrinks: true };
            candidates.extend(date.map(filler));
        }
        // *Loans older than two years* are not those of members who are.
        let beside =
            self.subject.as_ref().filter(|noun| (noun.words.end..noun.words.end + 3).contains(&words.start));
        let is_own = |table: TableId| {
            beside
                .is_none_or(|noun| noun.tables.is_empty() || noun.tables.iter().any(|(own, _)| *own == table))
        };
        candidates.retain(|filler| is_own(filler.table));
        self.slot(words, candidates, 12);
    }

    /// The columns that an adjective speaks of, those first that it names first.
    pub(super) fn adjective(&mut self, words: Words, index: usize) {
        let candidates = self.of_adjective(index);
        self.slot(words, candidates, 16);
    }

    fn of_adjective(&self, index: usize) -> Vec<Filler> {
        let Some(adjective) = Lexicon::embedded().adjective(index) else { return Vec::new() };
        let mut candidates = Vec::new();
        let by_date = adjective.grows.iter().any(|name| name.iter().eq(["date"]));
        let by_price = adjective.grows.iter().chain(&adjective.shrinks).any(|name| name.iter().eq(["price"]));
        let by_time = by_date || adjective.shrinks.iter().any(|name| name.iter().eq(["date"]));
        if by_date {
            // The latest rows are those that came to be last, whatever their date is called.
            for (table, _) in self.knowledge.tables() {
                let date = self.knowledge.dates(table).first().copied();
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
                    let is_other =
                        of_life || entry.tells_change() || !by_time && entry.kind == ColumnKind::Year;
                    // Nor is a point in time.
                    let is_amount = is_number(self.knowledge, id)
                        || adjective.speaks_of_dates() && is_date(self.knowledge, id);
                    let is_other = is_other || by_price && sold_for(self.knowledge, id).is_some();
                    if named && !is_other && is_amount {
                        let score = 0.95 - 0.04 * rank as f32;
                        // The oldest boat was built first, whatever else is dated of it.
                        let made = by_time && !by_date && shrinks && entry.kind == ColumnKind::Year;
                        let score =
                            if made && !event_date::is_of_life(entry) { score.max(0.88) } else { score };
                        let filler =
                            Filler { table: entry.table, column: Some(id), value: None, score, shrinks };
                        candidates.push(filler);
                    }
                }
            }
        }
        if by_time && !by_date {
            // The oldest repairs are those that came first, where nothing says how old they are.
            for (table, _) in self.knowledge.tables() {
                let is_told = candidates.iter().any(|filler| filler.table == table);
                let date = self.knowledge.dates(table).first().copied().filter(|_| !is_told);
                candidates.extend(date.map(|id| Filler {
                    table,
                    column: Some(id),
                    value: None,
                    score: 0.85,
                    shrinks: true,
                }));
            }
        }
        candidates
    }
}
