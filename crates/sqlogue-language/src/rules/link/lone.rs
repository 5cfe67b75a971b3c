//! Where there is one table alone, as in a file: *the rows*, *the data*, *everything* are its rows.

use super::{Link, Target};
use crate::rules::knowledge::Knowledge;
use crate::rules::lexicon::Lexicon;
use crate::rules::text::{Question, Token, TokenKind};

/// As good as a name that is nearly the table's own, so that the name itself is still the better.
const SCORE: f32 = 0.9;

/// Links of the words for rows of any table to the only table there is.
pub(super) fn links(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<Link> {
    let mut tables = knowledge.tables();
    let (Some((table, _)), None) = (tables.next(), tables.next()) else { return Vec::new() };
    let is_named = |at: usize| {
        known.iter().any(|link| {
            (link.start..link.end).contains(&at)
                && matches!(link.target, Target::Table(_) | Target::Column(_))
        })
    };
    let tokens = question.tokens.iter().enumerate();
    let is_row = |(at, token): &(usize, &Token)| {
        token.kind == TokenKind::Word && Lexicon::embedded().is_rows(&token.lower) && !is_named(*at)
    };
    let link = |(at, _)| Link { start: at, end: at + 1, target: Target::Table(table), score: SCORE };
    tokens.filter(is_row).map(link).collect()
}
