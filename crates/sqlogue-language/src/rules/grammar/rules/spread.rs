//! How many have how many, and how much the first are of all: *how many customers placed 1, 2, 3 orders*, *the top 10 customers' share
//! of revenue*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Key, Measure, Per};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "by_number_of",
        pattern: "how_many|number_of|count_of|distribution_of|histogram_of|breakdown_of NOUN by|per|for_each|for_every|with_each|with_every|grouped_by the? number_of|count_of NOUN each|they? placed|made|have|had|did?",
        make: |found| by_number(found, 0, 1),
    },
    Rule {
        name: "how_many_did_how_many",
        pattern: "how_many|number_of NOUN have|had|has|placed|made|did|with? placed|made|had|bought|taken|booked? how_many NOUN",
        make: |found| by_number(found, 0, 1),
    },
    Rule {
        name: "how_many_with_each_number",
        pattern: "how_many|number_of NOUN have|had|has|placed|made|with? placed|made|had|bought|taken|booked? exactly? NUM ,|and|or|/? and|or? NUM ,|and|or|/? and|or? NUM? ,? or_more|and_more|more|and_so_on|etc|...? NOUN",
        make: |found| by_number(found, 0, 1),
    },
    Rule {
        name: "distribution_per",
        pattern: "distribution|histogram|spread|frequency of the? number_of? NOUN per|by|for_each|of_each|across|among NOUN",
        make: |found| by_number(found, 1, 0),
    },
    Rule {
        name: "share_of_first",
        pattern: "what? share|percentage|percent|part|proportion|how_much of the|our? total? MEASURE is|does|do|did|comes|come|came? from|of|by|for|made_by|due_to|generated_by|comes_from|come_from the|our? top|best|biggest|largest NUM NOUN",
        make: |found| share_of_first(found),
    },
    Rule {
        name: "share_that_first_have",
        pattern: "what? share|percentage|percent|part|proportion|how_much? of? the|our? top|best|biggest|largest NUM NOUN '|'s|s'? share|part|contribution|percentage of|to the|our? total? MEASURE",
        make: |found| share_of_first(found),
    },
];

/// How many of the rows of one noun there are for each number of rows of another.
fn by_number(found: &Matched<'_>, whose: usize, counted: usize) -> Option<Phrase> {
    let whose = found.noun(whose)?.as_table()?;
    let counted = Measure::Count(Some(found.noun(counted)?.as_table()?));
    let of_each = Part::Measure(Measure::Mean(Box::new(counted), Per::Row(whose)));
    all(vec![of_each, Part::ByNumber])
}

fn share_of_first(found: &Matched<'_>) -> Option<Phrase> {
    let key = Part::Key(Key::Noun(found.noun(0)?.as_rows()?));
    all(vec![key, Part::Measure(found.measure(0)?), Part::Limit(found.count()?), Part::ShareOfFirst])
}
