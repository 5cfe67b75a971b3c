//! How the words of a question go with the clauses of a plan.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::rules::text::{Question, TokenKind};

/// What each word of a question says for and against each clause ([`super::clauses`]): *how* for a count of rows, *never* for
/// what is not in a query. The words are those that are common in questions about all kinds of databases; [`ALWAYS`] has
/// what is said of a clause whatever the words are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Wording(pub BTreeMap<String, BTreeMap<String, f32>>);

/// Stands for every question.
pub const ALWAYS: &str = "";

/// What a word counts beside [`ALWAYS`], so that long questions do not outweigh everything else.
pub const WORD: f32 = 0.5;

/// The words of a question, each once, with `#` for numbers.
pub fn words(question: &Question) -> Vec<String> {
    let word = |token: &crate::rules::text::Token| match token.kind {
        TokenKind::Word => Some(token.lower.clone()),
        TokenKind::Number => Some("#".to_owned()),
        _ => None,
    };
    let words: BTreeSet<String> = question.tokens.iter().filter_map(word).collect();
    words.into_iter().collect()
}

impl Wording {
    /// What these words together say of each clause.
    pub fn of(&self, words: &[String]) -> Heard<'_> {
        let mut sums: HashMap<&str, f32> = HashMap::new();
        let said = words.iter().map(|word| (word.as_str(), WORD)).chain([(ALWAYS, 1.0)]);
        for (word, counts) in said {
            for (clause, weight) in self.0.get(word).into_iter().flatten() {
                *sums.entry(clause).or_default() += counts * weight;
            }
        }
        Heard(sums)
    }
}

/// What the words of one question say of each clause.
#[derive(Debug, Clone, Default)]
pub struct Heard<'a>(HashMap<&'a str, f32>);

impl Heard<'_> {
    /// What they say of a plan with these clauses.
    pub fn score(&self, clauses: &[String]) -> f32 {
        clauses.iter().filter_map(|clause| self.0.get(clause.as_str())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_speak_for_clauses_and_unknown_words_for_none() {
        let wording: Wording = serde_json::from_str(
            r#"{"": {"counts": -0.25}, "how": {"counts": 2.0}, "many": {"lists": -1.0}}"#,
        )
        .unwrap();
        let score = |question: &str, clauses: &[&str]| {
            let clauses: Vec<String> = clauses.iter().map(|clause| (*clause).to_owned()).collect();
            wording.of(&words(&Question::new(question))).score(&clauses)
        };
        assert_eq!(score("How many books?", &["counts"]), 0.75);
        assert_eq!(score("How many books?", &["lists"]), -0.5);
        assert_eq!(score("All books", &["counts", "lists"]), -0.25);
    }
}
