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
    // Whole shapes are more or less reliable than the sum of their clauses.
    let value = |wanted: &str| first.iter().find(|(name, _)| name == wanted).map_or(0.0, |(_, value)| *value);
    let mut shape = format!("shape:j{}c{}s{}", value("joins").min(3.0), value("conditions").min(2.0), value("summaries").min(2.0));
    for flag in ["grouped", "having", "ordered", "limited", "distinct", "combined", "nested", "star"] {
        if value(flag) > 0.0 {
            shape.push('+');
            shape.push_str(flag);
        }
    }
    let unexplained = value("unexplained_share");
    if unexplained == 0.0 {
        features.push(("all_explained".to_owned(), 1.0));
        features.push((format!("{shape}, explained"), 1.0));
        if value("changes") == 0.0 && value("cut") == 0.0 {
            features.push(("usual_and_explained".to_owned(), 1.0));
        }
    }
    features.push((shape, 1.0));
    if value("binding_mean") > -0.05 {
        features.push(("bound_well".to_owned(), 1.0));
    }
    if value("binding_worst") > -0.3 {
        features.push(("nothing_bound_badly".to_owned(), 1.0));
    }
    features
}
