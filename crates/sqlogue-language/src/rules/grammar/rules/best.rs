//! What is best, where the words say by what or leave it to be told: *best-selling products*, *our best customers*, *the most viewed
//! articles*, *the top category in each country*.

use super::takes::{all, first_few, most_or_least, nth, one_or_few, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Take, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;
use crate::rules::stem::stem;
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "best_rows", pattern: "our|the|my? NUM? best|top|leading|worst NUM? NOUN", make: best_rows },
    Rule {
        name: "biggest_buyers",
        pattern: "our|the|my? NUM? biggest|largest|most_important|most_valuable|smallest NUM? NOUN",
        make: |found| {
            // Nobody is big but by what they bring in.
            let rows = found.noun(0)?;
            let last = found.lattice.question.word(rows.words.end.checked_sub(1)?);
            let people = WordLists::embedded().has("buyers", &stem(last));
            let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(words_before_noun(found)?));
            people.then(|| first_few(found, revenue, most_or_least(found))).flatten()
        },
    },
    Rule {
        name: "top_of_each",
        pattern: "NUM? top|best|leading|strongest|number_one|worst|weakest|biggest|largest NUM? NOUN in|of|per|for|by|within each|every? NOUN",
        make: |found| {
            top_of_each(found, Measure::Of(Aggregate::Sum, Attr::Revenue(words_before_noun(found)?)))
        },
    },
    Rule {
        name: "top_of_each_time",
        pattern: "NUM? top|best|leading|number_one|biggest|largest|worst|weakest NUM? NOUN of|in|for|within? UNIT",
        make: |found| {
            let (rows, unit) = (found.noun(0)?.as_table()?, found.unit()?);
            let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(words_before_noun(found)?));
            let worst = found.says(&["worst", "weakest"]);
            let direction = if worst { Direction::Ascending } else { Direction::Descending };
            let each = Some(Key::Time(unit, None));
            let first = Take { by: By::Measure(revenue), direction, open: false, each, alone: false };
            let limit = Part::Limit(found.count().unwrap_or(1));
            all(vec![limit, Part::Take(first), Part::Key(Key::Noun(rows))])
        },
    },
    Rule {
        name: "best_time",
        pattern: "our|the? best|worst|top PERIOD ever|so_far|of_all_time|yet?",
        make: best_time,
    },
    Rule {
        name: "time_was_best",
        pattern: "PERIOD was|is|were|has_been the|our? best|worst|strongest|weakest ever|so_far|of_all_time|yet?",
        make: best_time,
    },
    Rule {
        name: "best_selling_of_each",
        pattern: "our|the? NUM? $best_selling NOUN in|of|per|for|by|within each|every? NOUN",
        make: |found| top_of_each(found, Measure::Of(Aggregate::Sum, Attr::Sold(words_before_noun(found)?))),
    },
    Rule {
        name: "best_selling",
        pattern: "top|our|the? NUM? $best_selling NOUN",
        make: |found| most_sold(found, Direction::Descending),
    },
    Rule {
        name: "nth_best_selling",
        pattern: "ORDINAL $best_selling|$worst_selling NOUN",
        make: |found| {
            const WORST: [&str; 7] =
                ["worst", "slowest", "least", "lowest", "poorest", "worst-selling", "slowest-selling"];
            let direction = if found.says(&WORST) { Direction::Ascending } else { Direction::Descending };
            nth(found, most_sold(found, direction))
        },
    },
    Rule {
        name: "most_often_sold",
        pattern: "top|our|the? NUM? $best_selling NOUN",
        make: |found| {
            // Where nothing says how many pieces were sold, each row that tells of a sale is one.
            first_few(found, Measure::Count(None), Direction::Descending)
        },
    },
    Rule {
        name: "worst_selling",
        pattern: "our|the? NUM? $worst_selling NOUN",
        make: |found| most_sold(found, Direction::Ascending),
    },
    Rule {
        name: "sells_best",
        pattern: "NUM? NOUN that|do|does|did|we|which? sell|sells|sold best|most|the_most|the_best",
        make: |found| most_sold(found, Direction::Descending),
    },
    Rule {
        name: "best_rated",
        pattern: "top|our|the? NUM? best|top|highest|best-|worst|lowest|poorest NOUN NOUN",
        make: best_rated,
    },
    Rule {
        name: "most_done_to",
        pattern: "top|our|the? NUM? most|least NOUN NUM? NOUN",
        make: |found| {
            // *the most liked comments*: by how many likes they have.
            let (liked, rows) = (found.noun(0)?.as_column()?, found.noun(1)?.as_table()?);
            let word = |at: usize| found.lattice.question.word(at);
            let is_participle = word(liked.words.end - 1).ends_with("ed");
            let counts = found.noun(0)?.table_score() < liked.column_score() && liked.column_score() >= 0.7;
            let limit = found.count().or_else(|| one_or_few(found, &rows))?;
            let by = take(By::Measure(Measure::Of(Aggregate::Sum, Attr::Noun(liked))), most_or_least(found));
            (is_participle && counts).then(|| all(vec![Part::Limit(limit), by, Part::Noun(rows)])).flatten()
        },
    },
    Rule {
        name: "most_profitable",
        pattern: "top|our|the? NUM? most|least profitable|lucrative NOUN",
        make: |found| {
            let profit = Measure::Of(Aggregate::Sum, Attr::Profit(words_before_noun(found)?));
            first_few(found, profit, most_or_least(found))
        },
    },
    Rule {
        name: "best_earning",
        pattern: "top|our|the? NUM? $best_earning NOUN",
        make: |found| {
            let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(words_before_noun(found)?));
            first_few(found, revenue, Direction::Descending)
        },
    },
];

/// *best customers*: those that brought in the most, as nothing else is said.
fn best_rows(found: &Matched<'_>) -> Option<Phrase> {
    let rows = found.noun(0)?;
    let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(words_before_noun(found)?));
    // *top 5 kinds and how many of each*: by what is shown of them.
    let behind = |at: usize| (found.lattice.question.word(at), found.lattice.question.word(at + 1));
    let counts = (found.words.end..found.lattice.question.tokens.len())
        .any(|at| matches!(behind(at), ("how", "many") | ("number", "of") | ("count", "of" | "for")));
    let last = found.lattice.question.word(rows.words.end.checked_sub(1)?);
    let are_told = WordLists::embedded().has("told_often", &stem(last));
    let revenue = if counts || are_told { Measure::Count(None) } else { revenue };
    let worst = (found.words.start..rows.words.start).any(|at| found.lattice.question.word(at) == "worst");
    let direction = if worst { Direction::Ascending } else { Direction::Descending };
    if rows.as_table().is_some() {
        return first_few(found, revenue, direction);
    }
    // *best selling* is no column of sales.
    let is_one_word = rows.words.end == rows.words.start + 1;
    let key = Part::Key(Key::Noun(rows.as_column().filter(|_| is_one_word || are_told)?));
    let limit = found.count().or_else(|| one_or_few(found, &rows))?;
    all(vec![Part::Limit(limit), take(By::Measure(revenue), direction), key])
}

/// *our best month ever*: by what came in, as nothing else is said.
fn best_time(found: &Matched<'_>) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let at = (found.words.start..found.words.end)
        .find(|at| matches!(word(*at), "best" | "worst" | "top" | "strongest" | "weakest"))?;
    let worst = matches!(word(at), "worst" | "weakest");
    let direction = if worst { Direction::Ascending } else { Direction::Descending };
    let revenue = Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(at, at + 1)));
    all(vec![
        Part::Key(Key::Time(found.unit()?, None)),
        Part::Limit(1),
        take(By::Measure(revenue), direction),
    ])
}

/// *best rated products*: by the mean of what the participle names.
fn best_rated(found: &Matched<'_>) -> Option<Phrase> {
    let (rated, rows) = (found.noun(0)?.as_column()?, found.noun(1)?.as_table()?);
    let word = |at: usize| found.lattice.question.word(at);
    let is_participle = word(rated.words.end - 1).ends_with("ed");
    let worst =
        (found.words.start..rated.words.start).any(|at| matches!(word(at), "worst" | "lowest" | "poorest"));
    let direction = if worst { Direction::Ascending } else { Direction::Descending };
    let limit = found.count().or_else(|| one_or_few(found, &rows))?;
    let mean = Measure::Of(Aggregate::Avg, Attr::Noun(rated));
    let parts = vec![Part::Limit(limit), take(By::Measure(mean), direction), Part::Noun(rows)];
    is_participle.then(|| all(parts)).flatten()
}

/// *the top category in each country*: by what they brought in, as nothing else is said; *the best-selling* by how many were sold.
fn top_of_each(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let (of, each) = (found.noun(0)?, found.noun(1)?);
    let word = |at: usize| found.lattice.question.word(at);
    let says = |words: &[&str]| (found.words.start..each.words.start).any(|at| words.contains(&word(at)));
    if !says(&["each", "every", "per", "by"]) {
        return None;
    }
    let of = if of.table_score() >= of.column_score() { of.as_table()? } else { of.as_column()? };
    let direction = if says(&["worst", "weakest"]) { Direction::Ascending } else { Direction::Descending };
    all(vec![
        Part::Limit(found.count().unwrap_or(1)),
        take(By::Measure(measure), direction),
        Part::Key(Key::Noun(of)),
        Part::Key(Key::Noun(each)),
    ])
}

/// *best-selling products*: by how many pieces were sold.
fn most_sold(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let said = match noun.words.start > found.words.start + 1 {
        true => Words::new(noun.words.start - 1, noun.words.start),
        false => Words::new(noun.words.end, found.words.end),
    };
    first_few(found, Measure::Of(Aggregate::Sum, Attr::Sold(said)), direction)
}

/// The word right before the noun, which says what the rows are chosen by.
fn words_before_noun(found: &Matched<'_>) -> Option<Words> {
    let start = found.noun(0)?.words.start;
    Some(Words::new(start.checked_sub(1)?, start))
}
