//! The time between one row and the next: *average days between orders*, *how long is it between two visits of a patient?*

use super::measures::measure;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::Measure;
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, TimeUnit};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "time_between_rows",
        pattern: "$avg|$median|longest|shortest|largest|biggest|smallest|maximum|minimum? number_of? time|gap|interval|pause|break|wait between|in_between two|consecutive|successive|subsequent|each|their|our|the|one? NOUN of|by|for? a|an|one|the_same|each|any|a_single? NOUN?",
        make: |found| between(found, TimeUnit::Day),
    },
    Rule {
        name: "units_between_rows",
        pattern: "$avg|$median|maximum|minimum? number_of? MEASURED between|in_between two|consecutive|successive|subsequent|each|their|our|the|one? NOUN of|by|for? a|an|one|the_same|each|any|a_single? NOUN?",
        make: |found| between(found, found.measured()?),
    },
    Rule {
        name: "how_long_between_rows",
        pattern: "how_long|how_much_time is_it|does_it_take|is_there|passes|goes_by|is|lies|pass? between|in_between two|consecutive|successive|subsequent|each|their|our|the|one? NOUN of|by|for? a|an|one|the_same|each|any|a_single? NOUN? on_average|typically|usually?",
        make: |found| between(found, TimeUnit::Day),
    },
    Rule {
        name: "how_many_units_between_rows",
        pattern: "how_many MEASURED are_there|pass|go_by|lie|are? between|in_between two|consecutive|successive|subsequent|each|their|our|the|one? NOUN of|by|for? a|an|one|the_same|each|any|a_single? NOUN? on_average|typically|usually?",
        make: |found| between(found, found.measured()?),
    },
];

/// Between rows of one table; *between order and delivery* lies one row's own time.
fn between(found: &Matched<'_>, unit: TimeUnit) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let word = |at: usize| found.lattice.question.word(at);
    let last = found.lattice.question.tokens.get(rows.words.end.checked_sub(1)?)?;
    let are_several = last.stem != last.lower;
    let goes_on = matches!(word(rows.words.end), "and" | "to" | "until");
    let whose = match found.noun(1) {
        Some(noun) => Some(noun.as_table()?),
        None => None,
    };
    let summary = match () {
        () if found.says(&["longest", "largest", "biggest", "maximum"]) => Aggregate::Max,
        () if found.says(&["shortest", "smallest", "minimum"]) => Aggregate::Min,
        () if found.says(&["median"]) => Aggregate::MEDIAN,
        () => Aggregate::Avg,
    };
    (are_several && !goes_on).then(|| measure(Measure::Interval(summary, rows, whose, unit))).flatten()
}
