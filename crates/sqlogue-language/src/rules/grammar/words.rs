//! The lists of words that rules name: `data/grammar.tsv`, parsed once.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::rules::text::Question;

/// Lists of phrases by name, each phrase as words.
#[derive(Debug)]
pub struct WordLists {
    lists: HashMap<&'static str, Vec<Vec<&'static str>>>,
}

impl WordLists {
    /// The lists that are compiled in.
    pub fn embedded() -> &'static Self {
        static LISTS: OnceLock<WordLists> = OnceLock::new();
        LISTS.get_or_init(|| Self::parse(include_str!("../../../../../data/grammar.tsv")))
    }

    fn parse(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut lists: HashMap<&'static str, Vec<Vec<&'static str>>> = HashMap::new();
        for (name, phrases) in lines.filter_map(|line| line.split_once('\t')) {
            let mut phrases: Vec<Vec<&str>> =
                phrases.split('|').map(|phrase| phrase.split(' ').collect()).collect();
            // Longer phrases first: what a short one would cut in two belongs together.
            phrases.sort_by_key(|phrase: &Vec<&str>| std::cmp::Reverse(phrase.len()));
            lists.insert(name, phrases);
        }
        Self { lists }
    }

    /// The phrases of a list; none for a name that no list has.
    pub fn list(&self, name: &str) -> &[Vec<&'static str>] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }

    /// True where the one word is a phrase of the list.
    pub fn has(&self, name: &str, word: &str) -> bool {
        self.list(name).iter().any(|phrase| phrase.as_slice() == [word])
    }

    /// True for a word for what was taken in or billed.
    pub fn says_takings(&self, word: &str) -> bool {
        self.has("revenue", word) || self.has("billed_amount", word)
    }
}

/// True for a word that says nothing of what is asked for where it names nothing: *do we carry*, *at our school*.
pub fn is_neutral(question: &Question, at: usize) -> bool {
    let lists = WordLists::embedded();
    let before = at.checked_sub(1).map_or("", |before| question.word(before));
    let word = question.word(at);
    lists.has("neutral", word)
        || lists.has("asks_for", word) && matches!(before, "." | "?" | "!")
        || word == "far" && before == "so"
        || lists.has("house", word) && matches!(before, "the" | "our" | "this" | "my" | "your")
}
