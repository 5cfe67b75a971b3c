//! Parts of a whole: *share of orders that were cancelled*, *percentage of members from Oslo*, *as a share of the total*.

use crate::reasoner::rules::grammar::chart::{Part, Phrase, Rule};
use crate::reasoner::rules::grammar::form::{Measure, Whole};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "share_of",
        pattern: "$share GROUP",
        make: |found| {
            let group = found.group()?;
            let rows = Measure::Count(Some(group.of));
            Some(Phrase::Measure(match group.preds.is_empty() {
                true => Measure::Share(Box::new(rows), Whole::Total),
                false => {
                    let part = Measure::Where(Box::new(rows), group.preds);
                    Measure::Share(Box::new(part), Whole::Rows)
                }
            }))
        },
    },
    Rule {
        name: "share_of_that",
        pattern: "$share NOUN that_are|who_are|that_were|which_are|are|were|that|who|is|was|have_been from|in|of|for|with? WHERE",
        make: |found| {
            let rows = Measure::Count(Some(found.noun(0)?.as_table()?));
            let part = Measure::Where(Box::new(rows), vec![found.pred(0)?]);
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Rows)))
        },
    },
    Rule {
        name: "share_of_sum",
        pattern: "$share MEASURE",
        make: |found| Some(Phrase::Measure(Measure::Share(Box::new(found.measure(0)?), Whole::Total))),
    },
    Rule {
        name: "share_of_total",
        pattern: "$share_of_total",
        make: |_| Some(Phrase::Part(Part::ShareOfTotal)),
    },
    Rule {
        name: "share_condition",
        pattern: "share|percentage|% WHERE",
        make: |found| {
            let part = Measure::Where(Box::new(Measure::Count(None)), vec![found.pred(0)?]);
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Rows)))
        },
    },
    Rule {
        name: "how_many_of_them",
        pattern: "how_many|number of_those|of_them|of_these are|were|have|had|was|is? WHERE",
        make: |found| {
            let part = Measure::Where(Box::new(Measure::Count(None)), vec![found.pred(0)?]);
            Some(Phrase::Measure(part))
        },
    },
];
