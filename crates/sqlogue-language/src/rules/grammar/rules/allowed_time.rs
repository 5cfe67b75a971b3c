//! How long something took beside the time that it may take: *requests that took longer than their target*, *share of tickets closed
//! within the target days*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Attr, Noun, Pred, Waiting};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Comparison, TimeUnit};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "took_longer_than_allowed",
        pattern: "that|which|who? $yes? took|take|takes|taking|needed|needs|ran|run|runs|running|lasted|last|lasts longer_than|more_than|over|beyond $their? NOUN",
        make: |found| {
            let took = Attr::Lasting(found.words, None, None);
            beside(took, Comparison::Greater, found.noun(0)?)
        },
    },
    Rule {
        name: "took_no_longer_than_allowed",
        pattern: "that|which|who? $yes? took|take|takes|taking|needed|needs|ran|run|runs|running|lasted|last|lasts less_than|shorter_than|no_longer_than|not_longer_than|no_more_than $their? NOUN",
        make: |found| {
            let took = Attr::Lasting(found.words, None, None);
            beside(took, Comparison::LessOrEqual, found.noun(0)?)
        },
    },
    Rule {
        name: "done_within_allowed",
        pattern: "that|which|who? $yes|have|has? been? WORD within|inside $their? NOUN",
        make: |found| done(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "done_after_allowed",
        pattern: "that|which|who? $yes|have|has? been? WORD outside|beyond|not_within|only_after $their? NOUN",
        make: |found| done(found, Comparison::Greater),
    },
];

/// What was done so soon after it began.
fn done(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let until = Waiting::Until(found.named_word()?);
    beside(Attr::Waited(found.words, until, TimeUnit::Day), operator, found.noun(0)?)
}

fn beside(took: Attr, operator: Comparison, allowed: Noun) -> Option<Phrase> {
    let fits = allowed.column_score() >= allowed.table_score();
    let allowed = allowed.as_column().filter(|_| fits)?;
    condition(Pred::Attrs(took, operator, Attr::Noun(allowed)))
}
