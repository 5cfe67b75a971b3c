//! Related rows that exist or do not: *members without a loan this year*, *who never borrowed*, *with at least two orders*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use std::rc::Rc;

use crate::rules::grammar::form::{Against, Group, Having, Key, Measure, Noun, Pred, Unsaid, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::most::done;
use crate::rules::grammar::words::WordLists;
use crate::rules::stem::root;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rows",
        pattern: "NOUN from|in|of|for|with|that_are|who_are|which_are|that_were|who_were|whose|having|are|were? WHERE? and? WHERE?",
        make: |found| {
            let preds = [0, 1].into_iter().filter_map(|at| found.pred(at)).collect();
            Some(Phrase::Group(Group { of: found.noun(0)?.as_table()?, preds }))
        },
    },
    Rule {
        name: "rows_before",
        pattern: "WHERE NOUN WHERE?",
        make: |found| {
            let preds = [0, 1].into_iter().filter_map(|at| found.pred(at)).collect();
            Some(Phrase::Group(Group { of: found.noun(0)?.as_table()?, preds }))
        },
    },
    Rule {
        name: "flagged_group",
        pattern: "NOUN NOUN",
        make: |found| {
            let flag = Pred::Flag(found.noun(0)?.as_column()?, true);
            Some(Phrase::Group(Group { of: found.noun(1)?.as_table()?, preds: vec![flag] }))
        },
    },
    Rule {
        name: "never",
        pattern: "$never $light_verb|$used? $any? GROUP",
        make: |found| related(found, false),
    },
    Rule {
        name: "never_did",
        pattern: "$never ever|yet? NOUN a|an|any|one|single|some? NOUN",
        make: |found| {
            // A verb that is only near a table's name says nothing of the thing.
            let of = done(found).filter(|of| of.table_score() >= 0.6)?;
            let group = Group { of, preds: Vec::new() };
            let thing = found.noun(1)?.as_table().is_some();
            thing.then_some(Phrase::Part(Part::Where(Pred::Related(group, false))))
        },
    },
    Rule {
        name: "never_so",
        pattern: "never|have_never|has_never|had_never|were_never|was_never been|was|were|acted|served? as|a|an|the? NOUN",
        make: |found| {
            // Who was never the captain is so in no row below.
            let flag = Pred::Flag(found.noun(0)?.as_column()?, true);
            Some(Phrase::Part(Part::Where(Pred::Used(None, vec![flag], false))))
        },
    },
    Rule { name: "without", pattern: "$without $any? GROUP", make: |found| related(found, false) },
    Rule { name: "with", pattern: "$with $any? GROUP", make: |found| related(found, true) },
    Rule {
        name: "did",
        pattern: "who|that|which|have|has|had? $light_verb? $any? GROUP",
        make: |found| {
            let group = found.group(0)?;
            let said = !group.preds.is_empty();
            said.then_some(Phrase::Part(Part::Where(Pred::Related(group, true))))
        },
    },
    Rule {
        name: "repeat",
        pattern: "repeat|returning|recurring NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let subject = match noun.as_table() {
                Some(rows) => Part::Subject(rows),
                // How many there are is no list of what is counted for each.
                None if counts_before(found) => return None,
                None => Part::Key(Key::Noun(noun.as_column()?)),
            };
            Some(Phrase::Part(Part::All(vec![subject, came_twice()])))
        },
    },
    Rule {
        name: "number_of_repeat",
        pattern: "$count our|the|all? repeat|returning|recurring NOUN",
        make: |found| {
            let count = Part::Measure(Measure::Count(None));
            Some(Phrase::Part(Part::All(vec![
                Part::Subject(found.noun(0)?.as_table()?),
                came_twice(),
                count,
            ])))
        },
    },
    Rule {
        name: "more_than_once",
        pattern: "NOUN more_than_once|multiple_times|at_least_twice|twice_or_more|several_times|repeatedly",
        make: |found| {
            Some(Phrase::Part(Part::Having(Having {
                measure: Measure::Count(Some(found.noun(0)?.as_table()?)),
                operator: Comparison::GreaterOrEqual,
                with: Against::Value(Value::Integer(2)),
            })))
        },
    },
    Rule {
        name: "then_and_not_then",
        pattern: "NOUN in|during|from|of|for? WINDOW ,? but|and|yet has|have|had? not|none|no|never|nothing had|been? one|any|NOUN? in|during|from|since|for? WINDOW",
        make: |found| Some(Phrase::Part(Part::All(then_and_then(found, false)?))),
    },
    Rule {
        name: "not_then_but_then",
        pattern: "$without|with_no|with_none_of|had_no|have_no $any? NOUN in|during|from|of|for|since? WINDOW ,? but|and|though|although|yet with|having|had|has|have|who_had|did_have? some|one|any|several|them? in|during|from|of|for? WINDOW",
        make: |found| Some(Phrase::Part(Part::All(not_then_but_then(found)?))),
    },
    Rule {
        name: "not_then_though_then",
        pattern: "$without|with_no|had_no|have_no $any? NOUN in|during|from|of|for|since? WINDOW ,? but|and|though|although|yet with|having|had|has|have|who_had|did_have? NOUN in|during|from|of|for? WINDOW",
        make: |found| Some(Phrase::Part(Part::All(not_then_but_then(found)?))),
    },
    Rule {
        name: "did_then_and_not_then",
        pattern: "who|that|which|have|has? NOUN in|during|from|of|for? WINDOW ,? but|and|yet not|never in|during|from|since|for? WINDOW",
        make: |found| named_by_who(found, then_and_then(found, false)?),
    },
    Rule {
        name: "did_then_and_then",
        pattern: "who|that|which|have|has? NOUN both? in|during|from? both in|during? WINDOW and in|during|again_in? WINDOW",
        make: |found| named_by_who(found, then_and_then(found, true)?),
    },
    Rule {
        name: "did_then_and_again",
        pattern: "who|that|which|have|has? NOUN in|during|from? WINDOW ,? and again|also|once_more in|during? WINDOW",
        make: |found| named_by_who(found, then_and_then(found, true)?),
    },
    Rule {
        name: "had_then_and_then",
        pattern: "$with $any? NOUN in|during|from|of|for WINDOW and also? in|during|from|of|for WINDOW",
        make: |found| named_by_who(found, then_and_then(found, true)?),
    },
    Rule {
        name: "nothing_done",
        pattern: "on|for|to|with|of which|whom nothing|none|no_money has|have|had|is|was|were? been? NOUN yet|so_far?",
        make: |found| {
            let group = Group { of: found.noun(0)?.as_table()?, preds: Vec::new() };
            Some(Phrase::Part(Part::Where(Pred::Related(group, false))))
        },
    },
    Rule {
        name: "both_rows",
        pattern: "$with|that|who|which|$light_verb? have|had|has|placed|made? both $any? NOUN and|as_well_as have|has? $any? NOUN",
        make: |found| one_and_other(found, true),
    },
    Rule {
        name: "one_but_never_the_other",
        pattern: "that|who|which have|had|has? $light_verb? $any? NOUN ,? but|and|yet have|has|had? $never ever|yet|once? $light_verb? $any? NOUN",
        make: |found| one_and_other(found, false),
    },
    Rule {
        name: "some_but_none_of_others",
        pattern: "$with|that|who|which have|had|has? $light_verb? $any? GROUP ,? but|and|yet|though with|have|has|had|there_is|there_are? no|without $any? GROUP",
        make: |found| {
            let related = |at, exists| Some(Part::Where(Pred::Related(found.group(at)?, exists)));
            named_by_who(found, vec![related(0, true)?, related(1, false)?])
        },
    },
    Rule {
        name: "neither_rows",
        pattern: "$with|that|who|which? neither have|had|has? $any? NOUN nor $any? NOUN ever|yet|so_far|at_all|on_file|on_record?",
        make: neither,
    },
    Rule {
        name: "never_used",
        pattern: "$never ever|yet|been|once? $used anything|any|yet|at_all?",
        make: |found| {
            let is_verb = |at: &usize| {
                let word = found.lattice.question.word(*at);
                !matches!(word, "anything" | "any" | "yet" | "at" | "all")
            };
            let last = (found.words.start..found.words.end).rev().find(is_verb)?;
            let verb = verb_at(found, last, found.lattice.nouns(last).first());
            Some(Phrase::Part(Part::Where(Pred::Used(Some(verb), Vec::new(), false))))
        },
    },
    Rule {
        name: "waiting_for",
        pattern: "that|which|who? $yes|still? waiting_for|awaiting|pending|waiting_on|still_to_get|still_need|still_needs a|an|the|their|its? NOUN",
        make: |found| {
            // A date of their own tells when they got it, or else rows of another table do.
            let noun = found.noun(0)?;
            let none = match noun.column_score() > noun.table_score() {
                true => Pred::Happened(noun.as_column()?, false),
                false => Pred::Related(Group { of: noun.as_table()?, preds: Vec::new() }, false),
            };
            Some(Phrase::Part(Part::Where(none)))
        },
    },
    Rule {
        name: "assigned_to_nobody",
        pattern: "that_are|who_are|which_are? $not been|yet|currently|still? assigned|allocated to|with? anybody|anyone|any_one|somebody|someone|any|a|an? NOUN? yet|so_far?",
        make: |found| assigned(found),
    },
    Rule {
        name: "without_anybody_assigned",
        pattern: "$without|with|have|has any|an|a|nobody|no_one assigned|allocated to_them|to_it|NOUN? yet|so_far?",
        make: |found| assigned(found),
    },
    Rule {
        name: "unassigned",
        pattern: "that_are|who_are|which_are|are|is|still? unassigned|unallocated yet?",
        make: |found| assigned(found),
    },
    Rule {
        name: "nobody_is_assigned",
        pattern: "that|which|where? nobody|no_one|no_body is|was|has_been|are? assigned|allocated to? yet|so_far?",
        make: |found| assigned(found),
    },
    Rule {
        name: "never_done",
        pattern: "$never ever|yet|been|once? WORD",
        make: |found| {
            let at = found.words.end.checked_sub(1)?;
            let word = found.lattice.question.word(at);
            let is_participle =
                ["ed", "wn", "ght", "ven", "ken", "ten"].iter().any(|end| word.ends_with(end));
            let verb = found.lattice.nouns(at).iter().find(|noun| !noun.tables.is_empty());
            let states =
                !found.lattice.values(at).is_empty() || verb.is_none() && !found.lattice.nouns(at).is_empty();
            // *not approved* says nothing of orders.
            let is_use = !WordLists::embedded().has("own_state", word);
            (is_participle && !states && (is_use || verb.is_some())).then(|| {
                Phrase::Part(Part::Where(Pred::Used(Some(verb_at(found, at, verb)), Vec::new(), false)))
            })
        },
    },
    Rule {
        name: "never_does_anything",
        pattern: "$never ever|once? WORD up|out|in|on? anything|a_thing|any_at_all|at_all|anything_at_all",
        make: |found| {
            let at = found.named_place()?;
            let verb = found.lattice.nouns(at).iter().find(|noun| !noun.tables.is_empty());
            Some(Phrase::Part(Part::Where(Pred::Used(Some(verb_at(found, at, verb)), Vec::new(), false))))
        },
    },
    Rule {
        name: "zeros_of",
        pattern: "$also NOUN with|without|that_have|who_have|having|for_which_there_are none|any|no|zero|not_any|nothing NOUN?",
        make: |_| Some(Phrase::Part(Part::Zeros)),
    },
    Rule {
        name: "zero_for",
        pattern: "with|and|show|showing|as|giving? a? 0|zero for|where|if NOUN that|which|who? have|has|with|without|are|is none|any|no|zero|nothing|missing NOUN?",
        make: |_| Some(Phrase::Part(Part::Zeros)),
    },
    Rule {
        name: "without_either",
        pattern: "$without|with_no|that_have_no|who_have_no|having_no $any? NOUN or|nor|and|and_without|and_with_no|and_no $any? NOUN on_file|on_record|given|yet|at_all?",
        make: neither,
    },
    Rule {
        name: "one_without_other",
        pattern: "$with $any? NOUN ,? but|and|yet|though no|without|not|with_no $any? NOUN on_file|on_record|given|yet|at_all?",
        make: |found| one_and_other(found, false),
    },
    Rule {
        name: "not_linked",
        pattern: "that|which? $never been|yet? linked|attached|tied|connected|related|associated to|with $any? NOUN",
        make: |found| Some(Phrase::Part(Part::All(vec![Part::Where(has(found, 0, false)?)]))),
    },
    Rule {
        name: "linked",
        pattern: "that|which? are|is|were|was linked|attached|tied|connected to|with $any? NOUN",
        make: |found| Some(Phrase::Part(Part::All(vec![Part::Where(has(found, 0, true)?)]))),
    },
    Rule {
        name: "neither_nor",
        pattern: "with|have|has|had|having|who_have|that_have|got? neither $any? NOUN nor $any? NOUN ever|yet|at_all|on_file|on_record?",
        make: neither,
    },
    Rule {
        name: "did_in_one_time_only",
        pattern: "who|that|which have|has|had? WORD something|anything|with_us|here|from_us? in|during|from|of|for? WINDOW ,? but|and|yet not|never|nothing|no_longer|not_again anything|any_more|again? in|during|from|since|for? WINDOW",
        make: |found| used_then_and_then(found, false),
    },
    Rule {
        name: "did_in_both_times",
        pattern: "who|that|which have|has|had? WORD something|anything|with_us|here|from_us? both? in|during|from? both in|during? WINDOW and in|during|again_in? WINDOW",
        make: |found| used_then_and_then(found, true),
    },
    Rule {
        name: "did_in_one_time_and_again",
        pattern: "who|that|which have|has|had? WORD something|anything|with_us|here|from_us? in|during|from? WINDOW ,? and again|also|once_more in|during? WINDOW",
        make: |found| used_then_and_then(found, true),
    },
    Rule {
        name: "zeros_too",
        pattern: "and? unused|empty|idle|those|ones without|with_none? NOUN? too|as_well|included|also",
        make: |_| Some(Phrase::Part(Part::Zeros)),
    },
    Rule {
        name: "zero_for_those",
        pattern: "show|showing|with|and|as|count|counting|listing|give? 0|zero|zeros for|where|if|when|, NOUN? those|ones|they|it? that|who|which|there? have|has|had|are|is|were? none|nothing|not_any|no|without NOUN? at_all?",
        make: |_| Some(Phrase::Part(Part::Zeros)),
    },
    Rule {
        name: "zeros_who_do_none",
        pattern: "$also|keep|keeping those|ones|the_ones|anyone|anybody? NOUN? who|that|which|with have|has|had|got|did|do|are|were? WORD? none|nothing|no|zero|0|not_any",
        make: |_| Some(Phrase::Part(Part::Zeros)),
    },
    Rule {
        name: "those_without_as_zero",
        pattern: "NOUN? those|ones? without|with_no|with_none NOUN? as|count_as|counted_as|shown_as|listed_as|with 0|zero",
        make: |_| Some(Phrase::Part(Part::Zeros)),
    },
    Rule { name: "zeros", pattern: "$zeros", make: |_| Some(Phrase::Part(Part::Zeros)) },
];

/// True where *how many* or *number of* stands before what was found.
fn counts_before(found: &Matched<'_>) -> bool {
    let before = found.words.start.checked_sub(1).map_or("", |before| found.lattice.question.word(before));
    matches!(before, "many" | "of")
}

/// At least two of what is told of each.
fn came_twice() -> Part {
    Part::Having(Having {
        measure: Measure::Count(None),
        operator: Comparison::GreaterOrEqual,
        with: Against::Value(Value::Integer(2)),
    })
}

/// What a verb names, with the verb itself: it tells which rows say that it was done, whatever they are called.
pub(super) fn verb_at(found: &Matched<'_>, at: usize, named: Option<&Noun>) -> Noun {
    let verb = Unsaid::Doer(Rc::from(root(found.lattice.question.word(at))));
    match named {
        Some(noun) => Noun { unsaid: Some(verb), ..noun.clone() },
        None => Noun::unsaid(Words::new(at, at + 1), verb),
    }
}

/// Rows that were within one window, and others, or none, within the next.
fn then_and_then(found: &Matched<'_>, again: bool) -> Option<Vec<Part>> {
    let of = found.noun(0)?.as_table()?;
    in_turn(found, again, |preds, exists| Pred::Related(Group { of: of.clone(), preds }, exists))
}

/// Rows of which none were within one window, and some within the next.
fn not_then_but_then(found: &Matched<'_>) -> Option<Vec<Part>> {
    let of = found.noun(0)?.as_table()?;
    let related = |at, exists| {
        let preds = vec![Pred::In(None, found.window(at)?)];
        Some(Part::Where(Pred::Related(Group { of: of.clone(), preds }, exists)))
    };
    Some(vec![related(1, true)?, related(0, false)?])
}

/// What tells that something was done within one window, and again, or not, within the next.
fn used_then_and_then(found: &Matched<'_>, again: bool) -> Option<Phrase> {
    let at = found.named_place()?;
    // *ordered* may name the orders by their date alone.
    let verb = verb_at(found, at, found.lattice.nouns(at).iter().find(|noun| noun.score() > 0.0));
    named_by_who(found, in_turn(found, again, |preds, exists| Pred::Used(Some(verb.clone()), preds, exists))?)
}

/// A condition for each of two windows, of which the second may be that nothing is there.
fn in_turn(found: &Matched<'_>, again: bool, pred: impl Fn(Vec<Pred>, bool) -> Pred) -> Option<Vec<Part>> {
    let within = |at, exists| Some(Part::Where(pred(vec![Pred::In(None, found.window(at)?)], exists)));
    Some(vec![within(0, true)?, within(1, again)?])
}

/// *who ordered …*: the rows are shown by their names.
fn named_by_who(found: &Matched<'_>, parts: Vec<Part>) -> Option<Phrase> {
    let who = found.lattice.question.word(found.words.start) == "who";
    Some(Phrase::Part(Part::All(who.then_some(Part::Names).into_iter().chain(parts).collect())))
}

fn related(found: &Matched<'_>, exists: bool) -> Option<Phrase> {
    Some(Phrase::Part(Part::Where(Pred::Related(found.group(0)?, exists))))
}

/// Rows that two tables say nothing of.
fn assigned(found: &Matched<'_>) -> Option<Phrase> {
    let to = match found.noun(0) {
        Some(noun) => Some(noun.as_table()?),
        None => None,
    };
    Some(Phrase::Part(Part::Where(Pred::Assigned(to, false))))
}

/// Rows that have what a noun says, or not: rows of another table, or a value of a column where the words fit one better.
pub(super) fn has(found: &Matched<'_>, at: usize, exists: bool) -> Option<Pred> {
    let what = found.noun(at)?;
    Some(match what.table_score() < what.column_score() {
        true => Pred::Known(what.as_column()?, exists),
        false => Pred::Related(Group { of: what.as_table()?, preds: Vec::new() }, exists),
    })
}

/// Rows of one table, and of another, or none of that.
fn one_and_other(found: &Matched<'_>, exists: bool) -> Option<Phrase> {
    // *grouped by both rank and sex* says nothing of who has them.
    if found.lattice.question.word(found.words.start) == "both" {
        found.noun(0).filter(|noun| noun.table_score() >= noun.column_score())?;
    }
    named_by_who(found, vec![Part::Where(has(found, 0, true)?), Part::Where(has(found, 1, exists)?)])
}

fn neither(found: &Matched<'_>) -> Option<Phrase> {
    let neither = [has(found, 0, false)?, has(found, 1, false)?].map(Part::Where);
    Some(Phrase::Part(Part::All(neither.into())))
}
