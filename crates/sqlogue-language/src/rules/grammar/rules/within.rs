//! Places and shares among those of one kind: *rank the courses within their subject by revenue*, *share of each channel in its
//! group's spend*, *in percent of the subject*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Compare, Key, Measure, Noun, Whole};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::versus::total_of;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rank_within",
        pattern: "$rank each|every? NOUN inside|within|in|per|of|among $their|each|every|the_same own? NOUN $by MEASURE",
        make: |found| ranked(found, found.measure(0)?),
    },
    Rule {
        name: "rank_within_by_noun",
        pattern: "$rank each|every? NOUN inside|within|in|per|of|among $their|each|every|the_same own? NOUN $by NOUN",
        make: |found| ranked(found, total_of(&found.noun(2)?)?),
    },
    Rule {
        name: "ranked_within",
        pattern: "ranked|rank|ranking|place|position inside|within|in|per|among $their|each|every|the_same own? NOUN",
        make: |found| {
            let rank = Part::Compare(Compare::Rank, None);
            Some(Phrase::Part(Part::All(vec![Part::Within(found.noun(0)?), rank])))
        },
    },
    Rule {
        name: "share_in_kinds_measure",
        pattern: "$share each|every NOUN in|of|within|at $their|the own? NOUN 's|'|s? MEASURE",
        make: |found| shared(found.noun(0)?, found.noun(1)?, found.measure(0)?),
    },
    Rule {
        name: "share_in_kinds_total",
        pattern: "$share each|every NOUN in|of|within|at $their|the own? NOUN 's|'|s NOUN total?",
        make: |found| shared(found.noun(0)?, found.noun(1)?, total_of(&found.noun(2)?)?),
    },
    Rule {
        name: "split_within",
        pattern: "how is|are|was|were MEASURE within|inside|in|of a|each|every|the? NOUN split|divided|distributed|broken_down|shared over|across|by|among|into|between its|their|the? NOUN",
        make: |found| shared(found.noun(1)?, found.noun(0)?, found.measure(0)?),
    },
    Rule {
        name: "rows_split_within",
        pattern: "how is|are|was|were NOUN within|inside a|each|every|the? NOUN split|divided|distributed|broken_down|shared over|across|by|among|into|between its|their|the? NOUN",
        make: |found| shared(found.noun(2)?, found.noun(1)?, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "measure_share_within",
        pattern: "MEASURE as|in|and a|the|its|their? share|percentage|percent|proportion|% of|within|in $their own? NOUN total|'s_total?",
        make: |found| {
            let share = Measure::Share(Box::new(found.measure(0)?), Whole::Total);
            Some(Phrase::Part(Part::All(vec![Part::Within(found.noun(0)?), Part::Measure(share)])))
        },
    },
    Rule {
        name: "share_within",
        pattern: "as|in|and? a|the|its|their? share|percentage|percent|proportion|% of|within|in $their own? NOUN total|'s_total?",
        make: |found| Some(Phrase::Part(Part::All(vec![Part::Within(found.noun(0)?), Part::ShareOfTotal]))),
    },
];

fn ranked(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let key = Part::Key(Key::Noun(found.noun(0)?));
    let rank = Part::Compare(Compare::Rank, Some(measure));
    Some(Phrase::Part(Part::All(vec![key, Part::Within(found.noun(1)?), rank])))
}

fn shared(each: Noun, within: Noun, measure: Measure) -> Option<Phrase> {
    let share = Part::Measure(Measure::Share(Box::new(measure), Whole::Total));
    Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(each)), Part::Within(within), share])))
}
