//! Cutting a question into chunks so that the links explain as much of it as they can.

use std::collections::HashMap;

use super::{Chunk, Link, Target};
use crate::reasoner::rules::cue::Cue;
use crate::reasoner::rules::text::{Question, TokenKind};

/// How many cuts are kept.
const KEPT: usize = 3;
/// A chunk keeps at most so many readings of a kind.
const MAX_READINGS: usize = 16;

/// The best ways to cut, best first.
pub(super) fn cuts(question: &Question, links: &[Link]) -> Vec<(Vec<Chunk>, f32)> {
    let mut spans: HashMap<(usize, usize), Vec<&Link>> = HashMap::new();
    for link in links {
        spans.entry((link.start, link.end)).or_default().push(link);
    }
    let length = question.tokens.len();
    // For each position the best ways to cut what follows: (worth, end of the first chunk, which way from there).
    let mut best: Vec<Vec<(f32, usize, usize)>> = vec![Vec::new(); length + 1];
    if let Some(end) = best.last_mut() {
        end.push((0.0, length, 0));
    }
    let mut starts: Vec<Vec<(usize, f32)>> = vec![Vec::new(); length];
    for (&(start, end), readings) in &spans {
        if let Some(options) = starts.get_mut(start) {
            options.push((end, worth(question, start, end, readings)));
        }
    }
    for start in (0..length).rev() {
        let mut options: Vec<(f32, usize, usize)> = Vec::new();
        let here = starts.get(start).cloned().unwrap_or_default();
        for (end, worth) in here.into_iter().chain(std::iter::once((start + 1, 0.0))) {
            for (way, (rest, _, _)) in best.get(end).into_iter().flatten().enumerate() {
                options.push((worth + rest, end, way));
            }
        }
        options.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        // A plain word and a link of no worth over the same span are the same cut.
        options.dedup_by(|one, other| one.1 == other.1 && one.2 == other.2);
        options.truncate(KEPT);
        if let Some(place) = best.get_mut(start) {
            *place = options;
        }
    }
    let ways = best.first().map_or(0, Vec::len);
    let mut cuts = Vec::new();
    for way in 0..ways {
        let (mut at, mut which) = (0, way);
        let total = best.first().and_then(|options| options.get(way)).map_or(0.0, |option| option.0);
        let mut chunks = Vec::new();
        while at < length {
            let Some(&(_, end, next)) = best.get(at).and_then(|options| options.get(which)) else { break };
            chunks.push(chunk(question, at, end, spans.get(&(at, end)).map_or(&[][..], Vec::as_slice)));
            at = end;
            which = next;
        }
        cuts.push((chunks, total));
    }
    cuts
}

/// What it is worth to take a span as one chunk.
fn worth(question: &Question, start: usize, end: usize, readings: &[&Link]) -> f32 {
    let content = (start..end)
        .filter(|at| question.tokens.get(*at).is_some_and(|token| token.kind != TokenKind::Possessive))
        .count()
        .max(1) as f32;
    let mut best = 0.0_f32;
    // An article says nothing, so no cue is better for having one.
    let article = if question.word(start) == "the" && content > 1.0 { 1.0 } else { 0.0 };
    for link in readings {
        let worth = match &link.target {
            Target::Table(_) => link.score.powf(1.3) * content + 0.28 * (content - 1.0) * link.score + 0.02,
            Target::Column(_) => link.score.powf(1.3) * content + 0.28 * (content - 1.0) * link.score,
            Target::Value(value) if value.quoted => 2.0 + link.score,
            Target::Value(_) => link.score * content + 0.1 * (content - 1.0),
            Target::Number(_) => 0.9 * content,
            Target::Date(_) => 1.0 * content + 0.1,
            Target::Cue(cue) => match cue {
                Cue::MostCommon(_) => 1.0 * (content - article),
                Cue::Be | Cue::Have => 0.3 * content,
                Cue::Ordinal(_) | Cue::Times => 0.5 * content,
                // *or later* is one thing, and not an *or* before a comparison.
                Cue::OrBeyond(_) => 0.85 * content,
                Cue::Aggregate(_)
                | Cue::Superlative(..)
                | Cue::Most(_)
                | Cue::Comparative(_)
                // *no later than* is one comparison, and not a denied *later than*.
                | Cue::Compare(_) => {
                    0.8 * (content - article) + 0.03 * (content - 1.0)
                }
                _ => 0.74 * (content - article) + 0.05 * (content - 1.0),
            },
        };
        best = best.max(worth);
    }
    best
}

pub(super) fn chunk(question: &Question, start: usize, end: usize, readings: &[&Link]) -> Chunk {
    let words: Vec<&str> = (start..end).map(|at| question.word(at)).collect();
    let mut chunk = Chunk { start, end, text: words.join(" "), ..Chunk::default() };
    for link in readings {
        match &link.target {
            Target::Table(table) => chunk.tables.push((*table, link.score)),
            Target::Column(column) => chunk.columns.push((*column, link.score)),
            Target::Value(value) => chunk.values.push(value.clone()),
            Target::Number(number) => chunk.number = Some(number.clone()),
            Target::Date(date) => chunk.date = Some(date.clone()),
            Target::Cue(cue) if chunk.cue.is_none() => chunk.cue = Some(*cue),
            Target::Cue(cue) => chunk.other_cues.push(*cue),
        }
    }
    chunk.tables.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    chunk.columns.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    chunk.values.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.column.cmp(&other.column)));
    chunk.tables.truncate(MAX_READINGS);
    chunk.columns.truncate(MAX_READINGS * 2);
    chunk.values.truncate(MAX_READINGS);
    chunk
}
