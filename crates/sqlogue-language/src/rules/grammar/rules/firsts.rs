//! What was done first and last: *which branch was opened first?*, *the film we released last*, *employees in the order they
//! were hired*, *when did we last issue a card?*

use super::order::shown_in_order;
use super::rows::is_last;
use super::takes::{all, by_start, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Noun, Take};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "done_first_or_last",
        pattern: "NUM? NOUN who|that|which? was|were|has|have|had|did|do? we|you? been? NOUN first|earliest|last|latest|most_recently",
        make: |found| {
            let (rows, verb) = (found.noun(0)?.as_table()?, verb(&found.noun(1)?)?);
            let parts =
                vec![Part::Limit(found.count().unwrap_or(1)), taken(found, verb), Part::Subject(rows)];
            is_last(found).then(|| all(parts))?
        },
    },
    Rule {
        name: "first_or_last_done",
        pattern: "NUM? first|earliest|very_first|last|latest|newest|most_recent|very_last NUM? NOUN to|who|that|which? was|were|has|have|had|did|do? we|you|they? been? NOUN",
        make: |found| {
            let (rows, verb) = (found.noun(0)?.as_table()?, verb(&found.noun(1)?)?);
            // *when was the last order shipped* asks for the date.
            let asks_when = found.lattice.question.tokens.first().is_some_and(|first| first.lower == "when");
            let parts =
                vec![Part::Limit(found.count().unwrap_or(1)), taken(found, verb), Part::Subject(rows)];
            (!asks_when && is_last(found)).then(|| all(parts))?
        },
    },
    Rule {
        name: "did_first_or_last",
        pattern: "NUM? NOUN who|that|which? was|were|has|have|had|did|do? we|you? been? WORD out|up|in|on|off? first|earliest|last|latest|most_recently",
        make: |found| (is_last(found) && says_verb(found)).then(|| by_start(found, direction(found)))?,
    },
    Rule {
        name: "who_did_first_or_last",
        pattern: "who was|were|has|have|had|is|did? been? NOUN first|earliest|last|latest|most_recently",
        make: |found| {
            let verb = verb(&found.noun(0)?)?;
            is_last(found).then(|| all(vec![Part::Names, taken(found, verb)]))?
        },
    },
    Rule {
        name: "who_did_last_in_each",
        pattern: "who was|were|has|have|had|is|did? been? NOUN first|earliest|last|latest|most_recently $per NOUN",
        make: |found| {
            let by = By::Attr(Attr::Noun(verb(&found.noun(0)?)?));
            let each = Some(Key::Noun(found.noun(1)?));
            let take = Take { by, direction: direction(found), open: false, each, alone: false };
            all(vec![Part::Names, Part::Limit(1), Part::Take(take)])
        },
    },
    Rule {
        name: "in_order_of_doing",
        pattern: "in_the_order|in_order|in_order_of|in_the_order_of|$sorted in|by|of? when|which|date|day|time|year? they|it|he|she|we|these|those was|were|had|have|has|got|are|is|did? been? NOUN",
        make: |found| shown_in_order(&found.noun(0)?),
    },
    Rule {
        name: "when_we_last_did_it",
        pattern: "when did|have|has|had|was|were we|you|they|anyone|somebody|anybody last|most_recently|first NOUN a|an|any|some|new? NOUN",
        make: |found| date_of(found, &found.noun(0)?, &found.noun(1)?),
    },
    Rule {
        name: "when_we_last_had_one",
        pattern: "when did|have|has|had|was|were we|you|they|anyone|somebody|anybody last|most_recently|first WORD a|an|any|some|new? NOUN",
        make: date_of_rows,
    },
    Rule {
        name: "when_we_did_the_last",
        pattern: "when did|have|has|had we|you|they NOUN a? last|latest|newest|most_recent|very_last|first|very_first|earliest NOUN",
        make: |found| date_of(found, &found.noun(0)?, &found.noun(1)?),
    },
    Rule {
        name: "when_we_had_the_last",
        pattern: "when did|have|has|had we|you|they WORD a? last|latest|newest|most_recent|very_last|first|very_first|earliest NOUN",
        make: date_of_rows,
    },
    Rule {
        name: "when_the_last_was_done",
        pattern: "when was|were|did|has|had last|latest|newest|most_recent|very_last|first|very_first|earliest NOUN been? NOUN",
        make: |found| date_of(found, &found.noun(1)?, &found.noun(0)?),
    },
    Rule {
        name: "when_the_last_was",
        pattern: "when was|were|did|is|has|had last|latest|newest|most_recent|very_last|first|very_first|earliest NOUN been? WORD?",
        make: |found| is_last(found).then(|| date_of_rows(found))?,
    },
    Rule {
        name: "date_of_the_last_done",
        pattern: "date_of|day_of|time_of last|latest|newest|most_recent|very_last|first|very_first|earliest NOUN NOUN",
        make: |found| date_of(found, &found.noun(0)?, &found.noun(1)?),
    },
    Rule {
        name: "date_of_the_very_last",
        pattern: "date_of|day_of|time_of very_last|very_first|newest NOUN",
        make: date_of_rows,
    },
    Rule {
        name: "last_date_of",
        pattern: "last|latest|most_recent|very_last|first|very_first|earliest NOUN of|for|on a|an|any? NOUN",
        make: |found| {
            let date = found.noun(0)?;
            date.says_when.then(|| date_of(found, &date, &found.noun(1)?))?
        },
    },
];

/// The date that a verb names; none for a noun that is sooner a thing: *customers with orders*.
fn verb(noun: &Noun) -> Option<Noun> {
    noun.as_column().filter(|_| noun.column_score() > noun.table_score())
}

/// True where the words say the first, and not the last.
fn says_first(found: &Matched<'_>) -> bool {
    (found.words.start..found.words.end)
        .any(|at| matches!(found.lattice.question.word(at), "first" | "earliest" | "very_first"))
}

fn direction(found: &Matched<'_>) -> Direction {
    if says_first(found) { Direction::Ascending } else { Direction::Descending }
}

fn taken(found: &Matched<'_>, verb: Noun) -> Part {
    take(By::Attr(Attr::Noun(verb)), direction(found))
}

/// True where the word before *first* or *last* is a verb, by its ending or by the auxiliary before it: *customers from last*
/// speaks of no deed.
fn says_verb(found: &Matched<'_>) -> bool {
    let (Some(rows), Some(word)) = (found.noun(0), found.value(0)) else { return false };
    let question = &found.lattice.question;
    let helped = (rows.words.end..word.words.start)
        .any(|at| matches!(question.word(at), "was" | "were" | "has" | "have" | "had" | "did"));
    let said = question.word(word.words.start);
    helped || said.ends_with("ed") || matches!(said, "came" | "went" | "began" | "sold" | "left")
}

/// The first or last of the dates that a verb names, among the rows it speaks of.
fn date_of(found: &Matched<'_>, verb: &Noun, rows: &Noun) -> Option<Phrase> {
    let summary = Measure::Of(end(found), Attr::Noun(verb.as_column()?));
    all(vec![Part::Subject(rows.as_table()?), Part::Measure(summary)])
}

/// When the first or last of the rows came to be.
fn date_of_rows(found: &Matched<'_>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let summary = Measure::Of(end(found), Attr::When(rows.clone()));
    all(vec![Part::Subject(rows), Part::Measure(summary)])
}

fn end(found: &Matched<'_>) -> Aggregate {
    if says_first(found) { Aggregate::Min } else { Aggregate::Max }
}
