//! A sum of small decision trees: what turns features into a probability where they bear on each other.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Features;

/// A decision tree over named features; a feature that is missing counts 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Tree {
    /// What it adds to the logarithm of the odds.
    Leaf(f32),
    /// A question about one feature: its name, the bound, the tree up to the bound, the tree beyond it.
    Split(String, f32, Box<Tree>, Box<Tree>),
}

/// A number is a leaf and a list is a question. Derived, each tree would be copied once for every level above it, and the
/// weights are read before the first question can be answered.
impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, or a list of a name, a bound and two trees")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value as f32))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value as f32))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf(value as f32))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let short = || A::Error::custom("a question of a tree has a name, a bound and two trees");
        let name: String = list.next_element()?.ok_or_else(short)?;
        let bound: f32 = list.next_element()?.ok_or_else(short)?;
        let below: Box<Tree> = list.next_element()?.ok_or_else(short)?;
        let beyond: Box<Tree> = list.next_element()?.ok_or_else(short)?;
        Ok(Tree::Split(name, bound, below, beyond))
    }
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
        let again: Vec<Tree> = serde_json::from_str(&serde_json::to_string(&trees).unwrap()).unwrap();
        assert_eq!(again, trees);
        assert!(serde_json::from_str::<Tree>(r#"["a", 1.0, 2.0]"#).is_err());
    }
}
