//! What a question says, in the words of the patterns: looked up once for every token, before any rule is tried.

use std::borrow::Cow;
use std::collections::HashMap;

use super::lattice::Lattice;
use super::words::WordLists;

/// Words that may stand between the parts of a pattern.
const BETWEEN: [&str; 19] = [
    "the", "a", "an", "of", "our", "their", "'s", "its", "all", "your", "my", "'", "these", "those", "own",
    "entries", "entry", "records", "rows",
];

/// Which of the [`Spellings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spelling(usize);

/// Phrases, each as words, the longest first.
type Phrases = Cow<'static, [Vec<&'static str>]>;

/// What patterns spell out: words, lists of `data/grammar.tsv`, and both side by side as in `from|$opening`.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    known: HashMap<&'static str, Spelling>,
    phrases: Vec<Vec<Phrases>>,
    /// The spellings with a phrase that begins with a word.
    by_first: HashMap<&'static str, Vec<Spelling>>,
}

impl Spellings {
    /// The spelling that a pattern writes so.
    pub(super) fn add(&mut self, text: &'static str) -> Spelling {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let (lists, words): (Vec<&str>, Vec<&str>) = text.split('|').partition(|part| part.starts_with('$'));
        let words: Vec<Vec<&str>> = words.into_iter().map(|words| words.split('_').collect()).collect();
        let lists = lists.into_iter().filter_map(|list| list.strip_prefix('$'));
        let lists = lists.map(|list| Cow::Borrowed(WordLists::embedded().list(list)));
        let phrases: Vec<Phrases> = std::iter::once(Cow::Owned(words)).chain(lists).collect();
        let spelling = Spelling(self.phrases.len());
        for first in phrases.iter().flat_map(|phrases| phrases.iter()).filter_map(|phrase| phrase.first()) {
            let bearing = self.by_first.entry(first).or_default();
            if bearing.last() != Some(&spelling) {
                bearing.push(spelling);
            }
        }
        self.phrases.push(phrases);
        self.known.insert(text, spelling);
        spelling
    }
}

/// What is said at each token.
pub(super) struct Said {
    /// For each token the spellings that begin there, in their order, with the tokens after them.
    at: Vec<Vec<(Spelling, Vec<usize>)>>,
    /// True for the tokens that may stand between the parts of a pattern.
    between: Vec<bool>,
}

impl Said {
    /// What a question says.
    pub(super) fn of(lattice: &Lattice<'_>, spellings: &Spellings) -> Self {
        let tokens = 0..lattice.question.tokens.len();
        let goes_between =
            |at: usize| BETWEEN.contains(&lattice.question.word(at)) || lattice.only_says_done(at);
        Self {
            at: tokens.clone().map(|at| spelt(lattice, spellings, at)).collect(),
            between: tokens.map(goes_between).collect(),
        }
    }

    /// The tokens after what is spelt so from a token on, in their order.
    pub(super) fn ends(&self, spelling: Spelling, at: usize) -> &[usize] {
        let said = self.at.get(at).map_or(&[][..], Vec::as_slice);
        let found = said.binary_search_by_key(&spelling, |(spelling, _)| *spelling).ok();
        found.and_then(|place| said.get(place)).map_or(&[], |(_, ends)| ends)
    }

    /// True for a token that may stand between the parts of a pattern.
    pub(super) fn goes_between(&self, at: usize) -> bool {
        self.between.get(at).copied().unwrap_or_default()
    }
}

/// The spellings that begin at a token, with the tokens after them.
fn spelt(lattice: &Lattice<'_>, spellings: &Spellings, at: usize) -> Vec<(Spelling, Vec<usize>)> {
    // *the phone number of Ann Smith* counts nothing.
    if lattice.ends_name_in_number(at) {
        return Vec::new();
    }
    let begun = spellings.by_first.get(lattice.question.word(at)).into_iter().flatten();
    let spelt = begun.map(|spelling| {
        let phrases = spellings.phrases.get(spelling.0).into_iter().flatten();
        let mut all: Vec<usize> = phrases.flat_map(|phrases| ends(lattice, phrases, at)).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|end| !lattice.is_defined(at, *end));
        (*spelling, all)
    });
    spelt.filter(|(_, ends)| !ends.is_empty()).collect()
}

/// The tokens after the phrases of a list that start at a token, the longest phrase first.
pub(super) fn ends(lattice: &Lattice<'_>, phrases: &[Vec<&str>], start: usize) -> Vec<usize> {
    let matches = |phrase: &&Vec<&str>| {
        phrase.iter().enumerate().all(|(ahead, word)| lattice.question.word(start + ahead) == *word)
    };
    let mut ends: Vec<usize> = phrases.iter().filter(matches).map(|phrase| start + phrase.len()).collect();
    ends.dedup();
    ends.truncate(2);
    ends
}
