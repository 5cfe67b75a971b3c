//! Means of each row and of each unit of time, the first and the last time, summaries of one column.

use super::rows::is_alone;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Per, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::measures::{measure, ratio, summary, worth_of};
use crate::rules::grammar::rules::versus::total_of;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "mean_worth_of_such",
        pattern: "$avg WHERE NOUN value|amount|size|total|revenue|worth",
        make: |found| {
            let said = Words::new(found.words.end - 1, found.words.end);
            let value = Measure::Of(Aggregate::Sum, Attr::Revenue(said));
            let mean = Measure::Mean(Box::new(value), Per::Row(found.noun(0)?.as_rows()?));
            Some(Phrase::Part(Part::All(vec![Part::Where(found.pred(0)?), Part::Measure(mean)])))
        },
    },
    Rule {
        name: "mean_basket",
        pattern: "$avg basket|cart|basket_value|basket_size|cart_value|shopping_basket|transaction_value|purchase_value|spend_per_visit|order_size",
        make: |found| {
            let value =
                Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(found.words.end - 1, found.words.end)));
            measure(Measure::Mean(Box::new(value), Per::Whole))
        },
    },
    Rule {
        name: "average_per_time",
        pattern: "$avg number_of? NOUN UNIT on_average?",
        make: |found| mean_per_time(found, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "average_in_a_time",
        pattern: "$avg number_of? NOUN a|an PERIOD",
        make: |found| mean_per_time(found, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "average_of_time",
        pattern: "$avg UNIT NOUN",
        make: |found| mean_per_time(found, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "average_measure_per_time",
        pattern: "$avg MEASURE UNIT",
        make: |found| match found.measure(0)? {
            // *average order value by month* is that of orders.
            Measure::Of(_, Attr::Amount(_)) => None,
            of_each => mean_per_time(found, of_each),
        },
    },
    Rule {
        name: "done_per_time_on_average",
        pattern: "$how_many NOUN do|does|did|have|has we|you|they|i WORD UNIT on_average|typically|usually",
        make: |found| mean_per_time(found, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "each_per_time_on_average",
        pattern: "$how_many NOUN do|does|did|has|have each|every NOUN $light_verb|$contributing|$serving|WORD? UNIT on_average|typically|usually",
        make: |found| {
            let each = Part::Key(Key::Noun(found.noun(1)?));
            let Some(Phrase::Measure(mean)) = mean_per_time(found, total_of(&found.noun(0)?)?) else {
                return None;
            };
            Some(Phrase::Part(Part::All(vec![each, Part::Measure(mean)])))
        },
    },
    Rule {
        name: "per_time_on_average",
        pattern: "$count? NOUN UNIT do|does|did? NOUN? $light_verb? on_average|typically|usually",
        make: |found| mean_per_time(found, total_of(&found.noun(0)?)?),
    },
    Rule {
        name: "has_on_average",
        pattern: "$count NOUN does|do|did? each|every|one? NOUN $contributing|get|take|need|cost|weigh? on_average|typically|usually",
        make: |found| {
            let mean = Measure::Of(Aggregate::Avg, Attr::Noun(found.noun(0)?.as_column()?));
            // *each book* is one row, and *each genre* a group of them.
            match found.noun(1).filter(|each| each.column_score() > each.table_score()) {
                Some(each) => Some(Phrase::Part(Part::All(vec![
                    Part::Key(Key::Noun(each.as_column()?)),
                    Part::Measure(mean),
                ]))),
                None => measure(mean),
            }
        },
    },
    Rule {
        name: "number_and_amount",
        pattern: "number|count|how_many|quantity and|,|& amount|value|how_much|total|sum|volume|total_amount|total_value|their_value|their_total|their_amount",
        make: |_| {
            Some(Phrase::Part(Part::All(vec![
                Part::Measure(Measure::Count(None)),
                Part::Worth(Aggregate::Sum),
            ])))
        },
    },
    Rule {
        name: "summaries_listed",
        pattern: "$summary ,|and|&|plus and? $summary ,|and|&|plus? and? $summary? ,|and|&|plus? and? $summary? ,|and|&|plus? and? $summary?",
        make: |found| listed(found, Part::Worth),
    },
    Rule {
        name: "summaries_listed_of",
        pattern: "$summary ,|and|&|plus and? $summary ,|and|&|plus? and? $summary? ,|and|&|plus? and? $summary? of|for? NOUN",
        make: |found| {
            let of = worth_of(&found.noun(0)?)?;
            listed(found, |function| Part::Measure(Measure::Of(function, of.clone())))
        },
    },
    Rule {
        name: "mean_count",
        pattern: "$avg $count NOUN per|by|for_each|for_every|of_each|of_a|each NOUN",
        make: |found| mean(found),
    },
    Rule {
        name: "average_rows_per",
        pattern: "$avg NOUN per|for_each|for_every|of_each|of_a|by|to_a NOUN",
        make: |found| {
            // *average order by country* is what one of them is worth, *average orders by country* how many there are.
            let counted = found.noun(0)?;
            let is_several = found.lattice.question.word(counted.words.end - 1).ends_with('s');
            let of_rows = is_several || found.noun(1)?.as_each()?.as_table().is_some();
            of_rows.then(|| mean(found))?
        },
    },
    Rule {
        name: "average_taken_in_per",
        pattern: "$avg MEASURE per|for_each|of_each|of_an|of_a|by NOUN",
        make: |found| {
            let of_each = found.measure(0)?;
            let is_total = matches!(of_each, Measure::Of(Aggregate::Sum, Attr::Revenue(_)));
            let each = found.noun(0)?.as_table().filter(|_| is_total)?;
            measure(Measure::Mean(Box::new(of_each), Per::Row(each)))
        },
    },
    Rule {
        name: "how_often_on_average",
        pattern: "on_average|typically? ,? $how_often do|does|did|has|have|is|are|was|gets|each|every|one|a? each|every|one|a? NOUN $light_verb? NOUN on_average|typically?",
        make: |found| {
            let count = Measure::Count(Some(found.noun(1)?.as_table()?));
            let rows = found.noun(0)?.as_table()?;
            // *how often did each customer order?* asks for a number of each.
            if found.says(&["each", "every"]) && !found.says(&["average", "typically"]) {
                return Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(rows)), Part::Measure(count)])));
            }
            measure(Measure::Mean(Box::new(count), Per::Row(rows)))
        },
    },
    Rule {
        name: "count_on_average",
        pattern: "$count? NOUN per NOUN on_average|in_the_mean|average",
        make: |found| mean(found),
    },
    Rule {
        name: "on_average_count",
        pattern: "on_average|average ,? $count NOUN per|for_each|does_each|does_a|does_an|does_one|does_every|has_each|has_a|has_one|are_there_per|do NOUN",
        make: |found| mean(found),
    },
    Rule {
        name: "count_does_on_average",
        pattern: "$count NOUN does|do|did|has|have|is|are|per a|an|each|every|one|the_average? NOUN $light_verb|$contributing|contain|contains|include|includes|need|needs? NOUN? in|for|at|from|to? on_average|typically|usually",
        make: |found| mean(found),
    },
    Rule {
        name: "when_first_and_last",
        pattern: "the? date|dates|day|days of? the|their|his|her? first|earliest and the|their? last|latest|most_recent NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let ends = [Aggregate::Min, Aggregate::Max];
            let when = ends.map(|end| Part::Measure(Measure::Of(end, Attr::When(rows.clone()))));
            Some(Phrase::Part(Part::All(when.to_vec())))
        },
    },
    Rule {
        name: "when_last",
        pattern: "date_of|day_of|time_of? last|latest|most_recent|newest NOUN",
        make: |found| when(found, Aggregate::Max),
    },
    Rule {
        name: "when_first",
        pattern: "date_of|day_of|time_of? first|earliest NOUN",
        make: |found| when(found, Aggregate::Min),
    },
    Rule {
        name: "when_last_done",
        pattern: "when did|was|were|has|have|is each|every|all? NOUN last|most_recently|latest been? NOUN? for_the_last_time?",
        make: |found| when_done(found, Aggregate::Max),
    },
    Rule {
        name: "when_first_done",
        pattern: "when did|was|were|has|have|is each|every|all? NOUN first|initially been? NOUN? for_the_first_time?",
        make: |found| when_done(found, Aggregate::Min),
    },
    Rule {
        name: "when_last_of",
        pattern: "when did|was|were|has|have|is each|every|all? NOUN last|most_recently|latest NOUN? a|an|any|their|its|there NOUN",
        make: |found| when_done_to(found, Aggregate::Max),
    },
    Rule {
        name: "when_first_of",
        pattern: "when did|was|were|has|have|is each|every|all? NOUN first|initially NOUN? a|an|any|their|its|there NOUN",
        make: |found| when_done_to(found, Aggregate::Min),
    },
    Rule {
        name: "average_and",
        pattern: "$avg and $max NOUN",
        make: |found| both(found, Aggregate::Avg, Aggregate::Max),
    },
    Rule {
        name: "lowest_and_highest",
        pattern: "$min and $max NOUN",
        make: |found| both(found, Aggregate::Min, Aggregate::Max),
    },
    Rule {
        name: "highest_and_lowest",
        pattern: "$max and $min NOUN",
        make: |found| both(found, Aggregate::Max, Aggregate::Min),
    },
    Rule {
        name: "sum_and_average",
        pattern: "$sum and $avg NOUN",
        make: |found| both(found, Aggregate::Sum, Aggregate::Avg),
    },
    Rule {
        name: "count_different",
        pattern: "$count? $different NOUN",
        make: |found| measure(Measure::Distinct(found.noun(0)?)),
    },
    Rule {
        name: "count_after",
        pattern: "NOUN $count_after",
        make: |found| measure(Measure::Count(Some(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "average",
        pattern: "$avg number_of|amount_of|count_of? NOUN",
        make: |found| summary(found, Aggregate::Avg),
    },
    Rule {
        name: "sum",
        pattern: "$sum number_of|amount_of|count_of? NOUN",
        make: |found| summary(found, Aggregate::Sum),
    },
    Rule {
        name: "maximum",
        pattern: "$max number_of|amount_of|count_of? NOUN",
        make: |found| summary(found, Aggregate::Max),
    },
    Rule {
        name: "minimum",
        pattern: "$min number_of|amount_of|count_of? NOUN",
        make: |found| summary(found, Aggregate::Min),
    },
    Rule {
        name: "sum_after",
        pattern: "NOUN total|totals|sum|summed|in_total|altogether",
        make: |found| summary(found, Aggregate::Sum),
    },
    Rule { name: "how_much", pattern: "$how_much NOUN", make: |found| summary(found, Aggregate::Sum) },
    Rule {
        name: "how_often_each",
        pattern: "$how_often each|every|all NOUN is|are|was|were|has|have|got|gets? been? $used|$light_verb|$participle",
        make: |found| {
            let rows = Part::Key(Key::Noun(found.noun(0)?));
            Some(Phrase::Part(Part::All(vec![rows, Part::Measure(Measure::Count(None))])))
        },
    },
    Rule { name: "whole_money", pattern: "in $money", make: |_| Some(Phrase::Part(Part::WholeMoney)) },
    Rule {
        name: "ratio_of",
        pattern: "ratio_of|the_ratio_of|ratio_between MEASURE to|and MEASURE",
        make: |found| ratio(found.measure(0)?, found.measure(1)?),
    },
    Rule {
        name: "divided_by",
        pattern: "MEASURE divided_by|over|/ MEASURE",
        make: |found| ratio(found.measure(0)?, found.measure(1)?),
    },
];

/// *count, total and average*: each summary that is named, in that order.
fn listed(found: &Matched<'_>, summary: impl Fn(Aggregate) -> Part) -> Option<Phrase> {
    let said = |at: usize| {
        Some(match found.lattice.question.word(at) {
            "count" | "number" | "many" | "counts" => Aggregate::Count,
            "total" | "totals" | "sum" | "sums" | "much" | "altogether" => Aggregate::Sum,
            "average" | "averages" | "mean" | "avg" => Aggregate::Avg,
            "highest" | "maximum" | "max" | "largest" | "biggest" => Aggregate::Max,
            "lowest" | "minimum" | "min" | "smallest" => Aggregate::Min,
            _ => return None,
        })
    };
    let mut functions: Vec<Aggregate> = Vec::new();
    for function in (found.words.start..found.words.end).filter_map(said) {
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
    let part = |function: &Aggregate| match function {
        Aggregate::Count => Part::Measure(Measure::Count(None)),
        other => summary(*other),
    };
    (functions.len() > 1).then(|| Phrase::Part(Part::All(functions.iter().map(part).collect())))
}

fn mean_per_time(found: &Matched<'_>, of_each: Measure) -> Option<Phrase> {
    // *average price by month* is one mean for each month, and *average sales per month* one of all months.
    if (found.words.start..found.words.end).any(|at| found.lattice.question.word(at) == "by") {
        return None;
    }
    measure(Measure::Mean(Box::new(of_each), Per::Time(found.unit()?)))
}

/// *date of the last loan*. Without a word for time, *the last loan* alone is a loan and no date.
fn when(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let is_time = (0..found.words.start + 1)
        .any(|at| matches!(found.lattice.question.word(at), "when" | "date" | "day" | "time"));
    (is_time || !is_alone(found)).then(|| measure(Measure::Of(function, Attr::When(rows))))?
}

/// *when was each book last borrowed*.
fn when_done(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let date = Measure::Of(function, Attr::Use(rows.clone(), found.noun(1)));
    Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(rows)), Part::Measure(date)])))
}

/// *when did each city last report a claim*: the date that the verb names, or that of the rows.
fn when_done_to(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    let (verb, rows) = match found.noun(2) {
        Some(rows) => (found.noun(1)?.as_column(), rows),
        None => (None, found.noun(1)?),
    };
    let rows = rows.as_table()?;
    let date = Measure::Of(function, verb.map_or(Attr::When(rows), Attr::Noun));
    Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(found.noun(0)?)), Part::Measure(date)])))
}

fn mean(found: &Matched<'_>) -> Option<Phrase> {
    let count = Measure::Count(Some(found.noun(0)?.as_table()?));
    measure(Measure::Mean(Box::new(count), Per::Row(found.noun(1)?.as_each()?)))
}

pub(super) fn both(found: &Matched<'_>, one: Aggregate, other: Aggregate) -> Option<Phrase> {
    let noun = Attr::Noun(found.noun(0)?.as_column()?);
    let parts = [one, other].map(|function| Part::Measure(Measure::Of(function, noun.clone())));
    Some(Phrase::Part(Part::All(parts.to_vec())))
}
