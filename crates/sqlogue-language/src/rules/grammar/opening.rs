//! Clauses that only introduce what is asked: *where is it expensive? mean price per district*, *compare our offices: …*,
//! *I have to call them today. Which invoices are overdue?*

use super::form::Words;
use super::lattice::Lattice;
use super::words::WordLists;
use crate::rules::text::Token;

/// The price at which a question that only introduces the next one is left out as a whole.
const OPENING: f32 = 1.6;
/// The same for a statement before a full stop or a colon and what asks.
const STATEMENT: f32 = 0.8;
/// As few words make no question of their own.
const SENTENCE: usize = 3;

/// The tokens behind clauses that only introduce what is asked with what it costs to leave them out.
pub(super) fn openings(lattice: &Lattice<'_>, span: Words) -> Vec<(usize, f32)> {
    let begins = |at: usize| lattice.question.tokens.get(at).is_some_and(Token::is_capitalised);
    let behind = |at: &usize| match lattice.question.word(at.saturating_sub(1)) {
        "?" | ":" | "!" => true,
        // Other full stops are those of *no.* and *vs.*.
        "." => begins(*at) && at - span.start > SENTENCE,
        _ => false,
    };
    let long = |at: &usize| span.end.saturating_sub(*at) >= SENTENCE;
    let price = |at: usize| {
        let words: f32 = (span.start..at).map(|at| lattice.skip(at)).sum();
        let asks = WordLists::embedded().has("asking", lattice.question.word(at));
        let says_value = || (span.start..at).any(|at| !lattice.values(at).is_empty());
        let asks = asks
            && match lattice.question.word(at - 1) {
                "." => true,
                // *somebody asks for Polish books: what are they called*
                ":" => !says_value(),
                _ => false,
            };
        (at, words.min(if asks { STATEMENT } else { OPENING }))
    };
    (span.start + 1..span.end).filter(behind).filter(long).map(price).collect()
}
