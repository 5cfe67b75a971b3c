//! Negation: *not from France*, *without any orders*, *who never*, *but not*.

use super::parse::{Parser, Region};
use super::value::reads_as_value;
use crate::rules::cue::Cue;

/// Reads a negation: either the next condition does not hold, or something is not there.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    // *whose phone is missing*
    if chunk.may_be(Cue::Null)
        && !chunk.is_schema()
        && let Some(column) = parser.last_column.filter(|column| *column < at && at - column <= 4)
        && let Some(slot) = parser.column_slot(column)
    {
        parser.filter(super::frame::Measure::Plain(slot), super::frame::Test::Missing);
        parser.last_column_used = true;
        parser.mark(column, at + 1);
        return Some(at + 1);
    }
    let inequality = chunk.may_be(Cue::NotEqual);
    if !inequality && !chunk.may_be(Cue::Not) && !(chunk.may_be(Cue::Neither)) {
        return None;
    }
    if at == 0 {
        return None;
    }
    parser.region = Region::Description;
    parser.mark(at, at + 1);
    let next = parser.skip_soft(at + 1);
    let excepted =
        chunk.text.starts_with("except") || chunk.text.starts_with("excluding") || chunk.text == "but not";
    let those = ["those", "the", "ones", "that", "who"].contains(&parser.text(at + 1));
    let comparison = parser.chunk(next).cues().any(|cue| {
        matches!(
            cue,
            Cue::Null
                | Cue::Compare(_)
                | Cue::Comparative(_)
                | Cue::Contains
                | Cue::StartsWith
                | Cue::EndsWith
                | Cue::Between
                | Cue::Equal
        )
    });
    let value = (next..next + 2).any(|at| reads_as_value(parser, at));
    let column_waits =
        parser.last_column.is_some_and(|column| column < at && at - column <= 3 && !parser.last_column_used);
    // *who took a course in fall but not in spring*: one row may be of both.
    let other_rows = chunk.text == "but not"
        && parser.frame.filters.iter().any(|filter| !filter.absent)
        && parser.oracle.decide("but_not_takes_away", true);
    if excepted && (those || !value || other_rows) {
        parser.absent = true;
        parser.frame.absent.get_or_insert_default();
        return Some(at + 1);
    }
    if inequality || comparison || (column_waits && (value || parser.chunk(next).number.is_some())) {
        parser.negated = true;
        return Some(at + 1);
    }
    if super::flag::may_read(parser, next) {
        parser.negated = true;
        return Some(at + 1);
    }
    // *no email*, *missing phone*: a column without a value.
    if value && !parser.oracle.decide("negated_value_is_unequal", false) {
        parser.absent = true;
        parser.frame.absent.get_or_insert_default();
        return Some(at + 1);
    }
    if value {
        parser.negated = true;
        return Some(at + 1);
    }
    parser.absent = true;
    parser.frame.absent.get_or_insert_default();
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn negations() {
        reads(&[
            (
                "What are the names of authors who do not have any books?",
                "SELECT name FROM author WHERE author_id NOT IN (SELECT author_id FROM book)",
            ),
            (
                "Show the titles of books whose genre is not crime.",
                "SELECT title FROM book WHERE genre != 'crime'",
            ),
        ]);
    }
}
