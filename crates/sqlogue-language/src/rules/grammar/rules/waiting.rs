//! How long something takes until its end: *average delivery time in days*, *how many days does a batch take from brewing to
//! packaging*, *how long do clients take to pay*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Pred, Waiting};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, TimeUnit};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "average_time_to_event",
        pattern: "$avg NOUN time|times|duration|delay|speed in|,? MEASURED?",
        make: |found| waited(found, Aggregate::Avg),
    },
    Rule {
        name: "longest_time_to_event",
        pattern: "$max NOUN time|times|duration|delay in|,? MEASURED?",
        make: |found| waited(found, Aggregate::Max),
    },
    Rule {
        name: "units_from_event_to_event",
        pattern: "$avg? $how_many MEASURED does|do|did a|an|the|each|every? NOUN take|need|last|spend|wait|usually_take|takes on_average|typically? from|between EVENT to|and|until|till EVENT on_average|typically?",
        make: from_to,
    },
    Rule {
        name: "how_long_from_event_to_event",
        pattern: "how_long does|do|did a|an|the|each|every? NOUN take|need|last|spend|wait|usually_take|takes on_average|typically? from|between EVENT to|and|until|till EVENT on_average|typically?",
        make: from_to,
    },
    Rule {
        name: "units_until_they_do",
        pattern: "how_long|how_many_days do|does|did NOUN take|need|wait|usually_take|takes on_average|typically? to|until|till|before they|it|we? NOUN us|it|them? on_average|typically?",
        make: |found| {
            found.noun(0)?.as_table()?;
            until(found, found.noun(1)?, Aggregate::Avg)
        },
    },
    Rule {
        name: "time_until_done",
        pattern: "$avg? $how_many|how_long number_of? MEASURED? on_average|typically? does_it_take|does_it_usually_take|it_takes|do_we_take|do_we_need|does_it_take_us|passes|pass|on_the_market|on_market|in_stock|open|waiting? on_average|typically? until|till|before|to NOUN? it|they|we|is|are|was|were|gets|get|has_been|to_be? it|they|we|is|are|was|were|gets|get|been? WORD them|it|us? in_days|in_hours|in_minutes? on_average?",
        make: |found| until_done(found),
    },
    Rule {
        name: "average_time_until_done",
        pattern: "$avg $avg|$how_many|number_of|time? MEASURED on_the_market|on_market|in_stock|open|waiting|passed|needed? until|till|before|to it|they|we|is|are|was|were|gets|get|has_been|to_be? WORD on_average?",
        make: |found| until_done(found),
    },
    Rule {
        name: "time_they_need_to_do",
        pattern: "$avg? $how_many|how_long MEASURED? do|does|did NOUN usually|typically|normally|on_average? need|take|needed|took|wait|spend to|until|till|before|for they|it|we? WORD a|an|the|one|it|them|us? NOUN? ,? on_average|typically?",
        make: |found| until_done(found),
    },
    Rule {
        name: "how_quickly",
        pattern: "how quickly|fast|soon|promptly|slowly do|does|did|are|is|were|was|have|has we|they|you|people|customers? NOUN? been|get|usually|typically|normally? WORD a|an|the|our|their|them|it? NOUN? on_average|typically|usually?",
        make: |found| {
            // A word that names rows is no verb.
            let named = found.named_place().map(|at| found.lattice.nouns(at));
            let is_thing = named?.iter().any(|noun| noun.table_score() >= 0.8);
            (!is_thing).then(|| until_done(found))?
        },
    },
    Rule {
        name: "how_long_they_have_been",
        pattern: "how_long|how_many_days|for_how_long has|have each|every? NOUN already? been already? WHERE",
        make: |found| {
            let parts = vec![Part::Where(found.pred(0)?)];
            still_waiting(found, parts)
        },
    },
    Rule {
        name: "how_long_they_have_waited",
        pattern: "how_long|how_many_days|for_how_long has|have each|every? WHERE? NOUN already? been already? waiting|running|going|open|out|outstanding|pending|unpaid|overdue|on_hold|lying_around",
        make: |found| {
            let state = match found.pred(0) {
                Some(pred) => pred,
                None => Pred::Open { end: None, late_on: None },
            };
            still_waiting(found, vec![Part::Where(state)])
        },
    },
    Rule {
        name: "booked_ahead",
        pattern: "$avg|$how_many? number_of? $avg? MEASURED booked|reserved|made|ordered|bought? in_advance|ahead|beforehand|ahead_of_time|early|earlier do|does|did|are|is|were? NOUN? book|booked|reserve|reserved|buy|order|ordered|made? on_average?",
        make: |found| ahead(found),
    },
    Rule {
        name: "tenure",
        pattern: "$avg? tenure|length_of_service|years_of_service|time_with_us|time_at_the_company|seniority",
        make: |found| {
            let unit = if found.says(&["years"]) { TimeUnit::Year } else { TimeUnit::Day };
            let belonging = Attr::Waited(found.words, Waiting::Belonging, unit);
            Some(Phrase::Measure(Measure::Of(Aggregate::Avg, belonging)))
        },
    },
    Rule {
        name: "tenure_of_each",
        pattern: "how_long|for_how_long|how_many_years|how_many_months|how_many_days|for_how_many_years has|have each|each_of|every|every_one_of the|our? WHERE? NOUN been|worked|served with_us|with_the_company|with_the_firm|with_the_business|here|employed|on_board|at_the_company|in_service|for_us ,? in_years|in_months|in_days?",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let unit = match () {
                () if found.says(&["years"]) => TimeUnit::Year,
                () if found.says(&["months"]) => TimeUnit::Month,
                () => TimeUnit::Day,
            };
            let belonging = Measure::Of(Aggregate::Max, Attr::Waited(found.words, Waiting::Belonging, unit));
            let state = found.pred(0).map(Part::Where);
            let parts = [Part::Key(Key::Noun(rows)), Part::Measure(belonging)];
            Some(Phrase::Part(Part::All(state.into_iter().chain(parts).collect())))
        },
    },
    Rule {
        name: "so_many_days_late",
        pattern: "by? $avg|$how_many number_of? MEASURED late|too_late|behind_schedule|of_delay|delayed|past_the_due_date|after_the_due_date|past_due on_average?",
        make: late_by,
    },
    Rule {
        name: "by_so_many_days",
        pattern: "by $how_many MEASURED on_average|typically|usually?",
        make: |found| {
            let tokens = 0..found.lattice.question.tokens.len();
            let late = |at: usize| matches!(found.lattice.question.word(at), "late" | "overdue" | "delayed");
            tokens.into_iter().any(late).then(|| late_by(found)).flatten()
        },
    },
    Rule {
        name: "average_delay",
        pattern: "$avg delay|lateness|delays of|for|in? NOUN? in? MEASURED?",
        make: |found| {
            // A column may tell the delay.
            let delay = (found.words.start..found.words.end).flat_map(|at| found.lattice.nouns(at));
            let mut told = delay.filter(|noun| found.noun(0).is_none_or(|rows| noun.words != rows.words));
            (!told.any(|noun| noun.column_score() >= 0.5)).then(|| late_by(found))?
        },
    },
    Rule {
        name: "how_far_ahead",
        pattern: "$avg? how_far|how_long|how_much_time|how_early|lead_time|time booked|reserved? in_advance|ahead|beforehand|ahead_of_time do|does|did|are|is|were? NOUN? book|booked|reserve|reserved|buy|order|ordered|made? on_average?",
        make: |found| ahead(found),
    },
    Rule {
        name: "between_booking_and_start",
        pattern: "$avg|$how_many? number_of? $avg? MEASURED $pass? on_average? between|from booking|reserving|reservation and|to|until NOUN",
        make: |found| ahead(found),
    },
];

/// Each of those that still wait, with the time since it began, or since it was due where it is overdue.
fn still_waiting(found: &Matched<'_>, mut parts: Vec<Part>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let late = found.lattice.question.word(found.words.end - 1) == "overdue";
    let how = if late { Waiting::Overdue } else { Waiting::Still };
    if late {
        parts = vec![Part::Where(Pred::Open { end: None, late_on: Some(found.lattice.today) })];
    }
    let waited = Measure::Of(Aggregate::Max, Attr::Waited(found.words, how, TimeUnit::Day));
    parts.extend([Part::Key(Key::Noun(rows)), Part::Measure(waited)]);
    Some(Phrase::Part(Part::All(parts)))
}

/// *how many days* is one thing: the days are not counted beside a number of rows.
pub(super) fn whole(found: &Matched<'_>) -> Option<()> {
    let before = found.words.start.checked_sub(1).map_or("", |at| found.lattice.question.word(at));
    (before != "many").then_some(())
}

/// From when it began until what the last verb says was done.
fn until_done(found: &Matched<'_>) -> Option<Phrase> {
    whole(found)?;
    let verb = found.named_word()?;
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let waited = Attr::Waited(found.words, Waiting::Until(verb), unit);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, waited)))
}

/// From the day it was due until it was done.
fn late_by(found: &Matched<'_>) -> Option<Phrase> {
    whole(found)?;
    let waited = Attr::Waited(found.words, Waiting::Late, found.measured().unwrap_or(TimeUnit::Day));
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, waited)))
}

/// From the booking until it takes place.
fn ahead(found: &Matched<'_>) -> Option<Phrase> {
    whole(found)?;
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let waited = Attr::Waited(found.words, Waiting::Ahead, unit);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, waited)))
}

/// *average delivery time*: from the beginning of a row to the date that the noun names.
fn waited(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    until(found, found.noun(0)?, function)
}

fn until(found: &Matched<'_>, end: Noun, function: Aggregate) -> Option<Phrase> {
    let end = end.as_column()?;
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let passed = Attr::Between(Box::new(Attr::Begin(end.clone())), Box::new(Attr::Noun(end)), unit);
    Some(Phrase::Measure(Measure::Of(function, passed)))
}

fn from_to(found: &Matched<'_>) -> Option<Phrase> {
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let passed = Attr::Between(Box::new(found.event(0)?), Box::new(found.event(1)?), unit);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, passed)))
}
