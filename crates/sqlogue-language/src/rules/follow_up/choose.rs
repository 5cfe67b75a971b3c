//! The choice among the ways to take a follow-up.

use super::{FollowUp, Way};
use crate::rules::account::Doubt;
use crate::rules::rank::{Aspects, KEPT, Rated, Standing, Weights, certainty_features};
use sqlogue_sql::plan::Confidence;

/// The likeliest way, as sure as it is.
pub(super) fn choose(ways: Vec<Way>) -> FollowUp {
    let weights = Weights::of_follow_ups();
    let mut scored: Vec<(f32, Way)> =
        ways.into_iter().map(|way| (weights.score(&way.features), way)).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.truncate(KEPT);
    let standings: Vec<Standing> = scored.iter().map(|(linear, way)| way.standing(*linear)).collect();
    let (places, rated): (Vec<usize>, Vec<Rated>) = weights.order.of(&standings).into_iter().unzip();
    let Some(best) = places.first() else { return FollowUp::NotUnderstood { evidence: Vec::new() } };
    let probability = standings.get(*best).map_or(0.0, |first| {
        weights.untried.probability(&certainty_features(&first.features, &first.circumstances, &rated))
    });
    let next =
        places.get(1).and_then(|at| Some((&scored.get(*at)?.1.plan, probability * behind(&rated).exp())));
    let sure = weights.untried.confidence(probability);
    let doubt = (sure == Confidence::Low).then(|| Doubt::of_likelihood(probability, next));
    let Some((_, way)) = scored.into_iter().nth(*best) else {
        return FollowUp::NotUnderstood { evidence: Vec::new() };
    };
    let judged = way.account.bound(sure);
    let doubt = doubt.filter(|_| way.account.is_clear());
    if probability < weights.answered {
        return FollowUp::NotUnderstood { evidence: way.follow_up.evidence() };
    }
    match way.follow_up {
        FollowUp::Edits { edits, plan, evidence, is_clear, mut account, .. } => {
            account.doubts.extend(doubt);
            FollowUp::Edits { edits, plan, evidence, is_clear, confidence: judged, account }
        }
        // A question of its own is read once more by itself, and is no surer than that reading.
        FollowUp::NewQuestion { question, plan, evidence, confidence, mut doubts } => {
            let confidence = match doubts.is_empty() {
                true => judged.min(confidence),
                false => Confidence::Low,
            };
            doubts.extend(doubt);
            FollowUp::NewQuestion { question, plan, evidence, confidence, doubts }
        }
        not_understood @ FollowUp::NotUnderstood { .. } => not_understood,
    }
}

/// The logarithm of how much less likely the second of the ways is than the first.
fn behind(rated: &[Rated]) -> f32 {
    match rated {
        [first, second, ..] => second.score - first.score,
        _ => f32::NEG_INFINITY,
    }
}

impl Way {
    /// The way as it is to be put in order with others, by its linear score.
    pub fn standing(&self, linear: f32) -> Standing {
        Standing {
            features: self.features.clone(),
            circumstances: self.circumstances.clone(),
            linear,
            aspects: Aspects::of(&self.plan),
        }
    }
}
