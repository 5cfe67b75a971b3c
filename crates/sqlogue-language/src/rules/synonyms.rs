//! Words that mean nearly the same in English, whatever a database is about.
//!
//! The table `data/synonyms.tsv` is made from WordNet and word vectors by `cargo xtask synonyms`. Its lines are sorted, so
//! a word is found where it stands in the text: nothing is read beforehand, and nothing is kept in memory.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

/// The table: a word or phrase, then the words it may stand for, each with a digit for how alike they are, best first.
const TABLE: &str = include_str!("../../../../data/synonyms.tsv");

/// The words and phrases, in lower case, that a word or phrase may stand for, each with how alike they are, 0 to 1, best
/// first. A phrase has single spaces.
pub fn similar(phrase: &str) -> impl Iterator<Item = (String, f32)> {
    let line = find(TABLE, &phrase.replace(' ', "_")).unwrap_or_default();
    line.split(' ').filter_map(|entry| {
        let (at, digit) = entry.char_indices().next_back()?;
        let alike = digit.to_digit(10)? as f32 / 10.0 + 0.05;
        Some((entry.get(..at)?.replace('_', " "), alike))
    })
}

/// True for a word that the table has a line for.
pub fn is_word(word: &str) -> bool {
    find(TABLE, word).is_some()
}

/// A word of the table that stands for a database's own word at least so well is asked for from the other side too.
const BACKWARDS: f32 = 0.6;

/// The table read backwards, for the words of one database: a frequent word has more synonyms than its line holds
/// (*bill* has many senses), and the line of the rarer one (*invoice*) still names it. Made when it is first needed.
#[derive(Debug, Default)]
pub struct Backwards(OnceLock<HashMap<String, Vec<(String, f32)>>>);

impl Backwards {
    /// The words among `own` that a word or phrase may stand for, each with how alike they are.
    pub fn similar<'w>(&self, phrase: &str, own: impl Iterator<Item = &'w String>) -> &[(String, f32)] {
        let made = self.0.get_or_init(|| {
            let mut made: HashMap<String, Vec<(String, f32)>> = HashMap::new();
            // In one order, so that the same words are always found in the same order.
            let own: BTreeSet<&String> = own.collect();
            for word in own {
                for (other, alike) in similar(word).filter(|(_, alike)| *alike >= BACKWARDS) {
                    made.entry(other).or_default().push((word.clone(), alike));
                }
            }
            made
        });
        made.get(phrase).map_or(&[], Vec::as_slice)
    }
}

/// What stands behind a word at the beginning of a line of a sorted text.
fn find<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // Characters of the comments may have several bytes; a line begins behind a line's end in any case.
        let start =
            text.as_bytes().get(..middle)?.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = text.get(start..)?.lines().next()?;
        let (own, rest) = line.split_once(' ').unwrap_or((line, ""));
        match own.cmp(word) {
            // A comment is no word.
            Ordering::Equal => return (own != "#").then_some(rest),
            Ordering::Less => low = start + line.len() + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_where_it_stands() {
        let lines: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(
            lines.len() > 20_000 && TABLE.len() <= 3 << 20,
            "{} lines, {} bytes",
            lines.len(),
            TABLE.len()
        );
        for line in &lines {
            let (word, rest) = line.split_once(' ').unwrap();
            assert_eq!(find(TABLE, word), Some(rest), "{word}");
        }
        for word in ["", "#", "zzzz", "aaaa", "notaword", "doctor who"] {
            assert_eq!(find(TABLE, word), None, "{word}");
        }
    }

    #[test]
    fn synonyms_of_the_language_are_found() {
        let alike = |one: &str, other: &str| {
            similar(one).find(|(word, _)| word == other).map_or(0.0, |(_, alike)| alike)
        };
        for (one, other) in [
            ("physician", "doctor"),
            ("automobile", "car"),
            ("surname", "last name"),
            ("chauffeur", "driver"),
        ] {
            assert!(alike(one, other) >= 0.7, "{one} {other}");
        }
        assert!(alike("physician", "doctor") > alike("physician", "nurse"));
        assert_eq!(alike("husband", "invoice"), 0.0);
    }

    #[test]
    fn a_line_that_is_too_short_is_made_up_for_by_that_of_the_other_word() {
        let own = ["invoice".to_owned(), "patient".to_owned()];
        assert!(similar("bill").all(|(word, _)| word != "invoice"));
        let backwards = Backwards::default();
        assert!(
            matches!(backwards.similar("bill", own.iter()), [(word, alike)] if word == "invoice" && *alike > 0.6)
        );
        assert!(backwards.similar("tree", own.iter()).is_empty());
    }
}
