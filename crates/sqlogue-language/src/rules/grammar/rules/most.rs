//! What has most or least: *members with the most loans*, *who borrowed the most books*, *the busiest month*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Noun, Pred, Words};
use crate::rules::grammar::lower::takings::means_money;
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::takes::{all, measured, most, most_or_least, nth, one_or_few, take};
use crate::rules::grammar::rules::versus::total_of;
use crate::rules::grammar::words::WordLists;
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "most_measure",
        pattern: "$holding|$light_verb? $most|highest|largest|biggest|greatest|best MEASURE",
        make: |found| measured(found, Direction::Descending),
    },
    Rule {
        name: "fewest_measure",
        pattern: "$holding? $fewest|lowest|smallest|worst MEASURE",
        make: |found| measured(found, Direction::Ascending),
    },
    Rule {
        name: "with_most",
        pattern: "$holding? $most NOUN",
        make: |found| most(found, Direction::Descending),
    },
    Rule {
        name: "with_fewest",
        pattern: "$holding? $fewest NOUN",
        make: |found| most(found, Direction::Ascending),
    },
    Rule {
        name: "with_highest",
        pattern: "$holding highest|largest|biggest|greatest|best|longest|latest NOUN",
        make: |found| most_of_column(found, Direction::Descending),
    },
    Rule {
        name: "with_lowest",
        pattern: "$holding lowest|smallest|least|shortest|earliest|worst NOUN",
        make: |found| most_of_column(found, Direction::Ascending),
    },
    Rule {
        name: "with_largest_row",
        pattern: "$holding|$light_verb? $light_verb|$used? the|a? single? largest|biggest|highest|greatest|most_expensive|priciest|dearest|costliest NOUN",
        make: |found| row_of_most_worth(found, Direction::Descending),
    },
    Rule {
        name: "with_smallest_row",
        pattern: "$holding|$light_verb? $light_verb|$used? the|a? single? smallest|lowest|cheapest|least_expensive NOUN",
        make: |found| row_of_most_worth(found, Direction::Ascending),
    },
    Rule {
        name: "spent_most_on",
        pattern: "who|that|which? have|has|had? spent|spend|spends|paid|pay the? most|least on|for NOUN",
        make: |found| {
            let worth = Measure::Of(Aggregate::Sum, Attr::Amount(found.noun(0)?.as_table()?));
            all(vec![take(By::Measure(worth), most_or_least(found))])
        },
    },
    Rule {
        name: "costs_most_in",
        pattern: "$light_verb|cost|costs|lose|loses|lost us|me? the? most|least in|of|from|through NOUN",
        make: |found| {
            // *which reasons cost us most in refunds*: the word behind says what is added up.
            let says_most = found.says(&["most", "least"]);
            let total = total_of(&found.noun(0)?.as_column()?).filter(|_| says_most)?;
            all(vec![take(By::Measure(total), most_or_least(found))])
        },
    },
    Rule {
        name: "brings_most_in",
        pattern: "$light_verb|cost|costs|lose|loses|lost us|me? the? most|least in|of|from|through MEASURE",
        make: |found| {
            let says_most = found.says(&["most", "least"]);
            let total = found.measure(0).filter(|_| says_most)?;
            all(vec![take(By::Measure(total), most_or_least(found))])
        },
    },
    Rule {
        name: "most_often",
        pattern: "NOUN most_often|the_most_often|most_frequently|most|the_most",
        make: |found| {
            let count = Measure::Count(Some(found.noun(0)?.as_table()?));
            all(vec![take(By::Measure(count), Direction::Descending)])
        },
    },
    Rule {
        name: "gets_highest_on_average",
        pattern: "$holding|$light_verb|get|gets|receive|receives|earn|earns the? highest|largest|biggest|best|lowest|smallest|most|least NOUN on_average|on_the_average",
        make: |found| {
            let mean = Measure::Of(Aggregate::Avg, Attr::Noun(found.noun(0)?.as_column()?));
            let lowest = found.says(&["lowest", "smallest", "least"]);
            let direction = if lowest { Direction::Ascending } else { Direction::Descending };
            all(vec![take(By::Measure(mean), direction)])
        },
    },
    Rule {
        name: "was_late_most_often",
        pattern: "WORD NOUN? late|too_late|after_the_due_date most_often|the_most_often|most_frequently|most|the_most",
        make: |_| late_most_often(),
    },
    Rule {
        name: "who_was_late_most_often",
        pattern: "who|whoever is|are|has|have? WORD NOUN? late|too_late|after_the_due_date? most_often|the_most_often|most_frequently|most|the_most",
        make: |found| {
            let Some(Phrase::Part(late)) = late_most_often() else { return None };
            found.says(&["late", "due"]).then(|| all(vec![Part::Names, late])).flatten()
        },
    },
    Rule {
        name: "most_amount",
        pattern: "NOUN most|the_most in_total?",
        make: |found| {
            let total = Measure::Of(Aggregate::Sum, Attr::Amount(found.noun(0)?.as_table()?));
            all(vec![take(By::Measure(total), Direction::Descending)])
        },
    },
    Rule {
        name: "most_money",
        pattern: "$spent most|the_most money|in_total?",
        make: |found| {
            let words = Words::new(found.words.start, found.words.start + 1);
            let total = Measure::Of(Aggregate::Sum, Attr::Revenue(words));
            // *who brings in the most profit* says what is meant.
            let behind = found.lattice.question.word(found.words.end);
            let says = WordLists::embedded().has("profit", behind) || means_money(behind);
            (!says).then(|| all(vec![take(By::Measure(total), Direction::Descending)])).flatten()
        },
    },
    Rule {
        name: "did_most",
        pattern: "who|whoever|that|which? has|have|had? NOUN $most|the_largest_number_of|more NOUN than_anyone_else|than_anybody_else?",
        make: |found| by_doing(found, Direction::Descending),
    },
    Rule {
        name: "did_most_of",
        pattern: "who|whoever|that|which? has|have|had? NOUN $most NOUN",
        make: |found| by_amount(found, Direction::Descending),
    },
    Rule {
        name: "did_fewest",
        pattern: "who|whoever|that|which? has|have|had? NOUN $fewest NOUN",
        make: |found| by_doing(found, Direction::Ascending),
    },
    Rule {
        name: "traded_most_of_value",
        pattern: "$trading|$serving|$light_verb most|largest_number_of|least|fewest VALUE",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            let pieces = By::Measure(Measure::Of(Aggregate::Sum, Attr::Sold(said)));
            all(vec![Part::Where(is), take(pieces, most_or_least(found))])
        },
    },
    Rule {
        name: "who_traded_most_of_value",
        pattern: "who has|have|had? $trading most|largest_number_of|least|fewest VALUE",
        make: |found| {
            let word = |at: usize| found.lattice.question.word(at);
            let said = Words::new(found.words.start + 1, found.value(0)?.words.start - 1);
            let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            let pieces = Measure::Of(Aggregate::Sum, Attr::Sold(said));
            let first = take(By::Measure(pieces.clone()), most_or_least(found));
            let lists = WordLists::embedded();
            let sells = (said.start..said.end).any(|at| lists.has("selling", word(at)));
            // Who sells are others than those who buy.
            match sells {
                true => all(vec![Part::OfEachPerson, Part::Measure(pieces), Part::Where(is), first]),
                false => all(vec![Part::Names, Part::Where(is), first]),
            }
        },
    },
    Rule {
        name: "who_served_most",
        pattern: "who has|have|had? $serving|$selling the? most|fewest|least|largest_number_of NOUN",
        make: |found| served_most(found, Measure::Count(Some(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "who_sold_most",
        pattern: "who has|have|had? sold|sells|sell the? most|least",
        make: |found| {
            let said = Words::new(found.words.start + 1, found.words.end);
            served_most(found, Measure::Of(Aggregate::Sum, Attr::Revenue(said)))
        },
    },
    Rule {
        name: "who_made_most_sales",
        pattern: "who has|have|had? made|closed|generated|brought_in the? most|least|highest|lowest sales|revenue|turnover",
        make: |found| {
            let said = Words::new(found.words.end - 1, found.words.end);
            served_most(found, Measure::Of(Aggregate::Sum, Attr::Revenue(said)))
        },
    },
    Rule {
        name: "owes_most",
        pattern: "who|that? owe|owes|owed|owing us|them? most|the_most|the_largest_amount|the_highest_amount money?",
        make: |found| {
            let words = Words::new(found.words.start, found.words.end);
            let total = Measure::Of(Aggregate::Sum, Attr::Revenue(words));
            let unpaid = Pred::Open { end: Some("paid".to_owned()), late_on: None };
            all(vec![Part::Where(unpaid), take(By::Measure(total), Direction::Descending)])
        },
    },
    Rule {
        name: "used_most",
        pattern: "$used most|the_most|most_often|the_most_often|most_frequently",
        make: |_| all(vec![take(By::Measure(Measure::Count(None)), Direction::Descending)]),
    },
    Rule {
        name: "most_used",
        pattern: "NUM? most_often|most_frequently|most $used NOUN?",
        make: |found| {
            let mut parts = vec![take(By::Measure(Measure::Count(None)), Direction::Descending)];
            let few = |noun: Noun| one_or_few(found, &noun);
            parts.extend(found.count().or_else(|| found.noun(0).and_then(few)).map(Part::Limit));
            parts.extend(found.noun(0).map(Part::Noun));
            all(parts)
        },
    },
    Rule {
        name: "largest_math",
        pattern: "$holding? highest|largest|biggest|greatest MATH",
        make: |found| all(vec![take(By::Attr(found.math()?), Direction::Descending)]),
    },
    Rule {
        name: "math_is_largest",
        pattern: "on|for|in|at? which|what NOUN is|are|was|were|has|have|with the? MATH the? highest|largest|biggest|greatest|widest",
        make: |found| {
            let rows = Part::Subject(found.noun(0)?.as_table()?);
            all(vec![rows, take(By::Attr(found.math()?), Direction::Descending)])
        },
    },
    Rule {
        name: "best_margin",
        pattern: "$holding|$light_verb? best|highest|largest|biggest|greatest|fattest|most $profit per|on|for|a? unit|piece|item|plate|portion|one?",
        make: |found| profit_of_row(found, Direction::Descending),
    },
    Rule {
        name: "worst_margin",
        pattern: "$holding|$light_verb? worst|lowest|smallest|least|thinnest $profit per|on|for|a? unit|piece|item|plate|portion|one?",
        make: |found| profit_of_row(found, Direction::Ascending),
    },
    Rule {
        name: "largest_defined",
        pattern: "$holding? highest|largest|biggest|greatest|best|most margin|profit|markup|mark-up|surplus|difference|gap|profitable ,|:|(|=|meaning|i.e|i.e.|namely? MATH",
        make: |found| all(vec![take(By::Attr(found.math()?), Direction::Descending)]),
    },
    Rule {
        name: "by_math",
        pattern: "$by the? MATH",
        make: |found| all(vec![Part::Decide(By::Attr(found.math()?))]),
    },
    Rule {
        name: "smallest_math",
        pattern: "$holding? lowest|smallest|least MATH",
        make: |found| all(vec![take(By::Attr(found.math()?), Direction::Ascending)]),
    },
    Rule {
        name: "most_of_these",
        pattern: "$holding? $most GROUP",
        make: |found| most_of_these(found, Direction::Descending),
    },
    Rule {
        name: "fewest_of_these",
        pattern: "$holding? $fewest GROUP",
        make: |found| most_of_these(found, Direction::Ascending),
    },
    Rule {
        name: "highest_sum_of_these",
        pattern: "$holding|owe|owes|owed highest|largest|biggest|greatest|most|the_most total|sum|amount|amount_of|sum_of? in|of? GROUP $amount?",
        make: |found| {
            let group = found.group(0)?;
            // *the largest loan* is one loan, *the largest loans in total* are added up, and *the most repairs* are counted.
            let word = |at: usize| found.lattice.question.word(at);
            let are_money = means_money(word(group.of.words.end.saturating_sub(1)));
            let adds = |at: usize| match word(at) {
                "total" | "sum" | "amount" | "value" | "volume" | "worth" | "owe" | "owes" | "owed" => true,
                "most" => are_money,
                _ => false,
            };
            let adds = (found.words.start..found.words.end).any(adds);
            let counts = (found.words.start..group.of.words.start).any(|at| word(at) == "most");
            if !adds && (counts || group.preds.is_empty()) {
                return None;
            }
            let total = Measure::Of(Aggregate::Sum, Attr::Amount(group.of));
            let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
            parts.push(take(By::Measure(total), Direction::Descending));
            all(parts)
        },
    },
    Rule {
        name: "period_with_most",
        pattern: "$strongest PERIOD",
        make: |found| period(found, Direction::Descending),
    },
    Rule {
        name: "period_with_fewest",
        pattern: "$weakest PERIOD",
        make: |found| period(found, Direction::Ascending),
    },
    Rule {
        name: "nth_period",
        pattern: "ORDINAL $strongest PERIOD",
        make: |found| {
            let parts =
                vec![Part::Key(Key::Time(found.unit()?, None)), take(By::Shown, Direction::Descending)];
            nth(found, all(parts))
        },
    },
    Rule {
        name: "costs_most",
        pattern: "costs|cost|costing most|the_most|least|the_least",
        make: |found| {
            let words = found.words;
            let least = found.lattice.question.word(words.end - 1) == "least";
            let direction = if least { Direction::Ascending } else { Direction::Descending };
            let index = Lexicon::embedded().adjective_named("expensive")?;
            all(vec![take(
                By::Attr(Attr::Adjective(Words::new(words.start, words.start + 1), index)),
                direction,
            )])
        },
    },
    Rule {
        name: "least_common",
        pattern: "NUM? least_common|least_popular|least_frequent|rarest|least_used NOUN",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let few = Part::Limit(found.count().unwrap_or(1));
            all(vec![key, few, take(By::Measure(Measure::Count(None)), Direction::Ascending)])
        },
    },
    Rule {
        name: "is_most_popular",
        pattern: "NOUN is|are|was|were the? most|least popular|common|frequent|in_demand|used|busy",
        make: |found| {
            let direction = most_or_least(found);
            let limit = Part::Limit(one_or_few(found, &found.noun(0)?)?);
            let key = Part::Key(Key::Noun(found.noun(0)?));
            all(vec![key, limit, take(By::Measure(Measure::Count(None)), direction)])
        },
    },
    Rule {
        name: "nth_most_common",
        pattern: "ORDINAL most_common|most_popular|most_frequent|commonest|busiest|most_used|least_common|least_popular|rarest NOUN",
        make: |found| {
            let (key, direction) = (Part::Key(Key::Noun(found.noun(0)?)), most_or_least(found));
            nth(found, all(vec![key, take(By::Measure(Measure::Count(None)), direction)]))
        },
    },
    Rule {
        name: "most_common",
        pattern: "NUM? most_common|most_popular|most_frequent|commonest|busiest|most_used NUM? NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            let limit = match found.count() {
                Some(count) => count,
                None => one_or_few(found, &noun)?,
            };
            let most = take(By::Measure(Measure::Count(None)), Direction::Descending);
            all(vec![Part::Key(Key::Noun(noun)), most, Part::Limit(limit)])
        },
    },
];

/// *with the highest price*; how many orders there are is no *highest order*.
fn most_of_column(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let noun = found.noun(0)?;
    let of_rows = noun.table_score() > noun.column_score();
    (!of_rows).then(|| most(found, direction)).flatten()
}

/// *the dish with the best margin*: by what is left of its own price.
fn profit_of_row(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    all(vec![take(By::Attr(Attr::Profit(found.words)), direction)])
}

/// *the customer with the largest order*: by what a row is worth that belongs to what is asked for.
fn row_of_most_worth(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let rows = found.noun(0)?.as_table()?;
    let word = found.lattice.question.tokens.get(rows.words.end.checked_sub(1)?)?;
    let is_one = word.stem == word.lower && rows.words.start > found.words.start + 1;
    let by = By::Attr(Attr::Amount(rows.clone()));
    is_one.then(|| all(vec![Part::Subject(rows), Part::Limit(1), take(by, direction)])).flatten()
}

/// *doctors with the most cancelled appointments*.
fn most_of_these(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let group = found.group(0)?;
    if group.preds.is_empty() {
        return None;
    }
    let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
    parts.push(take(By::Measure(Measure::Count(Some(group.of))), direction));
    all(parts)
}

/// *the busiest month*: by how many there were, unless something else is said to decide.
fn period(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let key = Part::Key(Key::Time(found.unit()?, None));
    all(vec![key, Part::Limit(1), take(By::Shown, direction)])
}

/// Those who served the most rows, or sold the most: staff, where the rows refer to any.
fn served_most(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let first = take(By::Measure(measure.clone()), most_or_least(found));
    all(vec![Part::OfEachPerson, Part::Measure(measure), first, Part::Limit(1)])
}

/// *who borrowed the most books*: by how many of the rows there are that the verb tells of.
fn by_doing(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    let who = found.lattice.question.word(found.words.start).starts_with("who");
    let done = take(By::Measure(Measure::Count(Some(done(found)?))), direction);
    all(who.then_some(Part::Names).into_iter().chain([done]).collect())
}

/// *who booked the most seats*: by the sum of a number that the rows tell which the verb tells of.
fn by_amount(found: &Matched<'_>, direction: Direction) -> Option<Phrase> {
    done(found)?;
    let who = found.lattice.question.word(found.words.start).starts_with("who");
    let amount = found.noun(1).filter(|noun| noun.column_score() > noun.table_score())?.as_column()?;
    let most = take(By::Measure(Measure::Of(Aggregate::Sum, Attr::Noun(amount))), direction);
    all(who.then_some(Part::Names).into_iter().chain([most]).collect())
}

/// The rows that the first noun tells of, where it is a verb: *borrowed*.
pub(super) fn done(found: &Matched<'_>) -> Option<Noun> {
    let verb = found.noun(0)?;
    let word = found.lattice.question.word(verb.words.start);
    let is_verb = verb.words.end == verb.words.start + 1 && Lexicon::embedded().is_verb(word);
    verb.as_table().filter(|_| is_verb)
}

/// Those whose rows came to their end too late most often.
fn late_most_often() -> Option<Phrase> {
    let often = take(By::Measure(Measure::Count(None)), Direction::Descending);
    all(vec![Part::Where(Pred::Late(None, true)), often])
}
