//! Moving averages and differences from one period to the next: *three-month moving average of sales*, *sales per month and the
//! difference to the month before*.

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
    Rule {
        name: "difference_to_period_before",
        pattern: "and|with|plus|,? absolute|its|their|the? difference|change|increase|gain in|of? $money|absolute_terms|absolute_numbers? $against|to|with|of previous|prior|preceding|last PERIOD",
        make: difference,
    },
    Rule {
        name: "difference_to_period_earlier",
        pattern: "and|with|plus|,? absolute|its|their|the? difference|change|increase|gain in|of? $money|absolute_terms|absolute_numbers? $against|to|with|of PERIOD before|earlier|prior|previously",
        make: difference,
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

/// *difference to the month before*: in the numbers' own unit, where nobody says percent.
fn difference(found: &Matched<'_>) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let money = |at: usize| matches!(word(at), "euros" | "euro" | "dollars" | "pounds" | "€" | "$" | "£");
    let words = || found.words.start..found.words.end;
    let says = words().any(|at| matches!(word(at), "difference" | "absolute") || money(at));
    let mut parts = vec![Part::Compare(Compare::Difference, None)];
    if words().any(money) {
        parts.push(Part::WholeMoney);
    }
    says.then_some(Phrase::Part(Part::All(parts)))
}
