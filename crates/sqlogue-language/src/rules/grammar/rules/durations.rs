//! Times that pass: *average length of stay in days*, *hours per doctor*, *older than 65*, *paid late*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Measure, Noun, Pred, Take, Waiting};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::takes::{all, most_or_least, take};
use crate::rules::grammar::rules::waiting::whole;
use crate::rules::grammar::units;
use crate::rules::grammar::words::WordLists;
use sqlogue_sql::plan::{Aggregate, Comparison, Direction, TimeUnit};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "how_long_they_keep_it",
        pattern: "how_long|how_many_days do|does|did NOUN usually|typically|normally|on_average? keep|hold|hold_on_to|have|use a|an|the|their|one? NOUN on_average|typically|usually?",
        make: kept,
    },
    Rule {
        name: "how_long_such_keep_it",
        pattern: "how_long|how_many_days do|does|did VALUE usually|typically|normally|on_average? keep|hold|hold_on_to|have|use a|an|the|their|one? NOUN on_average|typically|usually?",
        make: |found| {
            let Some(Phrase::Measure(kept)) = kept(found) else { return None };
            let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            Some(Phrase::Part(Part::All(vec![Part::Where(is), Part::Measure(kept)])))
        },
    },
    Rule {
        name: "event",
        pattern: "day|date|time|moment of? NOUN",
        make: |found| Some(Phrase::Event(when(&found.noun(0)?)?)),
    },
    Rule {
        name: "event_named",
        pattern: "NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            // *brewing* is when it was brewed, and not the brewers.
            let is_doing = found.lattice.question.word(noun.words.end - 1).ends_with("ing");
            let done = noun.as_column().filter(|_| is_doing && noun.column_score() >= 0.4);
            Some(Phrase::Event(done.map(Attr::Noun).or_else(|| when(&noun))?))
        },
    },
    Rule {
        name: "event_done",
        pattern: "day|date|time|moment? that|when|on_which? NOUN is|are|was|were|gets|got|being NOUN",
        make: |found| Some(Phrase::Event(Attr::Noun(found.noun(1)?.as_column()?))),
    },
    Rule {
        name: "event_done_to_it",
        pattern: "day|date|time|moment? that|when|on_which? it|they is|are|was|were|gets|got|being NOUN",
        make: |found| Some(Phrase::Event(Attr::Noun(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "event_of",
        pattern: "NOUN of|for? NOUN",
        make: |found| {
            let of_table = found.noun(1)?.as_table().is_some();
            let date = found.noun(0)?.as_column()?;
            of_table.then_some(Phrase::Event(Attr::Noun(date)))
        },
    },
    Rule {
        name: "event_done_with",
        pattern: "NOUN a|an|the|one|each|every NOUN",
        make: |found| {
            // *billing a fee*, *placing the order*
            let is_doing = found.lattice.question.word(found.words.start).ends_with("ing");
            let date = found.noun(0)?.as_column()?;
            (is_doing && found.noun(1)?.as_table().is_some()).then_some(Phrase::Event(Attr::Noun(date)))
        },
    },
    Rule {
        name: "event_of_it",
        pattern: "its|their NOUN",
        make: |found| Some(Phrase::Event(when(&found.noun(0)?)?)),
    },
    Rule {
        name: "time_between",
        pattern: "$avg? $how_many|how_long|total? number_of? $avg? waiting|lead|processing? days|time|duration|long $pass? on_average|average? ,? in_days? ,? from|between|after EVENT to|and|until|till|before EVENT in_days?",
        make: |found| between(found, TimeUnit::Day),
    },
    Rule {
        name: "days_to",
        pattern: "$avg number_of? MEASURED EVENT to|until|till EVENT",
        make: |found| between(found, found.measured()?),
    },
    Rule {
        name: "units_between",
        pattern: "$avg? $how_many|total? number_of|the_number_of? $avg? MEASURED $pass? on_average|average|ahead? from|between EVENT to|and|until|till EVENT on_average?",
        make: |found| between(found, found.measured()?),
    },
    Rule {
        name: "time_until",
        pattern: "$avg? $how_many|how_long|time? number_of? MEASURED? on_average|typically? does_it_take|does_it_usually_take|it_takes|passed|pass? on_average|typically? until|till|before|to NOUN? is|are|was|were|gets|get? NOUN",
        make: time_until,
    },
    Rule {
        name: "time_until_got",
        pattern: "$avg? $how_many|how_long number_of? MEASURED? on_average|typically? does_it_take|does_it_usually_take|it_takes on_average|typically? to get|have a|an|the|our? NOUN? NOUN",
        make: time_until,
    },
    Rule {
        name: "hours_between",
        pattern: "$avg? $how_many|total? number_of? $avg? hours|time_in_hours $pass? on_average? from|between EVENT to|and|until|till EVENT in_hours?",
        make: |found| between(found, TimeUnit::Hour),
    },
    Rule {
        name: "average_lasting",
        pattern: "$avg NOUN? $lasting of|for|on|at? NOUN? in? MEASURED?",
        make: |found| lasting(found, Aggregate::Avg),
    },
    Rule {
        name: "longest_lasting",
        pattern: "$max NOUN? $lasting of|for|on|at? NOUN? in? MEASURED?",
        make: |found| lasting(found, Aggregate::Max),
    },
    Rule {
        name: "total_lasting",
        pattern: "$sum NOUN? $lasting of|for|on|at? NOUN? in? MEASURED?",
        make: |found| lasting(found, Aggregate::Sum),
    },
    Rule {
        name: "median_lasting",
        pattern: "$median NOUN? $lasting of|for|on|at? NOUN? in? MEASURED?",
        make: |found| Some(Phrase::Measure(Measure::Percentile(50, span(found)))),
    },
    Rule {
        name: "how_long",
        pattern: "how_long in? MEASURED? do|does|did|is|are|was|were? a|an|the|each|one? WHERE? NOUN last|take|stay|remain|run|go_on|usually_last|usually_take|usually_stay? open|outstanding|unresolved|unsettled? on_average|typically?",
        make: |found| lasting(found, Aggregate::Avg),
    },
    Rule {
        name: "how_long_until_event",
        pattern: "how_long|how_many_days does|do|did it_take_for|it_take? the? NOUN take|usually_take|takes? on_average|typically|usually?",
        make: |found| {
            let end = found.noun(0)?.as_column()?;
            let passed =
                Attr::Between(Box::new(Attr::Begin(end.clone())), Box::new(Attr::Noun(end)), TimeUnit::Day);
            Some(Phrase::Measure(Measure::Of(Aggregate::Avg, passed)))
        },
    },
    Rule {
        name: "how_many_units",
        pattern: "$how_many MEASURED do|does|did|is|are|was|were? a|an|the|each|one? WHERE? NOUN last|take|stay|run|go_on|usually_last|usually_take on_average|typically?",
        make: |found| lasting(found, Aggregate::Avg),
    },
    Rule {
        name: "lasting_on_average",
        pattern: "NOUN? $lasting in? MEASURED? on_average|average|mean",
        make: |found| lasting(found, Aggregate::Avg),
    },
    Rule {
        name: "average_units",
        pattern: "$avg number_of|count_of? MEASURED per|of|for|on? NOUN?",
        make: |found| lasting(found, Aggregate::Avg),
    },
    Rule {
        name: "units_of",
        pattern: "$sum|$how_many? MEASURED of|spent|worked|logged|for|in|on|with? GROUP",
        make: |found| {
            let group = found.group(0)?;
            // *length in hours of completed bookings* says in which unit.
            let before = found.words.start.checked_sub(1).map_or("", |at| found.lattice.question.word(at));
            if before == "in" {
                return None;
            }
            let attr = Attr::Lasting(found.words, Some(group.of), found.measured());
            let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
            parts.push(Part::Measure(Measure::Of(Aggregate::Sum, attr)));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "worked_most",
        pattern: "worked|works|work|logged|clocked|put_in|spent $most|$fewest MEASURED",
        make: |found| {
            let hours = Measure::Of(Aggregate::Sum, Attr::Lasting(found.words, None, found.measured()));
            all(vec![take(By::Measure(hours), most_or_least(found))])
        },
    },
    Rule {
        name: "who_worked_most",
        pattern: "who|whoever has|have|had? worked|works|work|logged|clocked|put_in|spent $most|$fewest MEASURED",
        make: |found| {
            let hours = Measure::Of(Aggregate::Sum, Attr::Lasting(found.words, None, found.measured()));
            let first = take(By::Measure(hours.clone()), most_or_least(found));
            all(vec![Part::OfEachPerson, Part::Measure(hours), first])
        },
    },
    Rule {
        name: "units_spent",
        pattern: "$sum|$how_many? MEASURED spent|worked|logged|booked|in_total|altogether?",
        make: |found| lasting(found, Aggregate::Sum),
    },
    Rule {
        name: "units_of_rows",
        pattern: "$sum|$how_many? NOUN MEASURED",
        make: |found| {
            let of = found.noun(0)?.as_table()?;
            let attr = Attr::Lasting(found.words, Some(of), found.measured());
            Some(Phrase::Measure(Measure::Of(Aggregate::Sum, attr)))
        },
    },
    Rule {
        name: "in_unit",
        pattern: "in|(|,? in|measured_in? MEASURED",
        make: |found| {
            let unit = found.measured()?;
            let said = found.words.end - found.words.start > 1;
            said.then_some(Phrase::Part(Part::InUnit(unit)))
        },
    },
    Rule {
        name: "lasts_longer",
        pattern: "$lasting|run|runs|ran|running|last|lasts|lasted|lasting|take|takes|took|go_on|goes_on? OP NUM MEASURED long|in_length?",
        make: |found| {
            // What is older began longer ago, however long it lasted.
            (!says_age(found)).then(|| lasts(found, found.operator()?))?
        },
    },
    Rule {
        name: "lasts_longer_than_one",
        pattern: "$lasting|run|runs|ran|last|lasts|lasted|lasting|take|takes|took|go_on|goes_on OP a|an|one minute|hour|day|week|month|year",
        make: |found| lasts_units(found, Value::Integer(1)),
    },
    Rule {
        name: "lasts_longer_than_weeks",
        pattern: "$lasting|run|runs|ran|last|lasts|lasted|lasting|take|takes|took|go_on|goes_on OP NUM weeks",
        make: |found| lasts_units(found, found.number(0)?),
    },
    Rule {
        name: "lasts_or_more",
        pattern: "NUM MEASURED $or_more",
        make: |found| lasts(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "lasts_or_less",
        pattern: "NUM MEASURED $or_less",
        make: |found| lasts(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "took_longest_to",
        pattern: "took|take|takes|taking|needed|needs|waited the? longest|most_time|the_longest|the_most_time|most_days|longest_time to_be|to_get|to|until|till|for? NOUN",
        make: |found| {
            let passed = until(found.noun(0)?.as_column()?);
            Some(Phrase::Part(Part::Take(longest(passed, Direction::Descending))))
        },
    },
    Rule {
        name: "took_shortest_to",
        pattern: "took|take|takes|taking|needed|needs|waited the? shortest|least_time|the_shortest|fewest_days|shortest_time to_be|to_get|to|until|till|for? NOUN",
        make: |found| {
            let passed = until(found.noun(0)?.as_column()?);
            Some(Phrase::Part(Part::Take(longest(passed, Direction::Ascending))))
        },
    },
    Rule {
        name: "took_so_long_to",
        pattern: "that|which? took|take|takes|taking|needed|waited OP NUM MEASURED to_be|to_get|to|until|till|for NOUN",
        make: |found| {
            let passed = until_in(found.noun(0)?.as_column()?, found.measured()?);
            let compare = Pred::Compare(passed, found.operator()?, found.number(0)?);
            Some(Phrase::Part(Part::Where(compare)))
        },
    },
    Rule {
        name: "took_over_one_to",
        pattern: "that|which? took|take|takes|taking|needed|waited OP a|an|one hour|day|week|month|year to_be|to_get|to|until|till|for NOUN",
        make: |found| took_to(found, Value::Integer(1)),
    },
    Rule {
        name: "took_weeks_to",
        pattern: "that|which? took|take|takes|taking|needed|waited OP NUM weeks to_be|to_get|to|until|till|for NOUN",
        make: |found| took_to(found, found.number(0)?),
    },
    Rule {
        name: "done_so_long_after",
        pattern: "$yes? NOUN OP NUM MEASURED after|from|since|of being? EVENT",
        make: |found| done_after(found, found.operator()?),
    },
    Rule {
        name: "done_later_than_after",
        pattern: "$yes? NOUN later_than NUM MEASURED after|from|since being? EVENT",
        make: |found| done_after(found, Comparison::Greater),
    },
    Rule {
        name: "done_within_of",
        pattern: "$yes? NOUN within NUM MEASURED after|from|since|of being? EVENT",
        make: |found| done_after(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "done_within",
        pattern: "$yes? NOUN within|in_under|in_less_than NUM MEASURED",
        make: |found| {
            let passed = until_in(found.noun(0)?.as_column()?, found.measured()?);
            Some(Phrase::Part(Part::Where(Pred::Compare(passed, Comparison::LessOrEqual, found.number(0)?))))
        },
    },
    Rule { name: "average_age", pattern: "$avg age", make: |found| age_of(found, Aggregate::Avg) },
    Rule { name: "highest_age", pattern: "$max age", make: |found| age_of(found, Aggregate::Max) },
    Rule { name: "lowest_age", pattern: "$min age", make: |found| age_of(found, Aggregate::Min) },
    Rule {
        name: "age_compares",
        pattern: "aged|age|who_are|that_are? OP NUM years_old|years_of_age|years?",
        make: |found| if speaks_of_age(found) { age_is(found, found.operator()?) } else { None },
    },
    Rule {
        name: "age_or_more",
        pattern: "aged|age? NUM years? or|and older|over|above years_old?",
        make: |found| age_is(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "age_or_less",
        pattern: "aged|age? NUM years? or|and younger|under|below years_old?",
        make: |found| age_is(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "age_between",
        pattern: "aged|of_age|age between|from? NUM to|and|- NUM",
        make: |found| {
            let age = Attr::Age(found.words, true);
            Some(Phrase::Part(Part::Where(Pred::Range(age, found.number(0)?, found.number(1)?))))
        },
    },
    Rule { name: "late", pattern: "$yes|$arrived? NOUN? $late", make: |found| late(found, true) },
    Rule { name: "on_time", pattern: "$yes|$arrived? NOUN? $on_time", make: |found| late(found, false) },
];

/// The days from the beginning of a row to the date of its end.
/// *how long do students keep a book*: until it was returned.
fn kept(found: &Matched<'_>) -> Option<Phrase> {
    let returned = Waiting::Until("returned".to_owned());
    let waited = Attr::Waited(found.words, returned, TimeUnit::Day);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, waited)))
}

fn until(end: Noun) -> Attr {
    until_in(end, TimeUnit::Day)
}

fn until_in(end: Noun, unit: TimeUnit) -> Attr {
    Attr::Between(Box::new(Attr::Begin(end.clone())), Box::new(Attr::Noun(end)), unit)
}

fn longest(passed: Attr, direction: Direction) -> Take {
    Take { by: By::Attr(passed), direction, open: false, each: None, alone: false }
}

/// *shipped more than five days after the order*.
fn done_after(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let end = Attr::Noun(found.noun(0)?.as_column()?);
    let passed = Attr::Between(Box::new(found.event(0)?), Box::new(end), found.measured()?);
    Some(Phrase::Part(Part::Where(Pred::Compare(passed, operator, found.number(0)?))))
}

/// How long rows last, as words say it; the noun before or behind names the rows.
fn span(found: &Matched<'_>) -> Attr {
    let of = [1, 0].into_iter().find_map(|at| found.noun(at).and_then(|noun| noun.as_table()));
    Attr::Lasting(found.words, of, found.measured())
}

fn lasting(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    // *length in words* is no time.
    let question = found.lattice.question;
    let units = found.lattice.nouns(found.words.end + 1);
    let is_unit = units.iter().any(|noun| noun.as_column().is_some());
    if question.word(found.words.end) == "in" && is_unit {
        return None;
    }
    // A noun that names no rows is a column of its own, and no part of this.
    let named = (0..2).map_while(|at| found.noun(at));
    let rows = named.into_iter().all(|noun| !noun.tables.is_empty());
    let measure = rows.then(|| Measure::Of(function, span(found)))?;
    Some(match found.pred(0) {
        Some(which) => Phrase::Part(Part::All(vec![Part::Where(which), Part::Measure(measure)])),
        None => Phrase::Measure(measure),
    })
}

/// The time from its beginning until something is done, which the last noun says; *before the promised date* alone asks for no
/// time.
fn time_until(found: &Matched<'_>) -> Option<Phrase> {
    let begins = found.lattice.question.word(found.words.start);
    if matches!(begins, "until" | "till" | "before" | "to") {
        return None;
    }
    let end = (0..2).rev().find_map(|at| found.noun(at))?.as_column()?;
    let unit = found.measured().unwrap_or(TimeUnit::Day);
    let passed = Attr::Between(Box::new(Attr::Begin(end.clone())), Box::new(Attr::Noun(end)), unit);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, passed)))
}

/// *longer than eight minutes*.
fn lasts(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let attr = Attr::Lasting(found.words, None, found.measured());
    Some(Phrase::Part(Part::Where(Pred::Compare(attr, operator, found.number(0)?))))
}

/// *took more than a week*: so many units, by the last word; weeks are counted in days.
fn lasts_units(found: &Matched<'_>, many: Value) -> Option<Phrase> {
    let (unit, many) = in_units(found.lattice.question.word(found.words.end - 1), many)?;
    let attr = Attr::Lasting(found.words, None, Some(unit));
    Some(Phrase::Part(Part::Where(Pred::Compare(attr, found.operator()?, many))))
}

/// *took more than a week to ship*.
fn took_to(found: &Matched<'_>, many: Value) -> Option<Phrase> {
    let done = found.noun(0)?;
    let word = |at: usize| found.lattice.question.word(at);
    let (unit, many) =
        (found.words.start..done.words.start).find_map(|at| in_units(word(at), many.clone()))?;
    let passed = until_in(done.as_column()?, unit);
    Some(Phrase::Part(Part::Where(Pred::Compare(passed, found.operator()?, many))))
}

/// So many of a unit; weeks in days.
pub(super) fn in_units(word: &str, many: Value) -> Option<(TimeUnit, Value)> {
    match (word, many) {
        ("week" | "weeks", Value::Integer(many)) => {
            Some((TimeUnit::Day, Value::Integer(many.checked_mul(7)?)))
        }
        (word, many) => Some((units::measured_one(word)?, many)),
    }
}

fn age_of(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    Some(Phrase::Measure(Measure::Of(function, Attr::Age(found.words, true))))
}

/// True for *older than 65*, *aged under 18* and *patients over 65*, but not for *more than 3 loans*.
fn speaks_of_age(found: &Matched<'_>) -> bool {
    let lattice = found.lattice;
    let words = || (found.words.start..found.words.end).map(|at| lattice.question.word(at));
    let bare = words().any(|word| matches!(word, "over" | "under" | "above" | "below"));
    let lived = matches!(found.number(0), Some(Value::Integer(0..=120)));
    says_age(found)
        || bare
            && lived
            && lattice.nouns(found.words.end).is_empty()
            && units::measured(lattice.question.word(found.words.end)).is_none()
}

/// True where a word is about an age: *older than 65*, *aged 65 and over*, but not *over 65*.
fn says_age(found: &Matched<'_>) -> bool {
    let word = |at: usize| found.lattice.question.word(at);
    (found.words.start..found.words.end).any(|at| WordLists::embedded().has("says_age", word(at)))
}

fn age_is(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let age = Attr::Age(found.words, says_age(found));
    Some(Phrase::Part(Part::Where(Pred::Compare(age, operator, found.number(0)?))))
}

fn late(found: &Matched<'_>, late: bool) -> Option<Phrase> {
    let end = match found.noun(0) {
        Some(noun) => Some(noun.as_column()?),
        None => None,
    };
    Some(Phrase::Part(Part::Where(Pred::Late(end, late))))
}

fn between(found: &Matched<'_>, unit: TimeUnit) -> Option<Phrase> {
    whole(found)?;
    let attr = Attr::Between(Box::new(found.event(0)?), Box::new(found.event(1)?), unit);
    Some(Phrase::Measure(Measure::Of(Aggregate::Avg, attr)))
}

/// A date by its name, or the date of a table's rows.
fn when(noun: &Noun) -> Option<Attr> {
    match noun.table_score() > noun.column_score() {
        true => noun.as_table().map(Attr::When),
        false => noun.as_column().map(Attr::Noun),
    }
}
