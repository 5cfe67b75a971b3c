//! Patterns: *containing 'x'*, *starting with S*, *with the word 'y' in its name*.

use super::frame::{Measure, Test};
use super::parse::Parser;
use crate::rules::cue::Cue;
use sqlogue_sql::schema::Value;

/// Reads a pattern that starts here.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let cue =
        parser.chunk(at).cues().find(|cue| matches!(cue, Cue::Contains | Cue::StartsWith | Cue::EndsWith))?;
    let mut text_at = at + 1;
    let quoted_at = |at: usize| parser.chunk(at).values.iter().any(|value| value.quoted);
    while !quoted_at(text_at)
        && ([
            "the",
            "a",
            "an",
            "with",
            "letter",
            "word",
            "substring",
            "phrase",
            "string",
            "prefix",
            "suffix",
            "letters",
            "text",
        ]
        .contains(&parser.text(text_at))
            || parser.chunk(text_at).cues().any(|other| other == cue))
    {
        text_at += 1;
    }
    // *the letter a*: no article.
    if text_at > at + 1 && parser.text(text_at - 1) == "a" && parser.text(text_at - 2).ends_with("letter") {
        text_at -= 1;
    }
    let chunk = parser.chunk(text_at);
    let quoted = chunk.values.iter().find(|value| value.quoted);
    let text = match quoted {
        Some(value) => value.value.to_string(),
        None => {
            let of_letters = ["letter", "word", "substring", "phrase", "string"]
                .iter()
                .any(|kind| parser.text(at).split(' ').any(|word| word == *kind));
            let says_so = text_at > at + 1
                || of_letters
                || cue != Cue::Contains
                || at.checked_sub(1).is_some_and(|before| parser.last_column == Some(before));
            let word =
                chunk.values.first().map_or_else(|| chunk.text.clone(), |value| value.value.to_string());
            let plain = !word.is_empty()
                && !chunk.is_schema()
                && chunk.number.is_none()
                // A word that says something else, as *in* does, is a pattern only where letters are spoken of.
                && (chunk.cue.is_none() || word.len() == 1 || of_letters && word.len() == 2);
            if !(says_so && plain) {
                return None;
            }
            // Patterns ignore case, but people read what was asked.
            word
        }
    };
    // Which column: the one said before, or after (*in its name*), or what names the rows.
    let mut end = text_at + 1;
    let mut column = parser.last_column.filter(|column| *column < at && at - column <= 6);
    let after = parser.skip(end, &["in", "its", "the", "their", "as", "of", "part", "a", "somewhere"]);
    let said_after = parser.chunk(after).column_score() > 0.6 && parser.chunk(after).cue.is_none();
    if said_after && (column.is_none() || after > end) {
        column = Some(after);
        end = after + 1;
    }
    let column = column.or(parser.output_column.filter(|_| parser.last_table.is_none()));
    let slot = match column {
        Some(column) => {
            parser.mark(column, column + 1);
            parser.last_column_used = true;
            parser.column_slot(column)?
        }
        None => label_slot(parser, at)?,
    };
    let text = text.trim_matches('%');
    let pattern = match cue {
        Cue::StartsWith => format!("{text}%"),
        Cue::EndsWith => format!("%{text}"),
        _ => format!("%{text}%"),
    };
    parser.filter(Measure::Plain(slot), Test::Like(pattern));
    parser.mark(at, end);
    Some(end)
}

/// The columns by which the rows of the table at hand are named.
pub(super) fn label_slot(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let table = parser.last_table?;
    let options: Vec<super::frame::Filler> = parser
        .knowledge
        .table(table)
        .label
        .iter()
        .map(|column| super::frame::Filler { column: Some(*column), table, value: None::<Value>, score: 0.6 })
        .collect();
    (!options.is_empty()).then(|| parser.add_slot(at, options))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn patterns() {
        reads(&[
            (
                "Show the titles of books whose title contains 'Night'.",
                "SELECT title FROM book WHERE title LIKE '%Night%'",
            ),
            ("Which authors have a name starting with 'A'?", "SELECT name FROM author WHERE name LIKE 'A%'"),
        ]);
    }
}
