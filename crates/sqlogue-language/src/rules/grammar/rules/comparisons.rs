//! Values beside those before them (running totals, moving averages, growth, ranks), beside those of other times, and means beside
//! the mean of all.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, By, Compare, Having, Key, Measure, Noun, Take};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::versus::total_of;
use sqlogue_sql::plan::{Aggregate, Comparison, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "measure_above_overall",
        pattern: "$with? MEASURE $yes? $more overall|general|total? $avg|overall_average|overall|overall_one|one over|of|for|across? all|everything|overall|the_whole? NOUN?",
        make: |found| against_overall(found, Comparison::Greater),
    },
    Rule {
        name: "beside_overall",
        pattern: ",? and|together? compared_to|compared_with|compared_against|next_to|beside|alongside|against|relative_to|versus|vs|with the|that_of_the? overall|total|general|company|company-wide|global|whole_company|company's $avg|one over|of|for|across? all|everything|everybody? NOUN?",
        make: |_| Some(Phrase::Part(Part::BesideOverall)),
    },
    Rule {
        name: "beside_average_of_all",
        pattern: ",? and|together? compared_to|compared_with|next_to|beside|alongside|against|relative_to|versus|vs|with the $avg over|of|for|across all|every NOUN",
        make: |_| Some(Phrase::Part(Part::BesideOverall)),
    },
    Rule {
        name: "measure_below_overall",
        pattern: "$with? MEASURE $yes? $less overall|general|total? $avg|overall_average|overall|overall_one|one over|of|for|across? all|everything|overall|the_whole? NOUN?",
        make: |found| against_overall(found, Comparison::Less),
    },
    Rule {
        name: "higher_measure_than_overall",
        pattern: "$with? higher|larger|bigger|longer|greater|better MEASURE than overall|general? $avg|overall over|of|for|across? all|everything|overall? NOUN?",
        make: |found| against_overall(found, Comparison::Greater),
    },
    Rule {
        name: "lower_measure_than_overall",
        pattern: "$with? lower|smaller|shorter|worse MEASURE than overall|general? $avg|overall over|of|for|across? all|everything|overall? NOUN?",
        make: |found| against_overall(found, Comparison::Less),
    },
    Rule { name: "running", pattern: "$running MEASURE?", make: |found| compare(found, Compare::Running) },
    Rule {
        name: "running_noun",
        pattern: "$running NOUN",
        make: |found| {
            let measure = total_of(&found.noun(0)?)?;
            Some(Phrase::Part(Part::Compare(Compare::Running, Some(measure))))
        },
    },
    Rule { name: "growth", pattern: "$growth MEASURE?", make: |found| compare(found, Compare::Growth) },
    Rule {
        name: "growth_on_period_before",
        pattern: "$growth? $period_before",
        make: |found| compare(found, Compare::Growth),
    },
    Rule {
        name: "against_period_before",
        pattern: "%|percent|percentage? change|difference|growth|development|increase? %? $against previous|prior|preceding|last PERIOD",
        make: |found| compare(found, Compare::Growth),
    },
    Rule {
        name: "against_period_earlier",
        pattern: "%|percent|percentage? change|difference|growth|development|increase? %? $against PERIOD before|earlier|prior|previously",
        make: |found| compare(found, Compare::Growth),
    },
    Rule {
        name: "against_same_period",
        pattern: "%|percent|percentage? change|difference|growth|development|increase? %? $against same PERIOD last_year|a_year_ago|of_last_year|of_the_previous_year|the_year_before|one_year_earlier|a_year_earlier",
        make: |found| compare(found, Compare::YearOnYear),
    },
    Rule {
        name: "how_did_it_grow",
        pattern: "by_what_percentage|by_how_much|how_much|how did|has|have|do|does? MEASURE $grew",
        make: |found| compare(found, Compare::Growth),
    },
    Rule {
        name: "year_on_year",
        pattern: "$growth? $year_on_year",
        make: |found| compare(found, Compare::YearOnYear),
    },
    Rule {
        name: "year_on_year_growth",
        pattern: "$year_on_year $growth|change|development|increase in|of|for? MEASURE?",
        make: |found| compare(found, Compare::YearOnYear),
    },
    Rule {
        name: "rank",
        pattern: "$rank NOUN $by MEASURE",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let rank = Part::Compare(Compare::Rank, Some(found.measure(0)?));
            Some(Phrase::Part(Part::All(vec![key, rank])))
        },
    },
    Rule {
        name: "rank_by_rows_that",
        pattern: "$rank NOUN $by $count WHERE NOUN",
        make: |found| {
            let rank = Compare::Rank;
            let number = Measure::Count(Some(found.noun(1)?.as_table()?));
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let parts = vec![key, Part::Where(found.pred(0)?), Part::Compare(rank, Some(number))];
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "rank_by_noun",
        pattern: "$rank NOUN $by NOUN",
        make: |found| {
            let by = found.noun(1)?;
            let measure = match by.table_score() > by.column_score() {
                true => Measure::Count(by.as_table()),
                false => Measure::Of(Aggregate::Sum, Attr::Noun(by.as_column()?)),
            };
            let rank = Part::Compare(Compare::Rank, Some(measure));
            Some(Phrase::Part(Part::All(vec![Part::Key(Key::Noun(found.noun(0)?)), rank])))
        },
    },
    Rule {
        name: "latest_of_each",
        pattern: "latest|last|most_recent|newest|first|earliest|oldest NOUN $per|of_every|of_each NOUN",
        make: |found| {
            let direction = said_end(found);
            let each = Some(Key::Noun(found.noun(1)?));
            let take = Part::Take(Take { by: By::Shown, direction, open: false, each, alone: false });
            Some(Phrase::Part(Part::All(vec![
                Part::Limit(1),
                take,
                Part::Subject(found.noun(0)?.as_table()?),
            ])))
        },
    },
    Rule {
        name: "latest_value_of_each",
        pattern: "latest|last|most_recent|newest|first|earliest NOUN paid|charged|asked|recorded|measured|given? for|of|by|per|in|from each|every? NOUN",
        make: latest_value,
    },
    Rule {
        name: "each_with_its_latest",
        pattern: "$per|of|from each|every? NOUN ,|:|show|list|give? the|its|their|his|her? latest|last|most_recent|newest|first|earliest|oldest NOUN",
        make: |found| first_of_each(found, found.noun(1)?, found.noun(0)?, said_end(found)),
    },
    Rule {
        name: "each_with_what_came_last",
        pattern: "$per|of|from each|every? NOUN ,|:|show|list|give? the|its|their|his|her? NOUN that? was|were|is|it|they|he|she? $light_verb|$participle|$used? most_recently|last|latest",
        make: |found| first_of_each(found, found.noun(1)?, found.noun(0)?, Direction::Descending),
    },
    Rule {
        name: "latest_of_each_such",
        pattern: "latest|last|most_recent|newest|first|earliest|oldest NOUN per|of|for|by each|every GROUP",
        make: |found| {
            let group = found.group(0).filter(|group| !group.preds.is_empty())?;
            let direction = said_end(found);
            let each = Some(Key::Noun(group.of));
            let take = Part::Take(Take { by: By::Shown, direction, open: false, each, alone: false });
            let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
            parts.extend([Part::Limit(1), take, Part::Subject(found.noun(0)?.as_table()?)]);
            Some(Phrase::Part(Part::All(parts)))
        },
    },
];

/// The row of a table that comes first for each of another's, or for each value of a column.
fn first_of_each(found: &Matched<'_>, rows: Noun, each: Noun, direction: Direction) -> Option<Phrase> {
    let named = |at: usize| found.lattice.question.word(at);
    // *by month* alone says nothing of each.
    let said = (found.words.start..each.words.start).any(|at| matches!(named(at), "each" | "every" | "per"));
    let take = Take { by: By::Shown, direction, open: false, each: Some(Key::Noun(each)), alone: false };
    let parts = vec![Part::Limit(1), Part::Take(take), Part::Subject(rows.as_table()?)];
    said.then_some(Phrase::Part(Part::All(parts)))
}

/// *the latest price of each product*: that of the row that came last.
fn latest_value(found: &Matched<'_>) -> Option<Phrase> {
    let (value, each) = (found.noun(0)?, found.noun(1)?);
    let said_of_each = (value.words.end..each.words.start)
        .any(|at| matches!(found.lattice.question.word(at), "each" | "every" | "per" | "by"));
    let column =
        value.as_column().filter(|_| value.column_score() > value.table_score() && !value.says_when)?;
    let take = Take {
        by: By::Date,
        direction: said_end(found),
        open: false,
        each: Some(Key::Noun(each)),
        alone: false,
    };
    let parts = vec![Part::Limit(1), Part::Take(take), Part::Noun(column)];
    said_of_each.then_some(Phrase::Part(Part::All(parts)))
}

/// The end that comes first: *the first order of each customer*, or the latest.
fn said_end(found: &Matched<'_>) -> Direction {
    let ascending = (found.words.start..found.words.end)
        .any(|at| matches!(found.lattice.question.word(at), "first" | "earliest" | "oldest"));
    if ascending { Direction::Ascending } else { Direction::Descending }
}

fn compare(found: &Matched<'_>, compare: Compare) -> Option<Phrase> {
    let in_percent = || {
        let tokens = &found.lattice.question.tokens;
        tokens
            .iter()
            .any(|token| matches!(token.lower.as_str(), "%" | "percent" | "percentage" | "relative" | "rate"))
    };
    let compare = match compare {
        Compare::Growth if found.says(&["change", "difference"]) && !in_percent() => Compare::Change,
        compare => compare,
    };
    Some(Phrase::Part(Part::Compare(compare, found.measure(0))))
}

/// *whose average price is above the overall average*: of a mean, since no group's total is above that of all.
fn against_overall(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let measure = found.measure(0)?;
    let is_mean = measure.is_mean();
    // A total is compared with what is usual among the others: *whose total spending is above average*.
    let usual = found.says(&["average", "mean"]);
    let with = if is_mean { Against::Overall } else { Against::MeanOfGroups(1.0) };
    let having = Having { measure, operator, with };
    ((is_mean || usual) && !goes_on_with_kind(found)).then_some(Phrase::Part(Part::Having(having)))
}

/// True where it is said behind the average of which kind it is: *the average of their own team* is not that of all.
pub(super) fn goes_on_with_kind(found: &Matched<'_>) -> bool {
    let word = |at: usize| found.lattice.question.word(at);
    let begins = |at: usize| {
        let owner = if word(at + 1) == "the" { word(at + 2) } else { word(at + 1) };
        matches!(word(at), "of" | "in" | "for" | "within" | "among" | "at")
            && matches!(owner, "their" | "his" | "her" | "its" | "same" | "own")
    };
    (found.words.start..=found.words.end).any(begins)
}
