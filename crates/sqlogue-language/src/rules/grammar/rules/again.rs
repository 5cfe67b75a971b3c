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
        pattern: "who|that|which? have|has|had? ever? WORD in|for|on|at|with|to|up|out? the_very|one_and_the? same|exact_same NOUN $more_than_once|twice|again",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "did_same_so_often",
        pattern: "who|that|which? have|has|had? ever? WORD in|for|on|at|with|to|up|out? same|exact_same NOUN OP NUM times",
        make: |found| again(found, found.operator()?, found.number(0)?),
    },
    Rule {
        name: "did_same_or_more_often",
        pattern: "who|that|which? have|has|had? ever? WORD in|for|on|at|with|to|up|out? same|exact_same NOUN NUM times $or_more?",
        make: |found| again(found, Comparison::GreaterOrEqual, found.number(0)?),
    },
    Rule {
        name: "done_again_by_same",
        pattern: "that|which? have|has|had|was|were? been? WORD $more_than_once|twice? by|to|for|from|with same NOUN $more_than_once|twice|again",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "done_so_often_by_same",
        pattern: "that|which? have|has|had|was|were? been? WORD by|to|for|from|with same NOUN OP NUM times",
        make: |found| again(found, found.operator()?, found.number(0)?),
    },
    Rule {
        name: "repeatedly_done_by_same",
        pattern: "that|which? have|has|had|was|were? been? WORD $more_than_once|twice by|to|for|from|with same NOUN",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "that_same_did_again",
        pattern: "that|which same NOUN has|have|had? WORD in|for|on|at|with|to? $more_than_once|twice|again",
        make: |found| again(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
];

fn again(found: &Matched<'_>, operator: Comparison, times: Value) -> Option<Phrase> {
    const HARDLY: [&str; 12] =
        ["with", "have", "has", "had", "is", "are", "in", "at", "of", "from", "for", "share"];
    let verb = found.named_word()?;
    let lists = WordLists::embedded();
    if HARDLY.contains(&verb.as_str()) {
        return None;
    }
    let same = found.noun(0)?.as_table()?;
    let pred = Pred::Again(Again { same, sold: lists.has("trading", &verb), operator, times });
    let Some(Phrase::Part(again)) = condition(pred) else { return None };
    let asks_who = found.words.start == 0 && found.lattice.question.word(0) == "who";
    let names = asks_who.then_some(Part::Names);
    Some(Phrase::Part(Part::All(names.into_iter().chain([again]).collect())))
}
