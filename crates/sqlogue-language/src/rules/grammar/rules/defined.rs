//! Words before a measure that people have defined.

use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::Measure;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "defined_total",
    pattern: "$sum|overall|how_much|how_high|how_large is|are|was|were? MEASURE",
    make: |found| match found.measure(0)? {
        // A definition is a summary already.
        measure @ Measure::Defined(_) => Some(Phrase::Measure(measure)),
        _ => None,
    },
}];
