//! How rows are sorted and numbers shown: *sorted by price*, *highest first*, *rounded to 2 decimals*.

use super::rows::is_last;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Noun};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Direction;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "sorted_by",
        pattern: "$sorted NOUN $worst_first?",
        make: |found| sorted(found, Direction::Ascending),
    },
    Rule {
        name: "sorted_by_both",
        pattern: "$sorted NOUN ,? and|then|, then? by? NOUN",
        make: |found| {
            let by = |at: usize| {
                let column = found.noun(at)?.as_column()?;
                Some(Part::Order(By::Attr(Attr::Noun(column)), Direction::Ascending))
            };
            Some(Phrase::Part(Part::All(vec![by(0)?, by(1)?])))
        },
    },
    Rule {
        name: "sorted_by_their_date",
        pattern: "$sorted date|dates|the_date|day",
        make: |_| Some(Phrase::Part(Part::Order(By::Date, Direction::Ascending))),
    },
    Rule {
        name: "sorted_down",
        pattern: "$sorted NOUN $best_first",
        make: |found| sorted(found, Direction::Descending),
    },
    Rule {
        name: "by_column_up",
        pattern: "by NOUN ,|(? from? $worst_first",
        make: |found| is_of_column(found).then(|| sorted(found, Direction::Ascending))?,
    },
    Rule {
        name: "by_column_down",
        pattern: "by NOUN ,|(? from? $best_first",
        make: |found| is_of_column(found).then(|| sorted(found, Direction::Descending))?,
    },
    Rule {
        name: "sorted_by_date_of",
        pattern: "$sorted|by NOUN date|day|time|year $worst_first?",
        make: |found| {
            let noun = found.noun(0)?;
            (!noun.says_when).then(|| shown_in_order(&noun))?
        },
    },
    Rule {
        name: "sorted_direction_by",
        pattern: "$sorted? in? $best_first by|of|for NOUN",
        make: |found| sorted(found, Direction::Descending),
    },
    Rule {
        name: "sorted_up_by",
        pattern: "$sorted? in? $worst_first by|of|for NOUN",
        make: |found| sorted(found, Direction::Ascending),
    },
    Rule { name: "rounded", pattern: "$rounded", make: |_| Some(Phrase::Part(Part::Decimals(0))) },
    Rule {
        name: "rounded_to",
        pattern: "round|rounded|with|to|and_round|show? it|that|them|this? to|with? NUM decimal|decimals|digit|digits|decimal_place|decimal_places|places",
        make: |found| {
            Some(Phrase::Part(Part::Decimals(u32::try_from(found.count()?).ok().filter(|one| *one <= 9)?)))
        },
    },
    Rule {
        name: "best_first",
        pattern: "$best_first",
        make: |found| Some(Phrase::Part(Part::Order(first_by(found), Direction::Descending))),
    },
    Rule {
        name: "worst_first",
        pattern: "$worst_first",
        make: |found| Some(Phrase::Part(Part::Order(first_by(found), Direction::Ascending))),
    },
    Rule {
        name: "name_first",
        pattern: "$sorted_plain? $name_first",
        make: |_| Some(Phrase::Part(Part::Order(By::Name, Direction::Ascending))),
    },
    Rule {
        name: "name_last",
        pattern: "$sorted_plain? $name_last",
        make: |_| Some(Phrase::Part(Part::Order(By::Name, Direction::Descending))),
    },
    Rule {
        name: "adjective_first",
        pattern: "$sorted? the? ADJ ones|one? $superlative_first",
        make: |found| {
            let (direction, index, words) = found.adjective()?;
            // *rejection rate by supplier, worst first*: what is measured says what is worst.
            let is_bare = matches!(found.lattice.question.word(words.start), "worst" | "best");
            let measures = (0..words.start).any(|at| is_measured(found, at));
            let order = Part::Order(By::Attr(Attr::Adjective(words, index)), direction);
            (!is_bare || !measures).then_some(Phrase::Part(order))
        },
    },
    Rule {
        name: "longest_there_first",
        pattern: "$sorted? the? longest_serving|longest-serving|longest_standing|longest-standing|longest_here|longest_with_us|most_senior|those_who_have_been_here_longest|those_here_longest|those_here_the_longest $superlative_first",
        make: |_| Some(Phrase::Part(Part::Order(By::Date, Direction::Ascending))),
    },
    Rule {
        name: "highest_of_it_first",
        pattern: "with? the? highest|largest|biggest|latest|newest|most_recent|longest|most NOUN $superlative_first",
        make: |found| sorted(found, Direction::Descending),
    },
    Rule {
        name: "lowest_of_it_first",
        pattern: "with? the? lowest|smallest|earliest|oldest|soonest|shortest|least|fewest NOUN $superlative_first",
        make: |found| sorted(found, Direction::Ascending),
    },
    Rule {
        name: "from_one_end_to_the_other",
        pattern: "$sorted? from ADJ to ADJ",
        make: |found| {
            let (direction, index, words) = found.adjective()?;
            Some(Phrase::Part(Part::Order(By::Attr(Attr::Adjective(words, index)), direction)))
        },
    },
    Rule {
        name: "altogether",
        pattern: "do|does|did? $altogether",
        make: |_| Some(Phrase::Part(Part::Altogether)),
    },
    Rule {
        name: "name_of",
        pattern: "name|names of|for NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "and_when",
        pattern: "and|,|with|including and|the? when|since_when|date|day|the_date|the_day",
        make: |_| Some(Phrase::Part(Part::When)),
    },
    Rule {
        name: "and_when_was_it",
        pattern: ",|and and? when|since_when was|were|is|are|did|does|do|has|have it|they|he|she|that|this|those been? born|happen|take_place|held|be|start|begin|last_seen?",
        make: |_| Some(Phrase::Part(Part::When)),
    },
    Rule {
        name: "and_when_was_it_done",
        pattern: ",|and and? when was|were|is|are|did|does|do|has|have it|they|he|she|that|this|those been? NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "when_shown",
        pattern: "day|date|time that|when|on_which? it|they|he|she|that is|are|was|were|got|had|has? been? NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "when_it_was",
        pattern: "when|since_when it|they|he|she is|are|was|were|got|had|has? been? NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "shown_columns",
        pattern: "$showing NOUN $and? NOUN? $and? NOUN? $and? NOUN? $and? NOUN?",
        make: |found| {
            let nouns: Vec<_> = (0..5).map_while(|at| found.noun(at)).collect();
            // *with the number of tickets* counts them, and shows no column of numbers.
            let word = |at: usize| found.lattice.question.word(at);
            let counts = |noun: &Noun| {
                matches!(word(noun.words.start), "number" | "count") && word(noun.words.end) == "of"
            };
            if nouns.iter().any(counts) {
                return None;
            }
            // *list books* asks for their rows, and for no column that refers to them.
            let opens = found.words.start == 0 && nouns.len() == 1;
            if opens && nouns.iter().any(|noun| noun.table_score() >= noun.column_score()) {
                return None;
            }
            // *with the day they left* names no column by *day* alone.
            let plain = nouns.len() > 1 || nouns.first().is_some_and(|noun| noun.score() >= 0.8);
            plain.then(|| Phrase::Part(Part::All(nouns.into_iter().map(Part::Shown).collect())))
        },
    },
    Rule {
        name: "with_their",
        pattern: "and|with|plus|+|&|, their|its|his|her|respective NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "who_is_their",
        pattern: "and|,? and? who|what is|are|was their|its|his|her|the NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "whom_they_report_to",
        pattern: "and|with|,? the? name_of|names_of? the? who|whom|person|people|colleague|one|boss? they|he|she report|reports|answer|answers to",
        make: |found| {
            let lattice = found.lattice;
            let reports = found.words.end.checked_sub(2)?;
            let noun = lattice.nouns(reports).first().cloned()?;
            Some(Phrase::Part(Part::Shown(noun.as_column()?)))
        },
    },
    Rule {
        name: "sorted_by_measure",
        pattern: "$sorted MEASURE $best_first?",
        make: |found| Some(Phrase::Part(Part::Order(By::Measure(found.measure(0)?), Direction::Descending))),
    },
    Rule {
        name: "their_names",
        pattern: "their|its? name|names|full_name|full_names",
        make: |_| Some(Phrase::Part(Part::Names)),
    },
    Rule { name: "who", pattern: "who|whom", make: |_| Some(Phrase::Part(Part::Names)) },
    Rule { name: "different", pattern: "$different", make: |_| Some(Phrase::Part(Part::Distinct)) },
];

/// By a column that is shown too, the smallest first.
pub(super) fn shown_in_order(noun: &Noun) -> Option<Phrase> {
    let column = noun.as_column()?;
    let by = By::Attr(Attr::Noun(column.clone()));
    Some(Phrase::Part(Part::All(vec![Part::Order(by, Direction::Ascending), Part::Shown(column)])))
}

/// *newest first* speaks of when rows came to be, and *highest first* of what is shown.
fn first_by(found: &Matched<'_>) -> By {
    const OF_TIME: [&str; 8] =
        ["newest", "latest", "recent", "oldest", "earliest", "soonest", "chronologically", "chronological"];
    let is_of_time = |at: usize| OF_TIME.contains(&found.lattice.question.word(at));
    match (found.words.start..found.words.end).any(is_of_time) {
        true => By::Date,
        false => By::Shown,
    }
}

/// True for a word by which a number is asked for: *rate*, *percentage*, *average*.
fn is_measured(found: &Matched<'_>, at: usize) -> bool {
    let word = found.lattice.question.word(at);
    matches!(word, "rate" | "share" | "percentage" | "percent" | "%" | "ratio" | "average" | "number")
}

fn sorted(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?.as_column()?;
    Some(Phrase::Part(Part::Order(By::Attr(Attr::Noun(noun)), direction)))
}

/// True at the end, where no order of counts is told: *tickets by category, most first* are counted, and so are *tickets by month,
/// newest first*.
fn is_of_column(found: &Matched<'_>) -> bool {
    let word = |at: usize| found.lattice.question.word(at);
    let is_unit = |at: usize| matches!(word(at), "day" | "week" | "month" | "quarter" | "year");
    if (found.words.start..found.words.end).any(is_unit) {
        return false;
    }
    let counts = |at: usize| match word(at) {
        "fewest" | "frequent" | "busiest" => true,
        "most" => !matches!(word(at + 1), "expensive" | "recent"),
        _ => false,
    };
    is_last(found) && !(found.words.start..found.words.end).any(counts)
}
