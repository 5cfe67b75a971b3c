//! Parts of a total in percent: *share of fees by industry*, *how is the turnover split across the shops*, *late orders as a
//! percentage of all orders*, *rejection rate: rejected out of received*.

use super::shares::part_of;
use super::versus::total_of;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Whole, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "share_of_column",
        pattern: "$share our|the|all|total? NOUN",
        make: |found| {
            let total = total_of(&found.noun(0)?).filter(|total| !matches!(total, Measure::Count(_)))?;
            Some(Phrase::Measure(of_total(total)))
        },
    },
    Rule {
        name: "column_in_percent_of_bill",
        pattern: "$avg? NOUN as_a|as|in? percentage|percent|per_cent|%|share|proportion of the? total? bill|bills|bill_total|order_total|order_value|check|revenue|takings|turnover|sales",
        make: |found| of_takings(found),
    },
    Rule {
        name: "percentage_on_top",
        pattern: "$avg? NOUN percentage|percent|in_percent|as_a_percentage",
        make: |found| {
            // What is added to a bill, and no column by itself.
            let word = found.lattice.question.word(found.noun(0)?.words.end - 1);
            let lists = WordLists::embedded();
            let is_extra = lists.has("extra_charges", word) && !lists.has("discounts", word);
            let goes_on = matches!(found.lattice.question.word(found.words.end), "of" | "on");
            (is_extra && !goes_on).then(|| of_takings(found)).flatten()
        },
    },
    Rule {
        name: "such_as_share_of_all",
        pattern: "WHERE NOUN? as_a_percentage_of|as_percentage_of|in_percent_of|as_percent_of|as_a_percent_of|as_a_share_of|in_%_of|as_%_of all|the_total_number_of|total? NOUN",
        make: |found| {
            let all = found.noun(1).or_else(|| found.noun(0))?;
            Some(Phrase::Measure(part_of(total_of(&all)?, found.pred(0)?)))
        },
    },
    Rule {
        name: "share_of_such_in_all",
        pattern: "$share WHERE NOUN in|of|among|to all|total NOUN",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "how_is_it_split",
        pattern: "how is|are|was|were|does|do|did WHERE? 's? MEASURE WHERE? split|divided|distributed|spread|divide|break_down up? across|over|between|among|by|into the|our|all? NOUN",
        make: |found| Some(distributed(found, Key::Noun(found.noun(0)?), found.measure(0)?)),
    },
    Rule {
        name: "how_is_column_split",
        pattern: "how is|are|was|were|does|do|did WHERE? 's? NOUN WHERE? split|divided|distributed|spread|divide|break_down up? across|over|between|among|by|into the|our|all? NOUN",
        make: |found| {
            let total = total_of(&found.noun(0)?)?;
            Some(distributed(found, Key::Noun(found.noun(1)?), total))
        },
    },
    Rule {
        name: "how_they_share_it",
        pattern: "how do|did|does the|our? NOUN share WHERE? 's? MEASURE",
        make: |found| split(found, found.measure(0)?),
    },
    Rule {
        name: "share_of_measure_that_each_brings",
        pattern: "$share our|the|all? WHERE? 's? MEASURE WHERE? do|does|did|is|comes|came from|by? each|every|the_different NOUN $contributing?",
        make: |found| split(found, found.measure(0)?),
    },
    Rule {
        name: "each_ones_share_of_such",
        pattern: "each|every NOUN 's|' share|percentage|part of GROUP",
        make: |found| {
            let group = found.group(0)?;
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
            parts.extend([key, Part::Measure(of_total(Measure::Count(Some(group.of))))]);
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "each_ones_share_of_measure",
        pattern: "each|every NOUN 's|' share|percentage|part of our|the|all? MEASURE",
        make: |found| split(found, found.measure(0)?),
    },
    Rule {
        name: "nouns_out_of",
        pattern: "NOUN out_of|as_a_part_of|relative_to|measured_against all|the|total? NOUN",
        make: |found| {
            let [one, other] = [0, 1].map(|at| total_of(&found.noun(at)?));
            Some(Phrase::Measure(Measure::Percent(Box::new(one?), Box::new(other?))))
        },
    },
    Rule {
        name: "rate_that_is_defined",
        pattern: "WORD rate|ratio|quota|percentage|margin|factor",
        make: defined_later,
    },
    Rule { name: "percentage_said", pattern: ",|: percent|percentage|%|share", make: |_| in_percent() },
    Rule {
        name: "percentage_wished",
        pattern: "in|as|, a? percentages|percents|shares|%",
        make: |_| in_percent(),
    },
];

/// The total of a column in percent of what was taken in: *tip as a percentage of the bill*.
fn of_takings(found: &Matched<'_>) -> Option<Phrase> {
    let part = found.noun(0)?.as_column()?;
    let taken = Attr::Revenue(Words::new(part.words.end, found.words.end));
    let [part, whole] = [Attr::Noun(part), taken].map(|attr| Box::new(Measure::Of(Aggregate::Sum, attr)));
    Some(Phrase::Measure(Measure::Percent(part, whole)))
}

fn in_percent() -> Option<Phrase> {
    Some(Phrase::Part(Part::InPercent))
}

/// A measure in percent of the same of all groups together.
fn of_total(measure: Measure) -> Measure {
    Measure::Share(Box::new(measure), Whole::Total)
}

/// Each group's part of a measure, under the conditions that are said with it.
fn split(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let key = Part::Key(Key::Noun(found.noun(0)?));
    Some(with_conditions(found, vec![key, Part::Measure(of_total(measure))]))
}

/// How much there is of each, and its share of all; the share alone where only that is asked for.
fn distributed(found: &Matched<'_>, key: Key, measure: Measure) -> Phrase {
    let tokens = &found.lattice.question.tokens;
    let says_share =
        |word: &str| matches!(word, "%" | "percent" | "percentage" | "percentages" | "share" | "shares");
    let only_share = tokens.iter().any(|token| says_share(&token.lower));
    let share = Part::Measure(of_total(measure.clone()));
    let amount = Some(Part::Measure(measure)).filter(|_| !only_share);
    with_conditions(found, std::iter::once(Part::Key(key)).chain(amount).chain([share]).collect())
}

fn with_conditions(found: &Matched<'_>, parts: Vec<Part>) -> Phrase {
    let conditions = (0..2).map_while(|at| found.pred(at)).map(Part::Where);
    Phrase::Part(Part::All(conditions.chain(parts).collect()))
}

/// *rejection rate by supplier: rejected out of received*: what the name means is said behind it.
fn defined_later(found: &Matched<'_>) -> Option<Phrase> {
    let question = found.lattice.question;
    let length = question.tokens.len();
    let begins =
        (found.words.end..length).find(|at| matches!(question.word(*at), ":" | "(" | "=" | "–" | "-"))?;
    let divides = |at: usize| {
        matches!(
            (question.word(at), question.word(at + 1)),
            ("divided", "by")
                | ("out", "of")
                | ("percentage" | "percent" | "share" | "%", "of")
                | ("over" | "/", _)
        )
    };
    (begins..length).any(divides).then(|| Phrase::Part(Part::All(Vec::new())))
}
