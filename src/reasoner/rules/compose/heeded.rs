//! No operator that was read is dropped: whoever says *above 20* means neither *equal to 20* nor any number.

use super::frame::Frame;
use crate::reasoner::rules::cue::Cue;
use crate::reasoner::rules::link::Chunk;

/// False where a number or a date is said with a comparison, and the comparison is not part of the question.
pub(super) fn operators(frame: &Frame, chunks: &[Chunk]) -> bool {
    bounds(chunks).all(|at| frame.used.contains(&at))
}

/// The comparisons that are said of a number or a date.
pub(crate) fn bounds(chunks: &[Chunk]) -> impl Iterator<Item = usize> + '_ {
    let is_amount =
        |at: &usize| chunks.get(*at).is_some_and(|chunk| chunk.number.is_some() || chunk.date.is_some());
    chunks.iter().enumerate().filter_map(move |(at, chunk)| {
        let amount = match chunk.cue {
            Some(Cue::Compare(_) | Cue::Comparative(_)) if !chunk.is_schema() => after(chunks, at),
            Some(Cue::OrBeyond(_)) => (1..=2).filter_map(|back| at.checked_sub(back)).find(is_amount),
            _ => None,
        };
        amount.filter(is_amount).map(|_| at)
    })
}

/// The chunk that a comparison is about: the next, but for articles and the like.
fn after(chunks: &[Chunk], at: usize) -> Option<usize> {
    let soft = ["the", "a", "of", "than", "to", "is", "year", "date", "on"];
    let rest = chunks.iter().enumerate().skip(at + 1);
    rest.map(|(at, chunk)| (at, chunk.text.as_str())).find(|(_, text)| !soft.contains(text)).map(|(at, _)| at)
}
