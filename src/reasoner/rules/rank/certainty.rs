//! What says how likely the first candidate is right.

use super::Features;

/// The features for the probability of the first candidate, from its own features and the scores of all candidates,
/// best first.
pub fn certainty_features(first: &Features, scores: &[f32]) -> Features {
    let mut features: Features = vec![("bias".to_owned(), 1.0)];
    let best = scores.first().copied().unwrap_or(0.0);
    let total: f32 = scores.iter().map(|score| (score - best).exp()).sum();
    let share = 1.0 / total.max(1.0);
    features.push(("share".to_owned(), share));
    features.push(("share_log".to_owned(), share.ln()));
    let margin = scores.get(1).map_or(4.0, |second| (best - second).min(4.0));
    features.push(("margin".to_owned(), margin / 4.0));
    features.push(("score".to_owned(), best.clamp(-20.0, 20.0) / 10.0));
    features.push(("candidates".to_owned(), (scores.len().min(200) as f32).ln_1p() / 5.0));
    features.extend(first.iter().cloned());
    features
}
