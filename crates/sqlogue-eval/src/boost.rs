//! Gradient boosting of small trees: for the probability that a first candidate is right, and for the order of candidates.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlogue_language::rules::rank::{Features, Tree};

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

/// How a sum of trees grows.
struct Growth {
    /// How many trees are added up.
    trees: usize,
    /// How many questions a path through a tree asks.
    depth: usize,
    /// How much of what a tree says is believed.
    rate: f32,
}

/// A first candidate to learn from.
pub struct Row {
    /// What tells how likely it is right.
    pub features: Features,
    /// True where it is right.
    pub is_right: bool,
    /// How much it counts.
    pub weight: f32,
}

/// Trees whose sum is the logarithm of the odds that a row is right.
pub fn boost(rows: &[Row]) -> Vec<Tree> {
    let right = rows.iter().filter(|row| row.is_right).count() as f32;
    let prior = ((right + 1.0) / (rows.len() as f32 - right + 1.0)).ln();
    let slopes = |sums: &[f32]| {
        let slope = |(sum, row): (&f32, &Row)| {
            let probability = 1.0 / (1.0 + (-(sum + prior)).exp());
            let slope = f32::from(u8::from(row.is_right)) - probability;
            (row.weight * slope, row.weight * (probability * (1.0 - probability)).max(1e-4))
        };
        sums.iter().zip(rows).map(slope).collect()
    };
    let growth = Growth { trees: 350, depth: 4, rate: 0.08 };
    let features: Vec<&Features> = rows.iter().map(|row| &row.features).collect();
    let mut trees = vec![Tree::Leaf(rounded(prior))];
    trees.extend(grown(&features, &growth, slopes));
    trees
}

/// Trees by whose sum right candidates come before wrong ones, by lambdarank: each pair of a right and a wrong candidate
/// of one question pulls the two apart, the more so the more the order of the question would gain by it (Burges, *From
/// RankNet to LambdaRank to LambdaMART*, 2010). Pairs that lie far apart, and questions with many pairs, pull less.
pub fn boost_order(questions: &[Vec<(Features, bool)>]) -> Vec<Tree> {
    let features: Vec<&Features> = questions.iter().flatten().map(|row| &row.0).collect();
    let slopes = |sums: &[f32]| {
        let mut slopes = Vec::with_capacity(sums.len());
        let mut rest = sums;
        for question in questions {
            let (own, after) = rest.split_at(question.len().min(rest.len()));
            rest = after;
            let right: Vec<bool> = question.iter().map(|row| row.1).collect();
            slopes.extend(pulls(own, &right));
        }
        slopes
    };
    grown(&features, &Growth { trees: 300, depth: 5, rate: 0.08 }, slopes)
}

/// How strongly each candidate of a question is pulled up, and how fast that changes.
fn pulls(sums: &[f32], right: &[bool]) -> Vec<(f32, f32)> {
    let mut order: Vec<usize> = (0..sums.len()).collect();
    let sum = |at: usize| sums.get(at).copied().unwrap_or_default();
    order.sort_by(|one, other| sum(*other).total_cmp(&sum(*one)));
    let discount = |place: usize| 1.0 / (place as f32 + 2.0).log2();
    let ideal: f32 = (0..right.iter().filter(|right| **right).count()).map(discount).sum();
    let spread = match (order.first(), order.last()) {
        (Some(first), Some(last)) => sum(*first) - sum(*last),
        _ => 0.0,
    };
    let mut pulls = vec![(0.0, 0.0); sums.len()];
    let mut all = 0.0;
    let is_right = |at: usize| right.get(at).copied().unwrap_or_default();
    for (place, &one) in order.iter().enumerate() {
        for (other_place, &other) in order.iter().enumerate() {
            if !is_right(one) || is_right(other) {
                continue;
            }
            let apart = sum(one) - sum(other);
            let mut gain = (discount(place) - discount(other_place)).abs() / ideal;
            if spread > 0.0 {
                gain /= 0.01 + apart.abs();
            }
            let doubt = 1.0 / (1.0 + apart.exp());
            let (pull, curve) = (doubt * gain, doubt * (1.0 - doubt) * gain);
            all += 2.0 * pull;
            for (at, sign) in [(one, 1.0), (other, -1.0)] {
                if let Some(known) = pulls.get_mut(at) {
                    *known = (known.0 + sign * pull, known.1 + curve);
                }
            }
        }
    }
    let factor = if all > 0.0 { (1.0 + all).log2() / all } else { 1.0 };
    pulls.into_iter().map(|(pull, curve)| (pull * factor, (curve * factor).max(1e-6))).collect()
}

/// Trees, each of which follows the slopes that the sum of those before it leaves.
fn grown(rows: &[&Features], growth: &Growth, slopes: impl Fn(&[f32]) -> Vec<(f32, f32)>) -> Vec<Tree> {
    let table = Table::new(rows);
    let mut sums = vec![0.0; rows.len()];
    let mut trees = Vec::new();
    for round in 0..growth.trees {
        let slopes = slopes(&sums);
        // Every tree sees a part of the rows and of the features only, so that none decides alone.
        let is_seen = |at: usize, salt: usize, part: usize| mixed(at, round, salt) % 10 < part;
        let seen: Vec<usize> = (0..rows.len()).filter(|at| is_seen(*at, 2, ROWS)).collect();
        let features: Vec<bool> = (0..table.names.len()).map(|at| is_seen(at, 1, FEATURES)).collect();
        let tree = table.grow(&seen, &slopes, &features, growth.depth, growth.rate);
        for (sum, row) in sums.iter_mut().zip(&table.rows) {
            *sum += tree.value(row, &table.zeros);
        }
        trees.push(table.named(&tree));
    }
    trees
}

/// A tree whose questions are numbers: of a feature, and of one of its bounds.
enum Numbered {
    Leaf(f32),
    Split(usize, u8, Box<Numbered>, Box<Numbered>),
}

impl Numbered {
    fn value(&self, row: &[Cell], zeros: &[u8]) -> f32 {
        let mut tree = self;
        loop {
            match tree {
                Self::Leaf(value) => return *value,
                Self::Split(feature, cut, below, beyond) => {
                    tree = if bin(row, *feature, zeros) <= *cut { below } else { beyond };
                }
            }
        }
    }
}

/// A feature of a row, by the numbers of both the feature and its bin: small, since a tree looks at all of them again and
/// again.
type Cell = (u16, u8);

/// The number of bounds of a feature that a row's value is above.
fn bin(row: &[Cell], feature: usize, zeros: &[u8]) -> u8 {
    match row.binary_search_by_key(&feature, |(feature, _)| usize::from(*feature)) {
        Ok(at) => row.get(at).map_or(0, |(_, bin)| *bin),
        Err(_) => zeros.get(feature).copied().unwrap_or_default(),
    }
}

/// Rows as bins: for each feature its name and its bounds, and for each row the features that it has.
struct Table {
    names: Vec<String>,
    bounds: Vec<Vec<f32>>,
    /// The bin of zero, which is that of a row that does not have the feature.
    zeros: Vec<u8>,
    rows: Vec<Vec<Cell>>,
}

/// The sum of slopes, the sum of their changes, and the number of rows.
type Bin = (f32, f32, usize);

impl Table {
    fn new(rows: &[&Features]) -> Self {
        let mut values: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
        for (name, value) in rows.iter().flat_map(|row| row.iter()) {
            values.entry(name).or_default().push(*value);
        }
        values.retain(|_, values| values.len() >= RARE);
        let names: BTreeSet<&str> = values.keys().copied().collect();
        let numbers: HashMap<&str, u16> = names.iter().zip(0..).map(|(name, at)| (*name, at)).collect();
        let mut table = Self {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            bounds: Vec::new(),
            zeros: Vec::new(),
            rows: Vec::new(),
        };
        for values in values.values_mut() {
            values.resize(rows.len().max(values.len()), 0.0);
            values.sort_by(f32::total_cmp);
            let parts =
                (1..=BOUNDS).filter_map(|part| values.get(part * values.len() / (BOUNDS + 1)).copied());
            let mut bounds: Vec<f32> = parts.chain([0.0]).collect();
            bounds.sort_by(f32::total_cmp);
            bounds.dedup();
            table.zeros.push(above(&bounds, 0.0));
            table.bounds.push(bounds);
        }
        for row in rows {
            let mut bins: BTreeMap<u16, u8> = BTreeMap::new();
            for (name, value) in row.iter() {
                if let Some(&at) = numbers.get(name.as_str()) {
                    let bounds = table.bounds.get(usize::from(at));
                    bins.insert(at, bounds.map_or(0, |bounds| above(bounds, *value)));
                }
            }
            table.rows.push(bins.into_iter().collect());
        }
        table
    }

    /// One tree over some rows.
    fn grow(
        &self,
        rows: &[usize],
        slopes: &[(f32, f32)],
        features: &[bool],
        depth: usize,
        rate: f32,
    ) -> Numbered {
        let split = if depth == 0 { None } else { self.best_split(rows, slopes, features) };
        let Some((feature, cut)) = split else {
            let (slope, curve, _) = sum(rows, slopes);
            return Numbered::Leaf(rounded(rate * slope / (curve + DAMPING * 0.25)));
        };
        let is_below =
            |row: &usize| self.rows.get(*row).is_some_and(|row| bin(row, feature, &self.zeros) <= cut);
        let (below, beyond): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_below(row));
        let part = |rows: &[usize]| Box::new(self.grow(rows, slopes, features, depth - 1, rate));
        Numbered::Split(feature, cut, part(&below), part(&beyond))
    }

    /// The feature and the number of its bound that tell right rows from wrong ones best.
    fn best_split(&self, rows: &[usize], slopes: &[(f32, f32)], features: &[bool]) -> Option<(usize, u8)> {
        let all = sum(rows, slopes);
        let worth = |part: Bin| part.0 * part.0 / (part.1 + DAMPING * 0.25);
        let mut bins: Vec<Vec<Bin>> = self
            .bounds
            .iter()
            .zip(features)
            .map(|(bounds, seen)| if *seen { vec![Bin::default(); bounds.len() + 1] } else { Vec::new() })
            .collect();
        for &row in rows {
            let (Some(cells), Some((slope, curve))) = (self.rows.get(row), slopes.get(row)) else { continue };
            for (feature, bin) in cells {
                if let Some(known) =
                    bins.get_mut(usize::from(*feature)).and_then(|bins| bins.get_mut(usize::from(*bin)))
                {
                    *known = (known.0 + slope, known.1 + curve, known.2 + 1);
                }
            }
        }
        let mut best: Option<(f32, usize, u8)> = None;
        for (feature, (bins, zero)) in bins.iter_mut().zip(&self.zeros).enumerate() {
            // The rows that do not have the feature are those that no bin has counted.
            let counted = bins.iter().fold(Bin::default(), plus);
            if let Some(bin) = bins.get_mut(usize::from(*zero)) {
                *bin = plus(*bin, &(all.0 - counted.0, all.1 - counted.1, all.2 - counted.2));
            }
            let mut below = Bin::default();
            for (cut, bin) in (0_u8..).zip(bins.iter().take(bins.len().saturating_sub(1))) {
                below = plus(below, bin);
                let beyond = (all.0 - below.0, all.1 - below.1, all.2 - below.2);
                if below.2 < LEAF || beyond.2 < LEAF {
                    continue;
                }
                let gain = worth(below) + worth(beyond) - worth(all);
                if gain > best.map_or(0.01, |best| best.0) {
                    best = Some((gain, feature, cut));
                }
            }
        }
        best.map(|(_, feature, cut)| (feature, cut))
    }

    /// The same tree with the names of its features.
    fn named(&self, tree: &Numbered) -> Tree {
        match tree {
            Numbered::Leaf(value) => Tree::Leaf(*value),
            Numbered::Split(feature, cut, below, beyond) => {
                let bounds = self.bounds.get(*feature);
                Tree::Split(
                    self.names.get(*feature).cloned().unwrap_or_default(),
                    bounds.and_then(|bounds| bounds.get(usize::from(*cut))).copied().unwrap_or_default(),
                    Box::new(self.named(below)),
                    Box::new(self.named(beyond)),
                )
            }
        }
    }
}

fn above(bounds: &[f32], value: f32) -> u8 {
    u8::try_from(bounds.iter().filter(|bound| value > **bound).count()).unwrap_or(u8::MAX)
}

fn plus(one: Bin, other: &Bin) -> Bin {
    (one.0 + other.0, one.1 + other.1, one.2 + other.2)
}

fn sum(rows: &[usize], slopes: &[(f32, f32)]) -> Bin {
    let of = rows.iter().filter_map(|row| slopes.get(*row));
    of.fold(Bin::default(), |sum, slope| (sum.0 + slope.0, sum.1 + slope.1, sum.2 + 1))
}

/// A number for a place in a round that looks like chance and is the same in every run.
fn mixed(at: usize, round: usize, salt: usize) -> usize {
    let number = (at as u64) << 32 | (round as u64) << 8 | salt as u64;
    // SplitMix64's finalizer.
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (number >> 33) as usize
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
        let rows: Vec<Row> = (0..800)
            .map(|number| {
                let (one, other) = (number % 2, number / 2 % 2);
                let features = vec![("one".to_owned(), one as f32), ("other".to_owned(), other as f32)];
                Row { features, is_right: one == 1 && other == 1, weight: 1.0 }
            })
            .collect();
        let trees = boost(&rows);
        assert!(rows.iter().all(|row| (log_odds(&trees, &row.features) > 0.0) == row.is_right));
    }
}
