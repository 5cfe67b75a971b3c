//! What something costs in all, and who was paid it: *fuel cost*, *spending on repairs*, *what have we paid each garage?*

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun};
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "cost_of_rows",
        pattern: "$sum? NOUN cost|costs|spend|spending|expense|expenses",
        make: |found| cost_of(&found.noun(0)?),
    },
    Rule {
        name: "what_rows_cost",
        pattern: "$how_much|how_much_money|what did|do|does|has|have NOUN cost us",
        make: |found| cost_of(&found.noun(0)?),
    },
    Rule {
        name: "spent_on_rows",
        pattern: "$sum? spend|spent|spending|expenses|expense|expenditure|outlay|costs|cost on|for|of NOUN",
        make: |found| cost_of(&found.noun(0)?),
    },
    Rule {
        name: "we_spent_on_rows",
        pattern: "$how_much|how_much_money|what|money|the_money do|did|have|has|that? we|you|they spend|spent|pay|paid on|for NOUN",
        make: |found| cost_of(&found.noun(0)?),
    },
    Rule {
        name: "paid_to_each",
        pattern: "$how_much|how_much_money|what do|did|have|has we|you|they already? pay|paid|spend|spent|pay_to|paid_to to|at|on|with? each|every NOUN for|on? NOUN?",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let total = match found.noun(1) {
                Some(rows) => Attr::Amount(rows.as_table()?),
                None => Attr::Revenue(found.words),
            };
            Some(Phrase::Part(Part::All(vec![key, Part::Measure(Measure::Of(Aggregate::Sum, total))])))
        },
    },
];

/// What the rows of a table cost in all: *fuel cost*, *spending on fuel*.
fn cost_of(noun: &Noun) -> Option<Phrase> {
    let rows = noun.as_table().filter(|_| noun.table_score() >= 0.3)?;
    Some(Phrase::Measure(Measure::Of(Aggregate::Sum, Attr::Amount(rows))))
}
