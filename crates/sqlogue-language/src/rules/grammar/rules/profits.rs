//! What is left of what was taken in: *profit by section*, *profit margin*, *which branches lose money*.

use super::measures::measure;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "profit",
        pattern: "$sum? $profit",
        make: |found| {
            // *profit margin* is a percentage.
            let word = |at: usize| found.lattice.question.word(at);
            let is_share = word(found.words.end) == "margin"
                || word(found.words.end - 1) == "margin"
                    && found.words.start.checked_sub(1).is_some_and(|before| word(before) == "profit");
            (!is_share).then(|| measure(Measure::Of(Aggregate::Sum, Attr::Profit(found.words)))).flatten()
        },
    },
    Rule {
        name: "profit_in_percent",
        pattern: "$avg? $profit margin|in_percent|percentage|in_%|rate|as_a_percentage|percent|%",
        make: |found| margin(found),
    },
    Rule {
        name: "margin_in_percent",
        pattern: "percentage|percent|%|relative $profit",
        make: |found| margin(found),
    },
    Rule {
        name: "loses_money",
        pattern: "that|which? $yes? do|does|did|is|are? not|n't? lose|loses|losing|lost|make|makes|making|made|running|run|operating money|a_loss|losses|at_a_loss",
        make: |found| {
            let word = |at: usize| found.lattice.question.word(at);
            let loses = (found.words.start..found.words.end)
                .any(|at| matches!(word(at), "lose" | "loses" | "losing" | "lost" | "loss" | "losses"));
            let negated = (found.words.start..found.words.end).any(|at| matches!(word(at), "not" | "n't"));
            let measure = Measure::Of(Aggregate::Sum, Attr::Profit(found.words));
            let with = Against::Value(Value::Integer(0));
            let less = Part::Having(Having { measure, operator: Comparison::Less, with });
            (loses && !negated).then_some(Phrase::Part(less))
        },
    },
];

/// What part of the revenue is left as profit, in percent.
fn margin(found: &Matched<'_>) -> Option<Phrase> {
    let Words { start, end } = found.words;
    let profit = Measure::Of(Aggregate::Sum, Attr::Profit(found.words));
    let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(start, end - 1)));
    measure(Measure::Percent(Box::new(profit), Box::new(revenue)))
}

/// *a margin under 30 %* is of the revenue.
pub(super) fn in_percent(found: &Matched<'_>) -> Option<Measure> {
    let measure = found.measure(0)?;
    let says = |at: usize| matches!(found.lattice.question.word(at), "%" | "percent" | "cent");
    Some(match measure {
        Measure::Of(Aggregate::Sum, Attr::Profit(profit)) if (profit.end..found.words.end).any(says) => {
            let revenue = Attr::Revenue(Words::new(profit.end, profit.end + 1));
            let revenue = Measure::Of(Aggregate::Sum, revenue);
            Measure::Percent(Box::new(measure), Box::new(revenue))
        }
        measure => measure,
    })
}
