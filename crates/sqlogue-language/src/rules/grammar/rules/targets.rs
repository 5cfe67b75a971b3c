//! What groups come to beside a number of their own: *customers who owe more than their credit limit*, *reps below their target this
//! month*, *projects whose payments exceed the budget*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Noun, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Comparison};

/// Words for less than what is named behind them.
const LESS: [&str; 11] =
    ["less", "below", "under", "behind", "short", "missed", "miss", "misses", "missing", "failed", "not"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "owes_beside_limit",
        pattern: "who|that|which? still|currently? owe|owes|owing|owed us? more|less than $their NOUN",
        make: |found| owed_beside(found, found.noun(0)?),
    },
    Rule {
        name: "over_credit_limit",
        pattern: "who|that|which? $yes|have|has|went|gone? over|above|beyond|past|exceeding|exceed|exceeds|exceeded|under|below|within? $their? NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let word = |at: usize| found.lattice.question.word(at);
            let is_limit = noun.words.end.checked_sub(1).is_some_and(|at| word(at) == "limit");
            let is_of_credit = (noun.words.start..noun.words.end).any(|at| word(at) == "credit");
            let says_side = found.words.start < noun.words.start && !found.says(&["within"]);
            (is_limit && is_of_credit && says_side).then(|| owed_beside(found, noun)).flatten()
        },
    },
    Rule {
        name: "measure_beside_own_column",
        pattern: "$with|where|whose? $their? MEASURE in|during? WINDOW? $yes|has? $more|above|over|exceeds|exceed|exceeded|exceeding|$less|below|under $their NOUN",
        make: |found| beside(found, found.measure(0)?, found.noun(0)?),
    },
    Rule {
        name: "rows_beside_own_column",
        pattern: "where|whose $their? NOUN $yes|has|have? $more|above|over|exceeds|exceed|exceeded|$less|below|under $their NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            beside(found, Measure::Of(Aggregate::Sum, Attr::Amount(rows)), found.noun(1)?)
        },
    },
    Rule {
        name: "beside_target",
        pattern: "who|that|which? $yes|have|has|did|do|does? not|n't? below|under|behind|short_of|missed|miss|misses|missing|above|over|beat|beats|exceed|exceeds|exceeded|reached|reach|reaches|met|meet|meets|hit|hits|failed_to_reach|failed_to_meet|failed_to_hit|achieved|achieve $their? sales|revenue? NOUN",
        make: |found| {
            let target = found.noun(0)?;
            let said = Words::new(found.words.start, target.words.start);
            let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(said));
            (is_target(found, &target) && said.end > said.start)
                .then(|| beside(found, revenue, target))
                .flatten()
        },
    },
    Rule {
        name: "sold_beside_target",
        pattern: "who|that|which? have|has? not|n't? sold|earned|made|billed|invoiced|booked|closed|brought_in|turned_over|taken|took in? more|less than $their? yearly|annual|monthly|quarterly|sales|revenue|own? NOUN",
        make: |found| {
            let target = found.noun(0)?;
            let said = Words::new(found.words.start, target.words.start);
            let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(said));
            is_target(found, &target).then(|| beside(found, revenue, target)).flatten()
        },
    },
];

fn is_target(found: &Matched<'_>, noun: &Noun) -> bool {
    let said = noun.words.end.checked_sub(1).map_or("", |at| found.lattice.question.word(at));
    matches!(said, "target" | "targets" | "quota" | "quotas" | "goal" | "goals")
}

/// A measure of each beside a column of it.
fn beside(found: &Matched<'_>, measure: Measure, column: Noun) -> Option<Phrase> {
    all(compared(found, measure, &column)?)
}

fn compared(found: &Matched<'_>, measure: Measure, column: &Noun) -> Option<Vec<Part>> {
    let column_fits = column.column_score() >= column.table_score();
    let own = column.as_column().filter(|_| column_fits)?;
    let meets = ["reached", "reach", "reaches", "met", "meet", "meets", "hit", "hits", "achieved", "achieve"];
    let operator = match () {
        () if found.says(&LESS) => Comparison::Less,
        () if found.says(&meets) => Comparison::GreaterOrEqual,
        () => Comparison::Greater,
    };
    let bound = Part::Having(Having { measure, operator, with: Against::Own(own) });
    let window = found.window(0).map(|window| Part::Where(Pred::In(None, window)));
    Some(std::iter::once(bound).chain(window).collect())
}

/// What is unpaid beside what may be.
fn owed_beside(found: &Matched<'_>, limit: Noun) -> Option<Phrase> {
    let said = Words::new(found.words.start, limit.words.start);
    let total = Measure::Of(Aggregate::Sum, Attr::Revenue(said));
    let unpaid = Part::Where(Pred::Open { end: Some("paid".to_owned()), late_on: None });
    let compared = compared(found, total, &limit)?;
    all(std::iter::once(unpaid).chain(compared).collect())
}
