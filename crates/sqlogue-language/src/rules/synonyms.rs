//! Words that mean nearly the same in English, whatever a database is about.
//!
//! The table `data/synonyms.tsv` is made from WordNet and word vectors by `cargo xtask synonyms`; the program holds it
//! packed.

mod packed;

use std::collections::{BTreeSet, HashMap};
use std::sync::{LazyLock, OnceLock};

use packed::Packed;

static TABLE: &[u8] = include_bytes!("../../../../data/synonyms.packed");

/// None only where the file was damaged before the program was built, which a test would notice.
static PACKED: LazyLock<Option<Packed<'static>>> = LazyLock::new(|| Packed::new(TABLE));

/// The words and phrases, in lower case, that a word or phrase may stand for, each with how alike they are, 0 to 1, best
/// first. A phrase has single spaces.
pub fn similar(phrase: &str) -> impl Iterator<Item = (String, f32)> {
    let found = PACKED.as_ref().and_then(|table| table.similar(&phrase.replace(' ', "_")));
    found
        .into_iter()
        .flatten()
        .map(|(word, tenths)| (word.replace('_', " "), f32::from(tenths) / 10.0 + 0.05))
}

/// True for a word that the table has a line for.
pub fn is_word(word: &str) -> bool {
    PACKED.as_ref().is_some_and(|table| table.similar(word).is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

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
