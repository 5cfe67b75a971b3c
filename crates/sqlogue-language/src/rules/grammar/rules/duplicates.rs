//! Values that several rows have: *duplicate emails*, *customers with the same name*, *which codes appear more than once*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Having, Key, Measure, Noun};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "duplicates",
        pattern: "there? any|the|all? duplicate|duplicated|duplicates|repeated|double|identical of|in|on|by|among? NOUN",
        make: |found| several(found, None, 0),
    },
    Rule {
        name: "duplicate_rows_by",
        pattern: "any|the|all? duplicate|duplicated|duplicates|repeated|double of|in|among? NOUN by|with|on|with_the_same|with_same|having_the_same NOUN",
        make: |found| several(found, found.noun(0)?.as_table(), 1),
    },
    Rule {
        name: "rows_with_the_same",
        pattern: "more_than_one|several|two_or_more|multiple|any? NOUN who|that|which|with|have|has|having|share|shares|sharing have|has|share|shares? the_same|same|an_identical|identical NOUN",
        make: |found| several(found, found.noun(0)?.as_table(), 1),
    },
    Rule {
        name: "appears_more_than_once",
        pattern: "NOUN that|which? are|is|do|does? appear|appears|occur|occurs|exist|exists|used|shared|listed|there|come_up|comes_up $more_than_once|twice",
        make: |found| several(found, None, 0),
    },
];

/// The values of a column that at least two rows have, with how many have each.
fn several(found: &Matched<'_>, rows: Option<Noun>, of: usize) -> Option<Phrase> {
    let of = found.noun(of)?;
    // A word for rows is no value that they have.
    let column = of.as_column().filter(|column| column.column_score() >= of.table_score())?;
    let at_least_two = Having {
        measure: Measure::Count(None),
        operator: Comparison::GreaterOrEqual,
        with: Against::Value(Value::Integer(2)),
    };
    let counted =
        [Part::Key(Key::Noun(column)), Part::Measure(Measure::Count(None)), Part::Having(at_least_two)];
    all(rows.map(Part::Subject).into_iter().chain(counted).collect())
}
