//! Bands of numbers whose column nobody names: *how many invoices are under 1,000, from 1,000 to 3,000, over 3,000*, *how many
//! patients are under 18, 18 to 64, 65 and over*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key};

/// Nobody is older than this.
const OLDEST: i64 = 120;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rows_in_bands",
        pattern: "NOUN do_we_have|are_there|do|have_we? $lie|ask|ask_for|go|sell|worth|of? for|at|to|worth|in? :|,|(|-? BANDS",
        make: |found| {
            let rows = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            // *under 100 pages, 100 to 300 pages* says of what.
            let behind = rows.words.end..found.words.end;
            let is_said = |at: usize| found.lattice.nouns(at).iter().any(|noun| noun.column_score() >= 0.8);
            if behind.into_iter().any(is_said) {
                return None;
            }
            let bands = Key::Bands(Attr::Amount(rows.clone()), found.bands()?);
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), Part::Key(bands)])))
        },
    },
    Rule {
        name: "people_in_bands",
        pattern: "NOUN do_we_have|are_there|are|is|were? aged|by_age? today|now? :|,|(|-? BANDS",
        make: |found| {
            let rows = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            let bands = found.bands()?;
            let lived = bands.edges.iter().all(|(edge, _)| (1.0..=OLDEST as f64).contains(edge));
            let key = Key::Bands(Attr::Age(found.words, true), bands);
            lived.then(|| Phrase::Part(Part::All(vec![Part::Subject(rows), Part::Key(key)])))
        },
    },
    Rule {
        name: "column_in_bands",
        pattern: "NOUN are|is|was|were|of|lie|lies? :|,|(|-? BANDS",
        make: |found| {
            let key = Key::Bands(Attr::Noun(found.noun(0)?.as_column()?), found.bands()?);
            Some(Phrase::Part(Part::Key(key)))
        },
    },
];
