//! Names that are written together: `countrycode`, `dlvdat`, and `cnam` of a table of customers.

use super::{Reader, SHORT, is_english};
use crate::rules::stem::stem;

/// A name that falls into more words than this was not meant to.
const MOST_WORDS: usize = 5;

impl Reader<'_> {
    /// Cuts a run of words without separators (`countrycode`) into its words, where all of it can be read.
    pub(super) fn segment(&self, piece: &str) -> Vec<String> {
        let whole = vec![piece.to_owned()];
        if piece.len() < 5
            || !piece.is_ascii()
            || self.is_known(piece)
            || is_english(piece)
            || !self.lexicon.expansions(piece).is_empty()
        {
            return whole;
        }
        // The cheapest cut wins; ties go to the longest first word.
        let mut best: Vec<Option<(u32, usize)>> = vec![None; piece.len() + 1];
        if let Some(last) = best.last_mut() {
            *last = Some((0, piece.len()));
        }
        for start in (0..piece.len()).rev() {
            for end in (start + 2..=piece.len()).rev() {
                let Some(word) = piece.get(start..end) else { continue };
                let Some((rest, _)) = best.get(end).copied().flatten() else { continue };
                let Some(price) = self.price(word, end == piece.len()) else { continue };
                let slot = best.get(start).copied().flatten();
                if slot.is_none_or(|(known, _)| rest + price < known)
                    && let Some(place) = best.get_mut(start)
                {
                    *place = Some((rest + price, end));
                }
            }
        }
        let mut words = Vec::new();
        let mut at = 0;
        while at < piece.len() {
            let Some((_, end)) = best.get(at).copied().flatten() else { return whole };
            words.extend(piece.get(at..end).map(str::to_owned));
            at = end;
        }
        if words.len() > MOST_WORDS { whole } else { words }
    }

    /// What a word costs as a part of a run, the less the surer it is one; none for what is no word.
    fn price(&self, word: &str, at_end: bool) -> Option<u32> {
        let short = !self.lexicon.expansions(word).is_empty();
        match word.len() {
            0 | 1 => None,
            2 if SHORT.contains(&word) => Some(12),
            // *gate in*, and the abbreviations that names begin or end with.
            2 => (short || at_end && word == "in").then_some(14),
            3 if at_end && word == "out" => Some(11),
            3 if SHORT.contains(&word) => Some(11),
            3 => short.then_some(12),
            _ if self.is_known(word) => Some(10),
            _ if is_english(word) => Some(11),
            _ => short.then_some(11),
        }
    }

    /// What a name says behind the first letter of its table: `cnam` is the name of a `cust`, `pno` the number of a `parcel`.
    pub(super) fn behind_table_letter(&self, raw: &[String], table: &[String]) -> Option<Vec<String>> {
        const GENERIC: [&str; 8] = ["name", "number", "type", "code", "date", "status", "id", "description"];
        let ([run], Some(owner)) = (raw, table.first()) else { return None };
        let (letter, rest) = run.split_at_checked(1).filter(|_| !self.is_known(run) && !is_english(run))?;
        let long = self.lexicon.expansions(rest).iter().find(|long| match long.as_slice() {
            [word] => GENERIC.contains(&word.as_str()),
            _ => false,
        });
        let is_own = owner.starts_with(letter);
        long.filter(|_| is_own)
            .map(|long| std::iter::once(owner).chain(long).map(|word| stem(word)).collect())
    }
}
