//! Prices: where only *price* is said, and a thing has several, what it is sold for is meant before what was paid for it.

use super::{Link, Target};
use crate::rules::grammar::columns::named;
use crate::rules::grammar::sold_for;
use crate::rules::knowledge::Knowledge;
use crate::rules::text::Question;

/// How well a price that is not what a thing is sold for fits the bare word.
const INNER: f32 = 0.9;
/// How well what does not even bear the word does: no `cost` beside a `list_price`.
const OTHER: f32 = 0.6;

/// Puts what was paid for a thing behind what it is sold for, where the words do not say which: *price*, *cost more than 5*.
pub(super) fn sold_for_first(links: &mut [Link], question: &Question, knowledge: &Knowledge) {
    let says_price = |link: &Link| {
        let words = question.tokens.get(link.start..link.end).unwrap_or_default();
        words.iter().all(|token| matches!(token.lower.as_str(), "price" | "prices"))
    };
    for link in links {
        let Target::Column(id) = link.target else { continue };
        let Some(outer) = sold_for(knowledge, id) else { continue };
        if says_price(link) {
            link.score *= if named(knowledge, id, &["price"]) { INNER } else { OTHER };
        } else if link.end.checked_sub(1).is_some_and(|last| is_verb(question, last)) {
            link.target = Target::Column(outer);
        }
    }
}

/// True for *cost* as a verb: what things *cost* is their price, and what they cost us is not.
fn is_verb(question: &Question, at: usize) -> bool {
    let next = question.word(at + 1);
    let compares = matches!(
        next,
        "more" | "less" | "over" | "under" | "above" | "below" | "between" | "at" | "up" | "exactly" | "than"
    );
    let asks =
        question.tokens.iter().take(at).any(|token| matches!(token.lower.as_str(), "do" | "does" | "did"));
    matches!(question.word(at), "cost" | "costs" | "costing") && next != "us" && (compares || asks)
}
