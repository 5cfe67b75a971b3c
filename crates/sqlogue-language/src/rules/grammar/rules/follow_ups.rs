//! What can be said only after an answer: *instead*, *also by country*, *how many is that?*, *compare with last year*.
//!
//! Everything else that a follow-up says is said as in a question.

use super::dropped::opposite;
use super::versus::side_by_side;
use crate::rules::grammar::WordLists;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{By, Compare, Key, Pred, Wish};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Comparison, Direction};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "also", pattern: "$also", make: |_| Some(Phrase::Part(Part::Also)) },
    Rule {
        name: "also_measure",
        pattern: "and|with|add|show MEASURE",
        make: |found| also(Part::Measure(found.measure(0)?)),
    },
    Rule {
        name: "also_noun",
        pattern: "and|with|add|include|including also? show? their|its|his|her? NOUN",
        make: |found| also(Part::Noun(found.noun(0)?)),
    },
    Rule { name: "also_per", pattern: "and KEY", make: also_per },
    Rule { name: "instead", pattern: "$instead", make: |_| Some(Phrase::Part(Part::Instead)) },
    Rule {
        name: "instead_of_noun",
        pattern: "$instead_of NOUN",
        make: |_| Some(Phrase::Part(Part::Instead)),
    },
    Rule {
        name: "instead_of_time",
        pattern: "$instead_of PERIOD",
        make: |_| Some(Phrase::Part(Part::Instead)),
    },
    Rule {
        name: "instead_of_value",
        pattern: "$instead_of VALUE",
        make: |_| Some(Phrase::Part(Part::Instead)),
    },
    Rule {
        name: "instead_of_number",
        pattern: "$instead_of NUM",
        make: |_| Some(Phrase::Part(Part::Instead)),
    },
    Rule {
        name: "instead_of_summary",
        pattern: "$instead_of the? $sum|$avg|$max|$min|$median",
        make: |_| Some(Phrase::Part(Part::Instead)),
    },
    Rule {
        name: "instead_of_measure",
        pattern: "$instead_of the? MEASURE",
        make: |_| Some(Phrase::Part(Part::Instead)),
    },
    Rule { name: "same", pattern: "and|now? $same", make: |_| Some(Phrase::Part(Part::Same)) },
    Rule { name: "only", pattern: "now|but|please? only|just", make: |_| Some(Phrase::Part(Part::Only)) },
    Rule {
        name: "only_behind",
        pattern: "NOUN only",
        make: |found| all(vec![Part::Only, Part::Noun(found.noun(0)?)]),
    },
    Rule {
        name: "two_times",
        pattern: "in|for|of|from|during? WINDOW and|or|, in|for|of|from|during? WINDOW",
        make: |found| side_by_side(found.window(0)?, found.window(1)?),
    },
    Rule {
        name: "leave_out",
        pattern: "$leave_out|no everything|anything|everybody|everyone|all|those|the_ones|what? that_is|that_are|with|who_have|whats? WHERE NOUN?",
        make: |found| condition(opposite(found.pred(0)?)?),
    },
    Rule {
        name: "leave_out_numbers",
        pattern: "$leave_out everything|anything|everybody|everyone|all|those|the_ones|what that_is|that_are|with|who_have|having? OP NUM",
        make: |found| wish(Wish::Bound(found.operator()?.negated(), found.number(0)?)),
    },
    Rule {
        name: "take_out",
        pattern: "take|leave|filter|keep|throw the|all|any? WHERE NOUN? out|away|aside of|from? that|it|this|them?",
        make: |found| condition(opposite(found.pred(0)?)?),
    },
    Rule {
        name: "does_not_count",
        pattern: "the? WHERE NOUN? $not_counted",
        make: |found| condition(opposite(found.pred(0)?)?),
    },
    Rule {
        name: "forget_rows",
        pattern: "$forget the|all|any? WHERE NOUN",
        make: |found| condition(opposite(found.pred(0)?)?),
    },
    Rule {
        name: "drop_noun",
        pattern: "$leave_out|no|forget|forget_about NOUN and|,|or? NOUN? again?",
        make: drop_nouns,
    },
    Rule {
        name: "forget_value",
        pattern: "$forget VALUE",
        make: |found| wish(Wish::Forget(found.value(0)?)),
    },
    Rule {
        name: "forget_condition",
        pattern: "$leave_out|$forget NOUN filter|condition|restriction|limit",
        make: |found| wish(Wish::All(found.noun(0))),
    },
    Rule {
        name: "all_of",
        pattern: "$back_to? all|every|any NOUN again?",
        make: |found| wish(Wish::All(found.noun(0))),
    },
    Rule {
        name: "all_times",
        pattern: "$back_to? all|every|any|the_whole PERIOD again?",
        make: |_| wish(Wish::AllTimes),
    },
    Rule { name: "whatever_time", pattern: "$whatever PERIOD", make: |_| wish(Wish::AllTimes) },
    Rule { name: "whatever_noun", pattern: "$whatever NOUN", make: |found| wish(Wish::All(found.noun(0))) },
    Rule {
        name: "not_only_value",
        pattern: ",? $not_only VALUE",
        make: |found| wish(Wish::Forget(found.value(0)?)),
    },
    Rule { name: "all_again", pattern: "$all_again", make: |_| wish(Wish::All(None)) },
    Rule { name: "count_that", pattern: "$count_that", make: |_| wish(Wish::Count) },
    Rule { name: "rows_of_that", pattern: "$rows_of_that", make: |_| wish(Wish::Rows) },
    Rule {
        name: "rows_that_are",
        pattern: "list|name|show|show_me|give_me|list_me the? WHERE ones|one",
        make: rows_where,
    },
    Rule {
        name: "rows_of_one",
        pattern: "list|name|show|show_me|give_me|list_me|name_me the|those? ones|one|those|them WHERE",
        make: rows_where,
    },
    Rule {
        name: "rows_of_value",
        pattern: "list|name|who_are|who_is the? WHERE",
        make: |found| nothing_named(found, rows_where(found)),
    },
    Rule {
        name: "which_ones_are_they",
        pattern: "the? WHERE ones|one? ,|:|- who|which|what are|is they|those|these|it?",
        make: |found| nothing_named(found, rows_where(found)),
    },
    Rule { name: "plain_again", pattern: "no? ,? $plain_again", make: |_| wish(Wish::Plain) },
    Rule {
        name: "convert_money",
        pattern: "$convert $money",
        make: |found| nothing_named(found, Some(Phrase::Part(Part::WholeMoney))),
    },
    Rule { name: "money_please", pattern: "$money please", make: |_| Some(Phrase::Part(Part::WholeMoney)) },
    Rule {
        name: "not_cents",
        pattern: ",? not|instead_of|rather_than in? $cents",
        make: |_| Some(Phrase::Part(Part::WholeMoney)),
    },
    Rule {
        name: "other_unit",
        pattern: "$convert? in? MEASURED ,? not|instead_of|rather_than|please in? MEASURED?",
        make: |found| Some(Phrase::Part(Part::InUnit(found.measured()?))),
    },
    Rule {
        name: "convert_time",
        pattern: "$convert MEASURED",
        make: |found| nothing_named(found, Some(Phrase::Part(Part::InUnit(found.measured()?)))),
    },
    Rule {
        name: "roll_up_time",
        pattern: "$roll_up the? single|individual|calendar? PERIOD level?",
        make: |found| instead_by(Key::Time(found.unit()?, None)),
    },
    Rule {
        name: "roll_up",
        pattern: "$roll_up the? single|individual? NOUN level?",
        make: |found| instead_by(Key::Noun(found.noun(0)?)),
    },
    Rule {
        name: "key_is_enough",
        pattern: "$per? NOUN $enough",
        make: |found| instead_by(Key::Noun(found.noun(0)?)),
    },
    Rule {
        name: "period_is_enough",
        pattern: "$per? PERIOD $enough",
        make: |found| instead_by(Key::Time(found.unit()?, None)),
    },
    Rule {
        name: "best_on_top",
        pattern: "the? $top ones|one? first|on_top|at_the_top",
        make: |_| order(Direction::Descending),
    },
    Rule {
        name: "worst_on_top",
        pattern: "the? $bottom ones|one? first|on_top|at_the_top",
        make: |_| order(Direction::Ascending),
    },
    Rule {
        name: "begins_with_best",
        pattern: "start|starting|begin|beginning with|from|at the? $top one|ones|down|downwards?",
        make: |_| order(Direction::Descending),
    },
    Rule {
        name: "begins_with_worst",
        pattern: "start|starting|begin|beginning with|from|at the? $bottom one|ones|up|upwards?",
        make: |_| order(Direction::Ascending),
    },
    Rule { name: "places", pattern: "$place_number? NUM to|through|till|until|- NUM", make: places },
    Rule {
        name: "nth_of_that",
        pattern: "and|then|now|who_is|which_is|whats|what_is? the? ORDINAL one|place|best|biggest?",
        make: |found| nothing_named(found, nth(found)),
    },
    Rule {
        name: "share_too",
        pattern: "add|and|show|with|also|include|plus|put the|a|their? share|shares|percentage|percentages|percent|% of_the_total|of_total|next_to_it|beside_it? too|as_well|also?",
        make: |found| all(vec![Part::Also, Part::Wish(Wish::Share)]).filter(|_| at_end(found)),
    },
    Rule { name: "share_of_that", pattern: "$share_of_that", make: |_| wish(Wish::Share) },
    Rule { name: "swap", pattern: "$swap", make: |_| wish(Wish::Swap) },
    Rule { name: "names_only", pattern: "$names_only", make: |_| wish(Wish::NamesOnly) },
    Rule {
        name: "against_window",
        pattern: "$against_it in|of|from|for|during|those_of|that_of? WINDOW",
        make: |found| wish(Wish::Against(Some(found.window(0)?))),
    },
    Rule {
        name: "against_same_of_window",
        pattern: "$against_it the? same PERIOD in|of|from|for|during? WINDOW",
        make: |found| wish(Wish::Against(Some(found.window(0)?))),
    },
    Rule {
        name: "window_beside",
        pattern: "put|set|show|add|with|and? the|those_of? WINDOW beside|next_to|alongside|side_by_side_with|against it|that|them|this?",
        make: |found| nothing_named(found, wish(Wish::Against(Some(found.window(0)?)))),
    },
    Rule {
        name: "beside_window",
        pattern: "and? next_to|beside|alongside it|that|them|this ,? the|those_of? WINDOW",
        make: |found| wish(Wish::Against(Some(found.window(0)?))),
    },
    Rule { name: "against_before", pattern: "$against_it $time_before", make: |_| wish(Wish::Against(None)) },
    Rule {
        name: "running_that",
        pattern: "$running_that",
        make: |_| Some(Phrase::Part(Part::Compare(Compare::Running, None))),
    },
    Rule {
        name: "bound_of_that",
        pattern: "$those? with|having|that_have|have|has|are|is? OP NUM",
        make: |found| wish(Wish::Bound(found.operator()?, found.number(0)?)),
    },
    Rule {
        name: "bound_behind",
        pattern: "$those? with|having|that_have|have|has|are|is? NUM $or_more",
        make: |found| bound_behind(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "bound_behind_up",
        pattern: "$those? with|having|that_have|have|has|are|is? NUM $or_less",
        make: |found| bound_behind(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "for_each_shown",
        pattern: "and|with|plus? the|their? NOUN for|of each|every one|of_them|of_those|of_these?",
        make: |found| nothing_named(found, also(Part::Noun(found.noun(0)?))),
    },
    Rule {
        name: "bound_of_those",
        pattern: "$those NOUN with|having|that_have|who_have|which_have|that_had|who_had|are|is OP NUM",
        make: |found| wish(Wish::Bound(found.operator()?, found.number(0)?)),
    },
    Rule {
        name: "sort_that_down",
        pattern: "$sort_that $best_first?",
        make: |_| order(Direction::Descending),
    },
    Rule { name: "sort_that_up", pattern: "$sort_that $worst_first", make: |_| order(Direction::Ascending) },
    Rule {
        name: "sort_that_by_name",
        pattern: "$sort_that? by name|names|title|titles|label|labels",
        make: |_| Some(Phrase::Part(Part::Order(By::Name, Direction::Ascending))),
    },
    Rule {
        name: "best_time_first",
        pattern: "best|highest|biggest|largest|busiest|strongest|top PERIOD first",
        make: |_| order(Direction::Descending),
    },
    Rule {
        name: "worst_time_first",
        pattern: "worst|lowest|smallest|quietest|weakest PERIOD first",
        make: |_| order(Direction::Ascending),
    },
    Rule { name: "best_of_that", pattern: "$top NUM", make: |found| take(found, Direction::Descending) },
    Rule {
        name: "number_best_of_that",
        pattern: "NUM $top|highest|most",
        make: |found| take(found, Direction::Descending),
    },
    Rule {
        name: "worst_of_that",
        pattern: "$bottom|last NUM",
        make: |found| nothing_named(found, take(found, Direction::Ascending)),
    },
    Rule {
        name: "number_worst_of_that",
        pattern: "NUM $bottom|fewest|least",
        make: |found| take(found, Direction::Ascending),
    },
    Rule {
        name: "best_one_of_that",
        pattern: "which|who|what|whats|$those one? of_them|of_those|of_these? is|was|has|had|are|got? the? $top|$most one|of_them|of_those|of_these|of_all?",
        make: |found| nothing_named(found, one(Direction::Descending)),
    },
    Rule {
        name: "in_front",
        pattern: "who|which|what|whats|$those one|of_them|of_those|of_these? is|are|was|comes|come|s? $in_front",
        make: |found| nothing_named(found, one(Direction::Descending)),
    },
    Rule {
        name: "worst_one_of_that",
        pattern: "which|who|what|whats|$those one? of_them|of_those|of_these? is|was|has|had|are|got? the? $bottom|$fewest one|of_them|of_those|of_these|of_all?",
        make: |found| nothing_named(found, one(Direction::Ascending)),
    },
    Rule {
        name: "best_group",
        pattern: "which|what NOUN is|was|has|had|are|were|got|did? the? $top|$most one|of_them|of_those|of_all?",
        make: |found| nothing_named(found, one(Direction::Descending)),
    },
    Rule {
        name: "worst_group",
        pattern: "which|what NOUN is|was|has|had|are|were|got|did? the? $bottom|$fewest one|of_them|of_those|of_all?",
        make: |found| nothing_named(found, one(Direction::Ascending)),
    },
    Rule {
        name: "best_period",
        pattern: "which|what PERIOD is|was|has|had|were|got|did? the? $top|$most|$strongest one|of_them|of_all?",
        make: |found| nothing_named(found, one(Direction::Descending)),
    },
    Rule {
        name: "worst_period",
        pattern: "which|what PERIOD is|was|has|had|were|got|did? the? $bottom|$fewest|quietest|slowest one|of_them|of_all?",
        make: |found| nothing_named(found, one(Direction::Ascending)),
    },
    Rule {
        name: "best_end",
        pattern: "and|now|$same? the? $top ones|of_them|of_those|of_these|of_all?",
        make: |found| nothing_named(found, wish(Wish::Take(Direction::Descending))),
    },
    Rule {
        name: "worst_end",
        pattern: "and|now|$same? the? $bottom|$fewest ones|of_them|of_those|of_these|of_all?",
        make: |found| nothing_named(found, wish(Wish::Take(Direction::Ascending))),
    },
    Rule {
        name: "best_one",
        pattern: "and|now|$same? the? $top one",
        make: |found| nothing_named(found, one(Direction::Descending)),
    },
    Rule {
        name: "worst_one",
        pattern: "and|now|$same? the? $bottom one",
        make: |found| nothing_named(found, one(Direction::Ascending)),
    },
    Rule { name: "earlier", pattern: "in|for|of|during|against? $time_before", make: earlier },
    Rule { name: "ever", pattern: "$back_to? $ever", make: |_| wish(Wish::AllTimes) },
    Rule {
        name: "share_of_all_that",
        pattern: "each? as|in a|the? share|percentage|percent|proportion|fraction|% of all|the_total|total|the|everything? NOUN",
        make: |found| found.noun(0)?.as_table().and_then(|_| wish(Wish::Share)),
    },
    Rule {
        name: "column_per",
        pattern: "one|a|an separate|extra|own? column per|for|by each|every? NOUN",
        make: pivot,
    },
    Rule {
        name: "in_columns",
        pattern: "put|make|turn|with|show? the? NOUN in|into|across|the? columns",
        make: pivot,
    },
    Rule { name: "across", pattern: "NOUN across", make: pivot },
    Rule { name: "pivot_by", pattern: "pivot|pivoted by|on|over? NOUN", make: pivot },
];

fn all(parts: Vec<Part>) -> Option<Phrase> {
    Some(Phrase::Part(Part::All(parts)))
}

fn also(part: Part) -> Option<Phrase> {
    all(vec![Part::Also, part])
}

fn also_per(found: &Matched<'_>) -> Option<Phrase> {
    also(Part::Key(found.key()?))
}

/// One row of the result stands for something else.
fn instead_by(key: Key) -> Option<Phrase> {
    all(vec![Part::Instead, Part::Key(key)])
}

pub(super) fn wish(wish: Wish) -> Option<Phrase> {
    Some(Phrase::Part(Part::Wish(wish)))
}

/// The rows for which something holds, in the place of their number.
fn rows_where(found: &Matched<'_>) -> Option<Phrase> {
    all(vec![Part::Where(found.pred(0)?), Part::Wish(Wish::Rows)])
}

fn condition(pred: Pred) -> Option<Phrase> {
    Some(Phrase::Part(Part::Where(pred)))
}

fn order(direction: Direction) -> Option<Phrase> {
    Some(Phrase::Part(Part::Order(By::Shown, direction)))
}

fn drop_nouns(found: &Matched<'_>) -> Option<Phrase> {
    let nouns = (0..2).map_while(|at| found.noun(at));
    all(nouns.map(|noun| Part::Wish(Wish::Drop(noun))).collect())
}

/// The first or the last few of what was shown.
fn take(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    all(vec![Part::Limit(found.count()?), Part::Wish(Wish::Take(direction))])
}

/// *number 11 to 20*: so many of what was shown, behind those before them.
fn places(found: &Matched<'_>) -> Option<Phrase> {
    let says_place =
        WordLists::embedded().has("place_number", found.lattice.question.word(found.words.start));
    let count = |at: usize| match found.number(at)? {
        Value::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    };
    let (first, last) = (count(0)?.checked_sub(1)?, count(1)?);
    let rows = last.checked_sub(first).filter(|rows| says_place && *rows > 0)?;
    let take = Part::Wish(Wish::Take(Direction::Descending));
    all(vec![take, Part::Limit(rows), Part::Skip(first)])
}

/// *and the second?*: the one row behind the first of what was shown.
fn nth(found: &Matched<'_>) -> Option<Phrase> {
    all(vec![Part::Limit(1), Part::Skip(found.before()?)])
}

fn one(direction: Direction) -> Option<Phrase> {
    all(vec![Part::Limit(1), Part::Wish(Wish::Take(direction))])
}

/// True where nothing but a mark stands behind.
fn at_end(found: &Matched<'_>) -> bool {
    let question = found.lattice.question;
    (found.words.end..question.tokens.len()).all(|at| matches!(question.word(at), "?" | "." | "!" | "please"))
}

/// *two or more*: a bound of the number that is spoken of.
fn bound_behind(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    nothing_named(found, wish(Wish::Bound(operator, found.number(0)?)))
}

/// A phrase with a superlative alone: *and the lowest price?* asks for a price.
pub(super) fn nothing_named(found: &Matched<'_>, phrase: Option<Phrase>) -> Option<Phrase> {
    let question = found.lattice.question;
    let after = (found.words.end..question.tokens.len()).map(|at| question.word(at));
    let polite =
        |word: &str| matches!(word, "?" | "." | "!" | "," | "please" | "then" | "now" | "" | "overall");
    phrase.filter(|_| after.into_iter().next().is_none_or(polite))
}

fn pivot(found: &Matched<'_>) -> Option<Phrase> {
    Some(Phrase::Part(Part::Pivot(Some(found.noun(0)?.as_column()?))))
}

/// *the year before*, *the previous month*: how much earlier is said by the unit.
fn earlier(found: &Matched<'_>) -> Option<Phrase> {
    let question = found.lattice.question;
    let months = |at: usize| match question.word(at) {
        "year" => Some(12),
        "quarter" => Some(3),
        "month" => Some(1),
        _ => None,
    };
    let said = (found.words.start..found.words.end).filter_map(months).max();
    wish(Wish::Earlier(said))
}
