//! How long something takes until its end: *average delivery time in days*, *how many days does a batch take from brewing to
//! packaging*, *how long do clients take to pay*.

use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Attr, Measure, Noun};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, TimeUnit};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "average_time_to_event",
        pattern: "$avg NOUN time|times|duration|delay|speed in|,? MEASURED?",
        make: |found| waited(found, Aggregate::Avg),
    },
    Rule {
        name: "longest_time_to_event",
        pattern: "$max NOUN time|times|duration|delay in|,? MEASURED?",
        make: |found| waited(found, Aggregate::Max),
    },
    Rule {
        name: "units_from_event_to_event",
        pattern: "$avg? $how_many MEASURED does|do|did a|an|the|each|every? NOUN take|need|last|spend|wait|usually_take|takes on_average|typically? from|between EVENT to|and|until|till EVENT on_average|typically?",
        make: from_to,
    },
    Rule {
        name: "how_long_from_event_to_event",
        pattern: "how_long does|do|did a|an|the|each|every? NOUN take|need|last|spend|wait|usually_take|takes on_average|typically? from|between EVENT to|and|until|till EVENT on_average|typically?",
        make: from_to,
    },
    Rule {
        name: "units_until_they_do",
        pattern: "how_long|how_many_days do|does|did NOUN take|need|wait|usually_take|takes on_average|typically? to|until|till|before they|it|we? NOUN us|it|them? on_average|typically?",
        make: |found| {
            found.noun(0)?.as_table()?;
            until(found, found.noun(1)?, Aggregate::Avg)
        },
    },
];

/// *average delivery time*: from the beginning of a row to the date that the noun names.
fn waited(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    until(found, found.noun(0)?, function)
}

fn until(found: &Matched<'_>, end: Noun, function: Aggregate) -> Option<Phrase> {
    let end = end.as_column()?;
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let passed = Attr::Between(Box::new(Attr::Begin(end.clone())), Box::new(Attr::Noun(end)), unit);
    Some(Phrase::Measure(Measure::Of(function, passed)))
}

fn from_to(found: &Matched<'_>) -> Option<Phrase> {
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let passed = Attr::Between(Box::new(found.event(0)?), Box::new(found.event(1)?), unit);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, passed)))
}
