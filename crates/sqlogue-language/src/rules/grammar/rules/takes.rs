//! The first few: *top 5 members by loans*, *the three cheapest books*, *which genre has the most books*.
//!
//! How many and by what are two parts, in any order: *the five genres with the highest average price*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Noun, Pred, Take, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "top_rows", pattern: "$top NUM NOUN", make: |found| rows(found, Direction::Descending) },
    Rule { name: "number_top", pattern: "NUM $top NOUN", make: |found| rows(found, Direction::Descending) },
    Rule {
        name: "top_values",
        pattern: "$top NUM NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let value = noun.as_column().filter(|_| noun.column_score() > noun.table_score())?;
            let (by, direction) = (By::Measure(Measure::Count(None)), Direction::Descending);
            // What is ranked are the values, and nothing else stands for a row.
            let most = Take { by, direction, open: false, each: None, alone: true };
            all(vec![Part::Key(Key::Noun(value)), Part::Limit(found.count()?), Part::Take(most)])
        },
    },
    Rule {
        name: "top_values_of",
        pattern: "$top NUM NOUN of|among|in|for|by|where|which|that|from? our|all|we_have? NOUN",
        make: |found| {
            let (noun, rows) = (found.noun(0)?, found.noun(1)?.as_table()?);
            let value = noun.as_column().filter(|_| noun.column_score() > noun.table_score())?;
            let (by, direction) = (By::Measure(Measure::Count(Some(rows))), Direction::Descending);
            let most = Take { by, direction, open: false, each: None, alone: true };
            all(vec![Part::Key(Key::Noun(value)), Part::Limit(found.count()?), Part::Take(most)])
        },
    },
    Rule {
        name: "bottom_rows",
        pattern: "$bottom NUM NOUN",
        make: |found| rows(found, Direction::Ascending),
    },
    Rule {
        name: "number_bottom",
        pattern: "NUM $bottom NOUN",
        make: |found| rows(found, Direction::Ascending),
    },
    Rule {
        name: "top_alone",
        pattern: "$top NUM",
        make: |found| {
            let take = Take {
                by: By::Shown,
                direction: Direction::Descending,
                open: false,
                each: None,
                alone: true,
            };
            // *top 3 dishes in each section* are dishes, and no sections.
            let names_rows =
                found.lattice.nouns(found.words.end).iter().any(|noun| noun.table_score() >= 0.6);
            (!names_rows).then(|| all(vec![Part::Limit(found.count()?), Part::Take(take)]))?
        },
    },
    Rule {
        name: "and_how_many",
        pattern: "and|with|, and? how_many|how_much|how_often|by_how_much|the_number|the_count|the_amount|their_number",
        make: |_| Some(Phrase::Part(Part::HowMany)),
    },
    Rule {
        name: "and_how_much_it_is",
        pattern: ",|and and? what|how_much|how_many|how_long|how_old|how_big|how_high|how_heavy|how_large|how_far|how_tall|at_what_price|for_how_much do|does|did|is|was|are|were|has|have it|they|he|she|that|this|those|these|there been? cost|costs|weigh|last|take|come_to|amount_to|earn|earned|make|made|worth|old|long|big|large|high|priced_at|sell_for|sold_for|go_for|have|had|get|got?",
        make: |_| Some(Phrase::Part(Part::HowMany)),
    },
    Rule {
        name: "and_what_one_costs",
        pattern: ",|and and? what|how_much|how_long|how_old|how_big|how_high|how_heavy do|does|did|is|was|are|were the|its|their NOUN cost|costs|weigh|last|take|come_to|amount_to|earn|make|worth|old|long|big|large|high",
        make: |_| Some(Phrase::Part(Part::HowMany)),
    },
    Rule {
        name: "top_few",
        pattern: "$top NOUN $by MEASURE",
        make: |found| first_few(found, found.measure(0)?, Direction::Descending),
    },
    Rule {
        name: "bottom_few",
        pattern: "$bottom NOUN $by MEASURE",
        make: |found| first_few(found, found.measure(0)?, Direction::Ascending),
    },
    Rule {
        name: "top_one",
        pattern: "$top|number_one NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let word = found.lattice.question.tokens.get(noun.words.end.checked_sub(1)?)?;
            // *the largest order per customer* is a row of each, and not the first of the groups.
            let size =
                matches!(found.lattice.question.word(found.words.start), "largest" | "biggest" | "highest");
            let of_each =
                matches!(found.lattice.question.word(found.words.end), "per" | "for" | "of" | "each" | "by");
            let one = word.stem == word.lower && !(size && of_each);
            let parts = vec![Part::Limit(1), take(By::Shown, Direction::Descending), Part::Noun(noun)];
            one.then(|| all(parts)).flatten()
        },
    },
    Rule {
        name: "next_rows",
        pattern: "the|our|my|their|its|has_the? next|soonest|nearest NUM? NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let soonest = take(By::Attr(Attr::When(rows.clone())), Direction::Ascending);
            all(vec![ahead(found), Part::Limit(found.count().unwrap_or(1)), soonest, Part::Subject(rows)])
        },
    },
    Rule {
        name: "rows_ahead",
        pattern: "upcoming|future|scheduled|coming|planned|forthcoming|outstanding? NOUN are|is|that_are|which_are|lie|lies? still|yet? to_come|ahead|coming_up|from_now_on|from_today_on|from_today",
        make: |found| all(vec![ahead(found), Part::Noun(found.noun(0)?.as_table()?)]),
    },
    Rule {
        name: "upcoming_rows",
        pattern: "upcoming|future|coming|forthcoming NOUN",
        make: |found| all(vec![ahead(found), Part::Noun(found.noun(0)?.as_table()?)]),
    },
    Rule {
        name: "past_rows",
        pattern: "past|previous|earlier NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let gone_by = Window { from: None, until: Some(found.lattice.today) };
            all(vec![Part::Where(Pred::In(None, gone_by)), Part::Noun(rows)])
        },
    },
    Rule {
        name: "longest_standing",
        pattern: "longest-standing|longest_standing|longest-serving|longest_serving|longest-tenured|longest_established NOUN",
        make: |found| by_start(found, Direction::Ascending),
    },
    Rule {
        name: "here_longest",
        pattern: "NOUN who|that|which? has|have|'s? been|worked|stayed|served with|at|for|here|on|a us|here|the_company|the_books|member|customer|client? the? longest",
        make: |found| by_start(found, Direction::Ascending),
    },
    Rule {
        name: "last_to_join",
        pattern: "last|latest|most_recent|newest NUM? NOUN to|who|that join|joined|sign_up|signed_up|register|registered|subscribe|subscribed|be_hired|was_hired|start|started|be_added|was_added|enrol|enrolled|arrive|arrived|come|came",
        make: |found| by_start(found, Direction::Descending),
    },
    Rule {
        name: "first_to_join",
        pattern: "first|earliest|very_first NUM? NOUN to|who|that join|joined|sign_up|signed_up|register|registered|subscribe|subscribed|be_hired|was_hired|start|started|be_added|was_added|enrol|enrolled|arrive|arrived|come|came",
        make: |found| by_start(found, Direction::Ascending),
    },
    Rule {
        name: "last_rows",
        pattern: "the|our|my? latest|last|newest|most_recent|recent NUM NOUN",
        make: |found| by_start(found, Direction::Descending),
    },
    Rule {
        name: "number_last_rows",
        pattern: "the|our|my? NUM latest|last|newest|most_recent NOUN",
        make: |found| by_start(found, Direction::Descending),
    },
    Rule {
        name: "first_rows",
        pattern: "the|our|my? first|earliest|oldest NUM NOUN",
        make: |found| by_start(found, Direction::Ascending),
    },
    Rule {
        name: "worth_most",
        pattern: "$max NOUN value|amount|size|total|worth|revenue",
        make: |found| worth_most(found, Direction::Descending),
    },
    Rule {
        name: "worth_least",
        pattern: "$min NOUN value|amount|size|total|worth|revenue",
        make: |found| worth_most(found, Direction::Ascending),
    },
    Rule {
        name: "traded_most_pieces",
        pattern: "$trading most|the_most NOUN",
        make: |found| {
            let pieces = Measure::Of(Aggregate::Sum, Attr::Pieces(found.noun(0)?.as_table()?));
            all(vec![take(By::Measure(pieces), Direction::Descending)])
        },
    },
    Rule {
        name: "number_rows",
        pattern: "NUM NOUN",
        make: |found| all(vec![Part::Limit(found.count()?), Part::Noun(found.noun(0)?)]),
    },
    Rule {
        name: "number_alone",
        pattern: "first|only|just? NUM",
        make: |found| all(vec![Part::Limit(found.count()?)]),
    },
    Rule {
        name: "adjective",
        pattern: "NUM? ADJ NUM? NOUN",
        make: |found| adjective(found, Some(found.noun(0)?)),
    },
    Rule {
        name: "adjective_in",
        pattern: "NUM? longest|shortest|farthest|furthest|biggest|largest|smallest NUM? NOUN in NOUN",
        make: |found| {
            let (rows, unit) = (found.noun(0)?.as_table()?, found.noun(1)?.as_column()?);
            let shrinks = matches!(word_of_size(found)?, "shortest" | "smallest");
            let direction = if shrinks { Direction::Ascending } else { Direction::Descending };
            let limit = Part::Limit(found.count().unwrap_or(1));
            all(vec![limit, take(By::Attr(Attr::Noun(unit)), direction), Part::Noun(rows)])
        },
    },
    Rule {
        name: "largest_rows",
        pattern: "NUM? largest|biggest|highest|greatest|most_expensive|priciest NUM? NOUN",
        make: |found| of_amount(found, Direction::Descending),
    },
    Rule {
        name: "longest_rows",
        pattern: "NUM? longest|longest-lasting|longest-running|longest_running|longest_lasting NUM? NOUN",
        make: |found| of_length(found, Direction::Descending),
    },
    Rule {
        name: "shortest_rows",
        pattern: "NUM? shortest|quickest|fastest NUM? NOUN",
        make: |found| of_length(found, Direction::Ascending),
    },
    Rule {
        name: "top_by_worth",
        pattern: "$top NUM NOUN $by amount|value|worth|size",
        make: |found| of_amount(found, Direction::Descending),
    },
    Rule {
        name: "smallest_rows",
        pattern: "NUM? smallest|lowest|cheapest NUM? NOUN",
        make: |found| of_amount(found, Direction::Ascending),
    },
    Rule {
        name: "nth_adjective",
        pattern: "ORDINAL ADJ NOUN?",
        make: |found| nth(found, adjective(found, found.noun(0))),
    },
    Rule {
        name: "nth_most",
        pattern: "$holding? ORDINAL $most|highest|largest|biggest|greatest|longest NOUN",
        make: |found| nth(found, most(found, Direction::Descending)),
    },
    Rule {
        name: "nth_fewest",
        pattern: "$holding? ORDINAL $fewest|lowest|smallest|shortest NOUN",
        make: |found| nth(found, most(found, Direction::Ascending)),
    },
    Rule {
        name: "nth_value",
        pattern: "ORDINAL highest|largest|biggest|greatest|longest|lowest|smallest|shortest NOUN",
        make: |found| nth(found, value(found)),
    },
    Rule {
        name: "nth_value_in_each",
        pattern: "ORDINAL highest|largest|biggest|greatest|longest|lowest|smallest|shortest NOUN for|of|by|per|in|within each|every? NOUN",
        make: |found| {
            let column = column(found).filter(|_| found.says(&["each", "every", "per", "by"]))?;
            let (by, each) = (By::Attr(Attr::Noun(column.clone())), Some(Key::Noun(found.noun(1)?)));
            let take = Take { by, direction: end(found), open: false, each, alone: false };
            nth(found, all(vec![Part::Take(take), Part::Column(column)]))
        },
    },
    Rule {
        name: "nth_best",
        pattern: "ORDINAL best|strongest|leading|most_important NOUN",
        make: |found| {
            nth(found, all(vec![take(By::Shown, Direction::Descending), Part::Noun(found.noun(0)?)]))
        },
    },
    Rule {
        name: "nth_by_measure",
        pattern: "ORDINAL highest|largest|biggest|greatest|best|top|most_important|strongest NOUN $by MEASURE",
        make: |found| {
            let by = take(By::Measure(found.measure(0)?), Direction::Descending);
            nth(found, all(vec![by, Part::Noun(found.noun(0)?)]))
        },
    },
    Rule {
        name: "nth_most_measure",
        pattern: "$holding? ORDINAL $most|highest|largest|biggest|greatest|best MEASURE",
        make: |found| nth(found, measured(found, Direction::Descending)),
    },
    Rule {
        name: "nth_fewest_measure",
        pattern: "$holding? ORDINAL $fewest|lowest|smallest|worst MEASURE",
        make: |found| nth(found, measured(found, Direction::Ascending)),
    },
    Rule { name: "adjective_alone", pattern: "$yes? ADJ", make: |found| adjective(found, None) },
    Rule {
        name: "top_by_measure",
        pattern: "$by MEASURE",
        make: |found| all(vec![Part::Decide(By::Measure(found.measure(0)?))]),
    },
    Rule {
        name: "top_by",
        pattern: "$by NOUN $used?",
        make: |found| all(vec![Part::Decide(by(&found.noun(0)?)?)]),
    },
    Rule {
        name: "top_by_some",
        pattern: "$by WHERE NOUN",
        make: |found| all(vec![Part::Where(found.pred(0)?), Part::Decide(by(&found.noun(0)?)?)]),
    },
];

pub(super) fn all(parts: Vec<Part>) -> Option<Phrase> {
    let possible = !parts.contains(&Part::Limit(0));
    possible.then_some(Phrase::Part(Part::All(parts)))
}

pub(super) fn take(by: By, direction: Direction) -> Part {
    Part::Take(Take { by, direction, open: false, each: None, alone: false })
}

fn rows(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    all(vec![Part::Limit(found.count()?), take(By::Shown, direction), Part::Noun(found.noun(0)?)])
}

/// So many are shown where several are asked for and no number is said.
pub(super) const FEW: u64 = 10;

/// How many are meant where no number is said: one of a singular, and a few of a plural.
pub(super) fn first_few(found: &Matched<'_>, by: Measure, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let limit = Part::Limit(found.count().or_else(|| one_or_few(found, &noun))?);
    all(vec![limit, take(By::Measure(by), direction), Part::Noun(noun)])
}

/// One of a singular, and a few of a plural.
pub(super) fn one_or_few(found: &Matched<'_>, noun: &Noun) -> Option<u64> {
    let word = found.lattice.question.tokens.get(noun.words.end.checked_sub(1)?)?;
    Some(if word.stem == word.lower { 1 } else { FEW })
}

/// The lowest first where *least* or the like is said, else the highest.
pub(super) fn most_or_least(found: &Matched<'_>) -> Direction {
    match found.says(&["least", "fewest", "smallest", "lowest", "rarest"]) {
        true => Direction::Ascending,
        false => Direction::Descending,
    }
}

/// Only what is still to come, today included.
fn ahead(found: &Matched<'_>) -> Part {
    Part::Where(Pred::In(None, Window::since(found.lattice.today)))
}

/// *the last 5 orders*, *our longest-standing customer*: by when they came to be.
pub(super) fn by_start(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let by = By::Attr(Attr::When(rows.clone()));
    all(vec![Part::Limit(found.count().unwrap_or(1)), take(by, direction), Part::Subject(rows)])
}

/// *highest order value*: the row that is worth the most.
fn worth_most(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let by = By::Attr(Attr::Amount(rows.clone()));
    all(vec![Part::Limit(1), take(by, direction), Part::Noun(rows)])
}

fn adjective(found: &Matched<'_>, noun: Option<Noun>) -> Option<Phrase> {
    let (direction, index, words) = found.adjective()?;
    let mut parts = vec![take(By::Attr(Attr::Adjective(words, index)), direction)];
    parts.extend(found.count().map(Part::Limit));
    parts.extend(noun.map(Part::Noun));
    all(parts)
}

/// *the five largest invoices*: by what they are worth.
fn of_amount(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let by = By::Attr(Attr::Amount(rows.clone()));
    all(vec![Part::Limit(found.count().unwrap_or(1)), take(by, direction), Part::Subject(rows)])
}

/// *the longest stays*: by how long they lasted.
fn of_length(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let said = Words::new(found.words.start, rows.words.start);
    let by = By::Attr(Attr::Lasting(said, Some(rows.clone()), None));
    all(vec![Part::Limit(found.count().unwrap_or(1)), take(by, direction), Part::Subject(rows)])
}

/// By the number of rows where the noun is a table, by the total or the value where it is a column.
fn by(noun: &Noun) -> Option<By> {
    Some(match noun.table_score() > noun.column_score() {
        true => By::Measure(Measure::Count(noun.as_table())),
        false => By::Attr(Attr::Noun(noun.as_column()?)),
    })
}

pub(super) fn most(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?;
    // *the most open requests*: of what there are most stands behind.
    let is_before_rows = found.lattice.question.word(noun.words.end - 1) == "open"
        && found.lattice.nouns(noun.words.end).iter().any(|next| next.table_score() >= 0.5);
    let by = match noun.table_score() >= noun.column_score() {
        false if is_before_rows => return None,
        true => By::Measure(Measure::Count(noun.as_table())),
        false => By::Attr(Attr::Noun(noun.as_column()?)),
    };
    all(vec![take(by, direction)])
}

pub(super) fn measured(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    all(vec![take(By::Measure(found.measure(0)?), direction)])
}

/// *the second highest salary*: the number itself.
fn value(found: &Matched<'_>) -> Option<Phrase> {
    let column = column(found)?;
    all(vec![take(By::Attr(Attr::Noun(column.clone())), end(found)), Part::Noun(column)])
}

/// The column that the first noun names; none where it is sooner a table.
fn column(found: &Matched<'_>) -> Option<Noun> {
    let noun = found.noun(0)?;
    noun.as_column().filter(|_| noun.column_score() > noun.table_score())
}

/// Which end of the numbers is said.
fn end(found: &Matched<'_>) -> Direction {
    if found.says(&["lowest", "smallest", "shortest"]) { Direction::Ascending } else { Direction::Descending }
}

/// The one at a place instead of the first: *the third most expensive*.
pub(super) fn nth(found: &Matched<'_>, first: Option<Phrase>) -> Option<Phrase> {
    let Some(Phrase::Part(first)) = first else { return None };
    all(vec![first, Part::Limit(1), Part::Skip(found.before()?)])
}

/// The word that says which end of a size is meant.
fn word_of_size<'a>(found: &'a Matched<'_>) -> Option<&'a str> {
    let words = (found.words.start..found.words.end).map(|at| found.lattice.question.word(at));
    words.into_iter().find(|word| {
        matches!(*word, "longest" | "shortest" | "farthest" | "furthest" | "biggest" | "largest" | "smallest")
    })
}
