//! Gradient boosting of small trees, for the probability that a first candidate is right.

use std::collections::{BTreeSet, HashMap};

use sqlogue_language::rules::rank::{Features, Tree, log_odds};

/// How many trees are added up.
const TREES: usize = 200;
/// How many questions a path through a tree asks.
const DEPTH: usize = 3;
/// How much of what a tree says is believed.
const RATE: f32 = 0.06;
/// A leaf speaks of at least so many rows.
const LEAF: usize = 25;
/// Rows that each leaf is thought to have seen besides, all of them undecided.
const DAMPING: f32 = 8.0;
/// A feature is asked about at so many bounds at most.
const BOUNDS: usize = 24;
/// Of ten features a tree sees so many.
const FEATURES: usize = 4;
/// Of ten rows a tree sees so many.
const ROWS: usize = 7;
/// A feature that fewer rows have is left out.
const RARE: usize = 40;

/// Rows by column: for each feature its name, its bounds, and for each row the number of bounds its value is above.
struct Table {
    names: Vec<String>,
    bounds: Vec<Vec<f32>>,
    cells: Vec<Vec<u8>>,
}

/// Trees whose sum is the logarithm of the odds that a row is right.
pub fn boost(rows: &[(Features, bool)]) -> Vec<Tree> {
    let table = Table::new(rows);
    let right = rows.iter().filter(|row| row.1).count() as f32;
    let prior = ((right + 1.0) / (rows.len() as f32 - right + 1.0)).ln();
    let mut trees = vec![Tree::Leaf(rounded(prior))];
    let mut odds = vec![prior; rows.len()];
    for round in 0..TREES {
        let slopes: Vec<(f32, f32)> = odds
            .iter()
            .zip(rows)
            .map(|(odds, row)| {
                let probability = 1.0 / (1.0 + (-odds).exp());
                (f32::from(u8::from(row.1)) - probability, (probability * (1.0 - probability)).max(1e-4))
            })
            .collect();
        // Every tree sees a part of the rows and of the features only, so that none decides alone.
        let seen = |count: usize, salt: usize, part: usize| -> Vec<usize> {
            (0..count).filter(|at| mixed(*at, round, salt) % 10 < part).collect()
        };
        let features = seen(table.names.len(), 1, FEATURES);
        let tree = table.grow(&seen(rows.len(), 2, ROWS), &slopes, &features, DEPTH);
        for (odds, row) in odds.iter_mut().zip(rows) {
            *odds += log_odds(std::slice::from_ref(&tree), &row.0);
        }
        trees.push(tree);
    }
    trees
}

impl Table {
    fn new(rows: &[(Features, bool)]) -> Self {
        let mut columns: HashMap<&str, Vec<(usize, f32)>> = HashMap::new();
        for (number, (features, _)) in rows.iter().enumerate() {
            for (name, value) in features {
                columns.entry(name).or_default().push((number, *value));
            }
        }
        let names: BTreeSet<&str> =
            columns.iter().filter(|(_, cells)| cells.len() >= RARE).map(|(name, _)| *name).collect();
        let mut table = Self { names: Vec::new(), bounds: Vec::new(), cells: Vec::new() };
        for name in names {
            let mut values = vec![0.0_f32; rows.len()];
            for (number, value) in columns.get(name).into_iter().flatten() {
                if let Some(place) = values.get_mut(*number) {
                    *place = *value;
                }
            }
            let mut sorted = values.clone();
            sorted.sort_by(f32::total_cmp);
            let mut bounds: Vec<f32> = (1..=BOUNDS)
                .filter_map(|part| sorted.get(part * sorted.len() / (BOUNDS + 1)).copied())
                .collect();
            bounds.push(0.0);
            bounds.sort_by(f32::total_cmp);
            bounds.dedup();
            let above = |value: f32| bounds.iter().filter(|bound| value > **bound).count();
            table
                .cells
                .push(values.iter().map(|value| u8::try_from(above(*value)).unwrap_or(u8::MAX)).collect());
            table.bounds.push(bounds);
            table.names.push(name.to_owned());
        }
        table
    }

    /// One tree over some rows.
    fn grow(&self, rows: &[usize], slopes: &[(f32, f32)], features: &[usize], depth: usize) -> Tree {
        let split = if depth == 0 { None } else { self.best_split(rows, slopes, features) };
        let Some((feature, cut)) = split else {
            let (slope, curve) = sums(rows, slopes);
            return Tree::Leaf(rounded(RATE * slope / (curve + DAMPING * 0.25)));
        };
        let cell = |row: &usize| self.cells.get(feature).and_then(|cells| cells.get(*row)).copied();
        let (below, beyond): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|row| cell(row).is_some_and(|cell| usize::from(cell) <= cut));
        let bound = self.bounds.get(feature).and_then(|bounds| bounds.get(cut)).copied().unwrap_or(0.0);
        Tree::Split(
            self.names.get(feature).cloned().unwrap_or_default(),
            bound,
            Box::new(self.grow(&below, slopes, features, depth - 1)),
            Box::new(self.grow(&beyond, slopes, features, depth - 1)),
        )
    }

    /// The feature and the number of its bound that tell right rows from wrong ones best.
    fn best_split(
        &self,
        rows: &[usize],
        slopes: &[(f32, f32)],
        features: &[usize],
    ) -> Option<(usize, usize)> {
        let worth = |slope: f32, curve: f32| slope * slope / (curve + DAMPING * 0.25);
        let (slope, curve) = sums(rows, slopes);
        let mut best: Option<(f32, usize, usize)> = None;
        for &feature in features {
            let (cells, bounds) = (self.cells.get(feature)?, self.bounds.get(feature)?);
            let mut bins = vec![(0.0_f32, 0.0_f32, 0_usize); bounds.len() + 1];
            for row in rows {
                let bin = cells.get(*row).and_then(|cell| bins.get_mut(usize::from(*cell)));
                if let (Some(bin), Some((slope, curve))) = (bin, slopes.get(*row)) {
                    *bin = (bin.0 + slope, bin.1 + curve, bin.2 + 1);
                }
            }
            let mut below = (0.0, 0.0, 0);
            for (cut, bin) in bins.iter().enumerate().take(bounds.len()) {
                below = (below.0 + bin.0, below.1 + bin.1, below.2 + bin.2);
                if below.2 < LEAF || rows.len() - below.2 < LEAF {
                    continue;
                }
                let gain =
                    worth(below.0, below.1) + worth(slope - below.0, curve - below.1) - worth(slope, curve);
                if gain > best.map_or(0.01, |best| best.0) {
                    best = Some((gain, feature, cut));
                }
            }
        }
        best.map(|(_, feature, cut)| (feature, cut))
    }
}

/// A number for a place in a round that looks like chance and is the same in every run.
fn mixed(at: usize, round: usize, salt: usize) -> usize {
    let number = (at as u64) << 32 | (round as u64) << 8 | salt as u64;
    // SplitMix64's finalizer.
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (number >> 33) as usize
}

fn sums(rows: &[usize], slopes: &[(f32, f32)]) -> (f32, f32) {
    let of = rows.iter().filter_map(|row| slopes.get(*row));
    of.fold((0.0, 0.0), |sum, slope| (sum.0 + slope.0, sum.1 + slope.1))
}

fn rounded(value: f32) -> f32 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_language::rules::rank::log_odds;

    #[test]
    fn two_features_that_only_tell_together_are_told_together() {
        let rows: Vec<(Features, bool)> = (0..800)
            .map(|number| {
                let (one, other) = (number % 2, number / 2 % 2);
                let features = vec![("one".to_owned(), one as f32), ("other".to_owned(), other as f32)];
                (features, one == 1 && other == 1)
            })
            .collect();
        let trees = boost(&rows);
        assert!(rows.iter().all(|(features, right)| (log_odds(&trees, features) > 0.0) == *right));
    }
}
