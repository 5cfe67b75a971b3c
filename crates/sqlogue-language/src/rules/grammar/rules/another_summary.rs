//! The same numbers summed up in another way, after an answer: *average instead of total*, *switch from mean to median*.

use super::follow_ups::{nothing_named, wish};
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Statistic, Wish};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "summary_for_summary",
        pattern: "the? $avg|$sum|$max|$min|$median $instead_of the? $sum|$avg|$max|$min|$median",
        make: |found| another_summary(found, found.words.start),
    },
    Rule {
        name: "summary_in_place",
        pattern: "$instead_of the? $sum|$avg|$max|$min|$median ,? the? $avg|$sum|$max|$min|$median",
        make: |found| another_summary(found, found.words.end - 1),
    },
    Rule {
        name: "switch_summary",
        pattern: "switch|change|go|turn it|that|this|them? from the? $sum|$avg|$max|$min|$median to|into the? $avg|$sum|$max|$min|$median",
        make: |found| another_summary(found, found.words.end - 1),
    },
    Rule {
        name: "summary_alone",
        pattern: "$convert|$back_to the? $avg|$sum|$max|$min|$median instead|please?",
        make: |found| nothing_named(found, another_summary(found, found.words.end - 1)),
    },
];

/// The same numbers summed up in another way, by a word near the one given.
fn another_summary(found: &Matched<'_>, near: usize) -> Option<Phrase> {
    let backwards = near > found.words.start;
    let mut places: Vec<usize> = (found.words.start..found.words.end).collect();
    if backwards {
        places.reverse();
    }
    let summary = places.into_iter().find_map(|at| statistic(found.lattice.question.word(at)))?;
    wish(Wish::Summary(summary))
}

/// The summary that a word names.
fn statistic(word: &str) -> Option<Statistic> {
    Some(match word {
        "average" | "mean" | "avg" | "averages" => Statistic::Of(Aggregate::Avg),
        "total" | "sum" | "totals" | "sums" => Statistic::Of(Aggregate::Sum),
        "maximum" | "max" | "highest" | "largest" | "biggest" => Statistic::Of(Aggregate::Max),
        "minimum" | "min" | "lowest" | "smallest" => Statistic::Of(Aggregate::Min),
        "median" => Statistic::Median,
        _ => return None,
    })
}
