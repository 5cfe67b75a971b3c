//! Binding: filling the slots of a frame with columns and tables that fit the words and each other.

use std::collections::{BTreeSet, HashMap};

use super::frame::{Filler, Frame};
use super::oracle::Oracle;
use crate::reasoner::rules::knowledge::{Knowledge, TableId};

/// The slots' fillers, in the slots' order, and how well they fit together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Binding {
    pub fillers: Vec<Filler>,
    pub score: f32,
    /// How far nearby words speak for other tables than those taken.
    pub hint_loss: f32,
    /// How well the worst slot fits.
    pub worst: f32,
}

/// How many partial bindings are followed.
const BEAM: usize = 10;
/// A slot offers at most so many fillers to choose from.
const OFFERED: usize = 4;
/// A filler worse than the best by more than this is not offered.
const MARGIN: f32 = 1.6;

/// Distances between tables, looked up once.
#[derive(Debug)]
pub(crate) struct Distances<'a> {
    knowledge: &'a Knowledge,
    known: HashMap<(TableId, TableId), f32>,
}

impl<'a> Distances<'a> {
    pub fn new(knowledge: &'a Knowledge) -> Self {
        Self { knowledge, known: HashMap::new() }
    }

    /// The cost of joining two tables; a large one where they cannot be.
    pub fn between(&mut self, one: TableId, other: TableId) -> f32 {
        if one == other {
            return 0.0;
        }
        let key = (one.min(other), one.max(other));
        *self.known.entry(key).or_insert_with(|| {
            self.knowledge.joins().connect(&[one, other]).map_or(6.0, |tree| tree.cost.min(5.0))
        })
    }
}

/// Fills the slots; none where one has nothing to fill it.
pub(crate) fn bind(frame: &Frame, distances: &mut Distances<'_>, oracle: &mut Oracle) -> Option<Binding> {
    // The slots that say most come first: they decide which tables are in play.
    let mut order: Vec<usize> = (0..frame.slots.len()).collect();
    let firmness = |at: &usize| -> f32 {
        let Some(slot) = frame.slots.get(*at) else { return 0.0 };
        let best = slot.options.first().map_or(0.0, |option| option.score);
        let close = slot.options.iter().filter(|option| option.score > best - 0.15).count() as f32;
        let is_table = slot.options.first().is_some_and(|option| option.column.is_none());
        let later = if slot.tie.is_some() || slot.nested { 1.0 } else { 0.0 };
        best + if is_table { 1.0 } else { 0.0 } + 1.0 / close.max(1.0) - later
    };
    order.sort_by(|one, other| firmness(other).total_cmp(&firmness(one)));
    let mut beam: Vec<(f32, Vec<Option<usize>>)> = vec![(0.0, vec![None; frame.slots.len()])];
    for &at in &order {
        let slot = frame.slots.get(at)?;
        if slot.options.is_empty() {
            return None;
        }
        let mut next: Vec<(f32, Vec<Option<usize>>)> = Vec::new();
        for (score, chosen) in &beam {
            for (number, _) in slot.options.iter().enumerate() {
                let gain = fit(frame, distances, chosen, at, number);
                let mut chosen = chosen.clone();
                if let Some(place) = chosen.get_mut(at) {
                    *place = Some(number);
                }
                next.push((score + gain, chosen));
            }
        }
        next.sort_by(|one, other| other.0.total_cmp(&one.0));
        next.truncate(BEAM);
        beam = next;
    }
    let (_, mut chosen) = beam.into_iter().next()?;
    // Other fillers for one slot at a time, the rest as they are.
    for at in 0..frame.slots.len() {
        let slot = frame.slots.get(at)?;
        let mut ranked: Vec<(f32, usize)> =
            (0..slot.options.len()).map(|number| (fit(frame, distances, &chosen, at, number), number)).collect();
        let current = chosen.get(at).copied().flatten()?;
        ranked.sort_by(|one, other| (other.1 == current).cmp(&(one.1 == current)).then(other.0.total_cmp(&one.0)));
        let best = ranked.first()?.0;
        ranked.retain(|(score, number)| *number == current || *score > best - MARGIN);
        ranked.truncate(OFFERED);
        let taken = oracle.choose("binding", ranked.len());
        if let (Some(place), Some((_, number))) = (chosen.get_mut(at), ranked.get(taken)) {
            *place = Some(*number);
        }
    }
    let mut binding = Binding { worst: f32::MAX, ..Binding::default() };
    for (at, slot) in frame.slots.iter().enumerate() {
        let number = chosen.get(at).copied().flatten()?;
        let gain = fit(frame, distances, &chosen, at, number);
        binding.score += gain;
        binding.worst = binding.worst.min(gain);
        let table = slot.options.get(number)?.table;
        let strongest = slot.hints.iter().map(|(_, strength)| *strength).fold(0.0, f32::max);
        let own = slot.hints.iter().filter(|(other, _)| *other == table).map(|(_, strength)| *strength).fold(0.0, f32::max);
        binding.hint_loss += strongest - own;
        binding.fillers.push(slot.options.get(number)?.clone());
    }
    if frame.slots.is_empty() {
        binding.worst = 0.0;
    }
    Some(binding)
}

/// How well one filler fits a slot beside those chosen already.
fn fit(frame: &Frame, distances: &mut Distances<'_>, chosen: &[Option<usize>], at: usize, number: usize) -> f32 {
    let Some(slot) = frame.slots.get(at) else { return 0.0 };
    let Some(option) = slot.options.get(number) else { return 0.0 };
    let mut score = 1.6 * option.score.max(0.05).ln();
    let hint = slot.hints.iter().filter(|(table, _)| *table == option.table).map(|(_, strength)| *strength).fold(0.0, f32::max);
    score += hint * 0.9;
    let mut tables: BTreeSet<TableId> = BTreeSet::new();
    for (other, taken) in frame.slots.iter().zip(chosen).enumerate().filter(|(index, _)| *index != at).map(|(_, pair)| pair) {
        if let Some(filler) = taken.and_then(|number| other.options.get(number))
            && (slot.nested || !other.nested)
        {
            tables.insert(filler.table);
        }
    }
    if tables.contains(&option.table) {
        score += 0.3;
    } else if let Some(nearest) = tables.iter().map(|table| distances.between(*table, option.table)).min_by(f32::total_cmp) {
        score -= 0.4 * nearest;
    }
    // Two values that stand apart are rarely of one column: *from Rome to Paris*.
    if option.value.is_some() && slot.tie.is_none() {
        let twice = frame.slots.iter().zip(chosen).enumerate().any(|(index, (other, taken))| {
            index != at
                && other.tie.is_none()
                && taken.and_then(|number| other.options.get(number)).is_some_and(|filler| {
                    filler.value.is_some() && filler.column == option.column && filler.value != option.value
                })
        });
        score -= if twice { 0.6 } else { 0.0 };
    }
    if let Some(tied) = slot.tie
        && let Some(Some(number)) = chosen.get(tied)
        && let Some(other) = frame.slots.get(tied).and_then(|slot| slot.options.get(*number))
    {
        score += if other.column == option.column { 0.8 } else { -0.8 };
    }
    score
}
