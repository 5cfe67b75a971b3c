//! Columns that say yes or no: *active customers*, *insured boats*, *not insured*.

use super::conditions::{flag, state_dropped};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Pred;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "flag", pattern: "$yes? NOUN", make: |found| flag(found, true) },
    Rule {
        name: "flagged_rows",
        pattern: "NOUN NOUN",
        make: |found| {
            let flag = Part::Where(Pred::Flag(found.noun(0)?.as_column()?, true));
            Some(Phrase::Part(Part::All(vec![flag, Part::Noun(found.noun(1)?.as_table()?)])))
        },
    },
    Rule {
        name: "no_flag",
        pattern: "$never|non|no_longer|not_yet|out_of been|yet? NOUN yet?",
        make: |found| flag(found, false),
    },
    Rule {
        name: "flag_dropped",
        pattern: "NOUN NOUN? ones|rows|entries? $drop_after",
        make: |found| state_dropped(found, flag(found, false)),
    },
];
