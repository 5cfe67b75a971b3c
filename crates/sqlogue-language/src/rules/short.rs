//! Names that are shorter than the words they stand for: abbreviations, and compounds by their last word.

use super::lexicon::Lexicon;
use super::names::SHORT;
use super::synonyms;
use sqlogue_sql::schema::is_subsequence;

/// True for a part of a name that is no word, and so may be short for one.
pub(super) fn is_short_form(piece: &str, lexicon: &Lexicon) -> bool {
    (2..=6).contains(&piece.len())
        && piece.bytes().all(|byte| byte.is_ascii_lowercase())
        && !SHORT.contains(&piece)
        && (!lexicon.expansions(piece).is_empty() || !lexicon.is_word(piece) && !synonyms::is_word(piece))
}

/// The last word of a compound that is written as one: *work* of *artwork*, but nothing of *membership*.
pub(super) fn last_of_compound(word: &str) -> Option<&str> {
    const ENDINGS: [&str; 12] =
        ["ship", "hood", "less", "ness", "ment", "able", "ward", "wise", "like", "some", "fold", "ling"];
    (3..=word.len().checked_sub(4)?).find_map(|at| {
        let (first, last) = word.split_at_checked(at)?;
        let is_word = |part: &str| synonyms::is_word(part) && !Lexicon::embedded().is_generic(part);
        (is_word(first) && is_word(last) && !ENDINGS.contains(&last)).then_some(last)
    })
}

/// What stands behind a first letter that may be short for the table: `class` in `pclass`, of a table of passengers.
pub(super) fn behind_letter(run: &str) -> Option<&str> {
    run.split_at_checked(1).map(|(_, rest)| rest).filter(|rest| rest.len() >= 4)
}

/// How surely a part of a name is short for a word, from 0 to 1; none where it cannot be. Nobody leaves out the first
/// letter, nor changes the order of the others: *prt* for *port*, *bkg* for *booking*, *loy* for *loyalty*.
pub(super) fn abbreviates(piece: &str, word: &str) -> Option<f32> {
    if word.len() <= piece.len() || piece.len() < 2 || !is_subsequence(piece, word) {
        return None;
    }
    let (short, long) = (skeleton(piece), skeleton(word));
    if piece.len() == 2 {
        // Two letters are short for many words, and surely only for those that have no other consonants: *wg* for *wage*.
        (short == long && word.len() <= 4).then_some(0.8)
    } else if short == long {
        Some(0.9)
    } else if word.starts_with(piece) {
        Some(0.85)
    } else if long.starts_with(&short) {
        // *cst* for *customer*: where few letters are left of many, it may be another word.
        Some(if short.len() * 2 >= long.len() { 0.8 } else { 0.6 })
    } else {
        // *cntr* for *container*, which keeps the last sound.
        (piece.len() * 5 >= word.len() * 2 && short.chars().last() == long.chars().last()).then_some(0.7)
    }
}

/// How surely the name of a table of two letters is short for a word that begins with them: *cl* for *client*.
pub(super) fn begins(table: &str, word: &str) -> Option<f32> {
    (table.len() == 2 && word.len() >= 5 && word.starts_with(table)).then_some(0.7)
}

/// The first letter and the consonants behind it, each once where it is doubled.
pub(super) fn skeleton(word: &str) -> String {
    let kept = word.chars().enumerate().filter(|(at, letter)| *at == 0 || !"aeiou".contains(*letter));
    let mut letters: Vec<char> = kept.map(|(_, letter)| letter).collect();
    letters.dedup();
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_have_a_last_word() {
        for (word, expected) in [
            ("artwork", Some("work")),
            ("airport", Some("port")),
            ("membership", None),
            ("order", None),
            ("username", None),
        ] {
            assert_eq!(last_of_compound(word), expected, "{word}");
        }
    }

    #[test]
    fn what_is_left_of_a_word_is_told_from_another_word() {
        for (piece, word, at_least) in [
            ("vsl", "vessel", 0.9),
            ("prt", "port", 0.9),
            ("crw", "crew", 0.9),
            ("wg", "wage", 0.8),
            ("cde", "code", 0.8),
            ("loy", "loyalty", 0.85),
            ("cst", "customer", 0.6),
            ("cmpl", "complaint", 0.6),
            ("bkg", "booking", 0.7),
            ("cntr", "container", 0.7),
            ("pkup", "pickup", 0.7),
        ] {
            assert!(abbreviates(piece, word).is_some_and(|sure| sure >= at_least), "{piece} {word}");
        }
        for (piece, word) in
            [("prt", "captain"), ("slg", "sales"), ("vsl", "vehicle"), ("crw", "customer"), ("st", "staff")]
        {
            assert_eq!(abbreviates(piece, word), None, "{piece} {word}");
        }
    }
}
