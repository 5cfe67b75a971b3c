//! How rows are sorted: *sorted by price*, *highest first*.

use crate::plan::Direction;
use crate::reasoner::rules::grammar::chart::{Matched, Part, Phrase, Rule};
use crate::reasoner::rules::grammar::form::{Attr, By};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sorted_by",
        pattern: "$sorted NOUN $worst_first?",
        make: |found| sorted(found, Direction::Ascending),
    },
    Rule {
        name: "sorted_down",
        pattern: "$sorted NOUN $best_first",
        make: |found| sorted(found, Direction::Descending),
    },
    Rule {
        name: "sorted_direction_by",
        pattern: "$sorted? in? $best_first by|of|for NOUN",
        make: |found| sorted(found, Direction::Descending),
    },
    Rule {
        name: "sorted_up_by",
        pattern: "$sorted? in? $worst_first by|of|for NOUN",
        make: |found| sorted(found, Direction::Ascending),
    },
    Rule {
        name: "best_first",
        pattern: "$best_first",
        make: |_| Some(Phrase::Part(Part::Order(By::Shown, Direction::Descending))),
    },
    Rule {
        name: "worst_first",
        pattern: "$worst_first",
        make: |_| Some(Phrase::Part(Part::Order(By::Shown, Direction::Ascending))),
    },
    Rule {
        name: "sorted_by_measure",
        pattern: "$sorted MEASURE $best_first?",
        make: |found| Some(Phrase::Part(Part::Order(By::Measure(found.measure(0)?), Direction::Descending))),
    },
    Rule { name: "who", pattern: "who|whom", make: |_| Some(Phrase::Part(Part::Names)) },
    Rule { name: "different", pattern: "$different", make: |_| Some(Phrase::Part(Part::Distinct)) },
];

fn sorted(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?.as_column()?;
    Some(Phrase::Part(Part::Order(By::Attr(Attr::Noun(noun)), direction)))
}
