//! How often something was done: *who booked over ten times*, *artworks lent out at least twice*, *share of customers who came back*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Having, Key, Measure, Noun, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::conditions::happened;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "counted_by",
        pattern: ",|: counted|count|tallied by|per|for_each NOUN",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            Some(Phrase::Part(Part::All(vec![Part::Measure(Measure::Count(None)), key])))
        },
    },
    Rule {
        name: "did_so_many_times",
        pattern: "WORD in|on|out|up|with_us? OP NUM times|x",
        make: |found| done_times(found, found.operator()?, found.number(0)?),
    },
    Rule {
        name: "did_times_or_more",
        pattern: "WORD in|on|out|up|with_us? NUM times $or_more",
        make: |found| done_times(found, Comparison::GreaterOrEqual, found.number(0)?),
    },
    Rule {
        name: "did_more_than_once",
        pattern: "WORD in|on|out|up|with_us? $more_than_once",
        make: |found| done_times(found, Comparison::GreaterOrEqual, Value::Integer(2)),
    },
    Rule {
        name: "how_often_each_was_used",
        pattern: "how_often|how_many_times was|were|is|are|has|have|did|do|does each|every|any|the|which NOUN been|get|come? used|applied|entered|redeemed|chosen|picked|given|up",
        make: uses,
    },
    Rule {
        name: "uses_of_each",
        pattern: "$how_many? uses|usages|usage|redemptions of|for|per|by each|every|single? NOUN",
        make: uses,
    },
    Rule {
        name: "who_did_so_many",
        pattern: "who is|are|has|have|had|was|were? been? WORD in|on|for|at|to|with|us? OP NUM NOUN",
        make: |found| who_did(found, found.operator()?),
    },
    Rule {
        name: "who_did_so_many_or_more",
        pattern: "who is|are|has|have|had|was|were? been? WORD in|on|for|at|to|with|us? NUM $or_more NOUN",
        make: |found| who_did(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "who_had_so_many_done",
        pattern: "who is|are|has|have|had|was|were? been? NOUN OP NUM NOUN",
        make: |found| had_done(found, found.operator()?),
    },
    Rule {
        name: "who_had_so_many_or_more_done",
        pattern: "who is|are|has|have|had|was|were? been? NOUN NUM $or_more NOUN",
        make: |found| had_done(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "share_of_those_with_one",
        pattern: "$share NOUN with|who_have at_least_one|a|any|one|an NOUN who|that|,|have|has? have|has? $came_again",
        make: |found| share_of_doers(found.noun(0)?, found.noun(1)?.as_table(), true),
    },
    Rule {
        name: "share_of_doers",
        pattern: "$share buying|paying|ordering|booking|active? NOUN who|that? have|has|had? ever? bought|ordered|booked|enrolled|purchased|rented|donated|visited? anything|something|once? who|that|and|, have|has? $came_again",
        make: |found| share_of_doers(found.noun(0)?, None, true),
    },
    Rule {
        name: "share_of_buying",
        pattern: "$share buying|paying|ordering|booking NOUN who|that have|has? $came_again",
        make: |found| share_of_doers(found.noun(0)?, None, true),
    },
    Rule {
        name: "share_who_came_back",
        pattern: "$share NOUN who|that have|has? $came_again",
        make: |found| share_of_doers(found.noun(0)?, None, true),
    },
    Rule {
        name: "of_doers_share",
        pattern: "of|among|from NOUN who|that|which|with have|has|had? ever? WORD at_least_once|once|anything|something|at_all? ,|:? $what_percent of_them|of_those|of_these? have|has|had|did?",
        make: |found| share_of_doers(found.noun(0)?, None, false),
    },
];

/// How well a verb must fit a name to be what it says.
const PLAINLY: f32 = 0.75;
/// How well, to be no mere word for having something.
const ROUGHLY: f32 = 0.4;

/// The rows that a verb names plainly: *played* for `plays`. A word that may only mean them says nothing.
fn told_by(found: &Matched<'_>, verb: usize) -> Option<Noun> {
    let mut nouns = found.lattice.nouns(verb).iter();
    nouns.find_map(|noun| noun.as_table().filter(|noun| noun.table_score() >= PLAINLY))
}

/// Done so often: what was done is told by the rows that refer to the subject.
fn done_times(found: &Matched<'_>, operator: Comparison, times: Value) -> Option<Phrase> {
    let word = found.lattice.question.word(found.words.start);
    let done = ["ed", "en", "wn", "nt", "id", "lt", "ght", "ld", "ut", "ode", "ove"];
    let told = told_by(found, found.words.start);
    let many = Having { measure: Measure::Count(told), operator, with: Against::Value(times) };
    done.iter().any(|ending| word.ends_with(ending)).then_some(Phrase::Part(Part::Having(many)))
}

/// How many rows have each value of a column, and nothing of those without.
fn uses(found: &Matched<'_>) -> Option<Phrase> {
    let column = found.noun(0)?.as_column()?;
    let known = Part::Where(Pred::Known(column.clone(), true));
    let counted = Part::Measure(Measure::Count(None));
    Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(column)), counted, known])))
}

/// *who is enrolled in over six courses*
fn who_did(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    // *enrolled in over six courses* counts the enrolments, where the verb names such rows.
    let verb = found.named_place()?;
    let told = told_by(found, verb);
    // *completed at least one course* says when, and is no mere word for having one.
    let says_when = found.lattice.nouns(verb).iter().any(|noun| noun.column_score() >= ROUGHLY);
    if told.is_none() && says_when {
        return None;
    }
    let measure = Measure::Count(Some(told.or_else(|| found.noun(0)?.as_table())?));
    let with = Against::Value(found.number(0)?);
    let many = Part::Having(Having { measure, operator, with });
    Some(Phrase::Part(Part::All(vec![Part::Names, many])))
}

/// *who completed at least one course*: what the verb says has happened is a date of the rows that bring the two together.
fn had_done(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let Some(Phrase::Part(done @ Part::Where(_))) = happened(found, true) else { return None };
    let things = found.noun(1)?.as_table()?;
    let with = Against::Value(found.number(0)?);
    let many = Part::Having(Having { measure: Measure::Count(Some(things)), operator, with });
    Some(Phrase::Part(Part::All(vec![Part::Names, done, many])))
}

/// How many percent of those that did it at all did it again, or so often as is said elsewhere.
fn share_of_doers(rows: Noun, told: Option<Noun>, again: bool) -> Option<Phrase> {
    let twice = Having {
        measure: Measure::Count(told),
        operator: Comparison::GreaterOrEqual,
        with: Against::Value(Value::Integer(2)),
    };
    let mut parts = vec![Part::Subject(rows.as_table()?), Part::ShareOfGroups, Part::OfDoers];
    parts.extend(again.then_some(Part::Having(twice)));
    Some(Phrase::Part(Part::All(parts)))
}
