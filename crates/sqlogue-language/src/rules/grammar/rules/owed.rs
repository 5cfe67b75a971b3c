//! What people owe: *how much is still owed*, *how much do our customers owe us*, *money outstanding per customer*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "how_much_is_owed",
        pattern: "$how_much|how_much_money|what|the_money|money|amount|total_amount|the_amount|total is|was|are|we|there|do_we_have? we|there? still|currently|now|that_is? owed|owing|outstanding|unpaid|due_to_us|not_paid|not_yet_paid|waiting_to_be_paid|left_to_be_paid|to_be_paid to_us|us|to_the_business? in_total|altogether|still|yet|by_now|at_the_moment|right_now|now?",
        make: |found| owed(found, None),
    },
    Rule {
        name: "how_much_they_owe",
        pattern: "$how_much|how_much_money|what do|does|did each|every|all? NOUN still|currently|together? owe|owes|owed us|the_business|to_us? in|for? NOUN? in_total|altogether|still|each|at_the_moment|right_now|now?",
        make: |found| owed(found, Some(())),
    },
    Rule {
        name: "how_much_people_owe",
        pattern: "$how_much|how_much_money|what do|does|did people|customers|clients|they|everybody|everyone still|currently? owe|owes|owed us|to_us? in|for? NOUN? in_total|altogether|still|at_the_moment|right_now|now?",
        make: |found| owed(found, None),
    },
    Rule {
        name: "who_owes",
        pattern: "who|that|which? still|currently? owe|owes|owing us? money|something|anything|an_amount? still|at_the_moment|right_now|now?",
        make: |found| {
            let Some(Phrase::Part(Part::All(mut parts))) = owed(found, None) else { return None };
            // *who owes an instalment* is asked of instalments.
            let ends = found.words.end == found.lattice.question.tokens.len();
            let last = found.lattice.question.word(found.words.end.checked_sub(1)?);
            let is_whole = ends || matches!(last, "money" | "something" | "anything" | "amount");
            parts.extend((found.words.start == 0).then_some(Part::OfEachPerson));
            (is_whole && found.words.end > found.words.start + 1).then(|| all(parts)).flatten()
        },
    },
    Rule {
        name: "how_much_is_overdue",
        pattern: "$how_much|how_much_money|what|the_money|money|the_amount|amount|total is|are|was|were|we|do_we_have? currently|now|still? $overdue in_total|altogether|now|today|right_now?",
        make: |found| {
            let words = Words::new(found.words.start, found.words.end);
            let late =
                Part::Where(Pred::Open { end: Some("paid".to_owned()), late_on: Some(found.lattice.today) });
            all(vec![late, Part::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(words)))])
        },
    },
    Rule {
        name: "how_much_named_owes",
        pattern: "$how_much|how_much_money|what do|does|did VALUE VALUE? still|currently? owe|owes us|to_us? in_total|altogether|still|at_the_moment|right_now|now?",
        make: |found| {
            let Some(Phrase::Part(owed)) = owed(found, None) else { return None };
            let named = (0..2).map_while(|at| found.value(at));
            let is = |value| Part::Where(Pred::Is { values: vec![value], column: None, negated: false });
            all(named.map(is).chain([owed]).collect())
        },
    },
];

/// The total of what is unpaid; of each of those who are named where one of them is said to owe.
fn owed(found: &Matched<'_>, by: Option<()>) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let words = Words::new(found.words.start, found.words.end);
    let unpaid = Part::Where(Pred::Open { end: Some("paid".to_owned()), late_on: None });
    let total = Part::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(words)));
    let each = (found.words.start..found.words.end).any(|at| matches!(word(at), "each" | "every" | "does"));
    let mut parts = vec![unpaid, total];
    if by.is_some() && each {
        parts.push(Part::Key(Key::Noun(found.noun(0)?)));
    }
    all(parts)
}
