//! Binding: filling the slots of a frame with columns and tables that fit the words and each other.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::frame::{Filler, Frame};
use super::oracle::Oracle;
use crate::rules::knowledge::{Knowledge, TableId};

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
    /// The best fillers of slots seen before: readings that differ in building only share them.
    assignments: HashMap<u64, Option<Vec<Option<usize>>>>,
}

impl<'a> Distances<'a> {
    pub(crate) fn new(knowledge: &'a Knowledge) -> Self {
        Self { knowledge, known: HashMap::new(), assignments: HashMap::new() }
    }

    /// The cost of joining two tables; a large one where they cannot be.
    pub(crate) fn between(&mut self, one: TableId, other: TableId) -> f32 {
        if one == other {
            return 0.0;
        }
        let key = (one.min(other), one.max(other));
        *self
            .known
            .entry(key)
            .or_insert_with(|| self.knowledge.joins().distance(one, other).map_or(6.0, |cost| cost.min(5.0)))
    }
}

/// Fills the slots; none where one has nothing to fill it.
pub(crate) fn bind(frame: &Frame, distances: &mut Distances<'_>, oracle: &mut Oracle) -> Option<Binding> {
    let key = key_of(frame);
    let mut chosen = match distances.assignments.get(&key) {
        Some(known) => known.clone()?,
        None => {
            let found = assignment(frame, distances);
            distances.assignments.insert(key, found.clone());
            found?
        }
    };
    // Other fillers for one slot at a time, the rest as they are.
    for at in 0..frame.slots.len() {
        let slot = frame.slots.get(at)?;
        let tables = tables_beside(frame, &chosen, at);
        let mut ranked: Vec<(f32, usize)> = (0..slot.options.len())
            .map(|number| (fit(frame, distances, &chosen, &tables, at, number), number))
            .collect();
        let current = chosen.get(at).copied().flatten()?;
        ranked.sort_by(|one, other| {
            (other.1 == current).cmp(&(one.1 == current)).then(other.0.total_cmp(&one.0))
        });
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
        let tables = tables_beside(frame, &chosen, at);
        let gain = fit(frame, distances, &chosen, &tables, at, number);
        binding.score += gain;
        binding.worst = binding.worst.min(gain);
        let table = slot.options.get(number)?.table;
        let strongest = slot.hints.iter().map(|(_, strength)| *strength).fold(0.0, f32::max);
        let own = slot
            .hints
            .iter()
            .filter(|(other, _)| *other == table)
            .map(|(_, strength)| *strength)
            .fold(0.0, f32::max);
        binding.hint_loss += strongest - own;
        binding.fillers.push(slot.options.get(number)?.clone());
    }
    if frame.slots.is_empty() {
        binding.worst = 0.0;
    }
    Some(binding)
}

/// The fillers that fit best together: for each slot the number of its option.
fn assignment(frame: &Frame, distances: &mut Distances<'_>) -> Option<Vec<Option<usize>>> {
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
        let mut next: Vec<(f32, usize, usize)> = Vec::new();
        for (parent, (score, chosen)) in beam.iter().enumerate() {
            let tables = tables_beside(frame, chosen, at);
            for number in 0..slot.options.len() {
                next.push((score + fit(frame, distances, chosen, &tables, at, number), parent, number));
            }
        }
        next.sort_by(|one, other| other.0.total_cmp(&one.0));
        next.truncate(BEAM);
        let extended = next.into_iter().filter_map(|(score, parent, number)| {
            let mut chosen = beam.get(parent)?.1.clone();
            *chosen.get_mut(at)? = Some(number);
            Some((score, chosen))
        });
        beam = extended.collect();
    }
    beam.into_iter().next().map(|(_, chosen)| chosen)
}

/// What tells two frames' slots apart.
fn key_of(frame: &Frame) -> u64 {
    let mut hasher = DefaultHasher::new();
    for slot in &frame.slots {
        (slot.chunk, slot.tie, slot.nested, slot.options.len(), slot.hints.len()).hash(&mut hasher);
        for option in &slot.options {
            (option.column, option.table, option.score.to_bits()).hash(&mut hasher);
        }
        for (table, strength) in &slot.hints {
            (table, strength.to_bits()).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The tables of the other slots' fillers, those of a negated clause only for slots inside it.
fn tables_beside(frame: &Frame, chosen: &[Option<usize>], at: usize) -> Vec<TableId> {
    let nested = frame.slots.get(at).is_some_and(|slot| slot.nested);
    let mut tables: Vec<TableId> = Vec::new();
    for (index, (other, taken)) in frame.slots.iter().zip(chosen).enumerate() {
        if index != at
            && (nested || !other.nested)
            && let Some(filler) = taken.and_then(|number| other.options.get(number))
            && !tables.contains(&filler.table)
        {
            tables.push(filler.table);
        }
    }
    tables
}

/// What it costs that names or values which stand together are of different tables (*first and last name*, *Linda
/// Smith*), where one table has both.
fn scattered(frame: &Frame, chosen: &[Option<usize>], at: usize, option: &Filler) -> f32 {
    let Some(slot) = frame.slots.get(at).filter(|_| option.column.is_some()) else { return 0.0 };
    let mut cost = 0.0_f32;
    for (index, (other, taken)) in frame.slots.iter().zip(chosen).enumerate() {
        let Some(filler) = taken.and_then(|number| other.options.get(number)) else { continue };
        let near = if option.value.is_some() { 1 } else { 3 };
        if index == at
            || filler.column.is_none()
            || filler.table == option.table
            || filler.value.is_some() != option.value.is_some()
            || other.chunk.abs_diff(slot.chunk) > near
        {
            continue;
        }
        let in_one = |options: &[Filler], table: TableId, score: f32| {
            options.iter().any(|one| one.column.is_some() && one.table == table && one.score > score - 0.1)
        };
        if in_one(&slot.options, filler.table, option.score)
            || in_one(&other.options, option.table, filler.score)
        {
            cost = cost.max(if option.value.is_some() { 0.8 } else { 0.4 });
        }
    }
    cost
}

/// How well one filler fits a slot beside those chosen already.
fn fit(
    frame: &Frame,
    distances: &mut Distances<'_>,
    chosen: &[Option<usize>],
    tables: &[TableId],
    at: usize,
    number: usize,
) -> f32 {
    let Some(slot) = frame.slots.get(at) else { return 0.0 };
    let Some(option) = slot.options.get(number) else { return 0.0 };
    let mut score = 1.6 * option.score.max(0.05).ln();
    let hint = slot
        .hints
        .iter()
        .filter(|(table, _)| *table == option.table)
        .map(|(_, strength)| *strength)
        .fold(0.0, f32::max);
    score += hint * 0.9;
    if tables.contains(&option.table) {
        score += 0.3;
    } else if let Some(nearest) =
        tables.iter().map(|table| distances.between(*table, option.table)).min_by(f32::total_cmp)
    {
        score -= 0.4 * nearest;
    }
    score -= scattered(frame, chosen, at, option);
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
