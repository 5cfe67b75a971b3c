//! Dates by another word for what was done then: *bought* for `purchased_at`, *made* for `booked_on`.

use super::names::Matches;
use crate::rules::event_date;
use crate::rules::knowledge::{Item, Knowledge, WordPlace};
use crate::rules::lexicon::Lexicon;
use crate::rules::stem::root;
use crate::rules::text::Question;

/// A word of this quality names a thing, and is not only near its name.
const NAMES: f32 = 0.85;

/// A shorter root is that of a thing as well: a `log_date` is no date of what was *logged*.
const SHORTEST: usize = 4;

/// Where dates stand whose names tell of the deed that a word speaks of. None where the word itself names a date, a table or a cell
/// (*invoiced* speaks of the invoices), nor where it belongs to the thing behind it: *the invoiced amount*.
pub(super) fn dates(
    question: &Question,
    at: usize,
    matches: &[Matches],
    knowledge: &Knowledge,
) -> Vec<WordPlace> {
    let word = question.word(at);
    let deeds = Lexicon::embedded().deeds(word);
    let is_date = |item: &Item| match item {
        Item::Column(column) => event_date::holds_days(knowledge.column(*column)),
        Item::Table(_) => false,
    };
    let names = |((item, _), places): (&(Item, u16), &Vec<(u16, f32)>)| {
        let is_sure = || places.iter().any(|(_, quality)| *quality >= NAMES);
        is_date(item) || matches!(item, Item::Table(_)) && is_sure()
    };
    let is_named = || matches.get(at).is_some_and(|named| named.iter().any(names));
    // *billed annually* says how, and not when.
    let describes = || {
        let behind = matches.get(at + 1).is_some_and(|named| !named.is_empty());
        word.ends_with("ed") && (behind || question.word(at + 1).ends_with("ly"))
    };
    if deeds.is_empty() || is_named() || describes() || !knowledge.values().find(word).is_empty() {
        return Vec::new();
    }
    let places = deeds.into_iter().flat_map(|deed| {
        let root = root(deed);
        let alike = if root.len() < SHORTEST { &[][..] } else { knowledge.places_of_root(&root) };
        knowledge.places_of_stem(deed).iter().chain(alike)
    });
    places.filter(|place| is_date(&place.item)).copied().collect()
}
