//! Summaries: counts, totals, averages, times between dates.

use crate::plan::Aggregate;
use crate::reasoner::rules::grammar::chart::{Matched, Part, Phrase, Rule};
use crate::reasoner::rules::grammar::form::{Attr, Measure, Noun, Words};
use crate::reasoner::rules::grammar::time::Unit;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "count_of",
        pattern: "$count NOUN",
        make: |found| measure(Measure::Count(Some(found.noun(0)?))),
    },
    Rule {
        name: "count_where",
        pattern: "$count WHERE NOUN",
        make: |found| {
            let rows = Part::Measure(Measure::Count(Some(found.noun(0)?.as_table()?)));
            Some(Phrase::Part(Part::All(vec![Part::Where(found.pred(0)?), rows])))
        },
    },
    Rule {
        name: "count_alone",
        pattern: "how_many|count|the_count|counts",
        make: |_| Some(Phrase::Part(Part::Measure(Measure::Count(None)))),
    },
    Rule {
        name: "revenue",
        pattern: "$sum? $revenue",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Revenue(found.words))),
    },
    Rule {
        name: "mean_revenue",
        pattern: "$avg NOUN value|amount|size|total|revenue|worth",
        make: |found| {
            let value =
                Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(found.words.end - 1, found.words.end)));
            measure(Measure::Mean(Box::new(value), Some(found.noun(0)?.as_table()?)))
        },
    },
    Rule {
        name: "mean_basket",
        pattern: "$avg basket|cart|basket_value|basket_size|cart_value|shopping_basket|transaction_value|purchase_value",
        make: |found| {
            let value =
                Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(found.words.end - 1, found.words.end)));
            measure(Measure::Mean(Box::new(value), None))
        },
    },
    Rule {
        name: "mean_count",
        pattern: "$avg $count NOUN per|by|for_each|for_every|of_each|of_a NOUN",
        make: |found| mean(found),
    },
    Rule {
        name: "count_on_average",
        pattern: "$count? NOUN per NOUN on_average|in_the_mean|average",
        make: |found| mean(found),
    },
    Rule {
        name: "on_average_count",
        pattern: "on_average|average ,? $count NOUN per|for_each|does_each|does_a|do NOUN",
        make: |found| mean(found),
    },
    Rule {
        name: "count_does_on_average",
        pattern: "$count NOUN does|do|did|has|have|per NOUN $light_verb? on_average|typically",
        make: |found| mean(found),
    },
    Rule {
        name: "when_last",
        pattern: "date_of|day_of? last|latest|most_recent|newest NOUN",
        make: |found| measure(Measure::Of(Aggregate::Max, Attr::When(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "when_first",
        pattern: "date_of|day_of? first|earliest NOUN",
        make: |found| measure(Measure::Of(Aggregate::Min, Attr::When(found.noun(0)?.as_table()?))),
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
    Rule { name: "average", pattern: "$avg NOUN", make: |found| summary(found, Aggregate::Avg) },
    Rule { name: "sum", pattern: "$sum NOUN", make: |found| summary(found, Aggregate::Sum) },
    Rule { name: "maximum", pattern: "$max NOUN", make: |found| summary(found, Aggregate::Max) },
    Rule { name: "minimum", pattern: "$min NOUN", make: |found| summary(found, Aggregate::Min) },
    Rule {
        name: "median",
        pattern: "$median NOUN",
        make: |found| measure(Measure::Median(Attr::Noun(found.noun(0)?.as_column()?))),
    },
    Rule { name: "how_much", pattern: "$how_much NOUN", make: |found| summary(found, Aggregate::Sum) },
    Rule {
        name: "time_between",
        pattern: "$avg|how_many|how_long|total? number_of? days|time|duration|long on_average? in_days? from|between|it_takes_from NOUN to|and|until|till NOUN in_days?",
        make: |found| between(found, Unit::Day),
    },
    Rule {
        name: "hours_between",
        pattern: "$avg|how_many|total? number_of? hours|time_in_hours on_average? from|between NOUN to|and|until|till NOUN in_hours?",
        make: |found| between(found, Unit::Hour),
    },
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

fn measure(measure: Measure) -> Option<Phrase> {
    Some(Phrase::Measure(measure))
}

fn summary(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    measure(Measure::Of(function, Attr::Noun(found.noun(0)?.as_column()?)))
}

fn between(found: &Matched<'_>, unit: Unit) -> Option<Phrase> {
    let [from, to] = [0, 1].map(|at| found.noun(at).and_then(|noun| when(&noun)));
    let attr = Attr::Between(Box::new(from?), Box::new(to?), unit);
    measure(Measure::Of(Aggregate::Avg, attr))
}

/// A date by its name, or the date of a table's rows.
fn when(noun: &Noun) -> Option<Attr> {
    match noun.table_score() > noun.column_score() {
        true => noun.as_table().map(Attr::When),
        false => noun.as_column().map(Attr::Noun),
    }
}

fn ratio(one: Measure, other: Measure) -> Option<Phrase> {
    measure(Measure::Ratio(Box::new(one), Box::new(other)))
}

fn mean(found: &Matched<'_>) -> Option<Phrase> {
    let count = Measure::Count(Some(found.noun(0)?.as_table()?));
    measure(Measure::Mean(Box::new(count), Some(found.noun(1)?.as_table()?)))
}

fn both(found: &Matched<'_>, one: Aggregate, other: Aggregate) -> Option<Phrase> {
    let noun = Attr::Noun(found.noun(0)?.as_column()?);
    let parts = [one, other].map(|function| Part::Measure(Measure::Of(function, noun.clone())));
    Some(Phrase::Part(Part::All(parts.to_vec())))
}
