//! What is said to be no part of the answer: *no cancelled orders*, *delivery fees ignored*, *counting only customers with at least
//! one order*.

use super::dropped::opposite;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Pred;
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "no_such_rows",
        pattern: "no WHERE NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table().is_some();
            let pred = opposite(found.pred(0)?).filter(|_| rows && is_aside(found))?;
            Some(Phrase::Part(Part::Where(pred)))
        },
    },
    Rule {
        name: "column_left_out",
        pattern: "NOUN $drop_after",
        make: |found| {
            let noun = found.noun(0)?;
            // *books left out* leaves out books, and speaks of nothing that is left.
            let is_sum = found.lattice.question.word(noun.words.end - 1).ends_with('s');
            if is_sum && noun.tables.is_empty() { nothing() } else { None }
        },
    },
    Rule {
        name: "no_such_column",
        pattern: "no|without|ignoring|excluding NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let word = found.lattice.question.word(noun.words.end - 1);
            // *no e-mail* asks for those who have none, and *no delivery fees* says how a sum is made.
            let is_sum = word.ends_with('s') && noun.tables.is_empty() && noun.score() >= 0.8;
            if is_sum && is_aside(found) { nothing() } else { None }
        },
    },
    Rule {
        name: "only_those_with_any",
        pattern: "counting|count|looking|taking|take|considering only|just at|of|for? the|those? NOUN with|that|who|which|having have|has|had|did|sent|got|made|placed? at_least_one|at_least|any|a|an|one NOUN?",
        make: only_with_any,
    },
    Rule {
        name: "rows_without_column_left_out",
        pattern: "$leave_out|$leaving_out|skip|skipping people|customers|persons|rows|entries? NOUN? without|with_no|with_unknown|lacking a|an|any? NOUN",
        make: |found| {
            let column = (0..2).rev().find_map(|at| found.noun(at))?.as_column()?;
            Some(Phrase::Part(Part::Where(Pred::Known(column, true))))
        },
    },
    Rule {
        name: "unknown_left_out",
        pattern: "without|excluding|ignoring unknown|missing|empty NOUN",
        make: |found| Some(Phrase::Part(Part::Where(Pred::Known(found.noun(0)?.as_column()?, true)))),
    },
    Rule {
        name: "those_without_left_out",
        pattern: "$leave_out|$leaving_out|ignoring NOUN without|with_no|that_have_no|who_have_no any|one|a|an? NOUN?",
        make: only_with_any,
    },
    Rule {
        name: "those_without_dropped",
        pattern: "NOUN without|with_no|that_have_no|who_have_no any|one|a|an? NOUN? $drop_after",
        make: only_with_any,
    },
];

fn nothing() -> Option<Phrase> {
    Some(Phrase::Part(Part::All(Vec::new())))
}

/// True for what stands behind a mark, and so explains what was said before.
fn is_aside(found: &Matched<'_>) -> bool {
    let before =
        |back: usize| found.words.start.checked_sub(back).map_or("", |at| found.lattice.question.word(at));
    let mark = |word: &str| matches!(word, "," | ";" | "(" | "-" | "–" | "—" | ":");
    let is_extra =
        || WordLists::embedded().has("extra_charges", found.lattice.question.word(found.words.end - 1));
    mark(before(1)) || matches!(before(1), "and" | "but" | "with") && found.words.start > 3 && is_extra()
}

/// A mean is made over those that there is something to tell of: whoever says so says nothing else.
fn only_with_any(found: &Matched<'_>) -> Option<Phrase> {
    let length = found.lattice.question.tokens.len();
    let words = WordLists::embedded();
    let is_mean = |at: usize| words.has("avg", found.lattice.question.word(at));
    let says_mean = (0..length).any(|at| is_mean(at) || found.lattice.question.word(at) == "typically");
    let rows = (0..2).map_while(|at| found.noun(at)).all(|noun| noun.as_table().is_some());
    if says_mean && rows { nothing() } else { None }
}
