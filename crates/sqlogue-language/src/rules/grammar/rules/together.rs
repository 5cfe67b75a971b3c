//! What is sold with what: *products that are often bought together*, *which books do people buy together?*

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "bought_together",
        pattern: "top|the_top? NUM? NOUN that|which|we? are|is|were|get|have_been? most|most_often|most_frequently|often|frequently|commonly|usually|typically? bought|sold|ordered|purchased|rented|booked|sell|sells|bought_or_sold together most|most_often|most_frequently|often|frequently|the_most|the_most_often|in_one_order|in_the_same_order?",
        make: together,
    },
    Rule {
        name: "do_people_buy_together",
        pattern: "NUM? NOUN do|did|does people|customers|they|clients|buyers|shoppers|members most_often|often|frequently|usually|commonly|typically? buy|order|purchase|rent|book together most|most_often|often|frequently|the_most?",
        make: together,
    },
    Rule {
        name: "frequent_pairs",
        pattern: "NUM? most_common|most_frequent|frequent|common|top|best pairs|combinations of NOUN in_one_order|in_the_same_order|bought_together|sold_together?",
        make: together,
    },
];

fn together(found: &Matched<'_>) -> Option<Phrase> {
    let mut parts = vec![Part::Together(found.noun(0)?.as_table()?)];
    parts.extend(found.count().map(Part::Limit));
    all(parts)
}
