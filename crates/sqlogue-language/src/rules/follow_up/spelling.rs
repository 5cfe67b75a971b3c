//! Slips of the keyboard in a follow-up: `onyl`, `sort by nmae`, `cheapset first`.

use super::previous::Previous;
use super::reading::Reading;
use crate::intent;
use crate::rules::lexicon::Lexicon;
use crate::rules::link::Chunk;
use crate::rules::text::{Question, TokenKind};

/// The input with its slips repaired; none where there are none.
///
/// Only words that mean nothing as they stand are repaired: to words that follow-ups are made of, and to those in the
/// names of the tables in use and their columns.
pub(super) fn repaired(input: &str, reading: &Reading, previous: &Previous<'_>) -> Option<String> {
    let question = Question::new(input);
    let mut text = input.to_owned();
    let mut changed = false;
    for chunk in reading.chunks.iter().rev().filter(|chunk| means_nothing(chunk)) {
        for token in question.tokens.get(chunk.start..chunk.end).unwrap_or_default().iter().rev() {
            if token.kind != TokenKind::Word || token.is_capitalised() {
                continue;
            }
            let right = intent::repaired(&token.lower).map(str::to_owned);
            if let Some(right) =
                right.or_else(|| name(&token.lower, previous)).or_else(|| degree(&token.lower))
                && text.is_char_boundary(token.start)
                && text.is_char_boundary(token.end)
            {
                text.replace_range(token.start..token.end, &right);
                changed = true;
            }
        }
    }
    changed.then_some(text)
}

fn means_nothing(chunk: &Chunk) -> bool {
    chunk.cue.is_none() && !chunk.is_schema() && chunk.values.is_empty() && chunk.number.is_none()
}

/// The form of an adjective that was meant: `cheapset`.
fn degree(typed: &str) -> Option<String> {
    Lexicon::embedded().degrees().filter(|word| intent::is_slip_of(typed, word)).min().cloned()
}

/// The word of a name in use that was meant.
fn name(typed: &str, previous: &Previous<'_>) -> Option<String> {
    let knowledge = previous.knowledge;
    let columns = previous.tables.iter().flat_map(|(_, table)| &knowledge.table(*table).columns);
    let words = columns.flat_map(|column| knowledge.column(*column).forms.iter().flatten());
    words.into_iter().find(|word| intent::is_slip_of(typed, word)).cloned()
}
