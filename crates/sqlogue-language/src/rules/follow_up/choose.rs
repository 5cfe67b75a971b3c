//! The choice among the ways to take a follow-up.

use super::{FollowUp, Understood, Way};
use crate::rules::account::Doubt;
use crate::rules::rank::{Aspects, KEPT, Rated, Standing, Weights, certainty_features, words};
use crate::rules::text::Question;
use sqlogue_sql::plan::{Confidence, QueryPlan};

/// A way less likely than this part of the likeliest one is not worth offering beside it.
const CLOSE: f32 = 0.25;

/// So many other ways are offered at most: two that give the same rows are one choice.
const OFFERED: usize = 4;

/// The likeliest way, as sure as it is, and the others that come near.
pub(super) fn choose(input: &str, ways: Vec<Way>) -> Understood {
    let not_understood = |evidence| {
        let follow_up = FollowUp::NotUnderstood { evidence };
        Understood { follow_up, others: Vec::new(), stands_alone: false }
    };
    let weights = Weights::of_follow_ups();
    let mut scored: Vec<(f32, Way)> =
        ways.into_iter().map(|way| (weights.score(&way.features), way)).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.truncate(KEPT);
    let heard = weights.wording.of(&words(&Question::new(input)));
    let standing = |(linear, way): &(f32, Way)| way.standing(linear + heard.score(&way.clauses));
    let standings: Vec<Standing> = scored.iter().map(standing).collect();
    let (places, rated): (Vec<usize>, Vec<Rated>) = weights.order.of(&standings).into_iter().unzip();
    let Some(best) = places.first() else { return not_understood(Vec::new()) };
    let probability = standings.get(*best).map_or(0.0, |first| {
        weights.untried.probability(&certainty_features(&first.features, &first.circumstances, &rated))
    });
    let next =
        places.get(1).and_then(|at| Some((&scored.get(*at)?.1.plan, probability * behind(&rated).exp())));
    let sure = weights.untried.confidence(probability);
    let doubt = scored
        .get(*best)
        .filter(|_| sure == Confidence::Low)
        .map(|(_, way)| Doubt::of_likelihood((&way.plan, probability), next));
    let in_order: Vec<&Way> =
        places.iter().filter_map(|place| scored.get(*place)).map(|(_, way)| way).collect();
    let others = close_to_first(&in_order, &rated);
    let Some((_, way)) = scored.into_iter().nth(*best) else { return not_understood(Vec::new()) };
    let confidence = way.account.bound(sure);
    let doubt = doubt.filter(|_| way.account.is_clear());
    if probability < weights.answered {
        return not_understood(way.follow_up.evidence());
    }
    let others = if confidence == Confidence::High { Vec::new() } else { others };
    let stands_alone = way.stands_alone();
    Understood { follow_up: way.follow_up.judged(confidence, doubt), others, stands_alone }
}

/// The plans of the ways that are nearly as likely as the first. What leaves words out is no alternative to what does not.
fn close_to_first(in_order: &[&Way], rated: &[Rated]) -> Vec<QueryPlan> {
    let Some(((first, best), others)) = in_order.first().zip(rated.first()).zip(in_order.get(1..)) else {
        return Vec::new();
    };
    let close = others
        .iter()
        .zip(rated.iter().skip(1))
        .take_while(|(_, other)| (other.score - best.score).exp() >= CLOSE);
    let clear = close.filter(|(way, _)| way.account.is_clear() || !first.account.is_clear());
    clear.take(OFFERED).map(|(way, _)| way.plan.clone()).collect()
}

impl FollowUp {
    /// The same, as sure as it was judged to be, with what is doubted of it.
    fn judged(self, judged: Confidence, doubt: Option<Doubt>) -> Self {
        match self {
            Self::Edits { edits, plan, evidence, is_clear, mut account, .. } => {
                account.doubts.extend(doubt);
                Self::Edits { edits, plan, evidence, is_clear, confidence: judged, account }
            }
            // A question of its own is read once more by itself, and is no surer than that reading.
            Self::NewQuestion { question, plan, evidence, confidence, mut doubts } => {
                let confidence = match doubts.is_empty() {
                    true => judged.min(confidence),
                    false => Confidence::Low,
                };
                doubts.extend(doubt);
                Self::NewQuestion { question, plan, evidence, confidence, doubts }
            }
            not_understood @ Self::NotUnderstood { .. } => not_understood,
        }
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
