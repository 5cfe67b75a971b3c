//! Readings as drafts: what the ranking of candidates looks at.

use std::collections::HashMap;

use super::bind::{Binding, Distances, bind};
use super::chart::chart;
use super::form::{Query, Words};
use super::lattice::Lattice;
use super::live::live;
use super::lower::{Lowered, lower};
use super::merge::{READINGS, Reading, merge};
use crate::rules::compose::{Choice, Draft, Meaning};
use crate::rules::knowledge::Knowledge;
use crate::rules::link::{Chunk, Link, Linked};
use crate::rules::rank::{Features, ignored};
use crate::rules::sound::{is_sound, of_rows};

/// How many drafts of a question are handed on.
const DRAFTS: usize = 24;

/// The drafts of a question, best first. Every draft brings its own cut of the question, which is added to `linked`.
pub fn drafts(
    linked: &mut Linked,
    lattice: &Lattice<'_>,
    links: &[Link],
    knowledge: &Knowledge,
) -> Vec<Draft> {
    let length = lattice.question.tokens.len();
    let chart = live(chart(lattice, length), knowledge);
    let readings = merge(lattice, &chart, Words::new(0, length), &Query::default());
    let distances = Distances::new(knowledge);
    let mut made: Vec<(f32, Reading, Binding, Lowered)> = Vec::new();
    for (at, reading) in readings.into_iter().enumerate() {
        if at >= READINGS && made.iter().any(|(.., lowered)| is_sound(&lowered.plan, knowledge)) {
            break;
        }
        for binding in bind(&reading.query, &distances, &HashMap::new()) {
            for mut lowered in lower(&reading.query, &binding, knowledge, lattice.today) {
                lowered.plan = of_rows(lowered.plan, knowledge);
                let score = reading.score + binding.score - lowered.price - 0.1 * lowered.joins.cost;
                match made.iter_mut().find(|(_, _, _, other)| other.plan == lowered.plan) {
                    Some(known) if known.0 >= score => {}
                    Some(known) => *known = (score, reading.clone(), binding.clone(), lowered),
                    None => made.push((score, reading.clone(), binding.clone(), lowered)),
                }
            }
        }
    }
    made.sort_by(|one, other| other.0.total_cmp(&one.0));
    first_sound(&mut made, knowledge);
    let best = made.first().map_or(0.0, |(score, ..)| *score);
    made.into_iter()
        .map(|(score, reading, binding, lowered)| {
            let (chunks, used, meanings) = cut(lattice, links, &reading, &binding, knowledge);
            let cut = match linked.cuts.iter().position(|(known, _)| *known == chunks) {
                Some(known) => known,
                None => {
                    linked.cuts.push((chunks, 0.0));
                    linked.cuts.len() - 1
                }
            };
            let mut choices: Vec<Choice> = reading
                .rules
                .iter()
                .chain(&lowered.supplied)
                .map(|name| Choice { name, taken: 1, options: 2 })
                .collect();
            choices.sort_by_key(|choice| choice.name);
            choices.dedup_by_key(|choice| choice.name);
            Draft {
                plan: lowered.plan,
                choices,
                binding: meanings.iter().map(|meaning: &Meaning| meaning.score).sum(),
                hint_loss: 0.0,
                worst: meanings.iter().map(|meaning| meaning.score).fold(1.0, f32::min),
                joins: lowered.joins,
                cut,
                cut_loss: 0.0,
                used,
                meanings,
                grammar: Some(score - best),
                agreed: None,
            }
        })
        .collect()
}

/// Keeps the first drafts, and as many that are sound, however far behind they are.
fn first_sound(made: &mut Vec<(f32, Reading, Binding, Lowered)>, knowledge: &Knowledge) {
    let (mut seen, mut sound) = (0, 0);
    made.retain(|(.., lowered)| {
        seen += 1;
        let is_kept = sound < DRAFTS && is_sound(&lowered.plan, knowledge);
        sound += usize::from(is_kept);
        is_kept || seen <= DRAFTS
    });
}

/// What tells how good a draft is by what it leaves unread, and by the rules that made it.
pub fn features(draft: &Draft, linked: &Linked, lattice: &Lattice<'_>, features: &mut Features) {
    let prices: Vec<f32> =
        unread_tokens(linked, lattice, draft).into_iter().map(|at| lattice.skip(at)).collect();
    let mut add = |name: String, value: f32| {
        if value != 0.0 {
            features.push((name, value));
        }
    };
    add("unread".into(), prices.iter().sum());
    add("unread_telling".into(), prices.iter().filter(|price| **price > 1.0).count() as f32);
    if let Some(behind) = draft.agreed {
        add("agreed".into(), 1.0);
        add("agreed_behind".into(), behind);
    }
    let Some(behind) = draft.grammar else { return };
    add("parsed".into(), 1.0);
    add("parsed_behind".into(), behind);
    for choice in &draft.choices {
        add(format!("rule {}", choice.name), 1.0);
    }
}

/// True where a draft reads every word that people have defined.
pub fn keeps_definitions(draft: &Draft, linked: &Linked, lattice: &Lattice<'_>) -> bool {
    if !lattice.has_terms() {
        return true;
    }
    let Some((chunks, _)) = linked.cuts.get(draft.cut).filter(|_| draft.grammar.is_some()) else {
        return false;
    };
    let unread = chunks.iter().enumerate().filter(|(at, _)| !draft.used.contains(at));
    unread.into_iter().all(|(_, chunk)| !lattice.is_defined(chunk.start, chunk.end))
}

/// The words that a draft leaves unread, but for those whose wish is met, as they were said, those side by side together.
pub fn left_out(
    linked: &Linked,
    lattice: &Lattice<'_>,
    draft: &Draft,
    is_met: impl Fn(usize) -> bool,
) -> Vec<String> {
    let tokens = unread_tokens(linked, lattice, draft);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in tokens.into_iter().filter(|at| !is_met(*at)) {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs.into_iter().map(|(start, end)| linked.question.span_text(start, end).to_owned()).collect()
}

/// The tokens with content that a draft does not account for.
fn unread_tokens(linked: &Linked, lattice: &Lattice<'_>, draft: &Draft) -> Vec<usize> {
    let Some((chunks, _)) = linked.cuts.get(draft.cut) else { return Vec::new() };
    let ignored: Vec<usize> = match draft.grammar {
        Some(_) => (0..chunks.len()).filter(|at| !draft.used.contains(at)).collect(),
        None => ignored(chunks, draft),
    };
    let tokens = ignored.into_iter().filter_map(|at| chunks.get(at)).flat_map(|chunk| chunk.start..chunk.end);
    tokens.filter(|at| lattice.skip(*at) > 0.1).collect()
}

/// The question cut as a reading took it: the chunks, those that were read, and what they were taken for.
fn cut(
    lattice: &Lattice<'_>,
    links: &[Link],
    reading: &Reading,
    binding: &Binding,
    knowledge: &Knowledge,
) -> (Vec<Chunk>, Vec<usize>, Vec<Meaning>) {
    let mut bound: Vec<Words> = binding.fillers.keys().copied().collect();
    bound.sort();
    let (mut chunks, mut used, mut meanings) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < lattice.question.tokens.len() {
        let words = bound.iter().find(|words| words.start == at).copied().unwrap_or(Words::new(at, at + 1));
        let readings: Vec<&Link> =
            links.iter().filter(|link| (link.start, link.end) == (words.start, words.end)).collect();
        let chunk = Chunk::of(lattice.question, words.start, words.end, &readings);
        let number = chunks.len();
        if reading.read.iter().any(|read| read.start <= words.start && words.end <= read.end) {
            used.push(number);
        }
        if let Some(filler) = binding.fillers.get(&words) {
            meanings.push(Meaning {
                chunk: number,
                table: knowledge.table(filler.table).name.clone(),
                column_id: filler.column,
                column: filler.column.map(|column| knowledge.column(column).name.clone()),
                value: filler.value.clone(),
                score: filler.score,
            });
        }
        chunks.push(chunk);
        at = words.end.max(at + 1);
    }
    (chunks, used, meanings)
}
