//! People by how much they paid in all: *who spent more than 500*, *who owe us over 1000*.

use super::conditions::having;
use super::measures::worth_of;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Key, Measure, Noun, Pred, Words};
use sqlogue_sql::plan::{Aggregate, Comparison};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "spent_so_much",
        pattern: "who|that|which|have|has|had? have|has|had? $spent|$earning OP NUM in_total|altogether?",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            having(Measure::Of(Aggregate::Sum, Attr::Revenue(said)), found.operator()?, found)
        },
    },
    Rule {
        name: "paid_in_total",
        pattern: "who|that|which|have|has|had? have|has|had? paid|pay|pays|been_billed|were_billed|was_billed|billed OP NUM in_total|altogether|in_all|overall|all_told",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            having(Measure::Of(Aggregate::Sum, Attr::Revenue(said)), found.operator()?, found)
        },
    },
    Rule {
        name: "each_spent_so_much",
        pattern: "$how_much|how_much_money|what do|does|did|has|have each|every NOUN already? $spent|$earning|paid|pay us|with_us|here|on_us|in? in_total|altogether|overall|so_far?",
        make: |found| {
            let each = found.noun(0)?;
            let said = Words::new(each.words.end, found.words.end);
            let total = Part::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(said)));
            all(vec![Part::Key(Key::Noun(each)), total])
        },
    },
    Rule {
        name: "spent_between",
        pattern: "who|that|which|have|has|had? have|has|had? $spent|$earning between NUM and|to NUM in_total|altogether?",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            let bound = |operator, at| {
                let measure = Measure::Of(Aggregate::Sum, Attr::Revenue(said));
                Some(Part::Having(Having { measure, operator, with: Against::Value(found.number(at)?) }))
            };
            all(vec![bound(Comparison::GreaterOrEqual, 0)?, bound(Comparison::LessOrEqual, 1)?])
        },
    },
    Rule {
        name: "adds_up_to_so_much",
        pattern: "whose|where $their? NOUN $adding_up OP NUM in_total|altogether|in_all|overall|all_told?",
        make: |found| having(total_worth(&found.noun(0)?)?, found.operator()?, found),
    },
    Rule {
        name: "worth_so_much_in_total",
        pattern: "$with NOUN of|worth|for|totalling|totaling|adding_up_to? OP NUM in_total|altogether|in_all|overall|all_told|all_together|combined",
        make: |found| having(total_worth(&found.noun(0)?)?, found.operator()?, found),
    },
    Rule {
        name: "owes_so_much",
        pattern: "who|that|which? owe|owes|owed|owing us|them? OP NUM in_total|altogether?",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            let unpaid = Part::Where(Pred::Open { end: Some("paid".to_owned()), late_on: None });
            let total = Measure::Of(Aggregate::Sum, Attr::Revenue(said));
            let Some(Phrase::Part(more)) = having(total, found.operator()?, found) else { return None };
            Some(Phrase::Part(Part::All(vec![unpaid, more])))
        },
    },
];

/// What rows come to together, or the sum of a column.
fn total_worth(noun: &Noun) -> Option<Measure> {
    Some(Measure::Of(Aggregate::Sum, worth_of(noun)?))
}
