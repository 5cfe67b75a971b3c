//! What was taken in or billed, by a verb: *how much did we earn*, *how much have we invoiced this year*, *amount billed*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "billed_amount",
        pattern: "$sum? $billed_amount",
        make: |found| Some(Phrase::Measure(billed(found))),
    },
    Rule {
        name: "earned",
        pattern: "how_much|how_much_money|what|what_sum do|does|did|have|has we|you|they|i|it $earning|sell|sold in|on|from|for|with|by|per|to?",
        make: |found| Some(Phrase::Measure(taken_in(found))),
    },
    Rule {
        name: "earned_by",
        pattern: "how_much|how_much_money|what|what_sum do|does|did|have|has|each|every? each|every? NOUN $earning",
        make: |found| {
            let by = Part::Key(Key::Noun(found.noun(0)?));
            Some(Phrase::Part(Part::All(vec![by, Part::Measure(taken_in(found))])))
        },
    },
];

/// What came in; where the verb names the invoices, what they come to.
fn taken_in(found: &Matched<'_>) -> Measure {
    if found.says(&["bill", "billed", "invoice", "invoiced"]) {
        return billed(found);
    }
    Measure::Of(Aggregate::Sum, Attr::Revenue(found.words))
}

/// *amount invoiced*: what the invoices come to where there are any, or else a column that is called so.
fn billed(found: &Matched<'_>) -> Measure {
    const NAMED: f32 = 0.5;
    // *amount* says that money is meant, and not which.
    let is_said = |at: &usize| !found.lattice.question.word(*at).starts_with("amount");
    let nouns =
        || (found.words.start..found.words.end).filter(is_said).flat_map(|at| found.lattice.nouns(at));
    let bills = nouns().filter(|noun| noun.table_score() >= NAMED).find_map(|noun| noun.as_table());
    let column = || nouns().filter(|noun| noun.column_score() >= NAMED).find_map(|noun| noun.as_column());
    let attr = bills.map(Attr::Amount).or_else(|| column().map(Attr::Noun));
    Measure::Of(Aggregate::Sum, attr.unwrap_or(Attr::Revenue(found.words)))
}
