//! Rows beside an average: *above the average price*, *of their category*, *more than the average dessert*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Among, Attr, Pred};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Comparison};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "dearer_than_average_such",
        pattern: "$costing? $more|above $avg VALUE",
        make: |found| priced_beside(found, Comparison::Greater),
    },
    Rule {
        name: "cheaper_than_average_such",
        pattern: "$costing? $less|below $avg VALUE",
        make: |found| priced_beside(found, Comparison::Less),
    },
    Rule {
        name: "dearer_than_average_row",
        pattern: "$costing $more|above $avg NOUN",
        make: |found| priced_beside(found, Comparison::Greater),
    },
    Rule {
        name: "cheaper_than_average_row",
        pattern: "$costing $less|below $avg NOUN",
        make: |found| priced_beside(found, Comparison::Less),
    },
    Rule {
        name: "rows_above_average",
        pattern: "NOUN in|of|from|during? WINDOW? that_are|which_are|are? above|over|higher_than|larger_than|bigger_than|greater_than the|our? average|mean NOUN?",
        make: |found| worth_beside(found, Comparison::Greater),
    },
    Rule {
        name: "rows_below_average",
        pattern: "NOUN in|of|from|during? WINDOW? that_are|which_are|are? below|under|lower_than|smaller_than the|our? average|mean NOUN?",
        make: |found| worth_beside(found, Comparison::Less),
    },
    Rule {
        name: "above_average_of_their",
        pattern: "$more|above|over $avg NOUN of|for|in|within|among|at $their|its|the_same|same|own NOUN",
        make: |found| above_own(found, Comparison::Greater),
    },
    Rule {
        name: "below_average_of_their",
        pattern: "$less|below|under $avg NOUN of|for|in|within|among|at $their|its|the_same|same|own NOUN",
        make: |found| above_own(found, Comparison::Less),
    },
    Rule {
        name: "more_than_average_of_their",
        pattern: "more|higher|larger|bigger|longer|greater NOUN than $avg of|for|in|within|among|at $their|its|the_same|same|own NOUN",
        make: |found| above_own(found, Comparison::Greater),
    },
    Rule {
        name: "less_than_average_of_their",
        pattern: "less|lower|smaller|fewer|shorter NOUN than $avg of|for|in|within|among|at $their|its|the_same|same|own NOUN",
        make: |found| above_own(found, Comparison::Less),
    },
    Rule {
        name: "column_above_average_of_their",
        pattern: "NOUN $yes? $more|above|over $avg of|for|in|within|among|at $their|its|the_same|same|own NOUN",
        make: |found| above_own(found, Comparison::Greater),
    },
    Rule {
        name: "column_below_average_of_their",
        pattern: "NOUN $yes? $less|below|under $avg of|for|in|within|among|at $their|its|the_same|same|own NOUN",
        make: |found| above_own(found, Comparison::Less),
    },
    Rule {
        name: "above_average",
        pattern: "$more $avg going_by|by|in? NOUN",
        make: |found| above(found, Comparison::Greater),
    },
    Rule {
        name: "below_average",
        pattern: "$less $avg going_by|by|in? NOUN",
        make: |found| above(found, Comparison::Less),
    },
    Rule {
        name: "above_average_of",
        pattern: "$more_than_average number_of? NOUN",
        make: |found| above(found, Comparison::Greater),
    },
    Rule {
        name: "below_average_of",
        pattern: "$less_than_average number_of? NOUN",
        make: |found| above(found, Comparison::Less),
    },
    Rule {
        name: "more_than_average_has",
        pattern: "more|higher|larger|bigger|longer NOUN than average|usual|typical|the_average NOUN?",
        make: |found| above(found, Comparison::Greater),
    },
    Rule {
        name: "fewer_than_average_has",
        pattern: "fewer|less|lower|smaller|shorter NOUN than average|usual|typical|the_average NOUN?",
        make: |found| above(found, Comparison::Less),
    },
    Rule {
        name: "column_above_average",
        pattern: "NOUN $yes? $more $avg",
        make: |found| above(found, Comparison::Greater),
    },
    Rule {
        name: "column_below_average",
        pattern: "NOUN $yes? $less $avg",
        make: |found| above(found, Comparison::Less),
    },
];

fn above(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let noun = found.noun(0)?.as_column()?;
    condition(Pred::Summary(Attr::Noun(noun), operator, Aggregate::Avg, Among::All))
}

/// *cost more than the average dessert*: of those with the value, or of all rows.
fn priced_beside(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let price = |among| Part::Where(Pred::Summary(Attr::Price(found.words), operator, Aggregate::Avg, among));
    let such = match found.value(0) {
        Some(value) => Pred::Is { values: vec![value], column: None, negated: false },
        None => {
            let rows = Part::Subject(found.noun(0)?.as_table()?);
            return Some(Phrase::Part(Part::All(vec![rows, price(Among::All)])));
        }
    };
    Some(Phrase::Part(Part::All(vec![Part::Where(such), price(Among::These)])))
}

/// *invoices above average*: by what they are worth.
fn worth_beside(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let worth = Attr::Amount(rows.clone());
    // *above the average invoice* names the rows once more, and nothing else.
    if found.noun(1).is_some_and(|again| again.tables.first() != rows.tables.first()) {
        return None;
    }
    let beside = Part::Where(Pred::Summary(worth, operator, Aggregate::Avg, Among::All));
    let window = found.window(0).map(|window| Part::Where(Pred::In(None, window)));
    Some(Phrase::Part(Part::All([Part::Subject(rows), beside].into_iter().chain(window).collect())))
}

/// *above the average price of their category*.
fn above_own(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let [noun, group] = [0, 1].map(|at| found.noun(at).and_then(|noun| noun.as_column()));
    condition(Pred::Summary(Attr::Noun(noun?), operator, Aggregate::Avg, Among::Same(group?)))
}
