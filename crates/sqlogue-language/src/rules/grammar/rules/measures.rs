//! Summaries: counts, totals, averages, times between dates.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Per, Pred, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::means::counts_them;
use crate::rules::grammar::rules::summaries::both;
use crate::rules::grammar::rules::versus::total_of;
use crate::rules::grammar::words::WordLists;
use sqlogue_sql::plan::{Aggregate, Arithmetic};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "count_of",
        pattern: "$count NOUN",
        make: |found| measure(Measure::Count(Some(found.noun(0)?))),
    },
    Rule {
        name: "count_both",
        pattern: "$count NOUN and|, $count? NOUN",
        make: |found| {
            let count = |at| Some(Part::Measure(Measure::Count(Some(found.noun(at)?.as_table()?))));
            Some(Phrase::Part(Part::All(vec![count(0)?, count(1)?])))
        },
    },
    Rule {
        name: "count_where",
        pattern: "$count WHERE NOUN",
        make: |found| {
            let rows = Part::Measure(Measure::Count(Some(found.noun(0)?.as_table()?)));
            Some(Phrase::Part(Part::All(vec![Part::Where(found.pred(0)?), rows])))
        },
    },
    Rule {
        name: "count_of_such",
        pattern: "$count WHERE",
        make: |found| {
            // *number of nurses*: whose value it is says whose rows are counted.
            let is_value = matches!(found.pred(0)?, Pred::Is { negated: false, .. });
            let parts = vec![Part::Where(found.pred(0)?), Part::Measure(Measure::Count(None))];
            is_value.then_some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "count_alone",
        pattern: "how_many|count|the_count|counts",
        make: |_| Some(Phrase::Part(Part::Measure(Measure::Count(None)))),
    },
    Rule {
        name: "revenue",
        pattern: "$sum? $revenue",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Revenue(found.words))),
    },
    Rule {
        name: "revenue_less_discount",
        pattern: "$sum? $revenue after|net_of|less|minus|without|excluding|after_deducting|after_subtracting|adjusted_for|taking_into_account all|any|the? NOUN",
        make: |found| {
            let discount = found.noun(0)?.as_column()?;
            let words = Words::new(found.words.start, discount.words.start);
            measure(Measure::Of(Aggregate::Sum, Attr::Net(words, Some(discount))))
        },
    },
    Rule {
        name: "net_revenue",
        pattern: "$sum? net|discounted $revenue",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Net(found.words, None))),
    },
    Rule {
        name: "spread_between",
        pattern: "difference|gap|range|spread|distance between|of|from the? $max and|to the? $min NOUN",
        make: |found| measure(Measure::Spread(Attr::Noun(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "spread_of_noun",
        pattern: "NOUN gap|range|spread|difference between|from|of? highest|maximum|max|largest|best|top|lowest|minimum|min|smallest and|to lowest|minimum|min|smallest|worst|bottom|highest|maximum|max|largest",
        make: |found| measure(Measure::Spread(Attr::Noun(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "range_of",
        pattern: "range|spread of NOUN",
        make: |found| measure(Measure::Spread(Attr::Noun(found.noun(0)?.as_column()?))),
    },
    Rule {
        name: "pieces_of_value",
        pattern: "how_many|number_of|total_number_of units|pieces|copies? of? VALUE were|was|are|have_been|has_been|did|do|got? we|they|you? $trading",
        make: |found| {
            let sold = Words::new(found.words.end - 1, found.words.end);
            of_value(found, Measure::Of(Aggregate::Sum, Attr::Sold(sold)))
        },
    },
    Rule {
        name: "amount_of_value_sold",
        pattern: "$how_much|how_much_of|what VALUE do|did|have|has we|they|you $trading",
        make: |found| {
            let sold = Words::new(found.words.end - 1, found.words.end);
            of_value(found, Measure::Of(Aggregate::Sum, Attr::Revenue(sold)))
        },
    },
    Rule {
        name: "different_rows_used",
        pattern: "$count $different NOUN were|was|are|have_been|has_been|got|did|have|we|ever? we|they|people|customers? $used",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let verb = found.lattice.nouns(found.words.end - 1).first().cloned();
            let used = Part::Where(Pred::Used(verb, Vec::new(), true));
            let count = Part::Measure(Measure::Count(None));
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), used, count])))
        },
    },
    Rule {
        name: "different_rows_done",
        pattern: "$count $different NOUN did|have|has|had we|they|you|people NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            // *how many different films did we show*: films with showings, whatever else is dated of a film.
            let verb = found.noun(1)?.as_table().filter(|deeds| deeds.table_score() >= 0.5)?;
            let used = Part::Where(Pred::Used(Some(verb), Vec::new(), true));
            let count = Part::Measure(Measure::Count(None));
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), used, count])))
        },
    },
    Rule {
        name: "lowest_to_highest",
        pattern: "NOUN range|spread",
        make: |found| both(found, Aggregate::Min, Aggregate::Max),
    },
    Rule {
        name: "what_value_costs",
        pattern: "how_much|what do|does|did|is|are|was|were VALUE cost|costs?",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            let price = of_value(found, Measure::Of(Aggregate::Max, Attr::Price(said)));
            let word = |at: usize| found.lattice.question.word(at);
            let asks = word(found.words.start) == "how" || word(found.words.end - 1).starts_with("cost");
            // *how much did Ann Smith spend* is no price of hers.
            let spends =
                matches!(word(found.words.end), "spend" | "pay" | "earn" | "owe" | "make" | "buy" | "order");
            price.filter(|_| asks && !spends)
        },
    },
    Rule {
        name: "what_rows_cost",
        pattern: "what|how_much do|does|did a|an|one|each|every|the? NOUN cost|costs on_average|typically|usually",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            // The rows and the verb: what they cost themselves.
            let cost = Words::new(rows.words.start, rows.words.end + 1);
            let price = Part::Measure(Measure::Of(Aggregate::Avg, Attr::Price(cost)));
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), price])))
        },
    },
    Rule {
        name: "spent_by_value",
        pattern: "total|how_much|how_much_money|amount|sum|what $spent|paid|ordered by|with|from|in? VALUE",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            of_value(found, Measure::Of(Aggregate::Sum, Attr::Revenue(said)))
        },
    },
    Rule {
        name: "value_spent",
        pattern: "how_much|how_much_money|what did|has|have|does|do VALUE spend|spent|pay|paid|earn|earned|sell|sold|bring_in|brought_in|make|made|generate|generated",
        make: |found| {
            let said = Words::new(found.words.start, found.words.start + 1);
            of_value(found, Measure::Of(Aggregate::Sum, Attr::Revenue(said)))
        },
    },
    Rule {
        name: "distribution_of",
        pattern: "distribution|frequency|frequencies|histogram|breakdown|split of NOUN",
        make: |found| distribution(found),
    },
    Rule {
        name: "noun_distribution",
        pattern: "NOUN distribution|frequency|histogram|breakdown",
        make: |found| distribution(found),
    },
    Rule {
        name: "revenue_of_rows",
        pattern: "$sum? NOUN $revenue",
        make: |found| {
            let rows = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.4)?;
            measure(Measure::Of(Aggregate::Sum, Attr::Amount(rows)))
        },
    },
    Rule {
        name: "pieces_of_rows",
        pattern: "$count|total? NOUN were|was|are|have_been|has_been|did|do|have|has? we|they|you|they? $trading|went_out",
        make: |found| {
            // *different products sold* are not pieces, nor are *the products that we sell*.
            let word = |at: usize| found.lattice.question.word(at);
            let before = found.words.start.checked_sub(1).map_or("", word);
            let counts = found.noun(0)?.words.start > found.words.start;
            let is_present = matches!(word(found.words.end - 1), "sell" | "sells" | "buy" | "buys" | "order");
            let pieces = !WordLists::embedded().has("different", before) && (counts || !is_present);
            pieces.then(|| measure(Measure::Of(Aggregate::Sum, Attr::Pieces(found.noun(0)?.as_table()?))))?
        },
    },
    Rule {
        name: "bill_of_column",
        pattern: "NOUN bill|expenses|expense|costs",
        make: |found| {
            let noun = found.noun(0)?;
            let pay = noun.as_column().filter(|_| noun.column_score() > noun.table_score())?;
            measure(Measure::Of(Aggregate::Sum, Attr::Noun(pay)))
        },
    },
    Rule {
        name: "count_total",
        pattern: "total|overall NOUN",
        make: |found| measure(Measure::Count(Some(found.noun(0)?.as_table()?))),
    },
    Rule { name: "sum_rows", pattern: "$total NOUN", make: |found| worth(found, Aggregate::Sum) },
    Rule {
        name: "sum_rows_where",
        pattern: "$total|$how_much|how_much_money is|are|was|were? in|of|on? WHERE NOUN $amount?",
        make: |found| {
            let rows = Attr::Amount(found.noun(0)?.as_table()?);
            let total = Part::Measure(Measure::Of(Aggregate::Sum, rows));
            Some(Phrase::Part(Part::All(vec![Part::Where(found.pred(0)?), total])))
        },
    },
    Rule { name: "rows_total", pattern: "$total? NOUN $amount", make: |found| worth(found, Aggregate::Sum) },
    Rule {
        name: "how_much_rows",
        pattern: "$how_much|how_much_money|what did|do|have|has|had|is|are|was|were|comes|came we|you|they|i|in|from|on|of|everybody|everyone|people? been? NOUN us|out|in_all?",
        make: |found| worth(found, Aggregate::Sum),
    },
    Rule {
        name: "how_much_they_did",
        pattern: "$how_much|how_much_money|what did|do|have|has|had the|our|all? NOUN already? NOUN us|to_us|out|in_all?",
        make: |found| {
            // *how much did the households pay*: the rows that the verb names, and not those who did it.
            let done = found.noun(1)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            found.noun(0)?.as_table()?;
            measure(Measure::Of(Aggregate::Sum, Attr::Amount(done)))
        },
    },
    Rule {
        name: "people_did_how_much",
        pattern: "$how_much|how_much_money|what did|do|have|has|had the|our|all? customers|clients|people|guests|buyers|users NOUN us|to_us|out|in_all?",
        make: |found| worth(found, Aggregate::Sum),
    },
    Rule {
        name: "came_in",
        pattern: "$how_much|how_much_money|money|what|cash|the_money|the_cash has|have|did|that|which? came_in|come_in|comes_in|came_through|was_taken_in|was_collected|landed|arrived|flowed_in",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Revenue(found.words))),
    },
    Rule {
        name: "came_in_from",
        pattern: "$how_much|how_much_money|money|what|the_money has|have|did|that|which? came_in|come_in|comes_in|came|come from|through|by|via|with NOUN",
        make: |found| worth(found, Aggregate::Sum),
    },
    Rule {
        name: "what_quantity_is",
        pattern: "what|which NOUN is|are|was|were still|currently|now|already? WHERE",
        make: |found| {
            const HOW_MUCH: [&str; 5] = ["quantity", "amount", "volume", "sum", "value"];
            let noun = found.noun(0)?.as_column()?;
            let says = HOW_MUCH.contains(&found.lattice.question.word(noun.words.end - 1));
            let parts = vec![Part::Where(found.pred(0)?), Part::Measure(total_of(&noun)?)];
            says.then_some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "amount_of_rows",
        pattern: "$amount in|of|from|for|on NOUN",
        make: |found| worth(found, Aggregate::Sum),
    },
    Rule {
        name: "amount_of_such_rows",
        pattern: "$amount|$how_much|worth in|of|from|for|on|is? GROUP",
        make: |found| {
            let group = found.group(0).filter(|group| !group.preds.is_empty())?;
            let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
            parts.push(Part::Measure(Measure::Of(Aggregate::Sum, Attr::Amount(group.of))));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "average_row",
        pattern: "$avg NOUN $amount?",
        make: |found| (!counts_them(found)).then(|| worth(found, Aggregate::Avg))?,
    },
    Rule {
        name: "how_long_in",
        pattern: "how_long|how_far|how_big|how_large|how_heavy is|are|was|were|do|does|did a|an|the|our|one? NOUN go|last|run? in NOUN on_average|typically|usually?",
        make: |found| {
            let rows = Part::Noun(found.noun(0)?.as_table()?);
            let mean = Part::Measure(Measure::Of(Aggregate::Avg, Attr::Noun(found.noun(1)?.as_column()?)));
            Some(Phrase::Part(Part::All(vec![rows, mean])))
        },
    },
    Rule {
        name: "how_large_row",
        pattern: "how_large|how_big|how_high|how_much is|are NOUN on_average",
        make: |found| worth(found, Aggregate::Avg),
    },
    Rule {
        name: "counted_beside",
        pattern: "NOUN ,|and|plus|along_with and? MEASURE",
        make: |found| {
            let rows = Part::Measure(Measure::Count(Some(found.noun(0)?.as_table()?)));
            Some(Phrase::Part(Part::All(vec![rows, Part::Measure(found.measure(0)?)])))
        },
    },
    Rule {
        name: "counted_beside_columns",
        pattern: "NOUN ,|and NOUN ,|and? and? NOUN? $per NOUN",
        make: |found| {
            let key = (0..4).rev().find_map(|at| found.noun(at))?;
            let rows = found.noun(0).filter(|rows| rows.table_score() > rows.column_score())?;
            let mut parts = vec![Part::Measure(Measure::Count(Some(rows.as_table()?)))];
            for at in (1..3).take_while(|at| found.noun(at + 1).is_some()) {
                let column = found.noun(at)?;
                let column = column.as_column().filter(|_| column.column_score() > column.table_score())?;
                parts.push(Part::Measure(Measure::Of(Aggregate::Sum, Attr::Noun(column))));
            }
            parts.push(Part::Key(Key::Noun(key)));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "mean_revenue",
        pattern: "$avg NOUN value|amount|size|total|revenue|worth",
        make: |found| {
            let value =
                Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(found.words.end - 1, found.words.end)));
            measure(Measure::Mean(Box::new(value), Per::Row(found.noun(0)?.as_rows()?)))
        },
    },
    Rule {
        name: "mean_revenue_of",
        pattern: "$avg value|amount|size|total|revenue|worth of NOUN",
        make: |found| {
            let value = Measure::Of(Aggregate::Sum, Attr::Revenue(found.words));
            measure(Measure::Mean(Box::new(value), Per::Row(found.noun(0)?.as_rows()?)))
        },
    },
    Rule {
        name: "quotient",
        pattern: "NOUN per|divided_by|/ NOUN",
        make: |found| math(found, Arithmetic::Divide),
    },
    Rule {
        name: "product",
        pattern: "NOUN times|multiplied_by|x|* NOUN",
        make: |found| math(found, Arithmetic::Multiply),
    },
    Rule {
        name: "sold_pieces",
        pattern: "how_many|number_of|total? quantity|units|pieces|quantities|volume sold|ordered|shipped|bought|purchased|consumed",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Sold(found.words))),
    },
    Rule {
        name: "difference",
        pattern: "NOUN minus|less NOUN",
        make: |found| math(found, Arithmetic::Subtract),
    },
    Rule {
        name: "difference_between",
        pattern: "difference|gap|margin|spread between|of NOUN and NOUN",
        make: |found| math(found, Arithmetic::Subtract),
    },
    Rule { name: "total_of_both", pattern: "NOUN plus|+ NOUN", make: |found| math(found, Arithmetic::Add) },
    Rule {
        name: "defined_as_product",
        pattern: ":|(|=|meaning|i.e|i.e.|namely the? $sum? MATH",
        make: |found| Some(Phrase::Part(Part::Defined(Measure::Of(Aggregate::Sum, found.math()?)))),
    },
    Rule {
        name: "defined_as",
        pattern: ":|(|=|meaning|i.e|i.e.|namely the? MEASURE",
        make: |found| match found.measure(0)? {
            defined @ (Measure::Ratio(..)
            | Measure::Percent(..)
            | Measure::Less(..)
            | Measure::Change(..)) => Some(Phrase::Part(Part::Defined(defined))),
            _ => None,
        },
    },
    Rule {
        name: "percent_of_sums_divided",
        pattern: "$sum? NOUN divided_by|over|/ $sum? NOUN ,? in_percent|in_%|as_percent|as_a_percentage|times_100|*_100",
        make: |found| {
            let [one, other] = [0, 1].map(|at| total_of(&found.noun(at)?));
            measure(Measure::Percent(Box::new(one?), Box::new(other?)))
        },
    },
    Rule {
        name: "average_of_math",
        pattern: "$avg MATH",
        make: |found| measure(Measure::Of(Aggregate::Avg, found.math()?)),
    },
    Rule {
        name: "sum_of_math",
        pattern: "$sum MATH",
        make: |found| measure(Measure::Of(Aggregate::Sum, found.math()?)),
    },
    Rule {
        name: "ratio_of_sums",
        pattern: "$sum? NOUN per|divided_by|/ NOUN",
        make: |found| {
            let [one, other] = [0, 1].map(|at| total_of(&found.noun(at)?));
            ratio(one?, other?)
        },
    },
    Rule {
        name: "measure_per_counted",
        pattern: "$avg? MEASURE per|for_each|for_every NOUN",
        make: |found| {
            let counted = found.noun(0)?.as_column()?;
            let is_sum = matches!(found.measure(0)?, Measure::Of(Aggregate::Sum, _));
            let all = Measure::Of(Aggregate::Sum, Attr::Noun(counted));
            is_sum.then(|| ratio(found.measure(0)?, all)).flatten()
        },
    },
    Rule {
        name: "percent_of_sums",
        pattern: "NOUN $as_share_of NOUN",
        make: |found| {
            let [one, other] = [0, 1].map(|at| total_of(&found.noun(at)?));
            measure(Measure::Percent(Box::new(one?), Box::new(other?)))
        },
    },
    Rule {
        name: "percent_of_measure",
        pattern: "MEASURE $as_share_of MEASURE",
        make: |found| measure(Measure::Percent(Box::new(found.measure(0)?), Box::new(found.measure(1)?))),
    },
    Rule {
        name: "percent_of_amounts",
        pattern: "NOUN $as_share_of MEASURE",
        make: |found| {
            // *refunds as a share of revenue* are money, as revenue is.
            let of = Measure::Of(Aggregate::Sum, worth_of(&found.noun(0)?)?);
            let is_money = matches!(found.measure(0)?, Measure::Of(Aggregate::Sum, _));
            is_money.then(|| measure(Measure::Percent(Box::new(of), Box::new(found.measure(0)?))))?
        },
    },
];

pub(super) fn measure(measure: Measure) -> Option<Phrase> {
    Some(Phrase::Measure(measure))
}

pub(super) fn summary(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    let noun = found.noun(0)?;
    // *best employees* are rows, and no dates of hire.
    let names_rows = noun.table_score() > noun.column_score() + 0.2;
    if names_rows && matches!(function, Aggregate::Max | Aggregate::Min) {
        return None;
    }
    measure(Measure::Of(function, Attr::Noun(noun.as_column()?)))
}

/// A summary of what the rows of a table are worth: *invoice total*, *how much did we invoice*.
fn worth(found: &Matched<'_>, function: Aggregate) -> Option<Phrase> {
    measure(Measure::Of(function, Attr::Amount(found.noun(0)?.as_table()?)))
}

/// A column that is named, or what the rows of a table are worth.
pub(super) fn worth_of(noun: &Noun) -> Option<Attr> {
    Some(match noun.table_score() > noun.column_score() {
        true => Attr::Amount(noun.as_table()?),
        false => Attr::Noun(noun.as_column()?),
    })
}

/// A measure of the rows that bear the value.
fn of_value(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
    Some(Phrase::Part(Part::All(vec![Part::Where(is), Part::Measure(measure)])))
}

/// *distribution of ratings*: how many rows there are of each value; *breakdown of orders*: how many there are.
fn distribution(found: &Matched<'_>) -> Option<Phrase> {
    let of = found.noun(0)?;
    if of.table_score() > of.column_score() {
        return measure(Measure::Count(Some(of.as_table()?)));
    }
    let key = Part::Key(Key::Noun(of.as_column()?));
    Some(Phrase::Part(Part::All(vec![key, Part::Measure(Measure::Count(None))])))
}

fn math(found: &Matched<'_>, operator: Arithmetic) -> Option<Phrase> {
    let [one, other] = [0, 1].map(|at| found.noun(at).and_then(|noun| noun.as_column()).map(Attr::Noun));
    Some(Phrase::Math(Attr::Math(operator, Box::new(one?), Box::new(other?))))
}

pub(super) fn ratio(one: Measure, other: Measure) -> Option<Phrase> {
    measure(Measure::Ratio(Box::new(one), Box::new(other)))
}
