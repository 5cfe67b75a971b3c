//! Two names side by side of which the last is meant: *customer orders* are orders.

use std::rc::Rc;

use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::Noun;

/// Such words say less of a table than its name alone.
const COMPOUND: f32 = 0.97;

/// A word that fits a table as well as this is its name.
const NAMED: f32 = 0.9;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "compound",
    pattern: "NOUN NOUN",
    make: |found| {
        let (of, rows) = (found.noun(0)?.as_table()?, found.noun(1)?.as_table()?);
        let word = found.lattice.question.tokens.get(of.words.start)?;
        // *ordering customers* do something, and *business customers* are a kind of them.
        let is_name =
            of.table_score() >= NAMED && !["ing", "ed"].iter().any(|ending| word.lower.ends_with(ending));
        // *customers orders* are two things; and what belongs to itself is no compound.
        let is_one_word = of.words.end == of.words.start + 1 && word.stem == word.lower;
        let is_plural =
            found.lattice.question.tokens.get(rows.words.end - 1).is_some_and(|last| last.stem != last.lower);
        let side_by_side = of.words.end == rows.words.start;
        let tables: Vec<_> = rows.tables.iter().map(|(table, score)| (*table, score * COMPOUND)).collect();
        (is_name && is_one_word && is_plural && side_by_side)
            .then(|| Phrase::Noun(Noun { words: found.words, tables: Rc::from(tables), ..rows }))
    },
}];
