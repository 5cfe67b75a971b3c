//! Where rows are: *where do our customers come from?*

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Key, Measure, Words};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "where_they_are",
        pattern: "where|from_where do|does|are|did|have our|the|all|these? NOUN live|lives|come_from|come|reside|located|based|sit|originate|settle|lived|from from?",
        make: place,
    },
    Rule {
        name: "where_they_live",
        pattern: "where our|the|all NOUN live|come_from|come|are_located|are_based|reside|are_from|are",
        make: place,
    },
    Rule {
        name: "with_numbers",
        pattern: ",|and? with|and numbers|counts|how_many|the_numbers|the_counts|headcounts|figures|how_many_each|how_many_of_them",
        make: |found| {
            let asks = (0..found.words.start).any(|at| found.lattice.question.word(at) == "where");
            asks.then_some(Phrase::Part(Part::Measure(Measure::Count(None))))
        },
    },
];

/// How many rows there are at each place.
fn place(found: &Matched<'_>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let asked = Words::new(found.words.start, found.words.start + 1);
    Some(Phrase::Part(Part::All(vec![Part::Subject(rows.clone()), Part::Key(Key::Place(asked, rows))])))
}
