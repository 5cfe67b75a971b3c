//! The order of the candidates that come into question.
//!
//! A linear score is quick, and picks the few candidates that come into question. What only tells together it cannot see: a
//! word and the clause that heeds it, or what the other candidates make of the same words. Trees over all that is known of
//! a candidate can, and their sum orders the few.

use serde::{Deserialize, Serialize};

use super::{Aspects, Features, Rated, Tree, log_odds};

/// So many candidates come into question, the best by the linear score.
pub const KEPT: usize = 10;

/// A reading of the grammar so little behind its best is as good as the best.
const NEAR: f32 = -0.3;

/// What puts candidates in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// What a score is multiplied by, so that the difference of two is the logarithm of how much likelier one is.
    pub scale: f32,
    /// What the linear score and the wording count beside the trees.
    #[serde(default = "half")]
    pub linear: f32,
    /// Trees that see a candidate beside the others.
    pub trees: Vec<Tree>,
}

fn half() -> f32 {
    0.5
}

impl Default for Order {
    fn default() -> Self {
        Self { scale: 1.0, linear: half(), trees: Vec::new() }
    }
}

/// A candidate that comes into question.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// What speaks for it and against it.
    pub features: Features,
    /// What surrounds it.
    pub circumstances: Features,
    /// Its linear score, and what the words of the question say of its clauses.
    pub linear: f32,
    /// The parts of its plan.
    pub aspects: Aspects,
}

impl Standing {
    /// What one of its features counts; 0 where it has none of that name.
    fn value(&self, name: &str) -> f32 {
        self.features.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value)
    }
}

impl Order {
    /// The candidates as they are to be ordered, best first: which of `standings` each is, and how it compares.
    pub fn of(&self, standings: &[Standing]) -> Vec<(usize, Rated)> {
        let rated = |(at, features): (usize, Features)| {
            let standing = standings.get(at)?;
            let score = self.scale * (self.linear * standing.linear + log_odds(&self.trees, &features));
            Some((at, Rated { score, aspects: standing.aspects, ..Rated::default() }))
        };
        let mut order: Vec<(usize, Rated)> =
            order_features(standings).into_iter().enumerate().filter_map(rated).collect();
        order.sort_by(|one, other| other.1.score.total_cmp(&one.1.score));
        order
    }
}

/// What the trees see of each candidate: all that is known of it, and how far the others are like it.
pub fn order_features(standings: &[Standing]) -> Vec<Features> {
    let share = |like: &dyn Fn(&Standing) -> bool| {
        standings.iter().filter(|other| like(other)).count() as f32 / standings.len().max(1) as f32
    };
    let left_out = |standing: &Standing| standing.value("left_out");
    let least = standings.iter().map(left_out).fold(f32::INFINITY, f32::min);
    // The grammar's best reading of all that is said, where it has one.
    let is_whole = |standing: &Standing| {
        standing.value("parsed") > 0.0 && left_out(standing) == 0.0 && standing.value("parsed_behind") > NEAR
    };
    let whole = standings.iter().filter(|standing| is_whole(standing)).count();
    let features = |standing: &Standing| {
        let mut features = standing.features.clone();
        features.extend(standing.circumstances.iter().cloned());
        let mut add = |name: &str, value: f32| features.push((name.to_owned(), value));
        let own = standing.aspects;
        add("like_outputs", share(&|other| other.aspects.outputs == own.outputs));
        add("like_tables", share(&|other| other.aspects.tables == own.tables));
        add("like_conditions", share(&|other| other.aspects.conditions == own.conditions));
        add("like_arrangement", share(&|other| other.aspects.arrangement == own.arrangement));
        add("more_left_out", left_out(standing) - least);
        add("whole", f32::from(u8::from(is_whole(standing))));
        add("others_whole", (whole - usize::from(is_whole(standing))) as f32);
        features.retain(|(_, value)| *value != 0.0);
        features
    };
    standings.iter().map(features).collect()
}
