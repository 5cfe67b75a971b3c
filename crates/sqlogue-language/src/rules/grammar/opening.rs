//! Clauses that only introduce what is asked: *where is it expensive? mean price per district*, *compare our offices: …*.

use super::form::Words;
use super::lattice::Lattice;

/// The price at which a question that only introduces the next one is left out as a whole.
const OPENING: f32 = 1.6;
/// As few words make no question of their own.
const SENTENCE: usize = 3;

/// The tokens behind clauses that only introduce what is asked with what it costs to leave them out.
pub(super) fn openings(lattice: &Lattice<'_>, span: Words) -> Vec<(usize, f32)> {
    let behind = |at: &usize| *at > span.start && matches!(lattice.question.word(at - 1), "?" | ":" | "!");
    let long = |at: &usize| span.end.saturating_sub(*at) >= SENTENCE;
    let price = |at: usize| {
        let words: f32 = (span.start..at).map(|at| lattice.skip(at)).sum();
        (at, words.min(OPENING))
    };
    (span.start + 1..span.end).filter(behind).filter(long).map(price).collect()
}
