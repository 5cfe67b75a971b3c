//! Rows as they are: *show 5 customers*, *orders limit 20*, *the latest order*.

use super::takes::{all, by_start, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Pred, Take, Words};
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
    Rule { name: "both_ends", pattern: "ADJ and ADJ NOUN", make: both_ends },
    Rule {
        name: "which_are_both_ends",
        pattern: "NOUN is|are|was|were|has|have? ADJ and which|what|who? NOUN? is|are|was|were|has|have? ADJ",
        make: both_ends,
    },
    Rule {
        name: "one_end_and_the_other_end",
        pattern: "which|what|who|whose? NOUN? TAKE and|, which|what|who|whose? one|ones? NOUN? TAKE",
        make: |found| {
            let (first, second) = (found.take(0)?, found.take(1)?);
            ends(found, first, second.by.clone(), second.direction)
        },
    },
    Rule {
        name: "one_end_and_the_opposite",
        pattern: "which|what|who|whose? NOUN? TAKE and|, which|what|who|whose? one|ones? NOUN? has|have|is|are|was|costs|cost|earns|gets? the? most|least|highest|lowest|largest|smallest|biggest|greatest|longest|shortest|best|worst|fewest one?",
        make: |found| {
            let first = found.take(0)?;
            let last = (word_of_end(found))?;
            let opposite = match first.direction {
                Direction::Ascending => Direction::Descending,
                Direction::Descending => Direction::Ascending,
            };
            let is_low = matches!(last, "least" | "lowest" | "smallest" | "shortest" | "worst" | "fewest");
            let by = first.by.clone();
            (is_low == (opposite == Direction::Ascending)).then(|| ends(found, first, by, opposite))?
        },
    },
    Rule {
        name: "both_ends_of_one_adjective",
        pattern: "best|highest|most|top|worst|lowest|least and ADJ NOUN",
        make: |found| {
            let (direction, index, words) = found.adjective()?;
            let opposite = match direction {
                Direction::Ascending => Direction::Descending,
                Direction::Descending => Direction::Ascending,
            };
            let said = Words::new(found.words.start, found.words.start + 1);
            let other = Part::Ends(Attr::Adjective(said, index), opposite);
            all(vec![
                take(By::Attr(Attr::Adjective(words, index)), direction),
                other,
                Part::Noun(found.noun(0)?),
            ])
        },
    },
    Rule {
        name: "latest_row",
        pattern: "latest|last|newest|most_recent|very_last NOUN",
        make: |found| one_row(found, Direction::Descending),
    },
    Rule {
        name: "earliest_row",
        pattern: "earliest|first|oldest|very_first NOUN",
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

/// *the cheapest and the most expensive product*.
fn both_ends(found: &Matched<'_>) -> Option<Phrase> {
    let (direction, index, words) = found.nth_adjective(0)?;
    let (opposite, other, said) = found.nth_adjective(1)?;
    let ends = Part::Ends(Attr::Adjective(said, other), opposite);
    all(vec![take(By::Attr(Attr::Adjective(words, index)), direction), ends, Part::Noun(found.noun(0)?)])
}

/// Both ends of one order, of the rows that are named or of people.
fn ends(found: &Matched<'_>, first: &Take, by: By, direction: Direction) -> Option<Phrase> {
    let By::Attr(other) = by else { return None };
    if !matches!(first.by, By::Attr(_)) || first.direction == direction {
        return None;
    }
    let who =
        (found.words.start..found.words.end).any(|at| found.lattice.question.word(at).starts_with("who"));
    let mut parts = vec![Part::Take(first.clone()), Part::Ends(other, direction)];
    parts.extend(who.then_some(Part::Names));
    parts.extend(found.noun(0).map(Part::Noun));
    all(parts)
}

/// The word at the end that says which end is meant.
fn word_of_end<'a>(found: &'a Matched<'_>) -> Option<&'a str> {
    let last = found.words.end.checked_sub(1)?;
    let word = found.lattice.question.word(last);
    Some(if word == "one" { found.lattice.question.word(last.checked_sub(1)?) } else { word })
}

/// The row that came to be last, or first.
fn one_row(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let word = found.lattice.question.tokens.get(noun.words.end.checked_sub(1)?)?;
    (is_alone(found) && word.stem == word.lower).then(|| by_start(found, direction))?
}
