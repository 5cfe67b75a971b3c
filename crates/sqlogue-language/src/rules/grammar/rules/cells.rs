//! What a cell holds: nothing, something, a part of a text.

use super::conditions::condition;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Like, Pred};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "is_missing", pattern: "NOUN $yes? $null", make: |found| known(found, false) },
    Rule { name: "missing", pattern: "$null|no|without|lacking NOUN", make: |found| known(found, false) },
    Rule { name: "no_column", pattern: "$without NOUN", make: |found| known(found, false) },
    Rule { name: "is_known", pattern: "$with $known? NOUN $known?", make: |found| known(found, true) },
    Rule { name: "holds", pattern: "NOUN $contains VALUE", make: |found| holds(found, Like::Within) },
    Rule {
        name: "starts_with_letters",
        pattern: "whose? NOUN that|which? $starts with? letter|letters? WORD",
        make: |found| holds(found, Like::Start),
    },
    Rule {
        name: "ends_with_letters",
        pattern: "whose? NOUN that|which? $ends with|in? letter|letters? WORD",
        make: |found| holds(found, Like::End),
    },
    Rule {
        name: "mentions_word",
        pattern: "whose? NOUN that|which? $contains the? word|term|phrase? WORD",
        make: |found| holds(found, Like::Within),
    },
    Rule {
        name: "mentions_either",
        pattern: "whose? NOUN that|which? $contains a|an|the|word|words? WORD ,? or a|an|the? WORD in|within|anywhere_in? the|their|its? NOUN?",
        make: |found| {
            let column = found.noun(1).or_else(|| found.noun(0))?;
            let holds = |at: usize| Some(Pred::Holds(column.clone(), Like::Within, text(found, at)?));
            let either = Part::Where(Pred::Any(vec![holds(0)?, holds(1)?]));
            let rows = found.noun(0)?.as_table().map(Part::Subject);
            Some(Phrase::Part(Part::All(rows.into_iter().chain([either]).collect())))
        },
    },
    Rule {
        name: "word_in_column",
        pattern: "with|have|has|having|contain|contains|containing word|term? WORD in NOUN",
        make: |found| holds(found, Like::Within),
    },
    Rule { name: "starts", pattern: "NOUN $starts VALUE", make: |found| holds(found, Like::Start) },
    Rule { name: "ends", pattern: "NOUN $ends VALUE", make: |found| holds(found, Like::End) },
];

fn known(found: &Matched<'_>, known: bool) -> Option<Phrase> {
    condition(Pred::Known(found.noun(0)?.as_column()?, known))
}

fn holds(found: &Matched<'_>, like: Like) -> Option<Phrase> {
    let text = text(found, 0)?;
    let noun = found.noun(0)?;
    match noun.table_score() > noun.column_score() {
        true => {
            let rows = noun.as_table()?;
            let holds = Part::Where(Pred::Holds(rows.clone(), like, text));
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), holds])))
        }
        false => condition(Pred::Holds(noun.as_column()?, like, text)),
    }
}

/// The value of that number as it is spelt, without quotation marks.
fn text(found: &Matched<'_>, at: usize) -> Option<String> {
    let named = found.value(at)?;
    let text = found.lattice.question.span_text(named.words.start, named.words.end);
    Some(text.trim_matches(['"', '\'', '“', '”', '%']).to_owned())
}
