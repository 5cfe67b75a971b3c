//! The value below which so many percent of the values lie: *median price*, *90th percentile of order value*, *p95 of the duration*.

use super::measures::measure;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Attr, Measure};
use crate::rules::grammar::matched::Matched;

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
];

/// Of a column, or of what the rows of a table come to.
fn percentile(found: &Matched<'_>, percent: u64) -> Option<Phrase> {
    let percent = u8::try_from(percent).ok().filter(|percent| (1..100).contains(percent))?;
    let noun = found.noun(0)?;
    let attr = match noun.table_score() > noun.column_score() {
        true => Attr::Amount(noun.as_table()?),
        false => Attr::Noun(noun.as_column()?),
    };
    measure(Measure::Percentile(percent, attr))
}
