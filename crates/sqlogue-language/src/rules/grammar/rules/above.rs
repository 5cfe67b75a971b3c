//! Whoever or whatever is above a row: *each agent with the name of the boss*, *sales per team leader*, *every category with the
//! one above it*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Key, Noun, Pred, Unsaid, Words};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "superior_shown",
        pattern: "and|with|next_to|beside|alongside|plus|,? name|names? of? $their? $superior name|names?",
        make: |found| Some(Phrase::Part(Part::Shown(superior(found)))),
    },
    Rule {
        name: "one_above_shown",
        pattern: "and|with|next_to|beside|alongside|plus|,? name|names? of? $their? NOUN above|over it|them|him|her",
        make: |found| Some(Phrase::Part(Part::Shown(superior(found)))),
    },
    Rule {
        name: "per_superior",
        pattern: "$per NOUN? $superior",
        make: |found| Some(Phrase::Part(Part::Key(Key::Noun(superior(found))))),
    },
    Rule {
        name: "per_main_one",
        pattern: "$per $main_one NOUN",
        make: |found| Some(Phrase::Part(Part::Key(Key::Noun(one_above(found.noun(0)?.as_table()?))))),
    },
    Rule {
        name: "main_ones",
        pattern: "$main_one NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            all(vec![Part::Noun(rows.clone()), Part::Where(Pred::Known(one_above(rows), false))])
        },
    },
    Rule {
        name: "whom_each_reports_to",
        pattern: "who|whom|to_whom|to_who do|does|did each|every|all|the|our|these? NOUN directly? report|answer directly? to?",
        make: |found| {
            let asked = Words::new(found.words.start, found.words.start + 1);
            let rows = Part::Subject(found.noun(0)?.as_table()?);
            all(vec![rows, Part::Names, Part::Shown(Noun::unsaid(asked, Unsaid::Superior))])
        },
    },
];

/// What stands above a row of this table.
fn one_above(rows: Noun) -> Noun {
    // The rows themselves are known by the words, so that what stands above them is known by the place before these.
    let before = Words::new(rows.words.start, rows.words.start);
    Noun { tables: rows.tables, ..Noun::unsaid(before, Unsaid::Superior) }
}

fn superior(found: &Matched<'_>) -> Noun {
    Noun::unsaid(found.words, Unsaid::Superior)
}
