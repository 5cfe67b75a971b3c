//! Means of totals: *average total spend per customer*, *what does a customer spend in total on average*; and groups beside the
//! mean of all groups: *customers with more orders than the average customer*.

use super::comparisons::goes_on_with_kind;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Noun, Per, Pred, Words};
use crate::rules::grammar::lower::takings::means_money;
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::columns_compared::times;
use crate::rules::grammar::rules::versus::total_of;
use crate::rules::stem::stem;
use sqlogue_sql::plan::{Aggregate, Comparison};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "average_total_per",
        pattern: "$avg total|overall|summed|combined|yearly|annual|lifetime NOUN per|of_a|of_an|of_each|for_each|by|for_a|for_an|a NOUN",
        make: |found| mean(total_of_column(&found.noun(0)?)?, &found.noun(1)?),
    },
    Rule {
        name: "average_number_of_column_per",
        pattern: "$avg number_of|amount_of NOUN per|of_each|for_each|for_every NOUN",
        make: |found| {
            let (counted, each) = (found.noun(0)?, found.noun(1)?.as_table()?);
            let is_number = counted.column_score() > counted.table_score();
            is_number.then(|| mean(total_of_column(&counted)?, &each)).flatten()
        },
    },
    Rule {
        name: "average_column_total_per",
        pattern: "$avg NOUN total|sum per|of_a|of_an|of_each|for_each|by NOUN",
        make: |found| mean(total_of_column(&found.noun(0)?)?, &found.noun(1)?),
    },
    Rule {
        name: "average_total_taken_in_per",
        pattern: "$avg total|overall|yearly|annual|lifetime? WINDOW? MEASURE of_a|of_an|of_each|for_each|per|for_a|for_an NOUN",
        make: |found| {
            let taken_in = found.measure(0)?;
            let is_total = matches!(taken_in, Measure::Of(Aggregate::Sum, Attr::Revenue(_)));
            let mean = Measure::Mean(Box::new(taken_in), Per::Row(row_of(&found.noun(0)?)?));
            let mut parts = vec![Part::Measure(mean)];
            parts.extend(found.window(0).map(|window| Part::Where(Pred::In(None, window))));
            is_total.then_some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "total_on_average",
        pattern: "what|how_much does|do|did a|an|one|each|every|the_average? NOUN NOUN us|with_us|here? in_total|altogether|overall|in_all on_average|typically|usually",
        make: |found| mean(total_of_column(&found.noun(1)?)?, &found.noun(0)?),
    },
    Rule {
        name: "brings_in_total_on_average",
        pattern: "what|how_much does|do|did a|an|one|each|every|the_average NOUN $contributing|$earning|cost|costs in_total|altogether? in? NOUN on_average|typically|usually",
        make: |found| {
            let summed = found.noun(1).filter(|summed| summed.column_score() > summed.table_score())?;
            mean(total_of_column(&summed)?, &found.noun(0)?)
        },
    },
    Rule {
        name: "spends_in_total_on_average",
        pattern: "what|how_much does|do|did a|an|one|each|every|the_average? NOUN $spent|pay|pays|spend us|with_us|here|on_us? in_total|altogether|overall|in_all on_average|typically|usually",
        make: |found| {
            let spent = Measure::Of(Aggregate::Sum, Attr::Revenue(found.words));
            mean(spent, &found.noun(0)?)
        },
    },
    Rule {
        name: "mean_of_counts_per",
        pattern: "$avg NOUN count|counts|numbers per|for_each|for_every|of_each|of_a|each|a NOUN",
        make: |found| mean(Measure::Count(Some(found.noun(0)?.as_table()?)), &found.noun(1)?),
    },
    Rule {
        name: "count_of_the_average",
        pattern: "$how_many NOUN does|do|did|has|have the_average|a_typical|an_average NOUN $contributing|$neutral|buy|order|need|use|make|do|watch|read|play|book|borrow|rent|visit?",
        make: |found| mean(Measure::Count(Some(found.noun(0)?.as_table()?)), &found.noun(1)?),
    },
    Rule {
        name: "more_rows_than_average",
        pattern: "$with? more NOUN than average|usual|on_average|the_average|an_average|most NOUN? has|have|does|do|gets|did|had?",
        make: |found| beside_mean(found, Comparison::Greater),
    },
    Rule {
        name: "fewer_rows_than_average",
        pattern: "$with? fewer|less NOUN than average|usual|on_average|the_average|an_average|most NOUN? has|have|does|do|gets|did|had?",
        make: |found| beside_mean(found, Comparison::Less),
    },
    Rule {
        name: "count_above_average",
        pattern: "$with? $count NOUN is|are|was|lies? $more|above|over $avg",
        make: |found| beside_mean(found, Comparison::Greater),
    },
    Rule {
        name: "took_in_more_than_average",
        pattern: "that|which|who|have|has|had? have|has|had? $earning|$spent more|less money? than average|usual|on_average|the_average|an_average|most NOUN? has|have|does|do|did|had?",
        make: |found| {
            let word = |at: usize| found.lattice.question.word(at);
            let words = || found.words.start..found.words.end;
            let than = words().find(|at| word(*at) == "than")?;
            let operator = match word(than - 1) == "less" || word(than - 2) == "less" {
                true => Comparison::Less,
                false => Comparison::Greater,
            };
            let measure = Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(found.words.start, than)));
            let with = Against::MeanOfGroups(1.0);
            Some(Phrase::Part(Part::Having(Having { measure, operator, with })))
        },
    },
    Rule {
        name: "measure_above_their_kind",
        pattern: "$with? MEASURE $yes? $more|above|over|beats|exceeds $avg NOUN? of|for|in|within|among $their|its|the_same|same|own own? NOUN",
        make: |found| beside_kind(found, found.measure(0)?, Comparison::Greater),
    },
    Rule {
        name: "measure_below_their_kind",
        pattern: "$with? MEASURE $yes? $less|below|under $avg NOUN? of|for|in|within|among $their|its|the_same|same|own own? NOUN",
        make: |found| beside_kind(found, found.measure(0)?, Comparison::Less),
    },
    Rule {
        name: "measure_above_that_of_kind",
        pattern: "$with? MEASURE $yes? $more|above|over|beats|exceeds $their|its own? NOUN 's|'|s? average|mean",
        make: |found| beside_kind(found, found.measure(0)?, Comparison::Greater),
    },
    Rule {
        name: "measure_below_that_of_kind",
        pattern: "$with? MEASURE $yes? $less|below|under $their|its own? NOUN 's|'|s? average|mean",
        make: |found| beside_kind(found, found.measure(0)?, Comparison::Less),
    },
    Rule {
        name: "more_rows_than_their_kind",
        pattern: "$with? more NOUN than average|usual|is_usual|the_average|an_average of|for|in|within|among $their|its|the_same|same own? NOUN",
        make: |found| {
            beside_kind(found, Measure::Count(Some(found.noun(0)?.as_table()?)), Comparison::Greater)
        },
    },
    Rule {
        name: "fewer_rows_than_their_kind",
        pattern: "$with? fewer|less NOUN than average|usual|is_usual|the_average|an_average of|for|in|within|among $their|its|the_same|same own? NOUN",
        make: |found| beside_kind(found, Measure::Count(Some(found.noun(0)?.as_table()?)), Comparison::Less),
    },
    Rule {
        name: "more_times_average_rows",
        pattern: "$with? more_than twice|double|triple NUM? times? $avg number_of|count_of NOUN",
        make: |found| beside_mean(found, Comparison::Greater),
    },
];

/// A row of a table, or what a column refers to: *per owner*.
fn row_of(noun: &Noun) -> Option<Noun> {
    noun.as_table().or_else(|| noun.as_column())
}

/// The total of a column that is named.
fn total_of_column(noun: &Noun) -> Option<Measure> {
    total_of(noun).filter(|total| !matches!(total, Measure::Count(_)))
}

fn mean(total: Measure, each: &Noun) -> Option<Phrase> {
    Some(Phrase::Measure(Measure::Mean(Box::new(total), Per::Row(row_of(each)?))))
}

/// *below the average of their own team*: the last noun is the kind.
fn beside_kind(found: &Matched<'_>, measure: Measure, operator: Comparison) -> Option<Phrase> {
    let kind = (0..4).map_while(|at| found.noun(at)).last()?;
    Some(Phrase::Part(Part::Having(Having { measure, operator, with: Against::MeanOfKind(kind) })))
}

/// *more orders than the average customer*.
fn beside_mean(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    if goes_on_with_kind(found) {
        return None;
    }
    let measure = Measure::Count(Some(found.noun(0)?.as_table()?));
    let with = Against::MeanOfGroups(times(found).unwrap_or(1.0));
    Some(Phrase::Part(Part::Having(Having { measure, operator, with })))
}

/// True for *average visits per day*, which asks how many there are, where *average payments per day* asks how much they are.
pub(super) fn counts_them(found: &Matched<'_>) -> bool {
    let question = &found.lattice.question;
    let Some(last) = found.noun(0).and_then(|noun| noun.words.end.checked_sub(1)) else { return false };
    let word = question.word(last);
    let is_several = word.ends_with('s') && stem(word) != word;
    let of_each = matches!(question.word(found.words.end), "per" | "each" | "every");
    is_several && of_each && last + 1 == found.words.end && !means_money(word)
}
