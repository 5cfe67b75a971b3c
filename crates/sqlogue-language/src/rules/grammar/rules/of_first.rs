//! The first rows of everybody, and those that came later: *revenue from first orders*, *how much was each customer's last order*,
//! *income from repeat bookings*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Pred};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "measure_of_first",
        pattern: "MEASURE from|of|on|by|in|with|for|at|through customers|clients|everyone|people? first|initial|first-time|very_first|first_ever NOUN",
        make: |found| of_end(found, Pred::Utmost(rows(found, 0)?, Aggregate::Min, true)),
    },
    Rule {
        name: "measure_of_repeated",
        pattern: "MEASURE from|of|on|by|in|with|for|at|through repeat|repeated|later|subsequent|further|follow-up NOUN",
        make: |found| of_end(found, Pred::Utmost(rows(found, 0)?, Aggregate::Min, false)),
    },
    Rule {
        name: "worth_of_first",
        pattern: "$avg value|size|amount|worth of first|initial|first-time|very_first NOUN",
        make: |found| {
            let of = rows(found, 0)?;
            let mean = Part::Measure(Measure::Of(Aggregate::Avg, Attr::Amount(of.clone())));
            all(vec![mean, Part::Where(Pred::Utmost(of, Aggregate::Min, true))])
        },
    },
    Rule {
        name: "worth_of_their_first",
        pattern: "how_much|what|value_of|amount_of|worth_of|total_of|size_of was|is|were|did? each|every NOUN 's|'|spend|spent|pay|paid? on|for|in|with? $their? first|last|latest|most_recent|very_first NOUN worth|cost|come_to?",
        make: of_each,
    },
    Rule {
        name: "their_first_with_its_worth",
        pattern: "first|last|latest|most_recent|very_first NOUN of|by|from|for each|every NOUN with|and|,|plus|including $their? amount|value|total|worth|total_amount|total_value|order_total",
        make: |found| {
            let (of, each) = (rows(found, 0)?, rows(found, 1)?);
            let own = Part::Key(Key::Noun(of.clone()));
            let Some(Phrase::Part(worth)) = worth(found, of, each) else { return None };
            all(vec![worth, own])
        },
    },
];

fn rows(found: &Matched<'_>, at: usize) -> Option<Noun> {
    found.noun(at)?.as_table()
}

fn of_end(found: &Matched<'_>, pred: Pred) -> Option<Phrase> {
    all(vec![Part::Measure(found.measure(0)?), Part::Where(pred)])
}

fn of_each(found: &Matched<'_>) -> Option<Phrase> {
    worth(found, rows(found, 1)?, rows(found, 0)?)
}

/// What the first or the last row of each was worth.
fn worth(found: &Matched<'_>, of: Noun, each: Noun) -> Option<Phrase> {
    let end = if found.says(&["last", "latest", "recent"]) { Aggregate::Max } else { Aggregate::Min };
    let total = Part::Measure(Measure::Of(Aggregate::Sum, Attr::Amount(of.clone())));
    all(vec![Part::Key(Key::Noun(each)), total, Part::Where(Pred::Utmost(of, end, true))])
}
