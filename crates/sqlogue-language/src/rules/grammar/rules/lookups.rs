//! What is known of one row that is called by its name: *opening date of the branch Harbour*, *who recommended Kurt Sommer?*

use super::rows::is_last;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Pred;
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "attribute_of_named_row",
        pattern: "NOUN of|for NOUN named|called|:? VALUE VALUE?",
        make: |found| {
            let rows = Part::Subject(found.noun(1)?.as_table()?);
            is_last(found).then(|| looked_up(found, vec![rows]))?
        },
    },
    Rule {
        name: "who_does_it_to_named",
        pattern: "who|whom|which|what is|was|are|has|does|did? NOUN VALUE VALUE?",
        make: |found| is_last(found).then(|| looked_up(found, Vec::new()))?,
    },
    Rule {
        name: "which_rows_do_it_to_named",
        pattern: "who|which|what NOUN has|had|is|was? NOUN VALUE VALUE?",
        make: |found| {
            let (rows, verb) = (found.noun(0)?.as_table()?, found.noun(1)?.as_column()?);
            let held = values(found).into_iter().map(Part::Where);
            let mut parts = vec![Part::Shown(verb), Part::Subject(rows)];
            parts.extend(held);
            is_last(found).then(|| all(parts))?
        },
    },
];

/// The column, of the row that bears the name.
fn looked_up(found: &Matched<'_>, mut parts: Vec<Part>) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let column = noun.as_column().filter(|_| noun.column_score() > noun.table_score())?;
    parts.push(Part::Shown(column));
    parts.extend(values(found).into_iter().map(Part::Where));
    all(parts)
}

/// The name; first and last name may stand in two columns.
fn values(found: &Matched<'_>) -> Vec<Pred> {
    let is = |value| Pred::Is { values: vec![value], column: None, negated: false };
    (0..2).map_while(|at| found.value(at)).map(is).collect()
}
