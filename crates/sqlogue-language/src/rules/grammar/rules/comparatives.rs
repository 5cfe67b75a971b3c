//! Comparatives before a number: *boats longer than 12 m*, *venues bigger than 5000*, *tickets cheaper than 20*, *over 12 m long*.

use super::conditions::condition;
use crate::rules::cue::Cue;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Attr, Pred, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::units;
use crate::rules::grammar::words::WordLists;
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::Comparison;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "comparative_than_number",
        pattern: "$yes? $comparative than NUM $size_unit?",
        make: than_number,
    },
    Rule {
        name: "so_long_or_high",
        pattern: "$yes? OP NUM $size_unit? $positive",
        make: |found| {
            let at = found.words.end.checked_sub(1)?;
            let index = Lexicon::embedded().adjective_named(found.lattice.question.word(at))?;
            let attr = Attr::Adjective(Words::new(at, at + 1), index);
            condition(Pred::Compare(attr, found.operator()?, found.number(0)?))
        },
    },
    Rule {
        name: "cheaper_than_number",
        pattern: "$yes? cheaper_than|less_expensive_than|less_costly_than NUM",
        make: |found| costs(found, Comparison::Less),
    },
    Rule {
        name: "dearer_than_number",
        pattern: "$yes? dearer_than|pricier_than|costlier_than|more_expensive_than|more_costly_than NUM",
        make: |found| costs(found, Comparison::Greater),
    },
];

fn costs(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    condition(Pred::Compare(Attr::Price(found.words), operator, found.number(0)?))
}

/// The adjective says which column is meant, and on which side of the number.
fn than_number(found: &Matched<'_>) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let at = (found.words.start..found.words.end).find(|at| word(at + 1) == "than")?;
    // Ages and lengths of time have rules of their own.
    let is_time =
        units::measured(word(found.words.end)).is_some() || WordLists::embedded().has("says_age", word(at));
    let cues = Lexicon::embedded().cues_at(|ahead| word(at + ahead));
    let index = cues.into_iter().find_map(|(_, cue)| match cue {
        Cue::Comparative(index) => Some(index),
        _ => None,
    })?;
    let than =
        Pred::Compare(Attr::Adjective(Words::new(at, at + 1), index), Comparison::Greater, found.number(0)?);
    (!is_time).then(|| condition(than))?
}
