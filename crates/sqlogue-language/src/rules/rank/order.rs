//! The order of the candidates that come into question.
//!
//! A linear score is quick, and picks the few candidates that come into question. What only tells together it cannot see: a
//! word and the clause that heeds it, or what the other candidates make of the same words. Trees over all that is known of
//! a candidate can, and their sum orders the few.

use serde::{Deserialize, Serialize};

use super::{Aspects, Features, Rated, Tree, log_odds};
use crate::Trial;

/// So many candidates come into question, the best by the linear score.
pub const KEPT: usize = 10;

/// What the linear score counts beside the trees.
const LINEAR: f32 = 0.5;

/// What puts candidates in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Where none was run.
    pub untried: Step,
    /// Where the best were run.
    pub tried: Step,
}

/// One order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What a score is multiplied by, so that the difference of two is the logarithm of how much likelier one is.
    pub scale: f32,
    /// Trees that see a candidate beside the others.
    pub trees: Vec<Tree>,
}

impl Default for Step {
    fn default() -> Self {
        Self { scale: 1.0, trees: Vec::new() }
    }
}

/// A candidate that comes into question.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// What speaks for it and against it.
    pub features: Features,
    /// What surrounds it.
    pub circumstances: Features,
    /// Its linear score.
    pub linear: f32,
    /// The parts of its plan.
    pub aspects: Aspects,
    /// What came of running it, if it was run.
    pub trial: Trial,
}

impl Order {
    /// The candidates as they are to be ordered, best first: which of `standings` each is, and how it compares.
    pub fn of(&self, standings: &[Standing]) -> Vec<(usize, Rated)> {
        let tried = standings.first().is_some_and(|first| first.trial.is_tried());
        let step = if tried { &self.tried } else { &self.untried };
        let rated = |(at, features): (usize, Features)| {
            let standing = standings.get(at)?;
            let score = step.scale * (LINEAR * standing.linear + log_odds(&step.trees, &features));
            Some((at, Rated { score, aspects: standing.aspects, trial: standing.trial }))
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
    let finding = |standing: &Standing| standing.trial.count().is_some_and(|count| count > 0);
    let finds = share(&finding);
    let features = |standing: &Standing| {
        let mut features = standing.features.clone();
        features.extend(standing.circumstances.iter().cloned());
        let mut add = |name: &str, value: f32| features.push((name.to_owned(), value));
        let own = standing.aspects;
        add("like_outputs", share(&|other| other.aspects.outputs == own.outputs));
        add("like_tables", share(&|other| other.aspects.tables == own.tables));
        add("like_conditions", share(&|other| other.aspects.conditions == own.conditions));
        add("like_arrangement", share(&|other| other.aspects.arrangement == own.arrangement));
        if standing.trial.is_tried() {
            add("like_finds", finds);
            match standing.trial.count() {
                None => add("found_failure", 1.0),
                Some(count) => {
                    add("found_nothing", f32::from(u8::from(count == 0)));
                    add("found_one", f32::from(u8::from(count == 1)));
                    add("found_rows", (count.min(100) as f32).ln_1p());
                    add("like_found", share(&|other| other.trial == standing.trial));
                    add("like_count", share(&|other| other.trial.count() == Some(count)));
                }
            }
        }
        features.retain(|(_, value)| *value != 0.0);
        features
    };
    standings.iter().map(features).collect()
}
