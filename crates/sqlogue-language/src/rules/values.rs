//! The value index: which cells a word or phrase of a question may stand for.
//!
//! Texts are compared *folded*: lower case, without accents, letters and digits only, one space between words.
//! The index keeps every distinct text of the columns it was given until its memory is used up; what did not fit
//! is counted and reported, never silently missing.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::knowledge::ColumnId;
use super::stem::{fold, stem};

/// A cell that a phrase may stand for.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHit {
    /// The column it occurs in.
    pub column: ColumnId,
    /// The cell's text, exactly.
    pub text: String,
    /// How the phrase matched.
    pub kind: MatchKind,
}

/// How a phrase and a cell agree, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// The very same text.
    Exact,
    /// The same but for case, accents, punctuation.
    Folded,
    /// The same stems (*cats*, `Cat`).
    Stemmed,
    /// The way a code is stored (*female*, `F`).
    Coded,
    /// A synonym of the cell.
    Synonym,
    /// Misspelt by one letter or two.
    Near,
    /// The phrase is one of the cell's words.
    Part,
    /// The phrase is the head of several cells: *chairs*, `Office Chair`.
    Head,
}

#[derive(Debug)]
struct Entry {
    column: u32,
    text: Box<str>,
    /// The cell, where `text` is only what it stands for.
    code: Option<Box<str>>,
}

/// Keys are hashes already, so the maps need not hash them again.
#[derive(Debug, Default, Clone, Copy)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes
            .iter()
            .fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

type Map = HashMap<u64, Vec<u32>, BuildHasherDefault<Hashed>>;

/// All distinct texts of a database's cells, by their folded and stemmed forms.
#[derive(Debug)]
pub struct ValueIndex {
    entries: Vec<Entry>,
    folded: Map,
    stemmed: Map,
    words: Map,
    bytes: usize,
    budget: usize,
    left_out: usize,
}

/// Cells longer than this are prose: nobody names them in full.
const MAX_LENGTH: usize = 120;
/// A word that occurs in more cells than this names none of them.
const MAX_CELLS_OF_A_WORD: usize = 40;
/// Single words are indexed for so many cells: they are weak evidence, and cost more than all the rest.
const MAX_WORD_ENTRIES: usize = 150_000;
/// A look-up gives at most so many cells.
const MAX_HITS: usize = 60;
/// At most so many cells are compared with words that may misspell them.
const MAX_COMPARED: usize = 200_000;

/// The form in which texts are compared: lower case, no accents, words separated by one space.
pub fn folded(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    if text.is_ascii() {
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() {
                result.push(char::from(byte.to_ascii_lowercase()));
            } else if byte != b'\'' && !result.is_empty() && !result.ends_with(' ') {
                result.push(' ');
            }
        }
        result.truncate(result.trim_end().len());
        return result;
    }
    for letter in fold(text).chars() {
        if letter.is_alphanumeric() {
            result.push(letter);
        } else if letter != '\'' && !result.is_empty() && !result.ends_with(' ') {
            result.push(' ');
        }
    }
    result.truncate(result.trim_end().len());
    result
}

/// FNV-1a with its bits mixed once more: the maps take the low bits.
fn key(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn stems(folded: &str) -> String {
    // Most texts of most databases have no plural at all.
    let plural = |word: &str| {
        word.ends_with('s')
            || matches!(
                word,
                "people"
                    | "men"
                    | "women"
                    | "children"
                    | "feet"
                    | "teeth"
                    | "mice"
                    | "indices"
                    | "media"
                    | "criteria"
                    | "alumni"
            )
    };
    if !folded.split(' ').any(plural) {
        return folded.to_owned();
    }
    folded.split(' ').map(stem).collect::<Vec<_>>().join(" ")
}

impl ValueIndex {
    /// An empty index that may grow to about `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self {
            entries: Vec::new(),
            folded: Map::default(),
            stemmed: Map::default(),
            words: Map::default(),
            bytes: 0,
            budget,
            left_out: 0,
        }
    }

    /// Adds one distinct text of a column.
    pub fn add(&mut self, column: ColumnId, text: &str) {
        self.insert(column, text, None);
    }

    /// Adds what a code of a column stands for: whoever names it means the cells with the code.
    pub fn add_meaning(&mut self, column: ColumnId, code: &str, meaning: &str) {
        self.insert(column, meaning, Some(code.into()));
    }

    fn insert(&mut self, column: ColumnId, text: &str, code: Option<Box<str>>) {
        if text.len() > MAX_LENGTH || text.trim().is_empty() {
            return;
        }
        // What an entry costs: itself, its text, and its places in the maps.
        let cost = size_of::<Entry>() + text.len() + 96;
        if self.bytes + cost > self.budget {
            self.left_out += 1;
            return;
        }
        self.bytes += cost;
        let Ok(number) = u32::try_from(self.entries.len()) else { return };
        let folded = folded(text);
        if folded.is_empty() {
            return;
        }
        let stemmed = stems(&folded);
        if stemmed != folded {
            self.stemmed.entry(key(&stemmed)).or_default().push(number);
        }
        let mut words = folded.split(' ').filter(|word| word.len() >= 3);
        if folded.contains(' ') && folded.len() <= 60 && self.entries.len() < MAX_WORD_ENTRIES {
            for word in words.by_ref() {
                let cells = self.words.entry(key(word)).or_default();
                // One more than the limit marks the word as too common.
                if cells.len() <= MAX_CELLS_OF_A_WORD {
                    cells.push(number);
                    self.bytes += 4;
                }
            }
        }
        self.folded.entry(key(&folded)).or_default().push(number);
        let column = u32::try_from(column.0).unwrap_or(u32::MAX);
        self.entries.push(Entry { column, text: text.into(), code });
    }

    /// The cells that say the same as `phrase` (written as in the question).
    pub fn find(&self, phrase: &str) -> Vec<ValueHit> {
        let folded_phrase = folded(phrase);
        if folded_phrase.is_empty() {
            return Vec::new();
        }
        let mut hits = Vec::new();
        for entry in self.at(&self.folded, &folded_phrase) {
            if folded(&entry.text) == folded_phrase {
                let is_exact = *entry.text == *phrase && entry.code.is_none();
                let kind = if is_exact { MatchKind::Exact } else { MatchKind::Folded };
                hits.push(hit(entry, kind));
            }
        }
        let stemmed_phrase = stems(&folded_phrase);
        let same_stems = |entry: &&Entry| stems(&folded(&entry.text)) == stemmed_phrase;
        let mut stemmed: Vec<&Entry> = self.at(&self.stemmed, &stemmed_phrase).filter(same_stems).collect();
        if stemmed_phrase != folded_phrase {
            stemmed.extend(self.at(&self.folded, &stemmed_phrase).filter(same_stems));
        }
        for entry in stemmed {
            if !hits
                .iter()
                .any(|known: &ValueHit| known.column.0 == entry.column as usize && known.text == entry.cell())
            {
                hits.push(hit(entry, MatchKind::Stemmed));
            }
        }
        hits
    }

    /// The cells of which `word` is one word among several; none where it is in too many.
    pub fn containing(&self, word: &str) -> Vec<ValueHit> {
        let word = folded(word);
        let Some(found) = self.words.get(&key(&word)).filter(|found| found.len() <= MAX_CELLS_OF_A_WORD)
        else {
            return Vec::new();
        };
        found
            .iter()
            .filter_map(|number| self.entries.get(*number as usize))
            .filter(|entry| folded(&entry.text).split(' ').any(|other| other == word))
            .map(|entry| hit(entry, MatchKind::Part))
            .collect()
    }

    /// The cells of which `phrase` may be a misspelling; looks at every cell, so it is for what found nothing else.
    pub fn near(&self, phrase: &str) -> Vec<ValueHit> {
        self.similar(phrase, 0.84, |_| true)
    }

    /// The cells of which `phrase` may be a misspelling by a single slip: a letter more, less, other or exchanged, and not
    /// the first one.
    pub fn misspelt(&self, phrase: &str) -> Vec<ValueHit> {
        let phrase = folded(phrase);
        let first = phrase.chars().next();
        if phrase.len() < 5 {
            return Vec::new();
        }
        let is_near = |entry: &&Entry| {
            entry.text.len().abs_diff(phrase.len()) <= 2
                && entry.text.chars().flat_map(char::to_lowercase).next() == first
                && strsim::osa_distance(&folded(&entry.text), &phrase) == 1
        };
        let near = self.entries.iter().take(MAX_COMPARED).filter(is_near);
        near.take(5).map(|entry| hit(entry, MatchKind::Near)).collect()
    }

    /// The cells of one column that come near `phrase`, nearest first. Somebody who names the column means one of its
    /// cells, so they may lie further away than those that [`ValueIndex::near`] finds.
    pub fn near_in(&self, column: ColumnId, phrase: &str) -> Vec<ValueHit> {
        self.similar(phrase, 0.7, |entry| entry.column as usize == column.0)
    }

    fn similar(&self, phrase: &str, least: f64, wanted: impl Fn(&Entry) -> bool) -> Vec<ValueHit> {
        let phrase = folded(phrase);
        if phrase.len() < 4 {
            return Vec::new();
        }
        let mut found: Vec<(f64, &Entry)> = Vec::new();
        for entry in self.entries.iter().take(MAX_COMPARED).filter(|entry| wanted(entry)) {
            if entry.text.len().abs_diff(phrase.len()) > 2 {
                continue;
            }
            let similarity = strsim::normalized_damerau_levenshtein(&folded(&entry.text), &phrase);
            if similarity >= least {
                found.push((similarity, entry));
            }
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found.into_iter().take(5).map(|(_, entry)| hit(entry, MatchKind::Near)).collect()
    }

    /// About how many bytes the index takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many distinct texts are in the index.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True where no text is in the index.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many texts did not fit into the memory allowed.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    fn at<'a>(&'a self, map: &'a Map, text: &str) -> impl Iterator<Item = &'a Entry> {
        map.get(&key(text))
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .take(MAX_HITS)
            .filter_map(|number| self.entries.get(*number as usize))
    }
}

impl Entry {
    /// What stands in the database.
    fn cell(&self) -> &str {
        self.code.as_deref().unwrap_or(&self.text)
    }
}

fn hit(entry: &Entry, kind: MatchKind) -> ValueHit {
    ValueHit { column: ColumnId(entry.column as usize), text: entry.cell().to_owned(), kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_folded_stemmed_part_and_near() {
        let mut index = ValueIndex::new(1 << 20);
        for text in ["New York", "Cat", "São Paulo", "O'Brien", "Ph.D.", "  "] {
            index.add(ColumnId(1), text);
        }
        let kind = |phrase: &str| index.find(phrase).first().map(|hit| hit.kind);
        assert_eq!(kind("New York"), Some(MatchKind::Exact));
        assert_eq!(kind("new york"), Some(MatchKind::Folded));
        assert_eq!(kind("sao paulo"), Some(MatchKind::Folded));
        assert_eq!(kind("ph.d"), Some(MatchKind::Folded));
        assert_eq!(kind("cats"), Some(MatchKind::Stemmed));
        assert_eq!(kind("dog"), None);
        assert_eq!(index.containing("york").len(), 1);
        assert_eq!(index.near("New Yorck").len(), 1);
        assert_eq!(index.len(), 5);
    }

    #[test]
    fn memory_is_bounded() {
        let mut index = ValueIndex::new(1000);
        for number in 0..1000 {
            index.add(ColumnId(0), &format!("cell {number}"));
        }
        assert!(index.bytes() <= 1000 + 200);
        assert!(index.left_out() > 900);
    }
}
