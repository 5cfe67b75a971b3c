//! Weights of features and words: the file that a fit writes and the reasoner reads.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{Features, Order, Rated, Tree, Wording, log_odds};
use sqlogue_sql::plan::Confidence;

/// A linear model that picks candidates, trees that put them in order, and what says how likely the first of them is right.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// How much each feature speaks for a candidate against others of the same question.
    pub rank: BTreeMap<String, f32>,
    /// How the words of a question go with the clauses of a plan.
    #[serde(default)]
    pub wording: Wording,
    /// What puts the best of them in order.
    #[serde(default)]
    pub order: Order,
    /// The least probability of an answer given at all.
    #[serde(default)]
    pub answered: f32,
    /// What says how likely the first candidate is right where none was run.
    #[serde(default)]
    pub untried: Certainty,
    /// The same where the best candidates were run.
    #[serde(default)]
    pub tried: Certainty,
}

/// Trees that say how likely an answer is right, and how much is how sure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Certainty {
    /// The least probability of an answer marked high.
    pub high: f32,
    /// The least probability of an answer marked medium.
    pub medium: f32,
    /// What together gives the logarithm of the odds.
    pub trees: Vec<Tree>,
}

impl Certainty {
    /// How likely the first candidate is right, by [`super::certainty_features`].
    pub fn probability(&self, features: &Features) -> f32 {
        1.0 / (1.0 + (-log_odds(&self.trees, features)).exp())
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

    fn to_json(&self) -> String {
        format!(
            "{{\n    \"high\": {}, \"medium\": {},\n    \"trees\": {}\n  }}",
            self.high,
            self.medium,
            lines(&self.trees)
        )
    }
}

impl Weights {
    /// The weights that are compiled in.
    pub fn embedded() -> &'static Self {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| {
            serde_json::from_str(include_str!("../../../../../data/weights.json")).unwrap_or_default()
        })
    }

    /// The weights for follow-ups, which are compiled in too.
    pub fn of_follow_ups() -> &'static Self {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| {
            serde_json::from_str(include_str!("../../../../../data/follow_ups.json")).unwrap_or_default()
        })
    }

    /// The weights as a file: one weight or tree a line, so that two fits can be compared.
    pub fn to_json(&self) -> String {
        let rank: Vec<String> =
            self.rank.iter().map(|(name, weight)| format!("    {}: {weight}", text(name))).collect();
        let wording: Vec<String> = self
            .wording
            .0
            .iter()
            .map(|(word, clauses)| format!("    {}: {}", text(word), text(clauses)))
            .collect();
        format!(
            "{{\n  \"answered\": {},\n  \"rank\": {{\n{}\n  }},\n  \"wording\": {{\n{}\n  }},\n  \"order\": {{\n    \"scale\": {},\n    \"linear\": {},\n    \"trees\": {}\n  }},\n  \"untried\": {},\n  \"tried\": {}\n}}\n",
            self.answered,
            rank.join(",\n"),
            wording.join(",\n"),
            self.order.scale,
            self.order.linear,
            lines(&self.order.trees),
            self.untried.to_json(),
            self.tried.to_json()
        )
    }

    /// A candidate's score.
    pub fn score(&self, features: &Features) -> f32 {
        sum(&self.rank, features)
    }

    /// What judges these candidates, best first.
    pub fn certainty(&self, rated: &[Rated]) -> &Certainty {
        match rated.first() {
            Some(first) if first.trial.is_tried() => &self.tried,
            _ => &self.untried,
        }
    }
}

/// Trees as a list, one a line.
fn lines(trees: &[Tree]) -> String {
    let trees: Vec<String> = trees.iter().map(|tree| format!("      {}", text(tree))).collect();
    format!("[\n{}\n    ]", trees.join(",\n"))
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn sum(weights: &BTreeMap<String, f32>, features: &Features) -> f32 {
    features.iter().map(|(name, value)| weights.get(name).copied().unwrap_or(0.0) * value).sum()
}
