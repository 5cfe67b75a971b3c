//! What is known of one row by its name, and the names of what rows refer to: *when was Ann Smith hired?*, *how old is she*,
//! *who teaches Latin?*, *loans and who borrowed them*.

use std::rc::Rc;

use super::rows::{is_first, is_last};
use super::takes::{all, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Columns, Key, Measure, Named, Noun, Pred, Unsaid, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;
use crate::rules::stem::root;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "when_it_happened_to_value",
        pattern: "when|what_day|on_what_day|since_when|in_what_year did|was|were|is|are|has|had|does VALUE VALUE? get|been? NOUN",
        make: |found| {
            let date = found.noun(0)?.as_column()?;
            let mut parts = vec![Part::Shown(date.clone()), Part::Where(Pred::Happened(date, true))];
            parts.extend(named(found, 0)?);
            all(parts)
        },
    },
    Rule {
        name: "how_old_value_is",
        pattern: "how_old|age_of|the_age_of is|was? VALUE VALUE?",
        make: |found| of_named(found, Measure::Of(Aggregate::Max, Attr::Age(first_word(found), true))),
    },
    Rule {
        name: "how_long_value_is",
        pattern: "how_long is|was|does|did VALUE VALUE? last|take|run?",
        make: |found| {
            of_named(found, Measure::Of(Aggregate::Max, Attr::Lasting(first_word(found), None, None)))
        },
    },
    Rule {
        name: "how_old_the_oldest_is",
        pattern: "how_old|age_of|the_age_of|what_age is|was|are? oldest|eldest|youngest NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let youngest = found.lattice.question.word(rows.words.start - 1) == "youngest";
            let end = if youngest { Aggregate::Min } else { Aggregate::Max };
            all(vec![
                Part::Subject(rows),
                Part::Measure(Measure::Of(end, Attr::Age(first_word(found), true))),
            ])
        },
    },
    Rule {
        name: "how_old_each_is",
        pattern: "how_old|the_ages_of|the_age_of|ages_of|age_of is|are|was|were? each|every|all|single|the|our NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let age = Measure::Of(Aggregate::Max, Attr::Age(first_word(found), true));
            all(vec![Part::Key(Key::Noun(rows)), Part::Measure(age)])
        },
    },
    Rule {
        name: "how_old_the_average_is",
        pattern: "how_old is|are|was|were average|typical|usual|normal|mean NOUN",
        make: |found| of_rows(found, Measure::Of(Aggregate::Avg, Attr::Age(first_word(found), true))),
    },
    Rule {
        name: "property_number_of_value",
        pattern: "$showing|what_is? NOUN number|no|nr|address of|for|from VALUE VALUE?",
        make: |found| {
            let mut parts = vec![Part::Shown(found.noun(0)?.as_column()?)];
            parts.extend(named(found, 0)?);
            all(parts)
        },
    },
    Rule {
        name: "who_does_it_to_value",
        pattern: "who|whom is|was|has|had? WORD VALUE VALUE?",
        make: |found| {
            // *members who borrowed Maps* are asked for themselves.
            let verb = found.value(0).filter(|_| is_first(found))?;
            let mut parts = vec![Part::Shown(doer(found, &verb)?)];
            parts.extend(named(found, 1)?);
            all(parts)
        },
    },
    Rule {
        name: "who_does_it_for_value",
        pattern: "who|whom is|was|has|had? WORD NOUN for|of|to|with|at VALUE VALUE?",
        make: |found| {
            let verb = found.value(0).filter(|_| is_first(found))?;
            let rows = found.noun(0)?.as_table()?;
            let mut parts = vec![Part::Shown(doer(found, &verb)?), Part::Subject(rows), Part::Distinct];
            parts.extend(named(found, 1)?);
            all(parts)
        },
    },
    Rule {
        name: "who_did_it_to_the_first",
        pattern: "who|whom is|was|has|had|have? WORD ADJ NOUN",
        make: |found| {
            // *who booked the longest trip?*
            let verb = found.value(0).filter(|_| is_first(found))?;
            let (direction, index, words) = found.adjective()?;
            all(vec![
                Part::Columns(Columns::Alone),
                Part::Column(doer(found, &verb)?),
                Part::Subject(found.noun(0)?.as_table()?),
                take(By::Attr(Attr::Adjective(words, index)), direction),
                Part::Limit(1),
            ])
        },
    },
    Rule {
        name: "who_works_there",
        pattern: "who works|work|worked|working in|at|for|as|on? VALUE department|team|branch|office?",
        make: |found| {
            let mut parts = vec![Part::Names];
            parts.extend(named(found, 0)?);
            all(parts)
        },
    },
    Rule {
        name: "and_who_did_it",
        pattern: "and|with|,|plus|, and|with? people|person|name|names|of|the? people|person? who|whom has|have|had|is|was|are|were? WORD on|for|in|of|to|with|after|by? them|it|him|her|those|each?",
        make: |found| {
            let verb = found.value(0)?;
            is_last(found).then(|| Some(Phrase::Part(Part::Shown(doer(found, &verb)?))))?
        },
    },
    Rule {
        name: "and_those_who_did_it",
        pattern: "and|with|plus|, and? NOUN who|that|which has|have|had|is|was|are|were? WORD on|for|in|of|to|with|by? them|it|those|each",
        make: |found| {
            found.noun(0)?.as_table().map(|rows| Phrase::Part(Part::Shown(rows))).filter(|_| is_last(found))
        },
    },
    Rule {
        name: "and_what_they_belong_to",
        pattern: "and|with|plus|, and? which|what? NOUN they|it|each is|are|was|were|has|have? WORD to|for|in|of|from|by|with|at|on?",
        make: |found| {
            found.noun(0)?.as_table().map(|rows| Phrase::Part(Part::Shown(rows))).filter(|_| is_last(found))
        },
    },
    Rule {
        name: "with_their_rows",
        pattern: "and|with|plus|+|&|, their|its|his|her|respective NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_table()?))),
    },
];

/// The word at the start, by which is known what nobody names.
fn first_word(found: &Matched<'_>) -> Words {
    Words::new(found.words.start, found.words.start + 1)
}

/// The conditions on the row that is named: by one cell, or by two side by side, which are the parts of one name.
pub(super) fn named(found: &Matched<'_>, from: usize) -> Option<Vec<Part>> {
    let is = |value: Named| Part::Where(Pred::Is { values: vec![value], column: None, negated: false });
    let first = found.value(from)?;
    let second = found.value(from + 1);
    let beside = second.as_ref().is_none_or(|second| are_parts_of_a_name(&first, second));
    beside.then(|| std::iter::once(first).chain(second).map(is).collect())
}

/// True for two cells that two columns of one table hold.
fn are_parts_of_a_name(one: &Named, other: &Named) -> bool {
    let columns = |named: &Named| -> Vec<_> { named.links.iter().filter_map(|link| link.column).collect() };
    let (ones, others) = (columns(one), columns(other));
    ones.iter().any(|id| !others.contains(id)) && one.words.end == other.words.start
}

/// A measure of the rows that are named.
fn of_rows(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    all(vec![Part::Subject(found.noun(0)?.as_table()?), Part::Measure(measure)])
}

/// A measure of the one row that is named.
fn of_named(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let mut parts = vec![Part::Measure(measure)];
    parts.extend(named(found, 0)?);
    all(parts)
}

/// Whoever did what the word says; none for words that are no verbs of doing.
pub(super) fn doer(found: &Matched<'_>, verb: &Named) -> Option<Noun> {
    let word = found.lattice.question.word(verb.words.start);
    let is_deed = word.len() > 2 && !WordLists::embedded().has("no_deed", word);
    let meant = Unsaid::Doer(Rc::from(root(word)));
    is_deed.then(|| Noun::unsaid(verb.words, meant))
}
