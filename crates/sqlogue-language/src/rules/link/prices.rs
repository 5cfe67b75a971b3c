//! Prices: where only *price* is said, and a thing has several, what it is sold for is meant before what was paid for it.

use super::{Link, Target};
use crate::rules::grammar::is_inner_price;
use crate::rules::knowledge::Knowledge;
use crate::rules::text::Question;

/// How well a price that is not what a thing is sold for fits the bare word.
const INNER: f32 = 0.9;

/// Puts what was paid for a thing behind what it is sold for, where the words do not say which.
pub(super) fn sold_for_first(links: &mut [Link], question: &Question, knowledge: &Knowledge) {
    for link in links {
        let Target::Column(id) = link.target else { continue };
        let words = question.tokens.get(link.start..link.end).unwrap_or_default();
        let is_bare = words.iter().all(|token| matches!(token.lower.as_str(), "price" | "prices"));
        if is_bare && is_inner_price(knowledge, id) {
            link.score *= INNER;
        }
    }
}
