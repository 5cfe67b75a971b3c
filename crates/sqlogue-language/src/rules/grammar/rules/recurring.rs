//! What running contracts bring in: *MRR by plan*, *annual recurring revenue*.

use super::measures::measure;
use crate::rules::grammar::chart::Rule;
use crate::rules::grammar::form::{Attr, Measure};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "recurring_each_month",
        pattern: "total|overall|current|present|today's|our|an|a? $recurring_monthly",
        make: |found| measure(Measure::Of(Aggregate::Sum, monthly(found))),
    },
    Rule {
        name: "recurring_each_year",
        pattern: "total|overall|current|present|today's|our|an|a? $recurring_yearly",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Times(12.0, Box::new(monthly(found))))),
    },
    Rule {
        name: "usual_recurring",
        pattern: "$avg $recurring_monthly",
        make: |found| measure(Measure::Of(Aggregate::Avg, monthly(found))),
    },
    Rule {
        name: "median_recurring",
        pattern: "$median $recurring_monthly",
        make: |found| measure(Measure::Percentile(50, monthly(found))),
    },
];

fn monthly(found: &Matched<'_>) -> Attr {
    Attr::Recurring(found.words)
}
