//! The indicators that are promised word for word: what starts or marks a refinement, and what a new question.

use super::lexicon::Class;
use super::rule::{Rule, Signal};
use super::words::Words;

/// Words with which a refinement starts.
const KEYWORDS: &[&str] = &[
    "only", "also", "add", "remove", "change", "instead", "but", "actually", "sort by", "limit to", "filter",
    "exclude",
];

/// Words that say what was wrong with the last answer.
const PHRASES: &[&str] = &["too many", "too few", "wrong", "missing"];

/// Words with which a new question starts.
const QUESTION_WORDS: &[&str] = &["show", "find", "get", "list", "what", "which", "who", "how many", "count"];

/// A modification has at most this many words, a complete question more.
const SHORT: usize = 5;

/// The indicators of a refinement in an input, the strongest first.
pub(super) fn of_refinement(words: &Words) -> Option<Signal> {
    let anywhere = |phrases: &'static [&'static str]| {
        (0..words.list.len()).find_map(|at| {
            phrases.iter().copied().find(|phrase| words.has_at(at, phrase)).map(|phrase| (at, phrase))
        })
    };
    match anywhere(KEYWORDS) {
        Some((0, keyword)) => return Some(Signal::new(Rule::RefinementKeyword, keyword)),
        Some((_, keyword)) => return Some(Signal::new(Rule::RefinementKeywordInside, keyword)),
        None => {}
    }
    if let Some((_, phrase)) = anywhere(PHRASES) {
        return Some(Signal::new(Rule::ModifyingPhrase, phrase));
    }
    let shows_too = words.has_at(0, "show") && words.list.last().is_some_and(|word| &*word.text == "too");
    shows_too.then(|| Signal::new(Rule::ModifyingPhrase, "show … too"))
}

/// The indicators of a new question in an input, besides resets.
///
/// Other verbs that ask for something to be returned (`give`, `return`, …) count like the promised ones.
pub(super) fn of_new_query(words: &Words) -> Option<Signal> {
    if let Some(word) = QUESTION_WORDS.iter().copied().find(|word| words.has_at(0, word)) {
        return Some(Signal::new(Rule::QuestionWord, word));
    }
    if matches!(words.class(0), Some(Class::Opener | Class::Question)) {
        return words.text(0).map(|word| Signal::new(Rule::QuestionWord, word));
    }
    let count = words.list.len();
    (count > SHORT).then(|| Signal::new(Rule::CompleteQuestion, how_many(count)))
}

/// `1 word`, `3 words`.
pub(super) fn how_many(words: usize) -> String {
    if words == 1 { "1 word".to_owned() } else { format!("{words} words") }
}

/// Whether an input is short enough to be a modification.
pub(super) fn is_short(words: &Words) -> Option<Signal> {
    let count = words.list.len();
    (1..=SHORT).contains(&count).then(|| Signal::new(Rule::ShortInput, how_many(count)))
}
