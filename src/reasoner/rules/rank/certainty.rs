//! What says how likely the first candidate is right.

use super::{Aspects, Features};

/// A candidate's score, with what it has in common with others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rated {
    /// How it compares with the other candidates.
    pub score: f32,
    /// The parts of its plan.
    pub aspects: Aspects,
}

/// The features for the probability of the first candidate, from its own features, its circumstances, and all
/// candidates, best first.
pub fn certainty_features(first: &Features, circumstances: &Features, rated: &[Rated]) -> Features {
    let mut features: Features = first.clone();
    features.extend(circumstances.iter().cloned());
    let mut add = |name: &str, value: f32| features.push((name.to_owned(), value));
    let best = rated.first().copied().unwrap_or_default();
    let power = |rated: &Rated| (rated.score - best.score).exp();
    let total: f32 = rated.iter().map(power).sum::<f32>().max(1.0);
    add("share", 1.0 / total);
    // How far the candidates agree with the first on each part, weighed by their scores.
    let agreeing = |test: &dyn Fn(&Aspects) -> bool| {
        rated.iter().filter(|rated| test(&rated.aspects)).map(power).sum::<f32>() / total
    };
    add("share_outputs", agreeing(&|aspects| aspects.outputs == best.aspects.outputs));
    add("share_tables", agreeing(&|aspects| aspects.tables == best.aspects.tables));
    add("share_conditions", agreeing(&|aspects| aspects.conditions == best.aspects.conditions));
    add("share_arrangement", agreeing(&|aspects| aspects.arrangement == best.aspects.arrangement));
    let lead = |test: &dyn Fn(&Aspects) -> bool| {
        let other = rated.iter().find(|rated| test(&rated.aspects));
        other.map_or(6.0, |other| (best.score - other.score).min(6.0))
    };
    add("margin", rated.get(1).map_or(6.0, |second| (best.score - second.score).min(6.0)));
    add("lead_outputs", lead(&|aspects| aspects.outputs != best.aspects.outputs));
    add("lead_tables", lead(&|aspects| aspects.tables != best.aspects.tables));
    add("lead_conditions", lead(&|aspects| aspects.conditions != best.aspects.conditions));
    add("score", best.score);
    add("candidates", (rated.len().min(200) as f32).ln_1p());
    features.retain(|(_, value)| *value != 0.0);
    features
}
