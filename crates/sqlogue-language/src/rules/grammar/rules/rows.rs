//! Rows as they are: *show 5 customers*, *orders limit 20*, *the latest order*.

use super::takes::{all, by_start};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Pred;
use crate::rules::grammar::matched::Matched;
use crate::rules::lexicon::Lexicon;
use crate::rules::text::TokenKind;
use sqlogue_sql::plan::Direction;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "some_rows",
        pattern: "any|some|only|just? NUM example|arbitrary? NOUN",
        make: |found| {
            is_first(found).then(|| all(vec![Part::Some(found.count()?), Part::Noun(found.noun(0)?)]))?
        },
    },
    Rule {
        name: "sample_of_rows",
        pattern: "a|some|the|any|random|arbitrary? NUM? random|arbitrary|sample|samples|example|examples|specimen of|rows|row|records|entries? NUM? rows|records|entries|lines|examples? from|of|in|out_of? NOUN",
        make: |found| {
            is_first(found).then(|| all(vec![Part::Some(found.count()?), Part::Noun(found.noun(0)?)]))?
        },
    },
    Rule {
        name: "some_rows_say_how_many",
        pattern: "a_few|some|any|several|a_couple_of|random|arbitrary NOUN to_look_at|to_see|as_a_sample|as_examples? ,|:|-|(? say|like|about|maybe|perhaps|only|just NUM of_them|or_so|rows|)?",
        make: |found| {
            let both = || all(vec![Part::Some(found.count()?), Part::Noun(found.noun(0)?)]);
            (is_first(found) && is_last(found)).then(both)?
        },
    },
    Rule {
        name: "some_rows_enough",
        pattern: "a_few|some|any|several|random|arbitrary NOUN ,|;|-|(? NUM of_them|rows? are_enough|is_enough|will_do|suffice|would_do|)",
        make: |found| {
            let both = || all(vec![Part::Some(found.count()?), Part::Noun(found.noun(0)?)]);
            (is_first(found) && is_last(found)).then(both)?
        },
    },
    Rule {
        name: "limited_rows",
        pattern: ",? limit|limit_to|limited_to|at_most|no_more_than|max|maximum NUM only?",
        make: |found| is_last(found).then(|| all(vec![Part::Some(found.count()?)]))?,
    },
    Rule {
        name: "row_by_key",
        pattern: "NOUN number|no|no.|no_.|nr|nr.|nr_.|num|id|#? NUM",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let key = Pred::Key(rows.clone(), found.number(0)?);
            is_alone(found).then(|| all(vec![Part::Whole, Part::Where(key), Part::Subject(rows)]))?
        },
    },
    Rule {
        name: "of_row_by_key",
        pattern: "of|for|by|from|in|on|to|with NOUN number|no|no.|no_.|nr|nr.|nr_.|num|id|#? NUM",
        make: |found| {
            let key = Pred::Key(found.noun(0)?.as_table()?, found.number(0)?);
            Some(Phrase::Part(Part::Where(key)))
        },
    },
    Rule {
        name: "latest_row",
        pattern: "latest|last|newest|most_recent|very_last NOUN",
        make: |found| one_row(found, Direction::Descending),
    },
    Rule {
        name: "earliest_row",
        pattern: "earliest|first|very_first NOUN",
        make: |found| one_row(found, Direction::Ascending),
    },
];

/// True where nothing is said before the words but *show me* and the like.
pub(super) fn is_first(found: &Matched<'_>) -> bool {
    (0..found.words.start).all(|at| Lexicon::embedded().is_soft(found.lattice.question.word(at)))
}

/// True where the words are all that is asked for: no group has a latest row of its own.
pub(super) fn is_alone(found: &Matched<'_>) -> bool {
    is_first(found) && is_last(found)
}

/// True where no word comes after the words.
pub(super) fn is_last(found: &Matched<'_>) -> bool {
    let tokens = &found.lattice.question.tokens;
    tokens.iter().skip(found.words.end).all(|token| token.kind == TokenKind::Mark)
}

/// The row that came to be last, or first.
fn one_row(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let word = found.lattice.question.tokens.get(noun.words.end.checked_sub(1)?)?;
    (is_alone(found) && word.stem == word.lower).then(|| by_start(found, direction))?
}
