//! Kinds side by side: *prepaid compared with postpaid*, *business and private customers separately*, *organic and other products*.

use super::absence::has;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Key, Measure, Named, Noun, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "value_against_value",
        pattern: "VALUE NOUN? ,? $versus with|to|the|those_of|that_of? VALUE ones|one?",
        make: both,
    },
    Rule {
        name: "values_apart",
        pattern: "VALUE and|, VALUE NOUN? ,? separately|apart|side_by_side|next_to_each_other|compared|each|each_on_its_own|in_two_columns",
        make: both,
    },
    Rule {
        name: "such_and_others",
        pattern: "WHERE NOUN? and|vs|versus|against|,|compared_with|compared_to|to the|all|of? other|others|the_rest|rest|remaining NOUN?",
        make: flag_is_key,
    },
    Rule {
        name: "more_of_one_than_of_other",
        pattern: "$with? more VALUE NOUN? than VALUE ones|one? NOUN?",
        make: |found| more_of_one(found, Comparison::Greater),
    },
    Rule {
        name: "fewer_of_one_than_of_other",
        pattern: "$with? fewer|less VALUE NOUN? than VALUE ones|one? NOUN?",
        make: |found| more_of_one(found, Comparison::Less),
    },
    Rule {
        name: "one_does_it_more",
        pattern: "do|does|did|are|is|were|was|have|has VALUE WORD? NOUN? NOUN better|more|less|higher|lower|longer|shorter|bigger|faster|sooner often|frequently|money? NOUN? on_average? than VALUE WORD? do|does|did?",
        make: |found| measured_beside(found, None),
    },
    Rule {
        name: "one_has_more",
        pattern: "do|does|did|are|is|were|was|have|has VALUE WORD? $holding|$light_verb|$contributing better|more|less|fewer|higher|lower|longer|shorter|bigger NOUN on_average? than VALUE WORD? do|does|did?",
        make: |found| measured_beside(found, None),
    },
    Rule {
        name: "one_spends_more",
        pattern: "do|does|did|are|is|were|was|have|has VALUE WORD? $spent|$earning more|less us? money? than VALUE WORD? do|does|did?",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            measured_beside(found, Some(Measure::Of(Aggregate::Sum, Attr::Revenue(said))))
        },
    },
    Rule {
        name: "such_do_more_than_others",
        pattern: "do|does|did|are|is|were|was|have|has WHERE NOUN? $holding|$light_verb|$contributing? better|more|less|fewer|higher|lower|longer|shorter|bigger NOUN on_average? than the? others|other|rest|rest_of_them NOUN?",
        make: |found| {
            let Some(Phrase::Part(key)) = flag_is_key(found) else { return None };
            let measured = mean_or_count(&found.noun(1).or_else(|| found.noun(0))?)?;
            Some(Phrase::Part(Part::All(vec![key, Part::Measure(measured)])))
        },
    },
    Rule {
        name: "measure_at_times",
        pattern: "MEASURE on|at|during|for|in? DAYS ,? $versus|and|or on|at|during|for|in? DAYS",
        make: |found| at_times(found, &found.measure(0)?),
    },
    Rule {
        name: "rows_at_times",
        pattern: "on|at|during|for|in? DAYS ,? $versus on|at|during|for|in? DAYS NOUN",
        make: |found| at_times(found, &Measure::Count(Some(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "rows_apart_at_times",
        pattern: "NOUN on|at|during|for|in? DAYS ,? $versus on|at|during|for|in? DAYS",
        make: |found| at_times(found, &Measure::Count(Some(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "side_by_side",
        pattern: ",|in|both? side_by_side|next_to_each_other|both_figures|in_two_columns|as_two_columns|both_numbers",
        make: |_| Some(Phrase::Part(Part::All(Vec::new()))),
    },
    Rule {
        name: "with_and_without",
        pattern: "with and|or|vs|versus without NOUN",
        make: |found| Some(Phrase::Part(Part::Key(Key::Noun(found.noun(0)?.as_column()?)))),
    },
    Rule {
        name: "rows_with_and_without",
        pattern: "NOUN with and|or|vs|versus without $any? NOUN on_file|on_record|given|recorded?",
        make: |found| present_and_missing(found),
    },
];

/// How many rows have something, and how many have not: *contacts with and without an email address*.
fn present_and_missing(found: &Matched<'_>) -> Option<Phrase> {
    let rows = Box::new(Measure::Count(Some(found.noun(0)?.as_table()?)));
    let [with, without] = [has(found, 1, true)?, has(found, 1, false)?]
        .map(|pred| Part::Measure(Measure::Where(rows.clone(), vec![pred])));
    Some(Phrase::Part(Part::All(vec![with, without])))
}

/// A measure at either of two times that come round again: *revenue at lunch vs dinner*.
fn at_times(found: &Matched<'_>, measure: &Measure) -> Option<Phrase> {
    let at = |nth: usize| {
        let when = Pred::On(None, found.nth_recurring(nth)?);
        Some(Part::Measure(Measure::Where(Box::new(measure.clone()), vec![when])))
    };
    Some(Phrase::Part(Part::All(vec![at(0)?, at(1)?])))
}

/// Two values of one column: a group for each.
fn both(found: &Matched<'_>) -> Option<Phrase> {
    let values = vec![found.value(0)?, found.value(1)?];
    let held = |column| values.iter().all(|named| named.links.iter().any(|link| link.column == column));
    if !values.first()?.links.iter().any(|link| held(link.column)) {
        return None;
    }
    let mut parts = vec![Part::Key(Key::ColumnOf(values.first()?.clone()))];
    parts.push(Part::Where(Pred::Is { values, column: None, negated: false }));
    parts.extend(found.noun(0).map(Part::Noun));
    Some(Phrase::Part(Part::All(parts)))
}

/// Groups that have more rows with one value than with the other: *more business customers than premium ones*.
fn more_of_one(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let rows = match found.noun(0) {
        Some(noun) => Some(noun.as_table()?),
        None => None,
    };
    let count = |at: usize| {
        let is = Pred::Is { values: vec![found.value(at)?], column: None, negated: false };
        Some(Box::new(Measure::Where(Box::new(Measure::Count(rows.clone())), vec![is])))
    };
    let (one, other) = (count(0)?, count(1)?);
    let (more, less) = if operator == Comparison::Less { (other, one) } else { (one, other) };
    let measure = Measure::Less(more, less);
    let with = Against::Value(Value::Integer(0));
    Some(Phrase::Part(Part::Having(Having { measure, operator: Comparison::Greater, with })))
}

/// *do card payers tip better than cash payers*: what the last noun before *than* tells of either.
fn measured_beside(found: &Matched<'_>, measure: Option<Measure>) -> Option<Phrase> {
    let values: Vec<Named> =
        (0..4).map_while(|at| found.value(at)).filter(|named| !named.links.is_empty()).collect();
    let [one, other] = values.as_slice() else { return None };
    let than = other.words.start;
    let nouns = (0..4).map_while(|at| found.noun(at)).filter(|noun| noun.words.end < than);
    let measure = match measure {
        Some(measure) => measure,
        None => mean_or_count(&nouns.last()?)?,
    };
    let by = Part::Key(Key::ColumnOf(one.clone()));
    let of = Part::Where(Pred::Is { values, column: None, negated: false });
    Some(Phrase::Part(Part::All(vec![by, of, Part::Measure(measure)])))
}

/// The mean of a column, or how many rows there are of a table.
fn mean_or_count(noun: &Noun) -> Option<Measure> {
    Some(match noun.column_score() > noun.table_score() {
        true => Measure::Of(Aggregate::Avg, Attr::Noun(noun.as_column()?)),
        false => Measure::Count(Some(noun.as_table()?)),
    })
}

/// *organic and other products*: yes and no are groups.
fn flag_is_key(found: &Matched<'_>) -> Option<Phrase> {
    let mut parts = match found.pred(0)? {
        Pred::Flag(noun, true) => vec![Part::Key(Key::Noun(noun))],
        _ => return None,
    };
    parts.extend(found.noun(0).map(Part::Noun));
    Some(Phrase::Part(Part::All(parts)))
}
