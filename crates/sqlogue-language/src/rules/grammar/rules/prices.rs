//! Conditions on what things cost: *under 20 euros*, *costs between 5 and 10*, *books over 30*.

use super::conditions::condition;
use super::rows::is_last;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "costs_money",
        pattern: "$costing? OP MONEY",
        make: |found| price(found, found.operator()?),
    },
    Rule {
        name: "costs",
        pattern: "$costing OP NUM $for_each_one?",
        make: |found| price(found, found.operator()?),
    },
    Rule {
        name: "costs_between",
        pattern: "$costing $between NUM and|to|- NUM $for_each_one?",
        make: price_between,
    },
    Rule {
        name: "costs_money_between",
        pattern: "$costing? $between NUM and|to|- MONEY $for_each_one?",
        make: price_between,
    },
    Rule {
        name: "priced_so",
        pattern: "under|over|above|below|up_to|for_less_than NUM $for_each_one?",
        make: |found| {
            let is_price = found.words.start > 0 && is_last(found) && !is_percent(found);
            is_price.then(|| price(found, limit(found)))?
        },
    },
    Rule {
        name: "costs_or_more",
        pattern: "$costing? MONEY $or_more",
        make: |found| price(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "costs_or_less",
        pattern: "$costing? MONEY $or_less",
        make: |found| price(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "rows_at_a_price",
        pattern: "NOUN under|over|above|below|up_to NUM",
        make: |found| {
            let rows = found.noun(0)?;
            let is_row = rows.table_score() > rows.column_score() && !is_percent(found);
            let rows = rows.as_table().filter(|_| is_row)?;
            let said = Words::new(rows.words.end, rows.words.end + 1);
            let costs = Part::Where(Pred::Compare(Attr::Price(said), limit(found), found.number(0)?));
            Some(Phrase::Part(Part::All(vec![Part::Noun(rows), costs])))
        },
    },
    Rule {
        name: "rows_between_prices",
        pattern: "NOUN $between NUM and|to|- NUM",
        make: |found| {
            let rows = found.noun(0)?;
            let is_row = rows.table_score() > rows.column_score() && !is_percent(found);
            let rows = rows.as_table().filter(|_| is_row)?;
            let said = Words::new(rows.words.end, rows.words.end + 1);
            let costs = Pred::Range(Attr::Price(said), found.number(0)?, found.number(1)?);
            Some(Phrase::Part(Part::All(vec![Part::Noun(rows), Part::Where(costs)])))
        },
    },
    Rule {
        name: "costs_nothing",
        pattern: "$yes? free_of_charge|for_free|cost_nothing|costs_nothing|that_cost_nothing|which_cost_nothing|at_no_cost|without_charge|without_a_charge|gratis",
        make: |found| condition(costs_nothing(found)),
    },
    Rule {
        name: "free_rows",
        pattern: "free NOUN",
        make: |found| {
            let rows = Part::Noun(found.noun(0)?.as_table()?);
            Some(Phrase::Part(Part::All(vec![Part::Where(costs_nothing(found)), rows])))
        },
    },
];

fn costs_nothing(found: &Matched<'_>) -> Pred {
    let said = Words::new(found.words.start, found.words.start + 1);
    Pred::Compare(Attr::Price(said), Comparison::Equal, Value::Integer(0))
}

fn price_between(found: &Matched<'_>) -> Option<Phrase> {
    condition(Pred::Range(Attr::Price(found.words), found.number(0)?, found.number(1)?))
}

fn price(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    condition(Pred::Compare(Attr::Price(found.words), operator, found.number(0)?))
}

/// *over 10 %*, which is no price.
fn is_percent(found: &Matched<'_>) -> bool {
    (found.words.start..found.words.end + 1).any(|at| {
        let word = found.lattice.question.word(at);
        word.ends_with('%') || matches!(word, "percent" | "pct")
    })
}

/// What *under*, *over* or *up to* says of the number after it.
fn limit(found: &Matched<'_>) -> Comparison {
    let says = |words: &[&str]| {
        (found.words.start..found.words.end).any(|at| words.contains(&found.lattice.question.word(at)))
    };
    let otherwise = if says(&["up"]) { Comparison::LessOrEqual } else { Comparison::Greater };
    if says(&["under", "below", "less"]) { Comparison::Less } else { otherwise }
}
