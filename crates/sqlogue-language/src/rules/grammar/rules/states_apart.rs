//! States side by side, a column for each: *how many are active and how many are not*, *paid vs failed vs refunded*,
//! *invoices: paid, unpaid, overdue*.

use super::dropped::opposite;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Measure, Noun, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;
use crate::rules::stem::root;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "states_against",
        pattern: "WHERE ,? vs|versus|against|compared_to|compared_with|as_opposed_to WHERE NOUN?",
        make: |found| counted(found, preds(found).filter(|preds| is_no_value(preds))?),
    },
    Rule {
        name: "three_states_against",
        pattern: "WHERE ,? vs|versus|against|, WHERE ,? vs|versus|against WHERE NOUN?",
        make: |found| counted(found, preds(found).filter(|preds| is_no_value(preds))?),
    },
    Rule {
        name: "how_many_of_each_state",
        pattern: "$how_many NOUN? is|are|was|were|have|has|had|that_are|who_are? been? WHERE ,? and|, $how_many NOUN? is|are|was|were|have|has|had|that_are|who_are? been? WHERE",
        make: |found| counted(found, preds(found)?),
    },
    Rule {
        name: "how_many_are_and_are_not",
        pattern: "$how_many NOUN? is|are|was|were|have|has|had been? WHERE ,? and|, $how_many $of_them? are|is|was|were|have|has|had not|n't|still_not|not_yet|not_been yet?",
        make: |found| {
            let pred = found.pred(0)?;
            counted(found, vec![pred.clone(), opposite(pred)?])
        },
    },
    Rule {
        name: "states_that_exclude_each_other",
        pattern: "WHERE ,? and WHERE NOUN",
        make: |found| counted(found, preds(found).filter(|preds| exclude(found, preds))?),
    },
    Rule {
        name: "three_states_that_exclude_each_other",
        pattern: "WHERE , WHERE ,? and|, WHERE NOUN",
        make: |found| counted(found, preds(found).filter(|preds| exclude(found, preds))?),
    },
    Rule {
        name: "states_of_kind",
        pattern: "WHERE ,? and WHERE VALUE",
        make: |found| {
            // *open and closed repairs*, where repairs are a kind of cases.
            let Some(Phrase::Part(Part::All(mut parts))) =
                counted(found, preds(found).filter(|preds| exclude(found, preds))?)
            else {
                return None;
            };
            parts.push(Part::Where(Pred::Is { values: vec![found.value(0)?], column: None, negated: false }));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "rows_in_states",
        pattern: "NOUN :|,|is|are|was|were? WHERE ,? and|, WHERE",
        make: |found| counted(found, preds(found).filter(|preds| exclude(found, preds))?),
    },
    Rule {
        name: "rows_in_three_states",
        pattern: "NOUN :|,|is|are|was|were? WHERE , WHERE ,? and|, WHERE",
        make: |found| counted(found, preds(found).filter(|preds| exclude(found, preds))?),
    },
];

/// The states that were said; none where one of them is no state.
fn preds(found: &Matched<'_>) -> Option<Vec<Pred>> {
    let preds: Vec<Pred> = (0..3).map_while(|at| found.pred(at)).collect();
    // A column of states holds them all, but for what is open because it has come to no end.
    let told = |by_value: bool| {
        preds.iter().any(|pred| match pred {
            Pred::Is { .. } => by_value,
            Pred::Flag(..) | Pred::Open { end: None, late_on: None } => false,
            _ => !by_value,
        })
    };
    // Where *open* is one of the states in that column, it is no more than that.
    let is_value =
        |at: usize| found.lattice.question.word(at) == "open" && !found.lattice.values(at).is_empty();
    let is_one_of_values = told(true) && (found.words.start..found.words.end).any(is_value);
    let has_open = preds.iter().any(|pred| matches!(pred, Pred::Open { .. }));
    (preds.iter().all(is_state) && !(told(true) && told(false)) && !(has_open && is_one_of_values))
        .then_some(preds)
}

/// True where one of the states is no value of a column: values side by side make groups (`sides.rs`).
fn is_no_value(preds: &[Pred]) -> bool {
    preds.iter().any(|pred| !matches!(pred, Pred::Is { .. }))
}

fn is_state(pred: &Pred) -> bool {
    match pred {
        Pred::Is { values, column: None, negated: false } => values.len() == 1,
        Pred::Flag(..)
        | Pred::Happened(..)
        | Pred::Known(..)
        | Pred::Open { .. }
        | Pred::Ended(None)
        | Pred::State(_)
        | Pred::Late(..) => true,
        _ => false,
    }
}

/// True where no row can be in two of these states: what is open has not been closed, and nothing is both paid and unpaid.
fn exclude(found: &Matched<'_>, states: &[Pred]) -> bool {
    let word = |noun: &Noun| found.lattice.question.word(noun.words.end.saturating_sub(1));
    let exclude = |one: &Pred, other: &Pred| match (one, other) {
        (Pred::Open { end: Some(end), .. }, Pred::Happened(noun, true)) => root(end) == root(word(noun)),
        (Pred::Open { end: None, .. }, Pred::Happened(noun, true)) => {
            WordLists::embedded().has("over", word(noun))
        }
        (Pred::Open { .. }, Pred::Ended(_)) | (Pred::Open { end: None, late_on: None }, Pred::Is { .. }) => {
            true
        }
        (Pred::Happened(one, false), Pred::Happened(other, true)) => root(word(one)) == root(word(other)),
        (Pred::Late(_, late), Pred::Late(_, other)) => late != other,
        _ => false,
    };
    states.iter().enumerate().any(|(at, one)| {
        let mut others = states.iter().skip(at + 1);
        others.any(|other| exclude(one, other) || exclude(other, one))
    })
}

/// How many rows are in each of these states.
fn counted(found: &Matched<'_>, states: Vec<Pred>) -> Option<Phrase> {
    let rows: Option<Noun> = match found.noun(0) {
        Some(noun) => Some(noun.as_table()?),
        None => None,
    };
    let count = |state: Pred| {
        let of = Box::new(Measure::Count(rows.clone()));
        Part::Measure(Measure::Where(of, vec![state]))
    };
    Some(Phrase::Part(Part::All(states.into_iter().map(count).collect())))
}
