//! Rows with two ends: *trips from depot to depot*, *the busiest routes*, *flights to Oslo*, *away matches per team*,
//! *departures and arrivals of each port*.

use super::conditions::condition;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Key, Measure, Noun, Pred, Words};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "from_one_to_another",
        pattern: "from which|what|each|every|one|any? NOUN to which|what|each|every|another|any|one? NOUN",
        make: |found| {
            let (one, other) = (found.noun(0)?, found.noun(1)?);
            let way = found.lattice.way(found.words, Some(&one))?;
            let other = found.lattice.way(found.words, Some(&other))?;
            (way == other).then_some(Phrase::Part(Part::Key(Key::Noun(way))))
        },
    },
    Rule {
        name: "between_rows",
        pattern: "between|among|connecting NOUN",
        make: |found| key(found, &found.noun(0)?),
    },
    Rule {
        name: "between_rows_from_to",
        pattern: "between|among|connecting NOUN ,|:|-|( from ,|and to",
        make: |found| key(found, &found.noun(0)?),
    },
    Rule {
        name: "by_pair",
        pattern: "by|per|for_each|for_every|each|every $pair of|: NOUN and|, NOUN",
        make: |found| key(found, &found.noun(0)?),
    },
    Rule {
        name: "route",
        pattern: "$route",
        make: |found| Some(Phrase::Noun(found.lattice.way(found.words, None)?)),
    },
    Rule {
        name: "route_of_rows",
        pattern: "NOUN $route",
        make: |found| {
            let way = found.lattice.way_of_rows(found.words, &found.noun(0)?.as_table()?)?;
            Some(Phrase::Noun(way))
        },
    },
    Rule { name: "at_first_end", pattern: "$at_start NOUN", make: |found| rows_at(found, true) },
    Rule { name: "at_last_end", pattern: "$at_end NOUN", make: |found| rows_at(found, false) },
    Rule {
        name: "how_many_at_first_end",
        pattern: "$how_many|$count $at_start NOUN",
        make: |found| counted_at(found, true),
    },
    Rule {
        name: "how_many_at_last_end",
        pattern: "$how_many|$count $at_end NOUN",
        make: |found| counted_at(found, false),
    },
    Rule {
        name: "begins_there",
        pattern: "that|which|who? $leaving from|at|of|in?",
        make: |found| side(found, true),
    },
    Rule {
        name: "ends_there",
        pattern: "that|which|who? $arriving at|in|to|on?",
        make: |found| side(found, false),
    },
    Rule { name: "of_first_end", pattern: "of departure|origin|dispatch", make: |found| side(found, true) },
    Rule { name: "of_last_end", pattern: "of arrival|destination", make: |found| side(found, false) },
    Rule {
        name: "ends_elsewhere",
        pattern: "$arriving|$returning at|in|to|on? different|another|other NOUN",
        make: |found| same_ends(found, false),
    },
    Rule {
        name: "ends_where_it_began",
        pattern: "$arriving|$returning at|in|to|on? same NOUN",
        make: |found| same_ends(found, true),
    },
    Rule {
        name: "came_back_to_its_start",
        pattern: "$arriving|$returning at|in|to|on? NOUN that|where|which? they|it $leaving from|at|in?",
        make: |found| same_ends(found, true),
    },
    Rule {
        name: "begin_and_end_alike",
        pattern: "has|have|had|with|where|share? same NOUN and|as NOUN",
        make: |found| {
            let (one, other) = (found.noun(0)?, found.noun(1)?);
            let way = |noun: &Noun| found.lattice.way(found.words, Some(noun));
            (one.columns != other.columns && way(&one)? == way(&other)?)
                .then(|| same_ends(found, true))
                .flatten()
        },
    },
    Rule {
        name: "leaves_one_for_other",
        pattern: "that|which? $leaving from? VALUE and|, $arriving at|in|to? VALUE",
        make: |found| {
            found.lattice.two_ended(found.words)?;
            condition(Pred::Way(found.value(0)?, found.value(1)?))
        },
    },
    Rule { name: "to_value", pattern: "to|into|towards VALUE", make: |found| value_at(found, false) },
    Rule { name: "from_value", pattern: "from|out_of VALUE", make: |found| value_at(found, true) },
    Rule {
        name: "to_each",
        pattern: "to each|every|which|what NOUN",
        make: |found| {
            found.lattice.way(found.words, Some(&found.noun(0)?))?;
            all(vec![Part::Key(Key::Noun(found.noun(0)?)), Part::Side(false)])
        },
    },
    Rule {
        name: "within_value",
        pattern: "within|inside VALUE",
        make: |found| {
            found.lattice.way(found.words, None)?;
            condition(Pred::Way(found.value(0)?, found.value(0)?))
        },
    },
    Rule {
        name: "between_values",
        pattern: "between VALUE and VALUE",
        make: |found| {
            found.lattice.way(found.words, None)?;
            either_way(found)
        },
    },
    Rule {
        name: "out_and_in",
        pattern: "$departures and|&|plus|or $arrivals",
        make: |found| both(found, None, true),
    },
    Rule {
        name: "in_and_out",
        pattern: "$arrivals and|&|plus|or $departures",
        make: |found| both(found, None, false),
    },
    Rule {
        name: "rows_from_and_to",
        pattern: "NOUN from and|or number_of|how_many? NOUN? to",
        make: |found| both(found, found.noun(0), true),
    },
    Rule {
        name: "rows_from_it_and_to_it",
        pattern: "NOUN from it|there|them|here and|, number_of|how_many? NOUN? to it|there|them|here",
        make: |found| both(found, found.noun(0), true),
    },
    Rule {
        name: "begin_here_and_end_there",
        pattern: "how_many|number_of NOUN that? $leaving from|at|in? there|it|here|them? and|, how_many|number_of? of_them? NOUN? that? $arriving at|in|to? there|it|here|them?",
        make: |found| both(found, found.noun(0), true),
    },
    Rule {
        name: "begin_at_each_and_end_there",
        pattern: "how_many NOUN $leaving from|at|in? each|every NOUN and|, how_many $arriving at|in|to? there|it|here",
        make: |found| {
            let Phrase::Part(counts) = both(found, found.noun(0), true)? else { return None };
            all(vec![Part::Key(Key::Noun(found.noun(1)?.as_table()?)), counts])
        },
    },
];

/// From the one value to the other, or back.
pub(super) fn either_way(found: &Matched<'_>) -> Option<Phrase> {
    let (one, other) = (found.value(0)?, found.value(1)?);
    let back = Pred::Way(other.clone(), one.clone());
    condition(Pred::Any(vec![Pred::Way(one, other), back]))
}

/// Groups by both ends, which the noun names.
fn key(found: &Matched<'_>, noun: &Noun) -> Option<Phrase> {
    Some(Phrase::Part(Part::Key(Key::Noun(found.lattice.way(found.words, Some(noun))?))))
}

/// One end is meant, where there are rows with two.
fn side(found: &Matched<'_>, first: bool) -> Option<Phrase> {
    found.lattice.two_ended(found.words)?;
    Some(Phrase::Part(Part::Side(first)))
}

/// Both ends of a row are one, or two.
fn same_ends(found: &Matched<'_>, same: bool) -> Option<Phrase> {
    condition(Pred::SameEnds(found.lattice.way(found.words, Some(&found.noun(0)?))?, same))
}

/// *how many away matches*
fn counted_at(found: &Matched<'_>, first: bool) -> Option<Phrase> {
    let rows = rows_with_ends(found)?;
    all(vec![Part::Measure(Measure::Count(Some(rows))), Part::Side(first)])
}

/// *away matches*: rows with two ends, one of which is meant.
fn rows_at(found: &Matched<'_>, first: bool) -> Option<Phrase> {
    all(vec![Part::Noun(rows_with_ends(found)?), Part::Side(first)])
}

/// The first noun as rows that have two ends.
fn rows_with_ends(found: &Matched<'_>) -> Option<Noun> {
    let rows = found.noun(0)?.as_table()?;
    found.lattice.way_of_rows(found.words, &rows).map(|_| rows)
}

/// *flights to Oslo*: a value of what is at one end.
fn value_at(found: &Matched<'_>, first: bool) -> Option<Phrase> {
    if !found.lattice.is_at_end(&found.value(0)?) {
        return None;
    }
    let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
    all(vec![Part::Where(is), Part::Side(first)])
}

/// How many rows begin somewhere and how many end there, in that order or the other.
fn both(found: &Matched<'_>, rows: Option<Noun>, begins_first: bool) -> Option<Phrase> {
    let with_ends = found.lattice.two_ended(Words::new(found.words.start, found.words.start + 1))?;
    let rows = match rows {
        Some(rows) => rows.as_table()?,
        None => with_ends,
    };
    let count = |begins| Part::Measure(Measure::At(Box::new(Measure::Count(Some(rows.clone()))), begins));
    all(vec![count(begins_first), count(!begins_first)])
}
