//! Weights of features: the small file that a fit writes and the reasoner reads.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{Features, Tree, log_odds};
use crate::plan::Confidence;

/// A linear model that ranks candidates, and trees that say how likely the first of them is right.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// How much each feature speaks for a candidate against others of the same question.
    pub rank: BTreeMap<String, f32>,
    /// What together says how likely the first candidate is right.
    #[serde(default)]
    pub sure: Vec<Tree>,
    /// The least probability of an answer marked high.
    #[serde(default)]
    pub high: f32,
    /// The least probability of an answer marked medium.
    #[serde(default)]
    pub medium: f32,
    /// The least probability of an answer given at all.
    #[serde(default)]
    pub answered: f32,
}

impl Weights {
    /// The weights that are compiled in.
    pub fn embedded() -> &'static Self {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| {
            serde_json::from_str(include_str!("../../../../data/weights.json")).unwrap_or_default()
        })
    }

    /// The weights as a file: one weight or tree a line, so that two fits can be compared.
    pub fn to_json(&self) -> String {
        let rank: Vec<String> =
            self.rank.iter().map(|(name, weight)| format!("    {}: {weight}", text(name))).collect();
        let sure: Vec<String> = self.sure.iter().map(|tree| format!("    {}", text(tree))).collect();
        format!(
            "{{\n  \"high\": {}, \"medium\": {}, \"answered\": {},\n  \"rank\": {{\n{}\n  }},\n  \"sure\": [\n{}\n  ]\n}}\n",
            self.high,
            self.medium,
            self.answered,
            rank.join(",\n"),
            sure.join(",\n")
        )
    }

    /// A candidate's score.
    pub fn score(&self, features: &Features) -> f32 {
        sum(&self.rank, features)
    }

    /// How likely the first candidate is right, by [`super::certainty_features`].
    pub fn probability(&self, features: &Features) -> f32 {
        1.0 / (1.0 + (-log_odds(&self.sure, features)).exp())
    }

    /// The confidence that a probability stands for.
    pub fn confidence(&self, probability: f32) -> Confidence {
        if probability >= self.high {
            Confidence::High
        } else if probability >= self.medium {
            Confidence::Medium
        } else {
            Confidence::Low
        }
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn sum(weights: &BTreeMap<String, f32>, features: &Features) -> f32 {
    features.iter().map(|(name, value)| weights.get(name).copied().unwrap_or(0.0) * value).sum()
}
