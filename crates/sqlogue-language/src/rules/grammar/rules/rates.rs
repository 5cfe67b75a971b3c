//! What is paid for each unit: *cars under 45 a day*, *staff earning more than 20 per hour*, *products at 3 per kg*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::columns::paid_unit;
use crate::rules::grammar::form::{Attr, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Comparison;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rate_compares",
        pattern: "who|that|which|with? $costing|charge|charges|charging|earn|earns|earning|make|makes|making|get|gets|paid|pay? OP NUM a|an|per|each|every|/ hour|hr|day|night|week|month|year|annum|kg|kilo|kilogram|km|kilometre",
        make: |found| rate(found, found.operator()?),
    },
    Rule {
        name: "rate_for_less_than",
        pattern: "for_less_than|for_under|for_up_to NUM a|an|per|each|every|/ hour|hr|day|night|week|month|year|annum|kg|kilo|kilogram|km|kilometre",
        make: |found| rate(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "rate_is",
        pattern: "for|at|$costing|charging|earning NUM a|an|per|each|every|/ hour|hr|day|night|week|month|year|annum|kg|kilo|kilogram|km|kilometre",
        make: |found| rate(found, Comparison::Equal),
    },
    Rule {
        name: "rate_or_more",
        pattern: "$costing|charging|earning? NUM $or_more a|an|per|each|every|/ hour|hr|day|night|week|month|year|annum|kg|kilo|kilogram|km|kilometre",
        make: |found| rate(found, Comparison::GreaterOrEqual),
    },
];

/// A condition on what is paid for each of the unit at the end.
fn rate(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let last = found.words.end - 1;
    let word = found.lattice.question.word(last);
    let unit = paid_unit(word)?;
    let rate = Attr::Rate(Words::new(last, found.words.end), unit);
    condition(Pred::Compare(rate, operator, found.number(0)?))
}
