//! Merging: a walk over the question from left to right that puts its phrases together to queries.
//!
//! A beam of the best partial queries is kept for every token. A token is read as part of a phrase of the chart, or left
//! out at a price; so no word disappears for nothing, and word order decides little.

use super::add::added;
use super::chart::{Item, Part, Phrase};
use super::form::{Query, Words};
use super::lattice::Lattice;
use super::opening::openings;

/// How many partial queries are kept for a token.
const BEAM: usize = 60;
/// How many whole queries are looked at.
pub const READINGS: usize = 80;
/// How many are handed on: those behind are looked at only where nothing can be made of those before them.
const FINAL: usize = 300;

/// A query as far as the question has been read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What was asked for so far.
    pub query: Query,
    /// How much of the question it explains, less what it costs.
    pub score: f32,
    /// The rules it was made by.
    pub rules: Vec<&'static str>,
    /// The spans that were read.
    pub read: Vec<Words>,
    /// The tokens that were left out.
    pub skipped: Vec<usize>,
}

/// The likeliest readings of a question, best first, not yet bound to columns. `span` are the tokens that are read, and
/// `begin` is what is known before the first.
pub fn merge(lattice: &Lattice<'_>, chart: &[Vec<Item>], span: Words, begin: &Query) -> Vec<Reading> {
    let mut beams: Vec<Vec<Reading>> = vec![Vec::new(); span.end + 1];
    if let Some(first) = beams.get_mut(span.start) {
        first.push(Reading { query: begin.clone(), ..Reading::default() });
    }
    for (behind, price) in openings(lattice, span) {
        let mut opened = Reading { query: begin.clone(), score: -price, ..Reading::default() };
        opened.skipped.extend(span.start..behind);
        opened.rules.push("opening_left_out");
        push(&mut beams, behind, opened);
    }
    for at in span.start..span.end {
        let readings = std::mem::take(beams.get_mut(at).unwrap_or(&mut Vec::new()));
        for reading in best(readings, BEAM) {
            let mut skipped = reading.clone();
            skipped.score -= lattice.skip(at);
            skipped.skipped.push(at);
            push(&mut beams, at + 1, skipped);
            for item in chart.get(at).into_iter().flatten() {
                let Some(part) = part(&item.phrase) else { continue };
                for (query, price, name) in added(&reading.query, &part) {
                    let mut next = reading.clone();
                    next.query = query;
                    next.score += item.worth - price;
                    next.rules.extend(item.rules.iter().copied());
                    next.rules.push(name);
                    next.read.push(Words::new(at, item.end));
                    push(&mut beams, item.end, next);
                }
            }
        }
    }
    let last = std::mem::take(beams.last_mut().unwrap_or(&mut Vec::new()));
    let mut last: Vec<Reading> = last.into_iter().filter(|reading| !reading.read.is_empty()).collect();
    last.sort_by(|one, other| other.score.total_cmp(&one.score));
    last.dedup_by(|one, other| one.query == other.query);
    last.truncate(FINAL);
    last
}

fn push(beams: &mut [Vec<Reading>], at: usize, reading: Reading) {
    if let Some(beam) = beams.get_mut(at) {
        beam.push(reading);
    }
}

/// The best of a beam, the same query once.
fn best(mut readings: Vec<Reading>, width: usize) -> Vec<Reading> {
    readings.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut kept: Vec<Reading> = Vec::with_capacity(width);
    for reading in readings {
        if kept.len() >= width {
            break;
        }
        if !kept.iter().any(|other| other.query == reading.query) {
            kept.push(reading);
        }
    }
    kept
}

/// A phrase as a part of a query; none for what is only part of other phrases.
pub(super) fn part(phrase: &Phrase) -> Option<Part> {
    match phrase {
        Phrase::Noun(noun) => Some(Part::Noun(noun.clone())),
        Phrase::Measure(measure) => Some(Part::Measure(measure.clone())),
        Phrase::Part(part) => Some(part.clone()),
        _ => None,
    }
}
