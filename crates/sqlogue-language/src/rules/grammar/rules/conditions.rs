//! Conditions on rows: values, numbers, windows of time, flags, what is missing, patterns.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Pred, Words};
use crate::rules::grammar::levels::is_word_of_level;
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::beside::through;
use crate::rules::grammar::rules::dropped::goes_out;
use crate::rules::grammar::rules::long_ago::so_long_ago;
use crate::rules::grammar::rules::profits::in_percent;
use crate::rules::grammar::rules::states::rows_beside;
use crate::rules::stem::stem;
use sqlogue_sql::plan::{Aggregate, Comparison};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "value", pattern: "VALUE", make: |found| is(found, false) },
    Rule { name: "values", pattern: "VALUE or|and|, VALUE", make: |found| is(found, false) },
    Rule {
        name: "three_values",
        pattern: "VALUE ,|or|and VALUE ,? or|and VALUE",
        make: |found| is(found, false),
    },
    Rule {
        name: "column_value",
        pattern: "NOUN is|are|was|of|=|in|with|equal_to|named|called|: VALUE",
        make: |found| is(found, false),
    },
    Rule {
        name: "turned_out",
        pattern: "ended_up|end_up|ends_up|turned_out|wound_up as|being|to_be|getting? WHERE",
        make: |found| condition(found.pred(0)?),
    },
    Rule { name: "column_beside_value", pattern: "NOUN VALUE", make: |found| is(found, false) },
    Rule { name: "value_beside_column", pattern: "VALUE NOUN", make: |found| value_column(found) },
    Rule {
        name: "done_with_value",
        pattern: "$participle by|via|with|in|as|through|on|from|at|for|is|:|=? VALUE",
        make: |found| is(found, false),
    },
    Rule {
        name: "many_values",
        pattern: "VALUE , VALUE ,|and|or and|or? VALUE ,|and|or? and|or? VALUE? ,|and|or? and|or? VALUE?",
        make: |found| is(found, false),
    },
    Rule {
        name: "both_values",
        pattern: "both? VALUE and|as_well_as|and_also|and_in|as_well_as_in|and_also_in|and_for VALUE",
        make: |found| {
            let both = [0, 1].map(|at| {
                found.value(at).map(|value| Part::Where(Pred::Through(value, None, Vec::new(), true)))
            });
            let [Some(one), Some(other)] = both else { return None };
            Some(Phrase::Part(Part::All(vec![one, other])))
        },
    },
    Rule {
        name: "one_value_and_not_the_other",
        pattern: "VALUE but_not|but_never|and_not|and_never|but_no|yet_not|but_not_in|but_never_in VALUE",
        make: |found| {
            let one = Part::Where(Pred::Through(found.value(0)?, None, Vec::new(), true));
            let other = Part::Where(Pred::Through(found.value(1)?, None, Vec::new(), false));
            Some(Phrase::Part(Part::All(vec![one, other])))
        },
    },
    Rule {
        name: "neither_value",
        pattern: "neither in|from|of|with? VALUE nor in|from|of|with? VALUE",
        make: |found| {
            let both = [0, 1].map(|at| {
                found.value(at).map(|value| Part::Where(Pred::Through(value, None, Vec::new(), false)))
            });
            let [Some(one), Some(other)] = both else { return None };
            Some(Phrase::Part(Part::All(vec![one, other])))
        },
    },
    Rule {
        name: "never_value",
        pattern: "$never $light_verb|$used? in|from|of|with|to|at|for? VALUE",
        make: |found| condition(through(found, 0, false)?),
    },
    Rule {
        name: "not_value",
        pattern: "$not $participle? in|from|of|with|to|at|for|by|on? VALUE",
        make: |found| is(found, true),
    },
    Rule {
        name: "not_value_or_value",
        pattern: "$not VALUE or|and|nor VALUE",
        make: |found| is(found, true),
    },
    Rule {
        name: "window",
        pattern: "in|during|on|for|of|within|over|from|at|throughout? WINDOW",
        make: |found| condition(Pred::In(None, found.window(0)?)),
    },
    Rule {
        name: "column_in_window",
        pattern: "NOUN in|during|on|for|of|within|over|from|at|is? WINDOW",
        make: |found| condition(Pred::In(Some(found.noun(0)?.as_column()?), found.window(0)?)),
    },
    Rule {
        name: "weekdays",
        pattern: "on|at|during? DAYS",
        make: |found| condition(Pred::On(None, found.recurring()?)),
    },
    Rule {
        name: "compares",
        pattern: "NOUN $yes? OP NUM %|percent?",
        make: |found| compare(found, found.operator()?),
    },
    Rule {
        name: "compares_money",
        pattern: "$with? NOUN $yes? OP MONEY",
        make: |found| {
            let Some(Phrase::Part(part)) = compare(found, found.operator()?) else { return None };
            Some(Phrase::Part(Part::All(vec![part, Part::WholeMoney])))
        },
    },
    Rule {
        name: "number_or_more",
        pattern: "NOUN is|of|=|at|with? NUM $or_more",
        make: |found| compare(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "number_or_less",
        pattern: "NOUN is|of|=|at|with? NUM $or_less",
        make: |found| compare(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "number_is",
        pattern: "NOUN is|of|=|equals|equal_to|are NUM",
        make: |found| compare(found, Comparison::Equal),
    },
    Rule {
        name: "on_the_nth",
        pattern: "on|in|at|from|of first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|1st|2nd|3rd|4th|5th|6th NOUN",
        make: at_place,
    },
    Rule { name: "number_beside", pattern: "NOUN NUM", make: |found| compare(found, Comparison::Equal) },
    Rule {
        name: "compares_before",
        pattern: "OP NUM NOUN",
        make: |found| compare_or_count(found, found.operator()?),
    },
    Rule {
        name: "compares_rows",
        pattern: "OP NUM NOUN",
        make: |found| counts_rows(found, found.operator()?),
    },
    Rule {
        name: "compares_with_kinds",
        pattern: "$with? OP NUM kinds|types|sorts|different|distinct|separate of? NOUN",
        make: |found| {
            let kinds = Measure::Distinct(found.noun(0)?.as_table()?);
            having(kinds, found.operator()?, found)
        },
    },
    Rule {
        name: "compares_before_some",
        pattern: "$with? OP NUM WHERE NOUN",
        make: |found| counted_some(found, found.operator()?),
    },
    Rule {
        name: "number_or_more_of_some",
        pattern: "$with? NUM $or_more WHERE NOUN",
        make: |found| counted_some(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "compares_before_value",
        pattern: "$with? OP NUM VALUE",
        make: |found| counted_value(found, found.operator()?),
    },
    Rule {
        name: "number_or_more_of_value",
        pattern: "$with? NUM $or_more VALUE",
        make: |found| counted_value(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "done_so_many_times",
        pattern: "NOUN OP NUM times|x",
        make: |found| having(Measure::Count(Some(found.noun(0)?.as_table()?)), found.operator()?, found),
    },
    Rule {
        name: "done_times_or_more",
        pattern: "NOUN NUM times $or_more",
        make: |found| {
            let count = Measure::Count(Some(found.noun(0)?.as_table()?));
            having(count, Comparison::GreaterOrEqual, found)
        },
    },
    Rule {
        name: "number_or_more_of",
        pattern: "NUM $or_more NOUN",
        make: |found| compare_or_count(found, Comparison::GreaterOrEqual),
    },
    Rule {
        name: "between_numbers",
        pattern: "NOUN is? $between NUM and|to|- NUM",
        make: |found| {
            let noun = Attr::Noun(found.noun(0)?.as_column()?);
            condition(Pred::Range(noun, found.number(0)?, found.number(1)?))
        },
    },
    Rule {
        name: "measure_compares",
        pattern: "MEASURE $yes? OP NUM %|percent|per_cent?",
        make: |found| having(in_percent(found)?, found.operator()?, found),
    },
    Rule {
        name: "columns_compare",
        pattern: "NOUN $yes? OP NOUN",
        make: |found| {
            let [one, other] = [0, 1].map(|at| found.noun(at).and_then(|noun| noun.as_column()));
            condition(Pred::Attrs(Attr::Noun(one?), found.operator()?, Attr::Noun(other?)))
        },
    },
    Rule {
        name: "date_after_date",
        pattern: "NOUN after|later_than|past day|date? NOUN",
        make: |found| dates_compare(found, Comparison::Greater),
    },
    Rule {
        name: "date_before_date",
        pattern: "NOUN before|earlier_than|ahead_of day|date? NOUN",
        make: |found| dates_compare(found, Comparison::Less),
    },
    Rule {
        name: "brought_in_so_much",
        pattern: "$with? OP NUM in|of|worth_of $revenue",
        make: |found| {
            let said = Words::new(found.words.end - 1, found.words.end);
            having(Measure::Of(Aggregate::Sum, Attr::Revenue(said)), found.operator()?, found)
        },
    },
    Rule {
        name: "happened_left_out",
        pattern: "$not|leaving_out|not_counting those|ones|the_ones|everybody|people? who|that|which? have|has|had|is|are|was|were? been? NOUN ones?",
        make: |found| happened(found, false),
    },
    Rule {
        name: "happened_dropped",
        pattern: "NOUN NOUN? ones|rows|entries? $drop_after",
        make: |found| state_dropped(found, happened(found, false)),
    },
    Rule {
        name: "last_day",
        pattern: "on|as_of|at|for|from? latest|last|most_recent|newest day|date|snapshot on_record|recorded|available|in_the_data|with_data|there_is|known|of_the_data",
        make: |_| condition(Pred::LastDay(None)),
    },
    Rule {
        name: "latest_day",
        pattern: "on|as_of|at|for latest|most_recent|newest day|date|snapshot",
        make: |_| condition(Pred::LastDay(None)),
    },
    Rule {
        name: "current_level",
        pattern: "current|present|latest|actual|up_to_date|most_recent NOUN",
        make: |found| {
            let level = found.noun(0)?.as_column()?;
            let is_level = (found.words.start..found.words.end)
                .any(|at| is_word_of_level(found.lattice.question.word(at)));
            is_level.then(|| Phrase::Part(Part::All(vec![Part::Where(Pred::Current), Part::Noun(level)])))
        },
    },
    Rule { name: "happened", pattern: "$yes? NOUN", make: |found| happened(found, true) },
    Rule {
        name: "not_happened",
        pattern: "$never|no_longer|not_yet been|yet? NOUN yet?",
        make: |found| happened(found, false),
    },
    Rule {
        name: "happened_rows",
        pattern: "NOUN NOUN",
        make: |found| {
            let Some(Phrase::Part(Part::Where(state))) = happened(found, true) else { return None };
            Some(Phrase::Part(Part::All(vec![Part::Where(state), Part::Noun(found.noun(1)?.as_table()?)])))
        },
    },
    Rule {
        name: "counted_at_least_once",
        pattern: "$yes|$turned_out|have|has|had been|ever? NOUN at_least_once|once|ever?",
        make: |found| {
            const PLAINLY: f32 = 0.75;
            let Some(Phrase::Part(Part::Where(Pred::Happened(noun, _)))) = happened(found, true) else {
                return None;
            };
            // What a car was bought for is not how often it was rented.
            if noun.column_score() < PLAINLY {
                return None;
            }
            condition(Pred::Compare(
                Attr::Noun(noun),
                Comparison::Greater,
                sqlogue_sql::schema::Value::Integer(0),
            ))
        },
    },
    Rule {
        name: "from_one_to_the_other",
        pattern: "from VALUE over? to VALUE",
        make: |found| condition(Pred::Way(found.value(0)?, found.value(1)?)),
    },
    Rule {
        name: "to_one_from_the_other",
        pattern: "to|by VALUE from VALUE",
        make: |found| condition(Pred::Way(found.value(1)?, found.value(0)?)),
    },
    Rule {
        name: "is_zero",
        pattern: "out_of|zero|with_zero|no|free NOUN left|at_all?",
        make: |found| {
            let noun = Attr::Noun(found.noun(0)?.as_column()?);
            condition(Pred::Compare(noun, Comparison::Equal, sqlogue_sql::schema::Value::Integer(0)))
        },
    },
    Rule {
        name: "undone",
        pattern: "$yes? $undone",
        make: |found| {
            let word = found.lattice.question.word(found.words.end - 1);
            let end = word.strip_prefix("un").or_else(|| word.strip_prefix("in"))?.to_owned();
            condition(Pred::Open { end: Some(end), late_on: None })
        },
    },
    Rule {
        name: "undone_by_name",
        pattern: "$yes? WORD",
        make: |found| {
            let word = found.lattice.question.word(found.words.end - 1);
            let end = word.strip_prefix("un").filter(|end| end.len() > 4 && end.ends_with("ed"))?;
            condition(Pred::Open { end: Some(end.to_owned()), late_on: None })
        },
    },
    Rule {
        name: "still_open",
        pattern: "$yes? $open",
        make: |found| {
            let of_rows = rows_beside(found).map(Pred::OpenRows);
            condition(of_rows.unwrap_or(Pred::Open { end: None, late_on: None }))
        },
    },
    Rule {
        name: "overdue",
        pattern: "$yes? $overdue",
        make: |found| condition(Pred::Open { end: None, late_on: Some(found.lattice.today) }),
    },
    Rule {
        name: "overdue_for",
        pattern: "$with|$yes? a|an|the|their? $overdue for|on|with? a|an|the|their|its? NOUN",
        make: |found| condition(Pred::Overdue(found.noun(0)?.as_column()?, found.lattice.today)),
    },
    Rule {
        name: "which_is_overdue",
        pattern: "where|whose? the|its|their? NOUN is|are|has|have? been? $overdue",
        make: |found| condition(Pred::Overdue(found.noun(0)?.as_column()?, found.lattice.today)),
    },
    Rule {
        name: "overdue_for_so_long",
        pattern: "$yes? $overdue by|for|since? over|more_than|at_least|longer_than|for_more_than NUM? PERIOD now|already|or_more|or_longer?",
        make: |found| condition(Pred::Open { end: None, late_on: Some(so_long_ago(found)?) }),
    },
    Rule {
        name: "so_long_overdue",
        pattern: "$yes? over|more_than|at_least|longer_than? NUM? PERIOD $overdue",
        make: |found| condition(Pred::Open { end: None, late_on: Some(so_long_ago(found)?) }),
    },
    Rule { name: "ended", pattern: "$yes? $ended", make: |_| condition(Pred::Ended(None)) },
    Rule {
        name: "ended_in",
        pattern: "who|that|which|have|has|had|were|was? ended|finished|left|terminated|stopped|quit in|since|during|on|within? WINDOW",
        make: |found| condition(Pred::Ended(Some(found.window(0)?))),
    },
];

pub(super) fn condition(pred: Pred) -> Option<Phrase> {
    Some(Phrase::Part(Part::Where(pred)))
}

fn is(found: &Matched<'_>, negated: bool) -> Option<Phrase> {
    let values: Vec<_> = (0..5).map_while(|at| found.value(at)).collect();
    let column = match found.noun(0) {
        Some(noun) => Some(noun.as_column()?),
        None => None,
    };
    // A column beside a value must be able to hold it.
    if let Some(column) = &column {
        let held = values.iter().all(|named| {
            named.links.iter().any(|link| {
                link.column.is_none_or(|held| column.columns.iter().any(|(known, _)| *known == held))
            })
        });
        if !held {
            return None;
        }
    }
    condition(Pred::Is { values, column, negated })
}

/// *crime genre*: only where the column holds the value.
fn value_column(found: &Matched<'_>) -> Option<Phrase> {
    let (named, noun) = (found.value(0)?, found.noun(0)?);
    let held =
        named.links.iter().any(|link| noun.columns.iter().any(|(column, _)| Some(*column) == link.column));
    held.then(|| is(found, false)).flatten()
}

fn compare(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let noun = found.noun(0)?.as_column()?;
    condition(Pred::Compare(Attr::Noun(noun), operator, found.number(0)?))
}

/// *on the second floor*: where a column of numbers is called just so.
fn at_place(found: &Matched<'_>) -> Option<Phrase> {
    const PLACES: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let noun = found.noun(0)?;
    let is_column = noun.column_score() >= 0.5 && noun.column_score() > noun.table_score();
    let place = (found.words.start..noun.words.start).find_map(|at| {
        let word = found.lattice.question.word(at);
        let spelt = || word.get(..1).and_then(|digit| digit.parse().ok());
        let place = PLACES.iter().position(|place| *place == word);
        place.and_then(|place| i64::try_from(place + 1).ok()).or_else(spelt)
    })?;
    let place = sqlogue_sql::schema::Value::Integer(place);
    is_column.then(|| condition(Pred::Compare(Attr::Noun(noun), Comparison::Equal, place))).flatten()
}

/// *more than 5 orders* counts; *more than 300 pages* compares.
fn compare_or_count(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let noun = found.noun(0)?;
    match noun.table_score() >= noun.column_score() {
        true => having(Measure::Count(noun.as_table()), operator, found),
        false => compare(found, operator),
    }
}

/// The name of a table that words fit as well as this is what they say.
const PLAINLY: f32 = 0.6;

/// *more than 2 lines* counts the rows of `sale_lines`, though `line_number` bears the name as well.
fn counts_rows(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let last = found.lattice.question.word(noun.words.end.saturating_sub(1));
    let is_weaker = (PLAINLY..noun.column_score()).contains(&noun.table_score());
    (is_weaker && stem(last) != last)
        .then(|| having(Measure::Count(noun.as_table()), operator, found))
        .flatten()
}

/// *more than 5 active users*.
fn counted_some(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let rows = Measure::Count(Some(found.noun(0)?.as_table()?));
    having(Measure::Where(Box::new(rows), vec![found.pred(0)?]), operator, found)
}

/// *more than 4 absences*: of the rows that bear the value.
fn counted_value(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
    having(Measure::Where(Box::new(Measure::Count(None)), vec![is]), operator, found)
}

/// *cancelled orders left out*: what stands behind the state is the rows.
pub(super) fn state_dropped(found: &Matched<'_>, state: Option<Phrase>) -> Option<Phrase> {
    let names_rows = found.noun(1).is_none_or(|rows| rows.as_table().is_some());
    (names_rows && !goes_out(found)).then_some(state).flatten()
}

pub(super) fn having(measure: Measure, operator: Comparison, found: &Matched<'_>) -> Option<Phrase> {
    Some(Phrase::Part(Part::Having(Having { measure, operator, with: Against::Value(found.number(0)?) })))
}

/// *paid after the due date*.
fn dates_compare(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let [one, other] = [0, 1].map(|at| found.noun(at).and_then(|noun| noun.as_column()));
    condition(Pred::Attrs(Attr::Noun(one?), operator, Attr::Noun(other?)))
}

pub(super) fn flag(found: &Matched<'_>, holds: bool) -> Option<Phrase> {
    condition(Pred::Flag(found.noun(0)?.as_column()?, holds))
}

/// Only a participle says that something has happened: *shipped*, *closed*, *sent*.
pub(super) fn happened(found: &Matched<'_>, holds: bool) -> Option<Phrase> {
    let noun = found.noun(0)?.as_column()?;
    let word = found.lattice.question.word(noun.words.end.saturating_sub(1));
    let participle =
        ["ed", "en", "wn", "nt", "id", "ft", "lt", "ught"].iter().any(|ending| word.ends_with(ending));
    // *open* and *payment* end as participles do.
    let is_none = word == "open" || ["ment", "ount", "cent"].iter().any(|ending| word.ends_with(ending));
    (participle && !is_none).then(|| condition(Pred::Happened(noun, holds))).flatten()
}
