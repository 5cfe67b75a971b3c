//! The time between two things that happened, which rows of two tables may tell: *customers who ordered within 30 days of joining*,
//! *average time between joining and first order*, *how long after ordering are orders shipped?*

use super::conditions::condition;
use super::durations::in_units;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Measure, Noun, Per, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::units;
use sqlogue_sql::plan::{Aggregate, Comparison, TimeUnit};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rows_soon_after",
        pattern: "who|that|which? have|has|had? placed|made|booked|had|took|opened|$light_verb? first? NOUN within|inside|in_under|less_than|in_less_than|no_more_than|at_most NUM? a|an|one? minutes|hours|days|weeks|months|minute|hour|day|week|month of|after|from|since being? EVENT",
        make: |found| soon_after(found, true),
    },
    Rule {
        name: "rows_made_soon_after",
        pattern: "NOUN that|which? $yes? placed|made|booked|taken|opened|written|given|sold|received within|inside|in_under|less_than|in_less_than|no_more_than|at_most NUM? a|an|one? minutes|hours|days|weeks|months|minute|hour|day|week|month of|after|from|since being? EVENT",
        make: |found| {
            let Some(Phrase::Part(soon)) = soon_after(found, true) else { return None };
            all(vec![Part::Subject(found.noun(0)?.as_table()?), soon])
        },
    },
    Rule {
        name: "done_weeks_after",
        pattern: "$yes? NOUN within|inside|in_under|less_than|in_less_than NUM? a|an|one? weeks|week|day|hour|month of|after|from|since being? EVENT",
        make: |found| soon_after(found, false),
    },
    Rule {
        name: "time_to_first_row",
        pattern: "$avg|$median? number_of? time|days|hours|weeks|delay|gap|interval|how_long|how_many_days that_passes|passing|it_takes|is_it? from|between EVENT to|and|until|till|before $their|a? first|very_first|initial NOUN",
        make: |found| to_first(found, found.noun(0)?),
    },
    Rule {
        name: "how_long_after_first_row",
        pattern: "how_long|how_many_days|how_much_time|how_soon|how_quickly after EVENT do|does|did|is|was|are|were NOUN? $light_verb|place|make|book|order|take|usually_place? $their|a? first|very_first NOUN placed|made?",
        make: |found| to_first(found, found.noun(1).or_else(|| found.noun(0))?),
    },
    Rule {
        name: "how_long_until_first_row",
        pattern: "how_long|how_many_days does|did|do it take|takes|took? for? NOUN to|until|before place|make|book|have|they_place|they_make? $their|a? first|very_first NOUN after|from|since EVENT",
        make: |found| to_first(found, found.noun(1)?),
    },
    Rule {
        name: "how_long_after_done",
        pattern: "how_long|how_many_days|how_many_hours|how_much_time|how_soon|how_quickly after|from being? EVENT is|are|was|were|do|does|did we|they|you? NOUN? first|finally|usually? NOUN",
        make: how_long_after,
    },
];

/// How long it took from what happened to the rows that are named first, or until something was done.
fn soon_after(found: &Matched<'_>, by_rows: bool) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let (start, end) = (noun.words.end, found.words.end);
    let word = |at: usize| found.lattice.question.word(at);
    let is_one = (start..end).any(|at| matches!(word(at), "a" | "an" | "one"));
    let many = found.number(0).or_else(|| is_one.then_some(Value::Integer(1)))?;
    let (unit, many) = (start..end).find_map(|at| {
        in_units(word(at), many.clone()).or_else(|| Some((units::measured(word(at))?, many.clone())))
    })?;
    let done = match by_rows {
        true => Attr::When(noun.as_table()?),
        false => Attr::Noun(noun.as_column()?),
    };
    let passed = Attr::Between(Box::new(found.event(0)?), Box::new(done), unit);
    // What was done before is not done soon after.
    let soon = match by_rows {
        true => Pred::Range(passed, Value::Integer(0), many),
        false => Pred::Compare(passed, Comparison::LessOrEqual, many),
    };
    let Some(Phrase::Part(soon)) = condition(soon) else { return None };
    let asks_who = found.words.start == 0 && word(0) == "who";
    all(asks_who.then_some(Part::Names).into_iter().chain([soon]).collect())
}

/// The mean, over those with whom something happened, of the time until their first row.
fn to_first(found: &Matched<'_>, rows: Noun) -> Option<Phrase> {
    let from = found.event(0)?;
    let Attr::Noun(happened) = &from else { return None };
    let whose = Per::Row(happened.clone());
    let passed = Attr::Between(Box::new(from.clone()), Box::new(Attr::When(rows.as_table()?)), unit(found));
    let first = Measure::Of(Aggregate::Min, passed);
    Some(Phrase::Measure(Measure::Mean(Box::new(first), whose)))
}

/// The mean time from one date of a row to another.
fn how_long_after(found: &Matched<'_>) -> Option<Phrase> {
    let last = found.noun(1).or_else(|| found.noun(0))?;
    let done = Attr::Noun(last.as_column()?);
    let passed = Attr::Between(Box::new(found.event(0)?), Box::new(done), unit(found));
    let mean = Part::Measure(Measure::Of(Aggregate::Avg, passed));
    let rows = found.noun(1).and_then(|_| found.noun(0)?.as_table()).map(Part::Subject);
    all(rows.into_iter().chain([mean]).collect())
}

/// Days, where no hours are spoken of.
fn unit(found: &Matched<'_>) -> TimeUnit {
    if found.says(&["hours"]) { TimeUnit::Hour } else { TimeUnit::Day }
}
