//! A sum of small decision trees: what turns features into a probability where they bear on each other.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Features;

/// A decision tree over named features; a feature that is missing counts 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tree {
    /// What it adds to the logarithm of the odds.
    Leaf(f32),
    /// A question about one feature: its name, the bound, the tree up to the bound, the tree beyond it.
    Split(String, f32, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn value(&self, features: &HashMap<&str, f32>) -> f32 {
        let mut tree = self;
        loop {
            match tree {
                Self::Leaf(value) => return *value,
                Self::Split(name, bound, below, beyond) => {
                    let value = features.get(name.as_str()).copied().unwrap_or(0.0);
                    tree = if value <= *bound { below } else { beyond };
                }
            }
        }
    }
}

/// The logarithm of the odds that trees give together.
pub fn log_odds(trees: &[Tree], features: &Features) -> f32 {
    let features: HashMap<&str, f32> = features.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    trees.iter().map(|tree| tree.value(&features)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_written_as_a_list_and_asks_one_question_after_the_other() {
        let trees: Vec<Tree> =
            serde_json::from_str(r#"[0.5, ["a", 1.0, -1.0, ["b", 0.0, 2.0, 3.0]]]"#).unwrap();
        let odds = |features: &[(&str, f32)]| {
            log_odds(&trees, &features.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
        };
        assert_eq!(odds(&[]), -0.5);
        assert_eq!(odds(&[("a", 2.0)]), 2.5);
        assert_eq!(odds(&[("a", 2.0), ("b", 0.1)]), 3.5);
    }
}
