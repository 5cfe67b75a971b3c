//! What says how likely the first candidate is right.

use super::{Aspects, Features};
use crate::Trial;

/// A candidate's score, with what it has in common with others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rated {
    /// How it compares with the other candidates.
    pub score: f32,
    /// The parts of its plan.
    pub aspects: Aspects,
    /// What came of running it, if it was run.
    pub trial: Trial,
}

/// So many candidates, best first, are worth running: what is further down hardly ever is right.
pub const TRIED: usize = 6;

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
    // Which columns are shown beside the ones asked for is of less weight than which rows.
    let same_rows = |aspects: &Aspects| Aspects { outputs: best.aspects.outputs, ..*aspects } == best.aspects;
    add("share_rows", agreeing(&same_rows));
    add("share_arrangement", agreeing(&|aspects| aspects.arrangement == best.aspects.arrangement));
    let lead = |test: &dyn Fn(&Aspects) -> bool| {
        let other = rated.iter().find(|rated| test(&rated.aspects));
        other.map_or(6.0, |other| (best.score - other.score).min(6.0))
    };
    add("margin", rated.get(1).map_or(6.0, |second| (best.score - second.score).min(6.0)));
    add("lead_outputs", lead(&|aspects| aspects.outputs != best.aspects.outputs));
    add("lead_tables", lead(&|aspects| aspects.tables != best.aspects.tables));
    add("lead_conditions", lead(&|aspects| aspects.conditions != best.aspects.conditions));
    add("lead_rows", lead(&|aspects| !same_rows(aspects)));
    add("score", best.score);
    add("candidates", (rated.len().min(200) as f32).ln_1p());
    trials(rated, &power, &mut add);
    features.retain(|(_, value)| *value != 0.0);
    features
}

/// What running the candidates tells: whether the first finds anything, and how far the others find the same.
fn trials(rated: &[Rated], power: &dyn Fn(&Rated) -> f32, add: &mut impl FnMut(&str, f32)) {
    let Some(first) = rated.first() else { return };
    let tried = || rated.iter().filter(|rated| rated.trial.is_tried());
    let share = |same: f32, all: f32| if all > 0.0 { same / all } else { 0.0 };
    match first.trial {
        Trial::Untried => return,
        Trial::Failed => add("tried_fails", 1.0),
        Trial::Rows { count, .. } => {
            add("tried_finds_nothing", f32::from(u8::from(count == 0)));
            add("tried_rows", (count.min(100) as f32).ln_1p());
        }
    }
    let of =
        |test: &dyn Fn(&Trial) -> bool| tried().filter(|rated| test(&rated.trial)).map(power).sum::<f32>();
    let same = of(&|trial| *trial == first.trial);
    add("tried_share", share(same, of(&|_| true)));
    let as_many = |trial: &Trial| trial.count() == first.trial.count();
    add("tried_share_as_many", share(of(&as_many), of(&|_| true)));
    let finds = |trial: &Trial| matches!(trial, Trial::Rows { count, .. } if *count > 0);
    add("tried_share_of_finds", if finds(&first.trial) { share(same, of(&finds)) } else { 0.0 });
    let other = tried().find(|rated| rated.trial != first.trial);
    add("tried_lead", other.map_or(6.0, |other| (first.score - other.score).min(6.0)));
}
