//! A column beside a part or a multiple of another: *paid less than 90 % of the price*, *more than twice the average of its
//! category*, *on more than three times the planned hours*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Comparison;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "column_beside_percent_of_column",
        pattern: "NOUN $yes? OP NUM %|percent|per_cent? of $their? NOUN",
        make: |found| beside_part(found, found.operator()?, percent(found)?),
    },
    Rule {
        name: "column_beside_part_of_column",
        pattern: "NOUN $yes? OP NUM times|x $their? NOUN",
        make: |found| beside_part(found, found.operator()?, times(found)?),
    },
    Rule {
        name: "between_numbers_of_column",
        pattern: "between|from NUM and|to NUM NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let column = noun.as_column().filter(|_| noun.column_score() >= noun.table_score())?;
            condition(Pred::Range(Attr::Noun(column), found.number(0)?, found.number(1)?))
        },
    },
    Rule {
        name: "charged_beside_column",
        pattern: "$yes? charged|priced|sold|billed|paid|bought|rented|let at|for? less_than|more_than|below|under|above|over|cheaper_than $their? NOUN",
        make: |found| {
            let word = |at: usize| found.lattice.question.word(at);
            let less = (found.words.start..found.words.end)
                .any(|at| matches!(word(at), "less" | "below" | "under" | "cheaper"));
            let operator = if less { Comparison::Less } else { Comparison::Greater };
            let other = Attr::Noun(found.noun(0)?.as_column()?);
            condition(Pred::Attrs(Attr::Price(found.words), operator, other))
        },
    },
    Rule {
        name: "rows_of_so_many",
        pattern: "NUM NOUN NOUN",
        make: |found| of_so_many(found, found.noun(1)?.as_table().map(Part::Noun)),
    },
    Rule {
        name: "kind_of_so_many",
        pattern: "NUM NOUN VALUE",
        make: |found| {
            let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            of_so_many(found, Some(Part::Where(is)))
        },
    },
    Rule {
        name: "cheaper_than_column",
        pattern: "$yes? cheaper_than|less_expensive_than $their? NOUN",
        make: |found| costs_beside(found, Comparison::Less),
    },
    Rule {
        name: "dearer_than_column",
        pattern: "$yes? dearer_than|pricier_than|costlier_than|more_expensive_than $their? NOUN",
        make: |found| costs_beside(found, Comparison::Greater),
    },
    Rule {
        name: "worth_between_numbers",
        pattern: "NOUN of|for|worth|at|costing|priced|with_a_value_of|with_an_amount_of|with_a_price_of|that_cost|which_cost? $between NUM and|to|- NUM",
        make: |found| {
            let rows = found.noun(0)?;
            let of = rows.as_table().filter(|_| rows.table_score() >= rows.column_score())?;
            let said = Words::new(of.words.end, of.words.end + 1);
            let range = Pred::Range(Attr::Price(said), found.number(0)?, found.number(1)?);
            Some(Phrase::Part(Part::All(vec![Part::Noun(of), Part::Where(range)])))
        },
    },
    Rule {
        name: "column_beside_twice_column",
        pattern: "NOUN $yes? OP twice|double|half|half_of|a_third_of|a_quarter_of $their? NOUN",
        make: |found| beside_part(found, found.operator()?, times(found)?),
    },
    Rule {
        name: "more_of_column_than_percent_of_column",
        pattern: "more|higher|larger|longer|greater NOUN than NUM %|percent|per_cent? of $their? NOUN",
        make: |found| beside_part(found, Comparison::Greater, percent(found)?),
    },
    Rule {
        name: "less_of_column_than_percent_of_column",
        pattern: "less|lower|smaller|shorter|fewer NOUN than NUM %|percent|per_cent? of $their? NOUN",
        make: |found| beside_part(found, Comparison::Less, percent(found)?),
    },
    Rule {
        name: "more_of_column_than_column",
        pattern: "more|higher|larger|longer|greater NOUN than $their? NOUN",
        make: |found| beside_part(found, Comparison::Greater, 1.0),
    },
    Rule {
        name: "less_of_column_than_column",
        pattern: "less|lower|smaller|shorter|fewer NOUN than $their? NOUN",
        make: |found| beside_part(found, Comparison::Less, 1.0),
    },
    Rule {
        name: "column_differs_from_column",
        pattern: "$with|where|whose? NOUN $yes? differs|differ|deviates|different|not_equal|not_the_same|isn't_the_same from|than|to|as $their? NOUN",
        make: |found| beside_part(found, Comparison::NotEqual, 1.0),
    },
    Rule {
        name: "column_is_column",
        pattern: "$with|where|whose|when? NOUN $yes? equal|equals|the_same_as|the_same_person_as|the_same_one_as|identical|also to? $their? NOUN too?",
        make: |found| beside_part(found, Comparison::Equal, 1.0),
    },
    Rule {
        name: "columns_alike",
        pattern: "$with|has|share|shares|where same NOUN and|as NOUN",
        make: |found| beside_part(found, Comparison::Equal, 1.0),
    },
    Rule {
        name: "columns_are_alike",
        pattern: "$with|where|whose|when? NOUN and NOUN $yes? the_same|identical|equal|alike|the_same_person",
        make: |found| beside_part(found, Comparison::Equal, 1.0),
    },
    Rule {
        name: "columns_differ",
        pattern: "$with|has|where different NOUN and NOUN",
        make: |found| beside_part(found, Comparison::NotEqual, 1.0),
    },
    Rule {
        name: "columns_are_different",
        pattern: "$with|where|whose|when? NOUN and NOUN $yes? differ|different|not_the_same|not_equal|not_alike|are_different|aren't_the_same",
        make: |found| beside_part(found, Comparison::NotEqual, 1.0),
    },
];

/// *3-bedroom houses*, *5 star reviews*: rows whose column holds that number.
fn of_so_many(found: &Matched<'_>, rows: Option<Part>) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let said = found.lattice.question.tokens.get(noun.words.end.checked_sub(1)?)?;
    let column = noun.as_column().filter(|_| noun.column_score() > noun.table_score())?;
    let is = Pred::Compare(Attr::Noun(column), Comparison::Equal, found.number(0)?);
    // What stands before others is said of one of them: of *3 bedrooms* there are three.
    (said.stem == said.lower).then(|| Some(Phrase::Part(Part::All(vec![Part::Where(is), rows?]))))?
}

/// What a row costs, beside another price of it or of what it belongs to.
fn costs_beside(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let other = found.noun(0)?;
    let other = Attr::Noun(other.as_column().filter(|_| other.column_score() > other.table_score())?);
    condition(Pred::Attrs(Attr::Price(found.words), operator, other))
}

/// The first column compared with the second so many times.
fn beside_part(found: &Matched<'_>, operator: Comparison, factor: f64) -> Option<Phrase> {
    let [one, other] = [0, 1].map(|at| found.noun(at).and_then(|noun| noun.as_column()).map(Attr::Noun));
    let other = match factor == 1.0 {
        true => other?,
        false => Attr::Times(factor, Box::new(other?)),
    };
    condition(Pred::Attrs(one?, operator, other))
}

fn percent(found: &Matched<'_>) -> Option<f64> {
    let word = |at: usize| found.lattice.question.word(at);
    let says = |at: usize| matches!(word(at), "percent" | "per") || word(at).ends_with('%');
    let share = found.number(0)?.as_f64()? / 100.0;
    (found.words.start..found.words.end).any(says).then_some(share)
}

/// *three times*, *twice*, *half*; none where nothing of the kind is said.
pub(super) fn times(found: &Matched<'_>) -> Option<f64> {
    let word = |at: usize| found.lattice.question.word(at);
    let says = |wanted: &str| (found.words.start..found.words.end).any(|at| word(at) == wanted);
    match found.number(0) {
        Some(number) => number.as_f64().filter(|_| says("times") || says("x")),
        None if says("twice") || says("double") => Some(2.0),
        None if says("triple") => Some(3.0),
        None if says("half") => Some(0.5),
        None if says("quarter") => Some(0.25),
        None if says("third") => Some(1.0 / 3.0),
        None => None,
    }
}
