//! How much a question is like one that was answered before.
//!
//! Words that few of the known questions have tell more than words that most of them have, and a word that names a table or a
//! column of the known answer counts although the known question says it otherwise. It is counting and no more: a database
//! has some hundred confirmed questions, and looking at all of them takes less than a millisecond.

use std::collections::HashMap;

use super::names::{key_words, words};
use super::sql_names;

/// A word that only the known answer has counts so much of one that the known question has too.
const LINKED: f64 = 0.5;

/// How often each word occurs in the questions that are known of a database.
pub(super) struct Rarity {
    questions: usize,
    with: HashMap<String, usize>,
}

impl Rarity {
    pub(super) fn of<'a>(questions: impl Iterator<Item = &'a str>) -> Self {
        let mut rarity = Self { questions: 0, with: HashMap::new() };
        for question in questions {
            rarity.questions += 1;
            for word in key_words(question) {
                *rarity.with.entry(word).or_default() += 1;
            }
        }
        rarity
    }

    /// How much a word tells: the fewer questions have it the more.
    #[expect(clippy::cast_precision_loss, reason = "nobody keeps 2^52 questions")]
    fn weight(&self, word: &str) -> f64 {
        let with = self.with.get(word).copied().unwrap_or(0);
        (1.0 + (self.questions + 1) as f64 / (with + 1) as f64).ln()
    }

    /// How much what was `said` is like a known question, from 0 to 1: 1 where both have the same words.
    pub(super) fn likeness(&self, said: &[String], question: &str, template: &str) -> f64 {
        let asked = key_words(question);
        let sum = |words: &mut dyn Iterator<Item = &String>| words.map(|word| self.weight(word)).sum::<f64>();
        let shared = sum(&mut said.iter().filter(|word| asked.contains(word)));
        let named: Vec<String> = sql_names::names(template).all.iter().flat_map(|name| words(name)).collect();
        let linked = sum(&mut said.iter().filter(|word| !asked.contains(word) && named.contains(word)));
        let either = sum(&mut said.iter().chain(asked.iter().filter(|word| !said.contains(word))));
        if either > 0.0 { (shared + linked * LINKED) / either } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [(&str, &str); 4] = [
        ("How many orders did customers from Rome place?", "SELECT count(*) FROM orders"),
        ("How many orders are open?", "SELECT count(*) FROM orders WHERE state = 'open'"),
        ("How many orders were returned?", "SELECT count(*) FROM returns"),
        ("Which products sell best?", "SELECT name FROM products ORDER BY sold DESC"),
    ];

    fn likest(said: &str) -> Vec<usize> {
        let rarity = Rarity::of(KNOWN.iter().map(|(question, _)| *question));
        let said = key_words(said);
        let likeness = |at: usize| rarity.likeness(&said, KNOWN[at].0, KNOWN[at].1);
        let mut places: Vec<usize> = (0..KNOWN.len()).collect();
        places.sort_by(|one, other| likeness(*other).total_cmp(&likeness(*one)));
        places
    }

    #[test]
    fn rare_words_tell_more_than_common_ones() {
        assert_eq!(likest("orders returned in May")[0], 2);
        assert_eq!(likest("customers from Rome")[0], 0);
        assert_eq!(likest("best products")[0], 3);
    }

    #[test]
    fn a_name_of_the_answer_counts_where_the_question_says_it_otherwise() {
        let rarity = Rarity::of(KNOWN.iter().map(|(question, _)| *question));
        let said = key_words("orders by state");
        assert!(
            rarity.likeness(&said, KNOWN[1].0, KNOWN[1].1) > rarity.likeness(&said, KNOWN[2].0, KNOWN[2].1)
        );
    }

    #[test]
    fn the_same_words_are_the_same_and_other_words_are_nothing() {
        let rarity = Rarity::of(KNOWN.iter().map(|(question, _)| *question));
        let likeness = |said: &str| rarity.likeness(&key_words(said), KNOWN[1].0, KNOWN[1].1);
        assert!((likeness("Open orders?") - 1.0).abs() < 1e-9);
        assert_eq!(likeness("Who wrote Hamlet?"), 0.0);
        assert_eq!(likeness(""), 0.0);
    }
}
