//! What one row of the result stands for: *per month*, *by country and city*, *for each member*.

use std::rc::Rc;

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Bands, Key, Measure, Named, Noun, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::units::Unit;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "per_time", pattern: "UNIT", make: |found| key(Key::Time(found.unit()?, None)) },
    Rule {
        name: "weekend_and_weekday",
        pattern: "at|on|for|during|in|by|per? the? weekend|weekends|saturdays_and_sundays|saturday_and_sunday $versus|and|or|than|, at|on|for|during|in? the? weekday|weekdays|working_days|workdays|rest_of_the_week|other_days|week|monday_to_friday|rest",
        make: |_| key(Key::Time(Unit::Weekend, None)),
    },
    Rule {
        name: "weekday_and_weekend",
        pattern: "at|on|for|during|in|by|per? the? weekday|weekdays|working_days|workdays|week $versus|and|or|than|, at|on|for|during|in? the? weekend|weekends|saturdays_and_sundays|saturday_and_sunday",
        make: |_| key(Key::Time(Unit::Weekend, None)),
    },
    Rule {
        name: "which_time",
        pattern: "in|on|during|at? which|what PERIOD",
        make: |found| key(Key::Time(found.unit()?, None)),
    },
    Rule {
        name: "time_of_day",
        pattern: "at|in|on|during|for|by|per? which|what|each|every|the? time of_the_day|of_day",
        make: |_| key(Key::Time(Unit::HourOfDay, None)),
    },
    Rule { name: "so_many_a_month", pattern: "a|an PERIOD", make: a_time },
    Rule {
        name: "at_what_time",
        pattern: "at what|which time|hour",
        make: |_| key(Key::Time(Unit::HourOfDay, None)),
    },
    Rule {
        name: "time_with",
        pattern: "PERIOD with|by|in_which|when",
        make: |found| key(Key::Time(found.unit()?, None)),
    },
    Rule {
        name: "time_within_with",
        pattern: "PERIOD in|of|during WINDOW with|in_which|when|where|that_had|which_had",
        make: |found| {
            let parts = vec![
                Part::Key(Key::Time(found.unit()?, None)),
                Part::Where(Pred::In(None, found.window(0)?)),
            ];
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "column_per_time",
        pattern: "NOUN UNIT",
        make: |found| {
            // *orders per month* are counted, whatever their date is called.
            let noun = found.noun(0)?;
            let is_column = noun.column_score() > noun.table_score();
            is_column.then(|| key(Key::Time(found.unit()?, Some(noun.as_column()?))))?
        },
    },
    Rule {
        name: "per",
        pattern: "$per NOUN",
        make: |found| (!names_doer(found)).then(|| key(Key::Noun(found.noun(0)?))).flatten(),
    },
    Rule {
        name: "per_row_of_kind",
        pattern: "$per VALUE NOUN",
        make: |found| {
            // *per business customer*: the rows of that kind.
            let (kind, rows) = (found.value(0)?, found.noun(0)?.as_table()?);
            let is = Pred::Is { values: vec![kind], column: None, negated: false };
            let named = rows.table_score() >= 0.6 && !names_doer(found);
            named.then(|| Phrase::Part(Part::All(vec![Part::Key(Key::Noun(rows)), Part::Where(is)])))
        },
    },
    Rule {
        name: "per_row_of_flag",
        pattern: "$per NOUN NOUN",
        make: |found| {
            let (flag, rows) = (found.noun(0)?.as_column()?, found.noun(1)?.as_table()?);
            let named = rows.table_score() >= 0.6 && flag.column_score() >= 0.8 && !names_doer(found);
            let is_so = Part::Where(Pred::Flag(flag, true));
            named.then(|| Phrase::Part(Part::All(vec![Part::Key(Key::Noun(rows)), is_so])))
        },
    },
    Rule {
        name: "per_column_of",
        pattern: "$per NOUN of|for NOUN",
        make: |found| {
            let (column, rows) = (found.noun(0)?.as_column()?, found.noun(1)?.as_table()?);
            let is_own = column.columns.iter().any(|(_, score)| *score >= 0.6);
            let named = rows.table_score() >= 0.6 && is_own;
            named.then(|| key(Key::Noun(column))).flatten()
        },
    },
    Rule {
        name: "by_date_of",
        pattern: "by|going_by|based_on|according_to|counted_by|using|at date|day|time|month of NOUN",
        make: |found| Some(Phrase::Part(Part::Date(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "by_the_date",
        pattern: "by|going_by|based_on|according_to|counted_by|using NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let says = |at: usize| found.lattice.question.word(at) == "date";
            // *by date* by itself cuts time into days.
            let named = noun.words.end - noun.words.start > 1 && says(noun.words.end - 1);
            named.then(|| Some(Phrase::Part(Part::Date(noun.as_column()?)))).flatten()
        },
    },
    Rule {
        name: "by_when_it_was",
        pattern: "by|going_by|based_on|according_to|counted_by|counted when it|they was|were|is|are NOUN",
        make: |found| Some(Phrase::Part(Part::Date(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "per_time_of_event",
        pattern: "$per the? PERIOD in_which|that|when|of|on_which? it|they|the? was|were|is|are|got? NOUN",
        make: |found| key(Key::Time(found.unit()?, Some(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "per_time_that_it_was_done",
        pattern: "$per the? PERIOD in_which|that|when|of|on_which? NOUN was|were|is|are|got|had|has|have? been? NOUN",
        make: |found| key(Key::Time(found.unit()?, Some(found.noun(1)?.as_column()?))),
    },
    Rule {
        name: "counted_by_date",
        pattern: ",|(|;|: count? by|going_by|counted_by|based_on|according_to the? day|date|time|month|period|start|moment|year? of|in_which|when|that|on_which? it|they? was|were|is|are? NOUN",
        make: |found| Some(Phrase::Part(Part::Date(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "breakdown",
        pattern: "NOUN breakdown|distribution|split",
        make: |found| key(Key::Noun(found.noun(0)?.as_column()?)),
    },
    Rule {
        name: "per_time_of_column",
        pattern: "$per NOUN PERIOD",
        make: |found| {
            // *by issue month*, *per hire year*
            let noun = found.noun(0)?;
            let is_date = noun.column_score() >= noun.table_score();
            // *newest by bought date* cuts no time.
            let last = found.lattice.question.word(found.words.end - 1);
            let cuts = !matches!(last, "date" | "dates" | "day" | "days");
            (is_date && cuts).then(|| key(Key::Time(found.unit()?, Some(noun.as_column()?))))?
        },
    },
    Rule {
        name: "per_doing_row",
        pattern: "$per WORD NOUN",
        make: |found| {
            // *per receiving warehouse*: what it does is how the rows refer to it.
            let named = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.6)?;
            let does = found.lattice.question.word(named.words.start.checked_sub(1)?);
            (does.len() > 5 && does.ends_with("ing")).then(|| key(Key::Noun(named))).flatten()
        },
    },
    Rule {
        name: "per_both",
        pattern: "$per NOUN and|, NOUN",
        make: |found| {
            let parts = [0, 1].map(|at| found.noun(at).map(|noun| Part::Key(Key::Noun(noun))));
            let [Some(one), Some(other)] = parts else { return None };
            Some(Phrase::Part(Part::All(vec![one, other])))
        },
    },
    Rule {
        name: "several_per",
        pattern: "NOUN ,? NOUN? ,|and|& and? NOUN $per NOUN",
        make: |found| {
            let nouns: Vec<Noun> = (0..4).map_while(|at| found.noun(at)).collect();
            let (key, counted) = nouns.split_last()?;
            let counts =
                counted.iter().map(|noun| Some(Part::Measure(Measure::Count(Some(noun.as_table()?)))));
            let mut parts: Vec<Part> = counts.collect::<Option<_>>()?;
            parts.push(Part::Key(Key::Noun(key.clone())));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "values_and_so_on",
        pattern: "VALUE ,|or|and? VALUE? ,|or|and? VALUE? ,|or|and? VALUE? ,|or|and? $and_so_on",
        make: |found| key(Key::ColumnOf(found.value(0)?)),
    },
    Rule {
        name: "of_each_value",
        pattern: "of|for|on|in|with|from|at|by|through|per|under? each|each_one|each_of_them|each_of_these|every_one|each_kind|each_type|either",
        make: |found| key(Key::ColumnOf(first_of_several_values(found)?)),
    },
    Rule {
        name: "bands_of",
        pattern: "$per|into|in? NOUN $band? $marked? BANDS NOUN?",
        make: |found| key(Key::Bands(Attr::Noun(found.noun(0)?.as_column()?), found.bands()?)),
    },
    Rule {
        name: "bands_of_worth",
        pattern: "NOUN in|of|from|during? WINDOW? $per|into|in|of|with|whose? a|an|the|their? $amount $marked|is|are|was? BANDS",
        make: bands_of_worth,
    },
    Rule {
        name: "worth_in_bands",
        pattern: "NOUN are|is|were|was|that_are|which_are? worth|valued_at|totalling|came_to|come_to|amount_to BANDS",
        make: bands_of_worth,
    },
    Rule {
        name: "bands_before",
        pattern: "with|have|having|$per|into? BANDS NOUN",
        make: |found| key(Key::Bands(Attr::Noun(found.noun(0)?.as_column()?), found.bands()?)),
    },
    Rule {
        name: "bands_with_unit",
        pattern: "with|have|having|are|is|$per|into? BANDS",
        make: |found| {
            // *fewer than 150 pages, 150 to 299 pages, 300 pages or more*
            let nouns = (found.words.start..found.words.end).flat_map(|at| found.lattice.nouns(at));
            let unit = nouns.into_iter().find_map(|noun| noun.as_column().filter(|noun| noun.score() >= 0.8));
            key(Key::Bands(Attr::Noun(unit?), found.bands()?))
        },
    },
    Rule {
        name: "by_age_group",
        pattern: "$per|into|in|of|for|the|different? age $band",
        make: |found| key(Key::Bands(Attr::Age(found.words, true), Rc::new(Bands::of_ages()))),
    },
    Rule {
        name: "age_bands",
        pattern: "$per|into|in|aged? age? $band? $marked? aged|are? BANDS years|years_old|of_age?",
        make: |found| {
            let lattice = found.lattice;
            let of_age = |at: usize| {
                matches!(
                    lattice.question.word(at),
                    "age" | "aged" | "ages" | "years" | "old" | "older" | "younger"
                )
            };
            let said = (found.words.start..found.words.end).any(of_age);
            said.then(|| key(Key::Bands(Attr::Age(found.words, true), found.bands()?))).flatten()
        },
    },
    Rule {
        name: "in_bands",
        pattern: "NOUN in|by|into|per $band $marked? BANDS",
        make: |found| key(Key::Bands(Attr::Noun(found.noun(0)?.as_column()?), found.bands()?)),
    },
    Rule {
        name: "per_and_time",
        pattern: "$per NOUN and|, each|per|by? PERIOD",
        make: |found| {
            let parts = vec![Part::Key(Key::Noun(found.noun(0)?)), Part::Key(Key::Time(found.unit()?, None))];
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "per_time_and",
        pattern: "$per? UNIT and|, NOUN",
        make: |found| {
            let time = Part::Key(Key::Time(found.unit()?, None));
            Some(Phrase::Part(Part::All(vec![time, Part::Key(Key::Noun(found.noun(0)?))])))
        },
    },
];

/// *new patients a month*; *45 a day*, *twice a week* and *for a year* cut no time.
fn a_time(found: &Matched<'_>) -> Option<Phrase> {
    const LENGTHS: [&str; 20] = [
        "for", "in", "within", "than", "least", "most", "about", "over", "under", "once", "twice", "times",
        "last", "lasts", "take", "takes", "of", "at", "half", "on",
    ];
    let question = found.lattice.question;
    let before = found.words.start.checked_sub(1)?;
    let behind = question.word(found.words.end);
    let says_length = LENGTHS.contains(&question.word(before)) || !found.lattice.numbers(before).is_empty();
    let goes_on = matches!(behind, "ago" | "or" | "later" | "earlier" | "old" | "before" | "after" | "with");
    let follows_rows = (0..before + 1).any(|at| {
        found.lattice.nouns(at).iter().any(|noun| noun.words.end == before + 1 && noun.table_score() > 0.5)
    });
    (follows_rows && !says_length && !goes_on).then(|| key(Key::Time(found.unit()?, None)))?
}

/// *borrowed by members* says who did it, and groups nothing, where *sold by type* does; *sorted by price* says how rows are sorted.
fn names_doer(found: &Matched<'_>) -> bool {
    let question = found.lattice.question;
    if question.word(found.words.start) != "by" {
        return false;
    }
    let before = found.words.start.checked_sub(1).map_or("", |at| question.word(at));
    // *women by city*
    let is_people = before.ends_with("men") || before.ends_with("children");
    let last = found.noun(0).and_then(|noun| question.tokens.get(noun.words.end.checked_sub(1)?));
    let participle = !is_people
        && last.is_none_or(|token| token.lower != token.stem)
        && ["ed", "en", "wn", "ght", "ade", "one", "old"].iter().any(|ending| before.ends_with(ending));
    let sorts = |at: usize| {
        matches!(question.word(at), "sorted" | "ordered" | "ranked" | "sort" | "order" | "arranged")
    };
    let sorts_on = matches!(before, "and" | ",") && (0..found.words.start).any(sorts);
    sorts_on
        || participle
        || matches!(
            before,
            "descending" | "ascending" | "order" | "rank" | "sort" | "written" | "run" | "won"
        )
}

/// The first of several values that were named before: *open, returned, cancelled: how many of each*.
fn first_of_several_values(found: &Matched<'_>) -> Option<Named> {
    let mut named = (0..found.words.start).flat_map(|at| found.lattice.values(at));
    let first = named.next()?;
    named.any(|other| other.words.start >= first.words.end).then(|| first.clone())
}

/// *orders by value: under 50, 50 to 200, over 200*.
fn bands_of_worth(found: &Matched<'_>) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let key = Part::Key(Key::Bands(Attr::Amount(rows.clone()), found.bands()?));
    let mut parts = vec![Part::Subject(rows), key];
    parts.extend(found.window(0).map(|window| Part::Where(Pred::In(None, window))));
    Some(Phrase::Part(Part::All(parts)))
}

fn key(key: Key) -> Option<Phrase> {
    Some(Phrase::Part(Part::Key(key)))
}
