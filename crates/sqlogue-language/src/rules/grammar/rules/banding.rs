//! Bands that are listed behind what they are of: *price bands of the books: below 10, 10 to 25, over 25*, *order value bands (…) and
//! the number in each*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "bands_of_column_of",
        pattern: "NOUN $band? of|for|over the|our|all? NOUN $marked BANDS",
        make: |found| {
            let rows = Part::Noun(found.noun(1)?);
            let key = Part::Key(Key::Bands(Attr::Noun(found.noun(0)?.as_column()?), found.bands()?));
            Some(Phrase::Part(Part::All(vec![rows, key])))
        },
    },
    Rule {
        name: "column_is_in_bands",
        pattern: "NOUN $band? $yes|$marked? BANDS",
        make: |found| {
            let noun = found.noun(0)?;
            let column = noun.as_column().filter(|_| noun.column_score() >= 0.6)?;
            let counts = Part::Measure(Measure::Count(None));
            let key = Part::Key(Key::Bands(Attr::Noun(column), found.bands()?));
            let asks = found.words.start > 0 && found.lattice.question.word(found.words.start - 1) == "many";
            Some(Phrase::Part(Part::All(if asks { vec![counts, key] } else { vec![key] })))
        },
    },
    Rule {
        name: "row_worth_in_bands",
        pattern: "NOUN $amount $band|in|by? $band? $marked BANDS",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let key = Part::Key(Key::Bands(Attr::Amount(rows.clone()), found.bands()?));
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), key])))
        },
    },
    Rule {
        name: "age_bands_explained",
        pattern: "$per? age|ages ( NUM minus NOUN ) $marked? BANDS",
        make: |found| key_of_age(found),
    },
    Rule {
        name: "number_in_each",
        pattern: "with|and|:|,|;|-|–? the|how? many|number|count|number_of|how_many|count_of NOUN? are_there|there_are|fall|are? in|of|for|fell_into|fall_into each|each_band|each_group|each_range|each_bracket|each_class|every_one",
        make: |found| {
            let listed = (0..found.lattice.question.tokens.len())
                .any(|at| crate::rules::grammar::bands::read(found.lattice.question, at).is_some());
            let counts = Part::Measure(Measure::Count(found.noun(0).and_then(|noun| noun.as_table())));
            listed.then(|| Phrase::Part(Part::All(vec![counts])))
        },
    },
    Rule {
        name: "count_them",
        pattern: "and|, count them|those|these|it|each",
        make: |_| Some(Phrase::Part(Part::Measure(Measure::Count(None)))),
    },
];

/// *by age (2026 minus birth year)*: the age is told as it is explained.
fn key_of_age(found: &Matched<'_>) -> Option<Phrase> {
    Some(Phrase::Part(Part::Key(Key::Bands(Attr::Age(found.words, true), found.bands()?))))
}
