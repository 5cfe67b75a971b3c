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
        make: |found| in_tree(found.noun(0)?.as_table()?, false),
    },
    Rule {
        name: "those_below_others",
        pattern: "NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            // *subcategories* are categories that belong to others, unless a column is called so.
            let says_sub = found.lattice.question.word(noun.words.start).starts_with("sub");
            let is_column = noun.column_score() > noun.table_score();
            if says_sub && !is_column { in_tree(noun.as_table()?, true) } else { None }
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

/// Rows of a table that refers to itself: those that belong to others of it, or those at the top.
fn in_tree(rows: Noun, below: bool) -> Option<Phrase> {
    let known = Part::Where(Pred::Known(one_above(rows.clone()), below));
    all(vec![Part::Noun(rows), known])
}

/// What stands above a row of this table.
fn one_above(rows: Noun) -> Noun {
    Noun { tables: rows.tables, ..Noun::unsaid(rows.words, Unsaid::Superior) }
}

fn superior(found: &Matched<'_>) -> Noun {
    Noun::unsaid(found.words, Unsaid::Superior)
}
