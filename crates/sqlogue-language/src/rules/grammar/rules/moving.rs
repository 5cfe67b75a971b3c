//! Moving averages: *three-month moving average of sales*, *visits per month and their
//! moving average over 3 months*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Compare, Measure};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::versus::total_of;
use crate::rules::grammar::units::Unit;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "moving",
        pattern: "NUM -? day|days|month|months|week|weeks|quarter|quarters $moving MEASURE?",
        make: |found| moving(found, found.measure(0), false),
    },
    Rule {
        name: "moving_noun",
        pattern: "NUM -? day|days|month|months|week|weeks|quarter|quarters $moving number_of? NOUN",
        make: |found| moving(found, Some(total_of(&found.noun(0)?)?), false),
    },
    Rule {
        name: "moving_over",
        pattern: "$moving number_of? NOUN over|of|across last|previous? NUM day|days|month|months|week|weeks|quarter|quarters",
        make: |found| moving(found, Some(total_of(&found.noun(0)?)?), false),
    },
    Rule {
        name: "and_moving",
        pattern: "and|with|,|plus|next_to|beside|alongside|together_with $their|the|a? NUM -? day|days|month|months|week|weeks|quarter|quarters $moving",
        make: |found| moving(found, None, true),
    },
    Rule {
        name: "and_running",
        pattern: "and|with|plus|next_to|beside|alongside|together_with $their|the|a? $running",
        make: |_| {
            let running = Part::Compare(Compare::Running, None);
            Some(Phrase::Part(Part::All(vec![running, Part::PlainToo])))
        },
    },
];

fn moving(found: &Matched<'_>, measure: Option<Measure>, plain_too: bool) -> Option<Phrase> {
    let word = |at: usize| match found.lattice.question.word(at) {
        "day" | "days" => Some(Unit::Day),
        "week" | "weeks" => Some(Unit::Week),
        "month" | "months" => Some(Unit::Month),
        "quarter" | "quarters" => Some(Unit::Quarter),
        _ => None,
    };
    let unit = (found.words.start..found.words.end).find_map(word)?;
    let mut parts = vec![Part::Compare(Compare::Moving(found.count()?, unit), measure)];
    if plain_too {
        parts.push(Part::PlainToo);
    }
    Some(Phrase::Part(Part::All(parts)))
}
