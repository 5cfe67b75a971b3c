//! The first part of all: *top 10 percent of customers by revenue*, *which products make up 80 % of sales*.

use super::takes::{all, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Portion};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Direction;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "top_percent",
        pattern: "$top PERCENT of? NOUN",
        make: |found| first(found, Direction::Descending),
    },
    Rule {
        name: "bottom_percent",
        pattern: "$bottom PERCENT of? NOUN",
        make: |found| first(found, Direction::Ascending),
    },
    Rule {
        name: "first_percent",
        pattern: "first|earliest|oldest PERCENT of? NOUN by|in_order_of? date|time|day?",
        make: |found| by_time(found, Direction::Ascending),
    },
    Rule {
        name: "last_percent",
        pattern: "last|latest|newest|most_recent PERCENT of? NOUN by|in_order_of? date|time|day?",
        make: |found| by_time(found, Direction::Descending),
    },
    Rule {
        name: "percent_by_adjective",
        pattern: "ADJ PERCENT of? NOUN",
        make: |found| {
            let (direction, index, words) = found.adjective()?;
            let by = take(By::Attr(Attr::Adjective(words, index)), direction);
            all(vec![rows(found, false)?, by, Part::Noun(found.noun(0)?)])
        },
    },
    Rule {
        name: "make_up_percent",
        pattern: "top|best|largest|biggest? NOUN that|which|who? together? $contributing|are_responsible_for|responsible_for|cover|covers|drive|drives|bring_us|make_us|give_us|deliver|cause|causes together? the? first|top? PERCENT of? our|the|all? total? MEASURE",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let first = take(By::Measure(found.measure(0)?), Direction::Descending);
            all(vec![key, first, rows(found, true)?])
        },
    },
    Rule {
        name: "percent_made_by",
        pattern: "PERCENT of? our|the|all? total? MEASURE is|are|comes|come? made_by|made_up_by|generated_by|from|brought_in_by which|what NOUN",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let first = take(By::Measure(found.measure(0)?), Direction::Descending);
            all(vec![key, first, rows(found, true)?])
        },
    },
];

fn first(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    all(vec![rows(found, false)?, take(By::Shown, direction), Part::Noun(found.noun(0)?)])
}

/// By when rows came to be.
fn by_time(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let of = found.noun(0)?.as_table()?;
    let by = take(By::Attr(Attr::When(of.clone())), direction);
    all(vec![rows(found, false)?, by, Part::Subject(of)])
}

/// So many percent of the rows, or those that make up so many percent of what they are ranked by.
fn rows(found: &Matched<'_>, of_measure: bool) -> Option<Part> {
    Some(Part::Portion(Portion { percent: found.percent()?, of_measure }))
}
