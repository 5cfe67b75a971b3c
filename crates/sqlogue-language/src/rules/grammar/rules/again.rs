//! The same once more: *customers who bought the same product twice*, *books that one member borrowed more than once*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Again, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "did_same_again",
        pattern: "who|that|which? have|has|had? ever? WORD in|for|on|at|with|to|up|out? the_very|one_and_the? same|exact_same NOUN $more_than_once|twice|again in|during|since? WINDOW?",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "did_same_so_often",
        pattern: "who|that|which? have|has|had? ever? WORD in|for|on|at|with|to|up|out? same|exact_same NOUN OP NUM times in|during|since? WINDOW?",
        make: |found| again(found, found.operator()?, found.number(0)?),
    },
    Rule {
        name: "did_same_or_more_often",
        pattern: "who|that|which? have|has|had? ever? WORD in|for|on|at|with|to|up|out? same|exact_same NOUN NUM times $or_more? in|during|since? WINDOW?",
        make: |found| again(found, Comparison::GreaterOrEqual, found.number(0)?),
    },
    Rule {
        name: "done_again_by_same",
        pattern: "that|which? have|has|had|was|were? been? WORD $more_than_once|twice? by|to|for|from|with same NOUN $more_than_once|twice|again in|during|since? WINDOW?",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "done_so_often_by_same",
        pattern: "that|which? have|has|had|was|were? been? WORD by|to|for|from|with same NOUN OP NUM times in|during|since? WINDOW?",
        make: |found| again(found, found.operator()?, found.number(0)?),
    },
    Rule {
        name: "repeatedly_done_by_same",
        pattern: "that|which? have|has|had|was|were? been? WORD $more_than_once|twice by|to|for|from|with same NOUN in|during|since? WINDOW?",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "that_same_did_again",
        pattern: "that|which same NOUN has|have|had? WORD in|for|on|at|with|to? $more_than_once|twice|again in|during|since? WINDOW?",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
];

fn again(found: &Matched<'_>, operator: Comparison, times: Value) -> Option<Phrase> {
    let place = found.named_place()?;
    let verb = found.lattice.question.word(place);
    let lists = WordLists::embedded();
    // *who renewed the same book twice* did something of its own, which no row may tell.
    let is_plain =
        ["trading", "used", "light_verb", "neutral", "serving"].iter().any(|list| lists.has(list, verb));
    let names_rows = || found.lattice.nouns(place).iter().any(|noun| noun.table_score() >= 0.4);
    if !is_plain && !names_rows() {
        return None;
    }
    let same = found.noun(0)?.as_table()?;
    let (sold, window) = (lists.has("trading", verb), found.window(0));
    let pred = Pred::Again(Again { same, sold, operator, times, window });
    let Some(Phrase::Part(again)) = condition(pred) else { return None };
    let asks_who = found.words.start == 0 && found.lattice.question.word(0) == "who";
    let names = asks_who.then_some(Part::Names);
    Some(Phrase::Part(Part::All(names.into_iter().chain([again]).collect())))
}
