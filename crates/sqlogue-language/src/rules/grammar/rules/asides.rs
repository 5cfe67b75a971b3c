//! What is added at the end of a question: *name and number*, *in words*, *one figure*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Measure;
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "and_the_number",
        pattern: ",|and|with|plus|&|: the|their|its? number|count|how_many|counts|numbers|figures",
        make: |found| if ends(found) { Some(Phrase::Part(Part::HowMany)) } else { None },
    },
    Rule {
        name: "and_the_count",
        pattern: ",|and|with|plus|&|: the|their|its? number|count|how_many|counts|numbers",
        make: |found| {
            if ends(found) { Some(Phrase::Part(Part::Measure(Measure::Count(None)))) } else { None }
        },
    },
    Rule {
        name: "in_words",
        pattern: ",|with|(? the? NOUN? in words|plain_words|full|clear_text|plain_text",
        make: |_| nothing(),
    },
    Rule {
        name: "one_figure",
        pattern: ",|-|–|:|in|as? one|a_single|just_one figure|number|row|value|sum|total",
        make: |found| if ends(found) { nothing() } else { None },
    },
];

fn nothing() -> Option<Phrase> {
    Some(Phrase::Part(Part::All(Vec::new())))
}

/// True where nothing follows but a mark.
fn ends(found: &Matched<'_>) -> bool {
    matches!(found.lattice.question.word(found.words.end), "" | "," | ";" | ")" | "?" | "." | "-" | "–" | ":")
}
