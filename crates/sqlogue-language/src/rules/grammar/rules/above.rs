//! Whoever or whatever is above a row: *each agent with the name of the boss*, *sales per team leader*, *every category with the
//! one above it*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Key, Noun, Unsaid};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "superior_shown",
        pattern: "and|with|next_to|beside|alongside|plus|,? name|names? of? $their? $superior name|names?",
        make: |found| Some(Phrase::Part(Part::Shown(superior(found)))),
    },
    Rule {
        name: "one_above_shown",
        pattern: "and|with|next_to|beside|alongside|plus|,? name|names? of? $their? NOUN above|over it|them|him|her",
        make: |found| Some(Phrase::Part(Part::Shown(superior(found)))),
    },
    Rule {
        name: "per_superior",
        pattern: "$per NOUN? $superior",
        make: |found| Some(Phrase::Part(Part::Key(Key::Noun(superior(found))))),
    },
];

fn superior(found: &Matched<'_>) -> Noun {
    Noun::unsaid(found.words, Unsaid::Superior)
}
