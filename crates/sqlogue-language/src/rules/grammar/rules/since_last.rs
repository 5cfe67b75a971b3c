//! How long ago something last happened: *days since the last loan per member*, *how many days ago was the last repair of each
//! van?*, *how long ago did each customer last order*.

use super::waiting::whole;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::units::Unit;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "since_last_rows",
        pattern: "$how_many|how_long|how_much_time|time|number_of? PERIOD? $gone_by? since it|he|she|they|we? $last_one NOUN been|was|were? NOUN?",
        make: |found| of_rows(found, &found.noun(0)?, found.noun(1)),
    },
    Rule {
        name: "since_last_rows_of_each",
        pattern: "$how_many|how_long|how_much_time|time|number_of? PERIOD? $gone_by? since each|every|all? NOUN $last_one NOUN",
        make: |found| {
            let date = since(found, date_of(&found.noun(1)?, None)?)?;
            of_each(found.noun(0)?.as_table()?, date)
        },
    },
    Rule {
        name: "since_last_rows_of_one",
        pattern: "$how_many|how_long|how_much_time|time|number_of? PERIOD? $gone_by? since VALUE $last_one NOUN",
        make: |found| {
            let of = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            let date = since(found, date_of(&found.noun(0)?, None)?)?;
            Some(Phrase::Part(Part::All(vec![Part::Where(of), Part::Measure(date)])))
        },
    },
    Rule {
        name: "since_they_last_did",
        pattern: "$how_many|how_long|how_much_time|time|number_of? PERIOD? $gone_by? since it|he|she|they|we|anyone|anybody|somebody was|were|had|has|have? last been? NOUN a|an|any|something|anything? NOUN?",
        make: |found| {
            let (verb, rows) = (found.noun(0)?, found.noun(1));
            match rows {
                Some(rows) => of_rows(found, &rows, Some(verb)),
                None => of_rows(found, &verb, None),
            }
        },
    },
    Rule {
        name: "since_each_last_did",
        pattern: "$how_many|how_long|how_much_time|time|number_of? PERIOD? $gone_by? since each|every|all NOUN was|were|had|has|have? last been? NOUN a|an|any|something|anything? NOUN?",
        make: |found| of_each_done(found, found.noun(2).or_else(|| found.noun(1))),
    },
    Rule {
        name: "since_each_did",
        pattern: "$how_many|how_long|how_much_time|time|number_of? PERIOD? $gone_by? since each|every|all NOUN was|were|had|has|have? been? NOUN",
        make: |found| {
            let date = found.noun(1)?;
            let date = date.as_column().filter(|_| date.column_score() > date.table_score())?;
            of_each(found.noun(0)?.as_table()?, since(found, Attr::Noun(date))?)
        },
    },
    Rule {
        name: "so_long_ago_was_the_last",
        pattern: "how_long|$how_many|number_of PERIOD? ago is|was|were|did|has $last_one NOUN KEY? been? NOUN?",
        make: |found| {
            let date = since(found, date_of(&found.noun(0)?, found.noun(1))?)?;
            let key = found.key().map(Part::Key);
            Some(Phrase::Part(Part::All(key.into_iter().chain([Part::Measure(date)]).collect())))
        },
    },
    Rule {
        name: "so_long_ago_did_each_last",
        pattern: "how_long|$how_many PERIOD? ago did|has|have|was|were|is each|every|all NOUN last|most_recently been? NOUN a|an|any|something|anything? NOUN?",
        make: |found| of_each_done(found, found.noun(2).or_else(|| found.noun(1))),
    },
    Rule {
        name: "so_long_ago_did_each_last_do",
        pattern: "how_long|$how_many PERIOD? ago did|has|have|was|were|is each|every|all NOUN last|most_recently been? used|active|in_use|busy|seen|here",
        make: |found| of_each_done(found, None),
    },
    Rule {
        name: "so_long_ago_did_we_last",
        pattern: "how_long|$how_many PERIOD? ago did|has|have|was|were we|you|they|anyone|anybody|somebody last|most_recently WORD a|an|any? NOUN",
        make: |found| of_rows(found, &found.noun(0)?, None),
    },
];

/// The unit that is said; days where it is only asked how long, and none where neither is.
fn unit(found: &Matched<'_>) -> Option<Unit> {
    whole(found)?;
    let word = |at: usize| found.lattice.question.word(at);
    let is_long = |at: usize| word(at) == "long" || word(at) == "time";
    match found.unit() {
        Some(unit) => matches!(unit, Unit::Day | Unit::Week | Unit::Month | Unit::Year).then_some(unit),
        None => (found.words.start..found.words.end).any(is_long).then_some(Unit::Day),
    }
}

/// The least time that has passed since such dates, which is that since the last.
fn since(found: &Matched<'_>, date: Attr) -> Option<Measure> {
    Some(Measure::Of(Aggregate::Min, Attr::Since(Box::new(date), unit(found)?)))
}

/// The date of rows: the one that a verb names, else when they came to be. What is itself a date is meant as such.
fn date_of(rows: &Noun, verb: Option<Noun>) -> Option<Attr> {
    let named = verb.and_then(|verb| verb.as_column().filter(|_| verb.column_score() > verb.table_score()));
    Some(match named {
        Some(date) => Attr::Noun(date),
        None if rows.table_score() >= rows.column_score() => Attr::When(rows.as_table()?),
        None => Attr::Noun(rows.as_column()?),
    })
}

fn of_rows(found: &Matched<'_>, rows: &Noun, verb: Option<Noun>) -> Option<Phrase> {
    Some(Phrase::Measure(since(found, date_of(rows, verb)?)?))
}

/// For each row, since it was last dealt with: by the rows that the verb or the last noun names, else by those that tell of it.
fn of_each_done(found: &Matched<'_>, done: Option<Noun>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let date = match done.as_ref().filter(|done| done.column_score() > done.table_score()) {
        Some(date) => Attr::Noun(date.as_column()?),
        None => Attr::Use(rows.clone(), done),
    };
    of_each(rows, since(found, date)?)
}

fn of_each(rows: Noun, date: Measure) -> Option<Phrase> {
    Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(rows)), Part::Measure(date)])))
}
