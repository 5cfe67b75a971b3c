//! Rows beside single other rows: *earn more than their manager*, *dearer than the oak desk*, *who reports to Ann Smith*, *who
//! bought a desk*.

use super::conditions::condition;
use crate::rules::cue::Cue;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Pred, Trade, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::Comparison;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "column_beside_named",
        pattern: "NOUN $yes? OP that_of|those_of|the_one_of? VALUE 's?",
        make: |found| beside(found, Attr::Noun(found.noun(0)?.as_column()?), found.operator()?),
    },
    Rule {
        name: "column_beside_named_one",
        pattern: "NOUN as_high_as|as_much_as|at_least_as_high_as|at_least_as_much_as VALUE",
        make: |found| beside(found, Attr::Noun(found.noun(0)?.as_column()?), Comparison::GreaterOrEqual),
    },
    Rule {
        name: "higher_than_named",
        pattern: "$with? higher|larger|bigger|greater|longer|better|more|later NOUN than that_of|those_of? VALUE",
        make: |found| beside(found, Attr::Noun(found.noun(0)?.as_column()?), Comparison::Greater),
    },
    Rule {
        name: "lower_than_named",
        pattern: "$with? lower|smaller|shorter|less|fewer|worse|earlier NOUN than that_of|those_of? VALUE",
        make: |found| beside(found, Attr::Noun(found.noun(0)?.as_column()?), Comparison::Less),
    },
    Rule {
        name: "more_rows_than_named",
        pattern: "$with? more NOUN than that_of|those_of? VALUE",
        make: |found| more_rows(found, Comparison::Greater),
    },
    Rule {
        name: "fewer_rows_than_named",
        pattern: "$with? fewer|less NOUN than that_of|those_of? VALUE",
        make: |found| more_rows(found, Comparison::Less),
    },
    Rule {
        name: "dearer_than_named",
        pattern: "$yes? more_expensive_than|dearer_than|pricier_than|costlier_than|cost_more_than|costs_more_than|costing_more_than|priced_above|priced_higher_than VALUE",
        make: |found| beside(found, Attr::Price(said(found)), Comparison::Greater),
    },
    Rule {
        name: "cheaper_than_named",
        pattern: "$yes? less_expensive_than|cheaper_than|cost_less_than|costs_less_than|costing_less_than|priced_below|priced_lower_than VALUE",
        make: |found| beside(found, Attr::Price(said(found)), Comparison::Less),
    },
    Rule {
        name: "comparative_than_named",
        pattern: "$yes? WORD than that_of|those_of? VALUE",
        make: |found| {
            let than = |at: &usize| found.lattice.question.word(*at) == "than";
            let at = (found.words.start..found.words.end).find(than)?.checked_sub(1)?;
            let cues = Lexicon::embedded().cues_at(|ahead| found.lattice.question.word(at + ahead));
            let index = cues.into_iter().find_map(|(_, cue)| match cue {
                Cue::Comparative(index) => Some(index),
                _ => None,
            })?;
            // The word is spelt out as a value, too: the row's name is the second.
            let attr = Attr::Adjective(Words::new(at, at + 1), index);
            condition(Pred::Beside(attr, Comparison::Greater, found.value(1)?))
        },
    },
    Rule {
        name: "costs_more_per_unit_than_named",
        pattern: "$costing|you_pay|we_pay|pay more|less for? per|a|by NOUN than VALUE",
        make: |found| {
            let less =
                (found.words.start..found.words.end).any(|at| found.lattice.question.word(at) == "less");
            let operator = if less { Comparison::Less } else { Comparison::Greater };
            beside(found, Attr::Noun(found.noun(0)?.as_column()?), operator)
        },
    },
    Rule {
        name: "older_than_named",
        pattern: "$yes? older_than|born_before|senior_to VALUE",
        make: |found| older(found, true),
    },
    Rule {
        name: "younger_than_named",
        pattern: "$yes? younger_than|born_after VALUE",
        make: |found| older(found, false),
    },
    Rule {
        name: "date_before_named",
        pattern: "NOUN before|earlier_than VALUE",
        make: |found| beside(found, Attr::Noun(found.noun(0)?.as_column()?), Comparison::Less),
    },
    Rule {
        name: "date_after_named",
        pattern: "NOUN after|later_than VALUE",
        make: |found| beside(found, Attr::Noun(found.noun(0)?.as_column()?), Comparison::Greater),
    },
    Rule {
        name: "same_as_theirs",
        pattern: "in|at|from|with|of|have|has|share|shares|speak|speaks? same NOUN as|like $their|his|her|its|own? NOUN is|are|does|do?",
        make: |found| same_as(found, true),
    },
    Rule {
        name: "not_same_as_theirs",
        pattern: "in|at|from|with|of|have|has|speak|speaks? different|another|other NOUN than|from|to $their|his|her|its|own? NOUN is|are|does|do?",
        make: |found| same_as(found, false),
    },
    Rule {
        name: "another_end",
        pattern: "to|at|in|from|back_to|by different|another|other NOUN than|from|as? where|they|it|the_one? it|they|was|were|is? WORD?",
        make: |found| condition(Pred::SameEnds(found.noun(0)?.as_table()?, false)),
    },
    Rule {
        name: "one_way_rows",
        pattern: "one_way|one-way NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let way = found.lattice.way_of_rows(found.words, &rows)?;
            let other = Part::Where(Pred::SameEnds(way, false));
            Some(Phrase::Part(Part::All(vec![Part::Noun(rows), other])))
        },
    },
    Rule {
        name: "same_end",
        pattern: "to|at|in|from|back_to|by same NOUN as|they|it? where|they|it? it|they|was|were|is? WORD?",
        make: |found| {
            let before = found.words.start.checked_sub(2).unwrap_or(found.words.start);
            let question = found.lattice.question;
            let denied = |at: usize| {
                matches!(question.word(at), "not" | "never" | "n't" | "didn't" | "wasn't" | "weren't")
            };
            let same = !(before..found.words.start).any(denied);
            condition(Pred::SameEnds(found.noun(0)?.as_table()?, same))
        },
    },
    Rule {
        name: "reports_to",
        pattern: "who|that|which|do|does|directly? report|reports|reporting|reported|answer|answers directly? to VALUE",
        make: |found| condition(Pred::Under(found.value(0)?, None)),
    },
    Rule {
        name: "whom_it_reports_to",
        pattern: "who|whom? reports|report directly? to VALUE directly?",
        make: |found| {
            let under = Part::Where(Pred::Under(found.value(0)?, None));
            Some(Phrase::Part(Part::All(vec![Part::Names, under])))
        },
    },
    Rule {
        name: "managed_by",
        pattern: "$yes? managed|supervised|led|headed|run|overseen by VALUE",
        make: |found| condition(Pred::Under(found.value(0)?, None)),
    },
    Rule {
        name: "whose_superior_is",
        pattern: "whose|with|having? NOUN is|was|being|named|called|:|=? VALUE",
        make: |found| condition(Pred::Under(found.value(0)?, Some(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "team_of",
        pattern: "VALUE 's|' direct? team|reports|subordinates|people|direct_reports|staff",
        make: |found| {
            let under = Part::Where(Pred::Under(found.value(0)?, None));
            Some(Phrase::Part(Part::All(vec![Part::Names, under])))
        },
    },
    Rule {
        name: "traded_value",
        pattern: "who|that|which|have|has|had|ever|actually? $trading any|some|at_least_one|one|a? VALUE WHERE?",
        make: |found| traded(found, true),
    },
    Rule {
        name: "who_traded_value",
        pattern: "who|whoever has|have|had|ever? $trading any|some|at_least_one|one|a? VALUE WHERE?",
        make: |found| {
            let Some(Phrase::Part(traded)) = traded(found, true) else { return None };
            Some(Phrase::Part(Part::All(vec![Part::Names, traded])))
        },
    },
    Rule {
        name: "never_traded_value",
        pattern: "$never|without ever|yet? $trading|buying|ordering|purchasing any|a|one? VALUE WHERE?",
        make: |found| traded(found, false),
    },
    Rule {
        name: "who_never_traded_value",
        pattern: "who has|have|had? $never ever|yet? $trading any|a|one? VALUE WHERE?",
        make: |found| {
            let Some(Phrase::Part(traded)) = traded(found, false) else { return None };
            Some(Phrase::Part(Part::All(vec![Part::Names, traded])))
        },
    },
    Rule {
        name: "traded_both",
        pattern: "who|that|which|have|has|had? $trading both? VALUE and|as_well_as|and_also VALUE",
        make: |found| {
            let both = [0, 1].map(|at| through(found, at, true).map(Part::Where));
            let [Some(one), Some(other)] = both else { return None };
            Some(Phrase::Part(Part::All(vec![one, other])))
        },
    },
    Rule {
        name: "traded_one_and_not_the_other",
        pattern: "who|that|which|have|has|had? $trading VALUE but|and|yet not|never|no any? VALUE",
        make: |found| {
            let [one, other] =
                [through(found, 0, true), through(found, 1, false)].map(|pred| pred.map(Part::Where));
            Some(Phrase::Part(Part::All(vec![one?, other?])))
        },
    },
    Rule {
        name: "contains_value",
        pattern: "that|which? have|has|had|do|does|did? contain|contains|containing|contained|include|includes|including|included a|an|one|any|at_least_one|some VALUE",
        make: |found| condition(Pred::Through(found.value(0)?, None, Vec::new(), true)),
    },
    Rule {
        name: "traded_by",
        pattern: "$yes? $trading by|to|from VALUE WHERE?",
        make: |found| traded(found, true),
    },
    Rule {
        name: "did_value_trade",
        pattern: "did|has|have|does VALUE $trading WHERE?",
        make: |found| traded(found, true),
    },
];

/// *in the same country as their instructor*.
fn same_as(found: &Matched<'_>, same: bool) -> Option<Phrase> {
    condition(Pred::SameAs(found.noun(0)?.as_column()?, found.noun(1)?.as_table()?, same))
}

fn beside(found: &Matched<'_>, attr: Attr, operator: Comparison) -> Option<Phrase> {
    condition(Pred::Beside(attr, operator, found.value(0)?))
}

/// *more orders than Ann Smith*.
fn more_rows(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let with = Against::Named(found.value(0)?);
    Some(Phrase::Part(Part::Having(Having { measure: Measure::Count(Some(rows)), operator, with })))
}

/// The words before the value, which say what is compared.
fn said(found: &Matched<'_>) -> Words {
    Words::new(found.words.start, found.value(0).map_or(found.words.end, |named| named.words.start))
}

/// *older than Ann Smith*: a greater age, or an earlier birth.
fn older(found: &Matched<'_>, older: bool) -> Option<Phrase> {
    let age = Attr::Adjective(said(found), Lexicon::embedded().adjective_named("old")?);
    beside(found, age, if older { Comparison::Greater } else { Comparison::Less })
}

/// The verb of trade, by which what was sold is found.
pub(super) fn trade(found: &Matched<'_>) -> Option<Trade> {
    let before = found.value(0)?.words;
    let word = |at: usize| found.lattice.question.word(at);
    let lists = WordLists::embedded();
    let is_verb = |at: &usize| {
        lists.has("trading", word(*at)) || matches!(word(*at), "buying" | "ordering" | "purchasing")
    };
    let at = (found.words.start..before.start).chain(before.end..found.words.end).find(is_verb)?;
    Some(Trade { words: Words::new(at, at + 1), sells: lists.has("selling", word(at)) })
}

/// Rows that lead to the value of that number, by what was sold where a verb of trade is said.
pub(super) fn through(found: &Matched<'_>, at: usize, holds: bool) -> Option<Pred> {
    let preds: Vec<Pred> = (0..2).map_while(|at| found.pred(at)).collect();
    // *but not a lamp* says nothing of the desk.
    let of_time = preds.iter().all(|pred| matches!(pred, Pred::In(..) | Pred::On(..)));
    of_time.then_some(())?;
    Some(Pred::Through(found.value(at)?, trade(found), preds, holds))
}

fn traded(found: &Matched<'_>, holds: bool) -> Option<Phrase> {
    trade(found)?;
    condition(through(found, 0, holds)?)
}
