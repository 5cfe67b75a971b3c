//! The value below which so many percent of the values lie: *median price*, *90th percentile of order value*, *p95 of the duration*.

use super::measures::{measure, worth_of};
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Take};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "median",
        pattern: "$median NOUN",
        make: |found| measure(Measure::Percentile(50, Attr::Noun(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "median_row",
        pattern: "$median NOUN $amount?",
        make: |found| measure(Measure::Percentile(50, Attr::Amount(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "nth_percentile",
        pattern: "ORDINAL percentile of|for|in? the|all|our? NOUN $amount?",
        make: |found| percentile(found, found.before()? + 1),
    },
    Rule {
        name: "percentile_after",
        pattern: "NOUN $amount? at? ORDINAL percentile",
        make: |found| percentile(found, found.before()? + 1),
    },
    Rule {
        name: "percentile_by_letter",
        pattern: "p10|p25|p50|p75|p90|p95|p99 of|for? the|all|our? NOUN $amount?",
        make: |found| {
            let said = found.lattice.question.word(found.words.start);
            percentile(found, said.trim_start_matches('p').parse().ok()?)
        },
    },
    Rule {
        name: "quartile",
        pattern: "first|lower|third|upper quartile of|for|in? the|all|our? NOUN $amount?",
        make: |found| percentile(found, if found.says(&["third", "upper"]) { 75 } else { 25 }),
    },
    Rule {
        name: "deviation_of",
        pattern: "standard_deviation|std_dev|std_deviation|stddev|standard_deviations|sd|variance of|in|for the|all|our|their? NOUN",
        make: deviation,
    },
    Rule {
        name: "column_deviation",
        pattern: "NOUN standard_deviation|std_dev|stddev|variance",
        make: deviation,
    },
    Rule {
        name: "mode_of",
        pattern: "mode|modal_value|most_frequent_value|most_common_value of|for|in the|all|our|their? NOUN",
        make: |found| {
            let (by, direction) = (By::Measure(Measure::Count(None)), Direction::Descending);
            let most = Take { by, direction, open: false, each: None, alone: true };
            let value = Part::Key(Key::Noun(found.noun(0)?.as_column()?));
            all(vec![value, Part::Limit(1), Part::Take(most)])
        },
    },
];

/// How far the values of a column lie from their mean.
fn deviation(found: &Matched<'_>) -> Option<Phrase> {
    let spread = if found.says(&["variance"]) { Aggregate::Variance } else { Aggregate::Deviation };
    measure(Measure::Of(spread, Attr::Noun(found.noun(0)?.as_column()?)))
}

/// Of a column, or of what the rows of a table come to.
fn percentile(found: &Matched<'_>, percent: u64) -> Option<Phrase> {
    let percent = u8::try_from(percent).ok().filter(|percent| (1..100).contains(percent))?;
    measure(Measure::Percentile(percent, worth_of(&found.noun(0)?)?))
}
