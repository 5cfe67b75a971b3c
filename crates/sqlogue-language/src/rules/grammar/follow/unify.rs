//! Unification: a fragment put together with the query before it, slot by slot.
//!
//! What the fragment says takes the place of its like (a unit of time that of a unit of time, a condition that of one on the
//! same column), else it is added; *also* adds and *instead* replaces. Where both can be meant, both are made, each at its
//! price. What the fragment does not speak of stays.

use std::collections::HashMap;

use super::replaced::part_of_year;
pub(super) use crate::rules::grammar::add::Ways;
use crate::rules::grammar::bind::Filler;
use crate::rules::grammar::form::{By, Compare, Follows, Key, Noun, Pred, Query, Show, Take, Wish, Words};
use crate::rules::grammar::time::Window;
use crate::rules::knowledge::ColumnId;
use sqlogue_sql::plan::Direction;

/// How many ways are followed at once.
const WAYS: usize = 24;

/// A query that a fragment and the query before it make.
#[derive(Debug, Clone)]
pub(super) struct Unified {
    pub query: Query,
    /// What it costs to take it so.
    pub price: f32,
    /// How the parts were taken.
    pub ways: Vec<&'static str>,
}

pub(super) type Fillers = HashMap<Words, Filler>;

/// The queries that a fragment and the query before it make, at their prices.
pub(super) fn unify(before: &Query, known: &Fillers, said: &Query) -> Vec<Unified> {
    let Some(follows) = &said.follows else { return Vec::new() };
    let talk = Talk { before, known, said, follows };
    let start = Query { follows: None, ..before.clone() };
    let mut made = vec![Unified { query: start, price: 0.0, ways: Vec::new() }];
    let steps: [Step<'_>; 8] = [
        Talk::rows_said,
        Talk::shown,
        Talk::keys,
        Talk::conditions,
        Talk::groups,
        Talk::first_few,
        Talk::times,
        Talk::rest,
    ];
    for step in steps {
        let mut next: Vec<Unified> = Vec::new();
        for one in &made {
            for (query, price, way) in step(&talk, &one.query) {
                let mut ways = one.ways.clone();
                if !way.is_empty() {
                    ways.push(way);
                }
                next.push(Unified { query, price: one.price + price, ways });
            }
        }
        next.sort_by(|one, other| one.price.total_cmp(&other.price));
        next.truncate(WAYS);
        made = next;
    }
    for wish in &follows.wishes {
        made = made
            .into_iter()
            .flat_map(|one| {
                talk.wished(&one.query, wish).into_iter().map(move |(query, price, way)| {
                    let mut ways = one.ways.clone();
                    ways.push(way);
                    Unified { query, price: one.price + price, ways }
                })
            })
            .collect();
        made.truncate(WAYS);
    }
    // A fragment that changes nothing was not understood.
    made.retain(|one| one.query != Query { follows: None, ..before.clone() });
    made
}

/// One slot put together.
type Step<'a> = fn(&Talk<'a>, &Query) -> Ways;

/// A query with what is said after it.
pub(super) struct Talk<'a> {
    pub(super) before: &'a Query,
    pub(super) known: &'a Fillers,
    pub(super) said: &'a Query,
    pub(super) follows: &'a Follows,
}

/// Keeps as many ways as are followed, the cheapest: every noun and condition multiplies them.
pub(super) fn keep_cheapest(ways: &mut Ways) {
    ways.sort_by(|one, other| one.1.total_cmp(&other.1));
    ways.truncate(WAYS);
}

pub(super) fn as_it_is(query: &Query) -> Ways {
    vec![(query.clone(), 0.0, "")]
}

pub(super) fn changed(
    query: &Query,
    price: f32,
    way: &'static str,
    change: impl FnOnce(&mut Query),
) -> (Query, f32, &'static str) {
    let mut query = query.clone();
    change(&mut query);
    (query, price, way)
}

impl Talk<'_> {
    /// A price where something is said to come on top or in the place of something, and another where nothing is said.
    pub(super) fn price(&self, also: f32, instead: f32, neither: f32) -> f32 {
        match (self.follows.also, self.follows.instead || self.follows.same) {
            (true, _) => also,
            (false, true) => instead,
            (false, false) => neither,
        }
    }

    /// True where what is said takes the place of something, and nothing comes on top.
    pub(super) fn only_instead(&self) -> bool {
        self.follows.instead && !self.follows.also
    }

    /// The column that a noun of the query before was taken for.
    pub(super) fn column(&self, noun: &Noun) -> Option<ColumnId> {
        self.known.get(&noun.words)?.column
    }

    /// True where a noun of the fragment may name what a noun before was taken for.
    pub(super) fn names(&self, noun: &Noun, before: &Noun) -> bool {
        let Some(filler) = self.known.get(&before.words) else { return false };
        match filler.column {
            Some(id) => noun.columns.iter().any(|(known, score)| *known == id && *score >= 0.6),
            None => noun.tables.iter().any(|(known, score)| *known == filler.table && *score >= 0.6),
        }
    }

    /// How rows are sorted and how many are kept.
    pub(super) fn first_few(&self, query: &Query) -> Ways {
        let mut query = query.clone();
        let mut way = "";
        let mut numbers = Ways::new();
        if let Some(said) = &self.said.take {
            let mut take = said.clone();
            if let [Show::Measure(measure)] = self.said.show.as_slice()
                && take.by == By::Shown
                && !query.show.contains(&Show::Measure(measure.clone()))
            {
                take.by = By::Measure(measure.clone());
                take.alone = false;
            }
            if take.by == By::Shown
                && let Some(before) = &query.take
            {
                take.by = before.by.clone();
                take.alone = before.alone;
            }
            if take.each.is_none() && !self.said.keys.is_empty() {
                // *top 3 in each country* names the groups in which rows are counted anew.
                let each = self.said.keys.first().cloned();
                let mut within = query.clone();
                within.keys.clone_from(&self.before.keys);
                within.order.clear();
                within.take = Some(Take { each: each.clone(), ..take.clone() });
                within.limit = self.said.limit.or(self.before.limit);
                query.order.clear();
                query.take = Some(take);
                query.limit = self.said.limit;
                return vec![(within, 0.0, "taken_in_each"), (query, 0.4, "taken")];
            }
            query.order.clear();
            query.take = Some(take);
            query.limit = self.said.limit;
            query.skip = self.said.skip;
            way = "taken";
        } else if let Some(limit) = self.said.limit {
            // *and the bottom 2* says how many, and no bound.
            let takes = self.follows.wishes.iter().any(|wish| matches!(wish, Wish::Take(_)));
            if !takes {
                numbers = self.number_replaced(&query, limit);
            }
            query.limit = Some(limit);
            query.skip = self.said.skip.or(query.skip);
            if query.take.is_none() && query.order.is_empty() {
                query.take = Some(Take {
                    by: By::Shown,
                    direction: Direction::Descending,
                    open: false,
                    each: None,
                    alone: true,
                });
            }
            way = "limited";
        }
        if let Some((by, direction)) = self.said.order.first() {
            match (&mut query.take, by) {
                (Some(take), By::Shown) => take.direction = *direction,
                _ => {
                    query.take = None;
                    query.limit = None;
                    query.order.clone_from(&self.said.order);
                }
            }
            way = "sorted";
        }
        // Where there is a bound, a number alone is hardly how many rows are wanted.
        let price = if numbers.is_empty() || self.before.limit.is_some() { 0.0 } else { 0.5 };
        numbers.push((query, price, way));
        numbers
    }

    /// Windows side by side, running totals, changes from one period to the next.
    pub(super) fn times(&self, query: &Query) -> Ways {
        let mut query = query.clone();
        let mut way = "";
        let by_time = query.keys.iter().any(|key| matches!(key, Key::Time(..)));
        if by_time && self.said.versus.len() > 1 && query.versus.is_empty() {
            // *only March and May* of months are two of them, and no comparison.
            let any = self.said.versus.iter().map(|window| Pred::In(None, *window)).collect();
            query.preds.retain(|pred| !matches!(pred, Pred::In(..)));
            query.preds.push(Pred::Any(any));
            way = "windows_kept";
        } else if !self.said.versus.is_empty() {
            query.preds.retain(|pred| !matches!(pred, Pred::In(..)));
            query.versus.clone_from(&self.said.versus);
            way = "windows_replaced";
        }
        let Some(compare) = self.said.compare else { return vec![(query, 0.0, way)] };
        let mut made = Vec::new();
        if compare == Compare::YearOnYear {
            made.extend(
                self.against(&query, None).into_iter().map(|(query, price, way)| (query, price + 0.05, way)),
            );
        }
        let price = if made.is_empty() { 0.0 } else { 0.3 };
        made.push(changed(&query, price, "compared", |query| query.compare = Some(compare)));
        made
    }

    /// What was asked of a window, beside the same of another.
    pub(super) fn against(&self, query: &Query, other: Option<Window>) -> Ways {
        let windows: Vec<_> = query
            .preds
            .iter()
            .filter_map(|pred| match pred {
                Pred::In(_, window) => Some(*window),
                _ => None,
            })
            .collect();
        let [window] = windows.as_slice() else { return Vec::new() };
        // *compare with last year* after a month is that month of last year.
        let same_part = |other: Window| other.one_year().and_then(|year| part_of_year(window, year));
        let other = other.map(|other| same_part(other).unwrap_or(other));
        let Some(other) = other.or_else(|| window.before()).filter(|other| other != window) else {
            return Vec::new();
        };
        vec![changed(query, 0.0, "against_window", |query| {
            query.preds.retain(|pred| !matches!(pred, Pred::In(..)));
            query.versus = vec![*window, other];
        })]
    }

    /// Everything else that can be said once.
    pub(super) fn rest(&self, query: &Query) -> Ways {
        let (mut query, said) = (query.clone(), self.said);
        if let Some(pivot) = &said.pivot {
            query.pivot = Some(pivot.as_ref().map(|noun| {
                // The column that the result is cut by already is the one whose values are meant.
                let of_key = query.keys.iter().find_map(|key| match key {
                    Key::Noun(key) if self.column(key).is_some() && self.names(noun, key) => {
                        Some(key.clone())
                    }
                    _ => None,
                });
                of_key.unwrap_or_else(|| noun.clone())
            }));
        }
        query.date = said.date.clone().or(query.date);
        query.utmost = said.utmost.clone().or(query.utmost);
        query.in_unit = said.in_unit.or(query.in_unit);
        query.decimals = said.decimals.or(query.decimals);
        query.zeros |= said.zeros;
        query.distinct |= said.distinct;
        query.altogether |= said.altogether;
        query.averaged |= said.averaged;
        query.whole_money |= said.whole_money;
        query.names |= said.names;
        vec![(query, 0.0, "")]
    }
}
