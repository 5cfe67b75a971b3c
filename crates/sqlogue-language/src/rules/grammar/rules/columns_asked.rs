//! Columns that are asked for one after the other: *open orders: number, customer, date*, *list members with name, city and
//! e-mail*, *give me the title, the year and the author of each book*.

use super::lookups::doer;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Columns, Noun, Unsaid};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "column_asked_for",
        pattern: "the|its|their|his|her|our|your|each? NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let lists = WordLists::embedded();
            let word = |at: usize| found.lattice.question.word(at);
            let (first, last) = (word(noun.words.start), word(noun.words.end - 1));
            let one_word = noun.words.end == noun.words.start + 1;
            // A date is the row's own, *total cost* is a sum, too, and *number of seats* counts.
            let only_date = one_word && matches!(last, "date" | "day");
            let sums = !one_word && ["avg", "sum", "max", "min"].iter().any(|list| lists.has(list, first));
            let counts = first == "number" && word(noun.words.start + 1) == "of";
            // Who wants keys wants them as they are stored, and no names in their place.
            let is_key = matches!(last, "id" | "ids" | "code" | "codes" | "key" | "keys");
            let is_column = noun.column_score() >= 0.99 || !only_date && !sums && !counts;
            let fits = is_column && !is_key;
            fits.then(|| one(found, Part::Column(noun)))?
        },
    },
    Rule {
        name: "name_asked_for",
        pattern: "the|its|their|his|her|full? name|names|full_name|full_names|first_and_last_name|first_and_last_names|first_name_and_last_name|first_name_and_surname|name_and_surname|first_name_,_last_name",
        make: |found| one(found, Part::Names),
    },
    Rule {
        name: "name_of_asked_for",
        pattern: "the|full? name|names of the? NOUN",
        make: |found| one(found, Part::Column(found.noun(0)?.as_table()?)),
    },
    Rule {
        name: "date_asked_for",
        pattern: "the|its|their? date|day|when",
        make: |found| one(found, Part::Column(Noun::unsaid(found.words, Unsaid::Date))),
    },
    Rule {
        name: "doer_asked_for",
        pattern: "who|whom|person_who|person? it|they|he|she? is|was|are|were|has|had|has_been|have? WORD it|them|to|for|by|with?",
        make: |found| {
            let asks = matches!(found.lattice.question.word(found.words.start), "who" | "whom" | "person");
            one(found, Part::Column(doer(found, &found.value(0)?)?)).filter(|_| asks)
        },
    },
    Rule {
        name: "reference_asked_for",
        pattern: "who|whom|what|which it|they|he|she? is|was|are|were|has|had|has_been|have? been? NOUN to|by|for|from|in|on|at?",
        make: |found| {
            let asks =
                matches!(found.lattice.question.word(found.words.start), "who" | "whom" | "what" | "which");
            one(found, Part::Column(found.noun(0)?.as_column()?)).filter(|_| asks)
        },
    },
    Rule {
        name: "who_it_is_asked_for",
        pattern: "who|what|which the|its|their NOUN is|was|are|were",
        make: |found| one(found, Part::Column(found.noun(0)?)),
    },
    Rule {
        name: "time_asked_for",
        pattern: "the? when|date|day|time|since_when when|that|on_which? it|they|he|she? is|was|were|are|got|had|has|have? been? NOUN",
        make: |found| one(found, Part::Column(found.noun(0)?.as_column()?)),
    },
    Rule {
        name: "summary_asked_for",
        pattern: "the|its|their? MEASURE",
        make: |found| {
            // *number of tickets* is one, and *grade* is what a row says; an article may come first.
            let lists = WordLists::embedded();
            let says = |at: usize| {
                let word = found.lattice.question.word(at);
                ["how_many", "avg", "sum", "count"].iter().any(|list| lists.has(list, word))
            };
            let sums_up = says(found.words.start) || says(found.words.start + 1);
            one(found, Part::Measure(found.measure(0)?)).filter(|_| sums_up)
        },
    },
    Rule {
        name: "columns_asked_for",
        pattern: "COLUMNS ,|and|&|plus|;|as_well_as and|&|also|plus? COLUMNS",
        make: |found| {
            let (first, others) = (found.columns(0)?, found.columns(1)?);
            let is_new = !others.iter().any(|other| first.contains(other));
            (first.len() == 1 && is_new)
                .then(|| Phrase::Columns(first.iter().chain(others).cloned().collect()))
        },
    },
    Rule {
        name: "columns_alone",
        pattern: "?|:|-|–|— $showing? COLUMNS",
        make: |found| listed(found, Columns::Alone).filter(|_| found.words.start > 0 && !groups(found)),
    },
    Rule {
        name: "columns_behind_comma",
        pattern: ", COLUMNS",
        make: |found| listed(found, Columns::Alone).filter(|_| !groups(found) && follows_rows(found)),
    },
    Rule {
        name: "columns_of_next_sentence",
        pattern: ". $showing COLUMNS",
        make: |found| listed(found, Columns::Alone),
    },
    Rule {
        name: "columns_beside",
        pattern: "$showing COLUMNS",
        make: |found| {
            let marked = matches!(found.lattice.question.word(found.words.start), ":" | "-" | "–" | "—");
            listed(found, Columns::Beside).filter(|_| !marked && found.words.start > 0)
        },
    },
    Rule {
        name: "columns_first",
        pattern: "$showing? what|which? is|are? COLUMNS",
        make: |found| listed(found, Columns::Alone).filter(|_| found.words.start == 0),
    },
];

/// One column, where nothing stands beside it that would belong to it.
fn one(found: &Matched<'_>, part: Part) -> Option<Phrase> {
    let lists = WordLists::embedded();
    let question = found.lattice.question;
    let before = found.words.start.checked_sub(1).map_or("", |at| question.word(at));
    let behind = question.word(found.words.end);
    let begins = before.is_empty() || lists.has("before_column", before);
    let ends = behind.is_empty() || lists.has("behind_column", behind);
    (begins && ends).then(|| Phrase::Columns(vec![part]))
}

/// True behind *by* or *per* and a noun: *jobs by type: count and total* are groups that are summed up.
fn groups(found: &Matched<'_>) -> bool {
    let word = |at: usize| found.lattice.question.word(at);
    let done = |at: usize| at.checked_sub(1).is_some_and(|before| word(before).ends_with("ed"));
    let groups = |at: usize| word(at) == "per" || word(at) == "by" && !done(at);
    (0..found.words.start).any(|at| groups(at) && !found.lattice.nouns(at + 1).is_empty())
}

/// True where what stands before a comma is no column of the same list: *orders not yet delivered, number and amount* has columns
/// behind the comma, *show name, number and amount* and *with customer, number and amount* go on with them.
fn follows_rows(found: &Matched<'_>) -> bool {
    let (lists, word) = (WordLists::embedded(), |at: usize| found.lattice.question.word(at));
    let ends = found.words.start;
    let before = (0..ends).flat_map(|at| found.lattice.nouns(at)).filter(|noun| noun.words.end == ends);
    let opens = |at: usize| at.checked_sub(1).is_none_or(|before| lists.has("before_column", word(before)));
    // Behind *with* even a table's name stands for a column.
    let goes_on = |at: usize| {
        let before = at.checked_sub(1).map_or("", word);
        matches!(before, "with" | "including" | "include" | "incl" | "," | "and" | "&" | "plus" | ":")
    };
    let is_listed = |noun: &Noun| {
        let start = noun.words.start;
        goes_on(start) || noun.column_score() >= noun.table_score() && opens(start)
    };
    ends > 1 && !before.into_iter().any(is_listed)
}

/// At least two columns of which none is left out, with what else is shown beside them. What they are columns of may come behind
/// them only at the beginning.
fn listed(found: &Matched<'_>, columns: Columns) -> Option<Phrase> {
    let named = found.columns(0)?;
    let question = found.lattice.question;
    let behind = (found.words.end..).map(|at| question.word(at)).find(|word| !matches!(*word, "," | "and"));
    let behind = behind.unwrap_or_default();
    let opens = found.words.start == 0 && matches!(behind, "of" | "for" | "from");
    let ends = behind.is_empty() || opens || WordLists::embedded().has("behind_columns", behind);
    let shows = named.iter().any(|part| matches!(part, Part::Column(_)));
    if named.len() < 2 || !shows || !ends {
        return None;
    }
    all(std::iter::once(Part::Columns(columns)).chain(named.iter().cloned()).collect())
}
