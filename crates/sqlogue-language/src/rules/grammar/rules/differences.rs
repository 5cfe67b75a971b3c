//! How much more one number is than another: *how many more loans in May than in April*, *and the difference to the month before*,
//! *income minus refunds*.

use super::versus::{asks_for_more, total_of};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Compare, Measure, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "so_many_more",
        pattern: "$how_many|how_much more|fewer|less|more_or_less|more_or_fewer|fewer_or_more|less_or_more NOUN",
        make: |found| {
            names_other_time(found)?;
            Some(Phrase::Measure(total_of(&found.noun(0)?)?))
        },
    },
    Rule {
        name: "so_much_more",
        pattern: "by? how_much|how_many more|less|higher|lower|fewer|more_or_less",
        make: |found| {
            names_other_time(found)?;
            Some(Phrase::Part(Part::All(Vec::new())))
        },
    },
    Rule {
        name: "then_than_then",
        pattern: "in|during|of|for|from? WINDOW than|minus|less in|during|of|for|from|that_of|those_of|it_was_in? the? WINDOW",
        make: |found| {
            // *did we sell more in May than in April* is answered by both numbers.
            asks_for_more(found).is_none().then(|| differ(found.window(0)?, found.window(1)?)).flatten()
        },
    },
    Rule {
        name: "difference_between_times",
        pattern: "difference|gap between|of|from|in|,|:? WINDOW $versus|and|to|against|over|on|with? WINDOW",
        make: |found| later_less_earlier(found.window(0)?, found.window(1)?),
    },
    Rule {
        name: "windows_and_difference",
        pattern: "in|during|of|for|from|between? WINDOW $versus|and|to|against WINDOW ,|:|-? the? difference|gap",
        make: |found| later_less_earlier(found.window(0)?, found.window(1)?),
    },
    Rule {
        name: "by_how_much_it_went_up",
        pattern: "by? how_much|how_many|how_far did|has|have|do|does MEASURE go|gone|went? $grew|up|down from|between|since? WINDOW to|and|till|until WINDOW",
        make: |found| went_up(found, found.measure(0)?),
    },
    Rule {
        name: "by_how_much_rows_went_up",
        pattern: "by? how_much|how_many|how_far did|has|have|do|does total|number_of? NOUN go|gone|went? $grew|up|down from|between|since? WINDOW to|and|till|until WINDOW",
        make: |found| went_up(found, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "difference_of",
        pattern: "what_is|what_was|what's|how_big_is|how_large_is? difference|gap in|of NOUN",
        make: |found| {
            two_times(found)?;
            Some(Phrase::Measure(total_of(&found.noun(0)?)?))
        },
    },
    Rule {
        name: "difference_to_period_before",
        pattern: "and|with? $differing to|from|than|against|on|over|compared_with|compared_to|by_comparison_with|versus|vs in? PERIOD before|earlier|prior|previously|before_it|preceding_it",
        make: |_| Some(Phrase::Part(Part::Compare(Compare::Difference, None))),
    },
    Rule {
        name: "difference_to_last_period",
        pattern: "and|with? $differing to|from|than|against|on|over|compared_with|compared_to|by_comparison_with|versus|vs in? the? previous|prior|preceding|last PERIOD",
        make: |_| Some(Phrase::Part(Part::Compare(Compare::Difference, None))),
    },
    Rule {
        name: "change_to_last_period",
        pattern: "and|with|plus|,? absolute|its|their|the? difference|change|increase|gain in|of? $money|absolute_terms|absolute_numbers? $against|to|with|of previous|prior|preceding|last PERIOD",
        make: change,
    },
    Rule {
        name: "change_to_period_before",
        pattern: "and|with|plus|,? absolute|its|their|the? difference|change|increase|gain in|of? $money|absolute_terms|absolute_numbers? $against|to|with|of PERIOD before|earlier|prior|previously",
        make: change,
    },
    Rule {
        name: "measure_less_measure",
        pattern: "MEASURE minus|less|after_deducting|net_of|after_taking_off MEASURE",
        make: |found| less(found.measure(0)?, found.measure(1)?),
    },
    Rule {
        name: "measure_less_amount",
        pattern: "MEASURE minus|less|after|after_deducting|net_of|after_taking_off what_was|what_we|what_has_been|what_is|all? NOUN",
        make: |found| less(found.measure(0)?, amount_of(found)?),
    },
    Rule {
        name: "revenue_less_amount",
        pattern: "net|total? $revenue from|of|on|in? NOUN? minus|less|after|after_deducting|net_of|after_taking_off|without what_was|what_we|what_has_been|what_is|all? NOUN",
        make: |found| {
            let revenue = match found.noun(1) {
                Some(_) => Attr::Amount(found.noun(0)?.as_table()?),
                None => Attr::Revenue(Words::new(found.words.start, found.words.start + 1)),
            };
            less(Measure::Of(Aggregate::Sum, revenue), amount_of(found)?)
        },
    },
];

/// The first of two windows less the second.
fn differ(one: Window, other: Window) -> Option<Phrase> {
    let other = super::versus::alike(one, other)?;
    let differ = vec![Part::Versus(vec![one, other]), Part::Compare(Compare::Difference, None)];
    (one != other).then_some(Phrase::Part(Part::All(differ)))
}

/// A measure in the later of two windows less the same in the earlier.
fn went_up(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let Some(Phrase::Part(differ)) = later_less_earlier(found.window(0)?, found.window(1)?) else {
        return None;
    };
    Some(Phrase::Part(Part::All(vec![Part::Measure(measure), differ])))
}

/// How much more it was in the later window.
fn later_less_earlier(one: Window, other: Window) -> Option<Phrase> {
    let other = super::versus::alike(one, other)?;
    if one.from < other.from { differ(other, one) } else { differ(one, other) }
}

fn less(one: Measure, other: Measure) -> Option<Phrase> {
    (one != other).then(|| Phrase::Measure(Measure::Less(Box::new(one), Box::new(other))))
}

/// What the rows that are named last are worth together.
fn amount_of(found: &Matched<'_>) -> Option<Measure> {
    let rows = found.noun(1).or_else(|| found.noun(0))?.as_table()?;
    Some(Measure::Of(Aggregate::Sum, Attr::Amount(rows)))
}

/// Only beside another time, *how many more* asks for a difference.
fn names_other_time(found: &Matched<'_>) -> Option<()> {
    let behind = found.words.end..found.lattice.question.tokens.len();
    let than = behind.into_iter().any(|at| matches!(found.lattice.question.word(at), "than" | "compared"));
    than.then_some(()).and_then(|()| two_times(found))
}

fn two_times(found: &Matched<'_>) -> Option<()> {
    let tokens = 0..found.lattice.question.tokens.len();
    let times = tokens.into_iter().filter(|at| !found.lattice.times(*at).is_empty()).count();
    (times > 1).then_some(())
}

/// *difference to the month before*: in the numbers' own unit, where nobody says percent.
fn change(found: &Matched<'_>) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let money = |at: usize| matches!(word(at), "euros" | "euro" | "dollars" | "pounds" | "€" | "$" | "£");
    let words = || found.words.start..found.words.end;
    let says = words().any(|at| matches!(word(at), "difference" | "absolute") || money(at));
    let mut parts = vec![Part::Compare(Compare::Difference, None)];
    if words().any(money) {
        parts.push(Part::WholeMoney);
    }
    says.then_some(Phrase::Part(Part::All(parts)))
}
