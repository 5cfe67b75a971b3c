//! Words that mean nearly the same in English, whatever a database is about.
//!
//! The table `data/synonyms.tsv` is made from WordNet and word vectors by `examples/synonyms.rs`. Its lines are sorted, so
//! a word is found where it stands in the text: nothing is read beforehand, and nothing is kept in memory.

use std::cmp::Ordering;

/// The table: a word or phrase, then the words it may stand for, each with a digit for how alike they are, best first.
const TABLE: &str = include_str!("../../../data/synonyms.tsv");

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
}
