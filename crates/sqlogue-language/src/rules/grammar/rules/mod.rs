//! The grammar's rows, one file for each family of constructions.
//!
//! To add a construction, add a row: its name, its pattern, what it means, and three questions on the library schema with
//! the SQL they must give. The questions are its test.

mod above;
mod absence;
mod again;
mod allowed_time;
mod alternatives;
mod another_summary;
mod asides;
mod averages;
mod banded;
mod banding;
mod beside;
mod best;
mod billed;
mod bought;
mod cells;
mod columns_asked;
mod columns_compared;
mod comparatives;
mod comparisons;
mod compounds;
mod conditions;
mod contests;
mod costs;
mod counted;
mod defined;
mod differences;
mod discounts;
mod dropped;
mod duplicates;
mod durations;
mod elapsed;
mod ends;
mod every;
mod exclusively;
mod extremes;
mod firsts;
mod flags;
mod follow_ups;
mod intervals;
mod keys;
mod last_times;
mod long_ago;
mod lookups;
mod means;
mod measures;
mod most;
mod moving;
mod of_first;
mod order;
mod owed;
mod own_average;
mod percent;
mod percentages;
mod percentiles;
mod places;
mod portions;
mod prices;
mod profits;
mod rates;
mod rates_of_rows;
mod recurring;
mod rows;
mod set_aside;
mod shares;
mod sides;
mod since_last;
mod spending;
mod spoken;
mod spread;
pub(in crate::rules) mod states;
mod states_apart;
mod stocked;
mod summaries;
mod superiors;
mod takes;
mod targets;
mod together;
mod two_periods;
mod utmost;
mod versus;
mod waiting;
mod whose;
mod within;

use super::chart::Rule;

/// The families, in the order in which their rows run at one token: a row may begin with what an earlier one has made.
const FAMILIES: &[&[Rule]] = &[
    measures::RULES,
    recurring::RULES,
    discounts::RULES,
    profits::RULES,
    stocked::RULES,
    summaries::RULES,
    costs::RULES,
    defined::RULES,
    prices::RULES,
    conditions::RULES,
    flags::RULES,
    states::RULES,
    long_ago::RULES,
    rates::RULES,
    cells::RULES,
    averages::RULES,
    columns_compared::RULES,
    own_average::RULES,
    beside::RULES,
    comparatives::RULES,
    above::RULES,
    durations::RULES,
    elapsed::RULES,
    waiting::RULES,
    last_times::RULES,
    intervals::RULES,
    since_last::RULES,
    keys::RULES,
    banding::RULES,
    ends::RULES,
    contests::RULES,
    sides::RULES,
    states_apart::RULES,
    places::RULES,
    extremes::RULES,
    rows::RULES,
    means::RULES,
    targets::RULES,
    allowed_time::RULES,
    exclusively::RULES,
    every::RULES,
    absence::RULES,
    alternatives::RULES,
    dropped::RULES,
    set_aside::RULES,
    shares::RULES,
    rates_of_rows::RULES,
    percentages::RULES,
    percentiles::RULES,
    versus::RULES,
    differences::RULES,
    counted::RULES,
    again::RULES,
    comparisons::RULES,
    utmost::RULES,
    moving::RULES,
    within::RULES,
    takes::RULES,
    portions::RULES,
    best::RULES,
    billed::RULES,
    bought::RULES,
    most::RULES,
    firsts::RULES,
    of_first::RULES,
    columns_asked::RULES,
    order::RULES,
    asides::RULES,
    banded::RULES,
    percent::RULES,
    compounds::RULES,
    duplicates::RULES,
    spending::RULES,
    together::RULES,
    two_periods::RULES,
    spread::RULES,
    superiors::RULES,
    spoken::RULES,
    lookups::RULES,
    whose::RULES,
    owed::RULES,
];

/// All rows, in that order.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().copied().flatten()
}

/// The rows that make sense only after an answer.
pub(super) fn for_follow_ups() -> impl Iterator<Item = &'static Rule> {
    [follow_ups::RULES, another_summary::RULES].into_iter().flatten()
}
