//! When something last happened to each of some: *when did each current customer last order*, *when did every client first give us a
//! job*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Pred};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "when_such_last_did",
        pattern: "when did|was|were|has|have|had|is each|every|all WHERE? NOUN last|most_recently|first|initially been? NOUN? with|at|from? us|here|there? on_it?",
        make: |found| when_done(found, found.noun(1)),
    },
    Rule {
        name: "when_such_last_did_it",
        pattern: "when did|was|were|has|have|had|is each|every|all WHERE? NOUN last|most_recently|first|initially WORD with|at|from? us|here|there?",
        make: |found| when_done(found, None),
    },
    Rule {
        name: "when_such_did_it_last",
        pattern: "when did|was|were|has|have|had|is each|every|all WHERE? NOUN NOUN last|most_recently|for_the_last_time|first|for_the_first_time",
        make: |found| when_done(found, found.noun(1)),
    },
    Rule {
        name: "last_time_each_did",
        pattern: "the? last|latest|most_recent|first time|date|day each|every NOUN NOUN with|at|from? us|here|there|anything|something?",
        make: |found| when_done(found, found.noun(1)),
    },
    Rule {
        name: "last_date_of_such",
        pattern: "$last_one|first|earliest VALUE NOUN date|day",
        make: of_such,
    },
    Rule {
        name: "when_the_last_of_such_was",
        pattern: "when was|were|is|has|had|did the? $last_one|first|earliest VALUE NOUN been|done|made|happen|take_place?",
        make: of_such,
    },
    Rule {
        name: "date_of_the_last_of_such",
        pattern: "date|day|time of the? $last_one|first|earliest VALUE NOUN",
        make: of_such,
    },
    Rule {
        name: "last_time_each_did_it",
        pattern: "the? last|latest|most_recent|first time|date|day each|every NOUN WORD with|at|from? us|here|there|anything|something?",
        make: |found| when_done(found, None),
    },
    Rule {
        name: "when_such_last_of",
        pattern: "when did|was|were|has|have|had|is each|every|all WHERE? NOUN last|most_recently|first|initially NOUN? $light_verb? us? a|an|any|their|its|us NOUN",
        make: |found| when_of(found, found.noun(2).or_else(|| found.noun(1))?),
    },
    Rule {
        name: "when_such_last_did_of",
        pattern: "when did|was|were|has|have|had|is each|every|all WHERE? NOUN last|most_recently|first|initially WORD us? a|an|any|their|its|us NOUN",
        make: |found| when_of(found, found.noun(1)?),
    },
];

/// The last time of the word *first*, else of the others.
fn end(found: &Matched<'_>) -> Aggregate {
    let word = |at: usize| found.lattice.question.word(at);
    let first =
        (found.words.start..found.words.end).any(|at| matches!(word(at), "first" | "initially" | "earliest"));
    if first { Aggregate::Min } else { Aggregate::Max }
}

/// *the last boiler service*: of the rows that are of that kind.
fn of_such(found: &Matched<'_>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
    let date = Measure::Of(end(found), Attr::When(rows.clone()));
    Some(Phrase::Part(Part::All(vec![Part::Subject(rows), Part::Where(is), Part::Measure(date)])))
}

fn when_done(found: &Matched<'_>, verb: Option<Noun>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let date = Measure::Of(end(found), Attr::Use(rows.clone(), verb));
    of_each(found, rows, date)
}

fn when_of(found: &Matched<'_>, done: Noun) -> Option<Phrase> {
    let date = Measure::Of(end(found), Attr::When(done.as_table()?));
    of_each(found, found.noun(0)?.as_table()?, date)
}

fn of_each(found: &Matched<'_>, rows: Noun, date: Measure) -> Option<Phrase> {
    let mut parts: Vec<Part> = found.pred(0).map(Part::Where).into_iter().collect();
    parts.extend([Part::Key(Key::Noun(rows)), Part::Measure(date)]);
    Some(Phrase::Part(Part::All(parts)))
}
