//! What was not done for so long: *not logged in for 90 days*, *patients we have not seen for over a year*, *members who have not
//! borrowed anything for six months*.

use jiff::civil::Date;

use super::absence::verb_at;
use super::conditions::condition;
use super::states::{is_participle, verb};
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Group, Noun, Pred, State};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;
use crate::rules::grammar::words::WordLists;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "were_here_in",
        pattern: "who|that have|has|had? came_in|came_by|came|come_in|been_here|were_here|was_here|dropped_in|stopped_by|turned_up|showed_up|visited|visited_us in|during|since|on? WINDOW",
        make: |found| {
            // *customers who came in this year*: what tells what was done with them is of that time.
            condition(Pred::Used(None, vec![Pred::In(None, found.window(0)?)], true))
        },
    },
    Rule {
        name: "not_done_for_so_long",
        pattern: "$never been? WORD in|up|on|out? for|in|within over|more_than|at_least|the_last|the_past|longer_than|about? NUM? PERIOD now|or_more|or_longer?",
        make: |found| condition(Pred::State(State::NotSince(verb(found)?, so_long(found)?))),
    },
    Rule {
        name: "not_used_for_so_long",
        pattern: "$never been? WORD anything|any|us|here|back|them|it|with_us|from_us|at_all? for|in|within over|more_than|at_least|the_last|the_past|longer_than|about? NUM? PERIOD now|or_more|or_longer?",
        make: |found| not_used(found, so_long(found)?),
    },
    Rule {
        name: "no_rows_for_so_long",
        pattern: "$never been? WORD a|an|any|one|another|single NOUN for|in|within over|more_than|at_least|the_last|the_past|longer_than|about? NUM? PERIOD now|or_more|or_longer?",
        make: |found| {
            let named = found.lattice.nouns(found.named_place()?);
            let says_date = named.iter().any(|noun| noun.column_score() >= 0.8);
            (!says_date).then(|| no_rows(found, None))?
        },
    },
    Rule {
        name: "no_rows_done_for_so_long",
        pattern: "$never been? WORD a|an|any|one|another|single NOUN for|in|within over|more_than|at_least|the_last|the_past|longer_than|about? NUM? PERIOD now|or_more|or_longer?",
        make: |found| {
            // *not paid a fee for three months*: by the date that the verb names.
            let dates = found.lattice.nouns(found.named_place()?).iter();
            no_rows(found, Some(dates.filter_map(|noun| noun.as_column()).next()?))
        },
    },
    Rule {
        name: "not_come_for_so_long",
        pattern: "$never been|come|came|visited|turned_up|shown_up|appeared|heard_from|in_touch here|back|in|to_us|by|us|at_all? for|in|within over|more_than|at_least|the_last|the_past|longer_than|about? NUM? PERIOD now|or_more|or_longer?",
        make: |found| condition(Pred::Used(None, vec![Pred::In(None, so_long(found)?)], false)),
    },
    Rule {
        name: "not_used_since",
        pattern: "$never been? WORD up|out? anything|any|us|here|back|them|it|with_us|from_us|at_all? for|in|within|since|during over|more_than|at_least? WINDOW",
        make: |found| not_used(found, Window::since(found.window(0)?.from?)),
    },
];

/// No rows that are named lie within so long, by a date of theirs.
fn no_rows(found: &Matched<'_>, date: Option<Noun>) -> Option<Phrase> {
    let of = found.noun(0)?.as_table()?;
    let preds = vec![Pred::In(date, so_long(found)?)];
    condition(Pred::Related(Group { of, preds }, false))
}

/// None of the rows that the verb tells of lies within the window.
fn not_used(found: &Matched<'_>, window: Window) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let at = found.named_place()?;
    // *not logged in* is told by a date of its own, and *did not pick up anything* by what is picked up.
    let anything = (found.words.start..found.words.end).any(|at| word(at) == "anything");
    if !anything && matches!(word(at + 1), "in" | "up" | "on" | "out") {
        return None;
    }
    let comes = matches!(word(at), "come" | "came" | "been" | "visit" | "buy" | "order" | "borrow" | "show");
    (anything || comes || is_participle(word(at))).then_some(())?;
    // *not paid* is a state of the row itself, and nothing that is done with it.
    let nouns = found.lattice.nouns(at);
    let verb = nouns.iter().find(|noun| !noun.tables.is_empty());
    let is_state = verb.is_none() && nouns.iter().any(|noun| noun.column_score() >= 0.8);
    let is_deed = anything || WordLists::embedded().has("used", word(at));
    let used = || Pred::Used(Some(verb_at(found, at, verb)), vec![Pred::In(None, window)], false);
    (is_deed || !is_state).then(|| condition(used()))?
}

/// From so many days, months or years ago on.
fn so_long(found: &Matched<'_>) -> Option<Window> {
    so_long_ago(found).map(Window::since)
}

/// The day so many days, months or years ago.
pub(super) fn so_long_ago(found: &Matched<'_>) -> Option<Date> {
    let count = match found.number(0) {
        Some(_) => i64::try_from(found.count()?).ok()?,
        None => 1,
    };
    found.lattice.today.checked_sub(found.unit()?.span(count)?).ok()
}
