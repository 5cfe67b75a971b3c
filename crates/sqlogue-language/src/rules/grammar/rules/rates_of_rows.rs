//! How many of the rows are in a state or came to be so, as a rate: *cancellation rate*, *on-time delivery rate*, *refund rate*.

use super::shares::part_of;
use super::versus::total_of;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Group, Measure, Pred};
use crate::rules::grammar::words::WordLists;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rate",
        pattern: "WHERE NOUN? rate|rates|percentage|share|quota|ratio|percent|%",
        make: |found| {
            let rows = Measure::Count(match found.noun(0) {
                Some(noun) => Some(noun.as_table()?),
                None => None,
            });
            // *on time delivery rate*: how many of the deliveries are on time.
            let word = |back: usize| {
                found.words.start.checked_sub(back).map_or("", |at| found.lattice.question.word(at))
            };
            if word(2) == "on" && word(1) == "time" || matches!(word(1), "on-time" | "late" | "punctual") {
                return None;
            }
            let states = matches!(
                found.pred(0)?,
                Pred::Is { .. } | Pred::Flag(..) | Pred::Late(..) | Pred::Open { .. }
            );
            let part = part_of(rows, found.pred(0)?);
            states.then_some(Phrase::Measure(part))
        },
    },
    Rule {
        name: "late_rate",
        pattern: "late|overdue NOUN rate|rates|percentage|share|quota|percent|%",
        make: |found| {
            let late = Pred::Late(Some(found.noun(0)?.as_column()?), true);
            Some(Phrase::Measure(part_of(Measure::Count(None), late)))
        },
    },
    Rule {
        name: "on_time_rate",
        pattern: "$on_time NOUN rate|rates|percentage|share|quota|percent|%",
        make: |found| {
            let in_time = Pred::Late(found.noun(0)?.as_column(), false);
            Some(Phrase::Measure(part_of(Measure::Count(None), in_time)))
        },
    },
    Rule {
        name: "rate_of_event",
        pattern: "NOUN rate|rates|quota",
        make: |found| {
            let happened = Pred::Happened(found.noun(0)?.as_column()?, true);
            Some(Phrase::Measure(part_of(Measure::Count(None), happened)))
        },
    },
    Rule {
        name: "per_hundred",
        pattern: "$how_many? NOUN do|does|did|are|is? we|there|you|they? get|have|had|receive? per|for_every|for_each|in_every|to_every a|one? NUM WHERE? NOUN",
        make: |found| {
            let hundred = found.number(0)? == Value::Integer(100);
            let [one, other] = [0, 1].map(|at| total_of(&found.noun(at)?));
            let other = match found.pred(0) {
                Some(which) => Measure::Where(Box::new(other?), vec![which]),
                None => other?,
            };
            let percent = Measure::Percent(Box::new(one?), Box::new(other));
            hundred.then_some(Phrase::Measure(percent))
        },
    },
    Rule {
        name: "rate_of_rows",
        pattern: "NOUN rate|rates|quota",
        make: |found| {
            // *refund rate*: of how many orders there is a refund. What should come of it is a rate of other rows: *booking rate*.
            if !WordLists::embedded().has("mishap", found.lattice.question.word(found.words.start)) {
                return None;
            }
            let noun = found.noun(0)?;
            let of = noun.as_table().filter(|_| noun.table_score() > noun.column_score())?;
            let related = Pred::Related(Group { of, preds: Vec::new() }, true);
            Some(Phrase::Measure(part_of(Measure::Count(None), related)))
        },
    },
];
