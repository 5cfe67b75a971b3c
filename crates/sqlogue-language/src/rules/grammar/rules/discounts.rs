//! What was granted off the prices is no part of what was taken in: *net of line discounts*, *line discounts deducted*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Measure};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "net_of_discounts",
        pattern: "net_of|after|less|minus|after_deducting|after_subtracting|after_taking_off|after_applying|adjusted_for|allowing_for|taking_into_account all|any|the|line|item|per-line? $discounts",
        make: |_| Some(Phrase::Part(Part::LessDiscount)),
    },
    Rule {
        name: "discounts_deducted",
        pattern: "all|any|the? line|item? $discounts are|were|being|already? deducted|subtracted|taken_off|taken_into_account|considered|applied",
        make: |_| Some(Phrase::Part(Part::LessDiscount)),
    },
    Rule {
        name: "defined_as_net",
        pattern: ":|(|=|meaning|i.e|i.e.|namely the? NOUN times|multiplied_by|x|* NOUN less|minus|net_of|after all|any|the|line|item? $discounts",
        make: net,
    },
];

/// *quantity times price less discount* is what the lines of a sale bring in.
fn net(found: &Matched<'_>) -> Option<Phrase> {
    found.noun(0)?.as_column()?;
    found.noun(1)?.as_column()?;
    let net = Measure::Of(Aggregate::Sum, Attr::Net(found.words, None));
    Some(Phrase::Part(Part::All(vec![Part::Measure(net)])))
}
