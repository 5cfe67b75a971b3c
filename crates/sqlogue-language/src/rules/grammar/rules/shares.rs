//! Parts of a whole: *share of orders that were cancelled*, *percentage of members from Oslo*, *as a share of the total*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, By, Having, Key, Measure, Pred, Whole, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::rules::conditions::happened;
use crate::rules::grammar::rules::takes::{all, take};
use crate::rules::grammar::rules::versus::total_of;
use crate::rules::text::TokenKind;
use sqlogue_sql::plan::{Aggregate, Comparison, Direction};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "share_of",
        pattern: "$share GROUP",
        make: |found| {
            let group = found.group(0)?;
            // *premium % of published articles*: what the part is of is said before it.
            if is_of_part(found) {
                return None;
            }
            let rows = Measure::Count(Some(group.of.clone()));
            if group.preds.is_empty() {
                return Some(Phrase::Measure(Measure::Share(Box::new(rows), Whole::Total)));
            }
            // *late trips this year*: of all trips of this year.
            let (when, which): (Vec<Pred>, Vec<Pred>) =
                group.preds.into_iter().partition(|pred| matches!(pred, Pred::In(..)));
            let (mut when, mut which) = if which.is_empty() { (which, when) } else { (when, which) };
            // *published articles is premium*: of those that are published.
            let first = which.iter().position(|pred| is_said_before(pred, group.of.words));
            if let Some(first) = first.filter(|_| which.len() > 1 && stands_between(found, group.of.words)) {
                when.push(which.remove(first));
            }
            let part = Measure::Where(Box::new(rows), which);
            let share = Measure::Share(Box::new(part), Whole::Rows);
            if when.is_empty() {
                return Some(Phrase::Measure(share));
            }
            let conditions = when.into_iter().map(Part::Where);
            Some(Phrase::Part(Part::All(conditions.chain([Part::Measure(share)]).collect())))
        },
    },
    Rule {
        name: "share_of_those_with_so_many",
        pattern: "$share NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            Some(Phrase::Part(Part::All(vec![Part::Subject(rows), Part::ShareOfGroups])))
        },
    },
    Rule {
        name: "share_of_each_kind",
        pattern: "$share our|the|all? NOUN is|are|was|were VALUE , VALUE ,|and? VALUE? ,? and VALUE NOUN|ones|each?",
        make: |found| {
            // *are normal, urgent and emergency ones*: nothing is all three, so each is meant by itself.
            let rows = found.noun(0)?.as_table()?;
            let share = Measure::Share(Box::new(Measure::Count(Some(rows))), Whole::Total);
            let key = Key::ColumnOf(found.value(0)?);
            Some(Phrase::Part(Part::All(vec![Part::Key(key), Part::Measure(share)])))
        },
    },
    Rule {
        name: "share_of_pieces",
        pattern: "$share all|the|our? NOUN $turned_out? is|are|was|were|we? $trading in|from|by|via|through|on|at? WHERE",
        make: |found| {
            let pieces = Measure::Of(Aggregate::Sum, Attr::Pieces(found.noun(0)?.as_table()?));
            Some(Phrase::Measure(part_of(pieces, found.pred(0)?)))
        },
    },
    Rule {
        name: "share_of_repeat",
        pattern: "$share our|all|the? repeat|returning|recurring NOUN",
        make: repeat_share,
    },
    Rule {
        name: "repeat_rate",
        pattern: "repeat|returning|recurring NOUN rate|share|percentage|quota|ratio",
        make: repeat_share,
    },
    Rule {
        name: "share_of_measure",
        pattern: "$share our|the|all? MEASURE $turned_out? comes|come|came|is|was|are|does|made|paid|taken|earned? from|in|of|for|with|by WHERE",
        make: |found| {
            let part = Measure::Where(Box::new(found.measure(0)?), vec![found.pred(0)?]);
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Rows)))
        },
    },
    Rule {
        name: "share_of_value_in_measure",
        pattern: "$share VALUE NOUN? in|of|from|within|among our|the|all|total? MEASURE",
        make: |found| {
            let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            let part = Measure::Where(Box::new(found.measure(0)?), vec![is]);
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Rows)))
        },
    },
    Rule {
        name: "share_that_value_makes",
        pattern: "$share our|the|all? MEASURE does|do|did|is|comes_from|come_from VALUE $contributing?",
        make: |found| {
            let is = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            let part = Measure::Where(Box::new(found.measure(0)?), vec![is]);
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Rows)))
        },
    },
    Rule {
        name: "share_of_that",
        pattern: "$share NOUN $turned_out from|in|of|for|with? WHERE",
        make: |found| {
            // *each shop's share of the orders that were cancelled* is of all that were.
            let before =
                found.words.start.checked_sub(1).and_then(|at| found.lattice.question.tokens.get(at));
            let is_of_each = before.is_some_and(|token| token.kind == TokenKind::Possessive);
            let part = || Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?)));
            (!is_of_each).then(part).flatten()
        },
    },
    Rule {
        name: "share_of_number_that",
        pattern: "$share NOUN WHERE",
        make: |found| {
            // *tickets bought online*, where each row has a number of tickets.
            let number = found.noun(0).filter(|noun| noun.column_score() > noun.table_score())?;
            Some(Phrase::Measure(part_of(total_of(&number)?, found.pred(0)?)))
        },
    },
    Rule {
        name: "share_of_such_that",
        pattern: "$share the? VALUE who|that|which|have|has|are|were|was? WHERE",
        make: |found| {
            // *the share of men who survived* is of all men.
            let such = Pred::Is { values: vec![found.value(0)?], column: None, negated: false };
            let part = Part::Measure(part_of(Measure::Count(None), found.pred(0)?));
            let word = |at: usize| found.lattice.question.word(at);
            let says_who =
                (found.words.start..found.words.end).any(|at| matches!(word(at), "who" | "that" | "which"));
            says_who.then(|| all(vec![Part::Where(such), part])).flatten()
        },
    },
    Rule {
        name: "share_on_weekdays",
        pattern: "$share NOUN $turned_out|fell|fall|falls|made|happened|took_place|$participle? NOUN? on|at|during? DAYS",
        make: |found| {
            let date = found.noun(1).and_then(|verb| verb.as_column());
            Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, Pred::On(date, found.recurring()?))))
        },
    },
    Rule {
        name: "share_of_measure_on_weekdays",
        pattern: "$share our|the|all? MEASURE $turned_out|fell|fall|falls|made|comes|came|happened? from|on|at|during? DAYS",
        make: |found| Some(Phrase::Measure(part_of(found.measure(0)?, Pred::On(None, found.recurring()?)))),
    },
    Rule {
        name: "share_of_these_that",
        pattern: "$share GROUP $turned_out from|in|of|for|with? WHERE",
        make: part_of_these,
    },
    Rule {
        name: "share_before_and_after",
        pattern: "$share WHERE NOUN $turned_out|$participle|lost|won? from|in|of|for|with|on|by|to? WHERE",
        make: |found| {
            let rows = Measure::Count(Some(found.noun(0)?.as_table()?));
            let part = Part::Measure(part_of(rows, found.pred(1)?));
            Some(Phrase::Part(Part::All(vec![Part::Where(found.pred(0)?), part])))
        },
    },
    Rule {
        name: "percentage_within",
        pattern: "WHERE %|percent|per_cent|percentage|share of|among GROUP",
        make: |found| {
            let group = found.group(0).filter(|group| !group.preds.is_empty())?;
            let part = Part::Measure(part_of(Measure::Count(Some(group.of)), found.pred(0)?));
            Some(Phrase::Part(Part::All(group.preds.into_iter().map(Part::Where).chain([part]).collect())))
        },
    },
    Rule {
        name: "percent_rows_that",
        pattern: "%|percent|per_cent|percentage our|the|all? NOUN $turned_out? in|of|from|with|by|at|for|who|that? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "percent_such_rows",
        pattern: "%|percent|per_cent|percentage WHERE NOUN",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "share_of_total_that",
        pattern: "$share our|the|all|their? NOUN $used|$participle? WHERE? $turned_out from|in|of|for|with? WHERE",
        make: |found| {
            let total = total_of(&found.noun(0)?).filter(|total| !matches!(total, Measure::Count(_)))?;
            let (when, that) = match found.pred(1) {
                Some(that) => (found.pred(0), that),
                None => (None, found.pred(0)?),
            };
            let mut parts: Vec<Part> = when.map(Part::Where).into_iter().collect();
            parts.push(Part::Measure(part_of(total, that)));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "share_of_total_of_each",
        pattern: "$share each|every NOUN 's|' NOUN $turned_out from|in|of|for|with? WHERE",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let total = total_of(&found.noun(1)?).filter(|total| !matches!(total, Measure::Count(_)))?;
            Some(Phrase::Part(Part::All(vec![key, Part::Measure(part_of(total, found.pred(0)?))])))
        },
    },
    Rule {
        name: "so_many_in_a_hundred",
        pattern: "how_many in|out_of|of a|every|each|one hundred|100 NOUN $turned_out? got|get|gets? from|in|of|for|with? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "out_of_a_hundred",
        pattern: "out_of|of|in a|every|each|one hundred|100 NOUN ,? how_many $turned_out? got|get|gets? from|in|of|for|with? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "how_often_in_percent",
        pattern: "how_often ,? in percent|%|per_cent ,? do|does|did|are|is|was|were|has|have? NOUN $turned_out? get|got|been|be? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "share_out_of_these",
        pattern: "out_of|of all? GROUP ,? what|how_many|which? percentage|percent|share|part|proportion|fraction $turned_out from|in|of|for|with? WHERE",
        make: part_of_these,
    },
    Rule {
        name: "share_of_each",
        pattern: "$share each|every NOUN 's|' NOUN $turned_out WHERE",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let rows = Measure::Count(Some(found.noun(1)?.as_table()?));
            Some(Phrase::Part(Part::All(vec![key, Part::Measure(part_of(rows, found.pred(0)?))])))
        },
    },
    Rule {
        name: "share_out_of",
        pattern: "out_of|of all? NOUN ,? what|how_many|which percentage|percent|share|part|proportion|fraction $turned_out WHERE",
        make: |found| {
            let rows = Measure::Count(Some(found.noun(0)?.as_table()?));
            Some(Phrase::Measure(part_of(rows, found.pred(0)?)))
        },
    },
    Rule {
        name: "highest_share_of_flag",
        pattern: "$holding? highest|largest|greatest|lowest|smallest NOUN",
        make: |found| {
            let flag = Pred::Flag(found.noun(0)?.as_column()?, true);
            let least = |at: usize| matches!(found.lattice.question.word(at), "lowest" | "smallest");
            let direction = match (found.words.start..found.words.end).any(least) {
                true => Direction::Ascending,
                false => Direction::Descending,
            };
            let share = part_of(Measure::Count(None), flag);
            all(vec![take(By::Measure(share), direction)])
        },
    },
    Rule {
        name: "share_after",
        pattern: "NOUN share|shares|percentage",
        make: |found| {
            let noun = found.noun(0)?;
            let part = match noun.table_score() > noun.column_score() {
                true => Measure::Count(noun.as_table()),
                false => Measure::Of(Aggregate::Sum, Attr::Noun(noun.as_column()?)),
            };
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Total)))
        },
    },
    Rule {
        name: "measure_share",
        pattern: "MEASURE share|shares|percentage",
        make: |found| Some(Phrase::Measure(Measure::Share(Box::new(found.measure(0)?), Whole::Total))),
    },
    Rule {
        name: "share_of_sum",
        pattern: "$share MEASURE",
        make: |found| Some(Phrase::Measure(Measure::Share(Box::new(found.measure(0)?), Whole::Total))),
    },
    Rule {
        name: "share_that_each_brings",
        pattern: "$share WHERE? NOUN do|does|did|is|comes|came from? each|every|each_single NOUN $contributing?",
        make: |found| {
            let of = found.noun(0)?;
            let whole = match of.table_score() > of.column_score() {
                true => Measure::Count(of.as_table()),
                false => Measure::Of(Aggregate::Sum, Attr::Noun(of.as_column()?)),
            };
            let mut parts: Vec<Part> = found.pred(0).map(Part::Where).into_iter().collect();
            parts.push(Part::Key(Key::Noun(found.noun(1)?)));
            parts.push(Part::Measure(Measure::Share(Box::new(whole), Whole::Total)));
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "share_of_each_in",
        pattern: "$share each|every|each_single|individual? NOUN in|of|to|at the? total|overall|whole|entire|all? MEASURE",
        make: |found| {
            let measure = Measure::Share(Box::new(found.measure(0)?), Whole::Total);
            let parts = vec![Part::Key(Key::Noun(found.noun(0)?)), Part::Measure(measure)];
            Some(Phrase::Part(Part::All(parts)))
        },
    },
    Rule {
        name: "share_of_total",
        pattern: "$share_of_total",
        make: |found| {
            // *percent of all quotes accepted*: of what the part is stands behind.
            let end = found.words.end;
            let goes_on = found.words.start == 0
                && found.lattice.question.word(end - 1) == "all"
                && found.lattice.nouns(end).iter().any(|noun| !noun.tables.is_empty());
            (!goes_on).then_some(Phrase::Part(Part::ShareOfTotal))
        },
    },
    Rule {
        name: "each_in_percent",
        pattern: "$per NOUN in|as percent|per_cent|%|percentages|percentage",
        make: |found| {
            let each = found.noun(0)?;
            let word = |at: usize| found.lattice.question.word(at);
            let asks_share = (0..found.words.start)
                .any(|at| matches!(word(at), "share" | "percentage" | "percent" | "split" | "growth"));
            (!asks_share).then(|| all(vec![Part::Key(Key::Noun(each)), Part::ShareOfTotal])).flatten()
        },
    },
    Rule {
        name: "share_condition",
        pattern: "share|percentage|% WHERE",
        make: |found| Some(Phrase::Measure(part_of(Measure::Count(None), found.pred(0)?))),
    },
    Rule {
        name: "pivot",
        pattern: "VALUE ,|and VALUE ,? and? VALUE? ,? and? VALUE? NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let values = (0..4).map_while(|at| found.value(at));
            let counts = values.map(|named| {
                let is = Pred::Is { values: vec![named], column: None, negated: false };
                let rows = Box::new(Measure::Count(Some(rows.clone())));
                Part::Measure(Measure::Where(rows, vec![is]))
            });
            Some(Phrase::Part(Part::All(counts.collect())))
        },
    },
    Rule {
        name: "column_each_for_values",
        pattern: "with? a|one|an? extra|own|separate? column|columns|count|number each? for|with VALUE ,|and VALUE ,? and? VALUE? ,? and? VALUE?",
        make: |found| {
            let values = (0..4).map_while(|at| found.value(at)).collect();
            let named = Part::Where(Pred::Is { values, column: None, negated: false });
            Some(Phrase::Part(Part::All(vec![named, Part::Pivot(None)])))
        },
    },
    Rule {
        name: "column_for_each",
        pattern: "with|as|in|and|,|: one|a|an separate|extra|own? column|columns per|for|by each|every? NOUN",
        make: |found| Some(Phrase::Part(Part::Pivot(Some(found.noun(0)?.as_column()?)))),
    },
    Rule {
        name: "columns_for_each",
        pattern: "with|as|in|and|,|:? the? NOUN as|in|across columns|separate_columns|the_columns",
        make: |found| Some(Phrase::Part(Part::Pivot(Some(found.noun(0)?.as_column()?)))),
    },
    Rule { name: "as_columns", pattern: "$columns_apart", make: |_| Some(Phrase::Part(Part::Pivot(None))) },
    Rule {
        name: "and_count_of_such",
        pattern: "and|plus|& also? $count WHERE NOUN",
        make: |found| {
            let rows = Measure::Count(Some(found.noun(0)?.as_table()?));
            Some(Phrase::Measure(Measure::Where(Box::new(rows), vec![found.pred(0)?])))
        },
    },
    Rule {
        name: "counts_of_values_apart",
        pattern: "$count VALUE ,|and VALUE ,? and? VALUE? ,? and? VALUE? NOUN ,? $columns_apart",
        make: |found| {
            let values = (0..4).map_while(|at| found.value(at)).collect();
            let named = Part::Where(Pred::Is { values, column: None, negated: false });
            let rows = Part::Measure(Measure::Count(Some(found.noun(0)?.as_table()?)));
            Some(Phrase::Part(Part::All(vec![named, rows, Part::Pivot(None)])))
        },
    },
    Rule {
        name: "how_many_of_them",
        pattern: "how_many|number $of_them $turned_out? have|had|was|is|that|who? from|in|of|by|for|with|to|at|on? WHERE",
        make: |found| {
            let part = Measure::Where(Box::new(Measure::Count(None)), vec![found.pred(0)?]);
            Some(Phrase::Measure(part))
        },
    },
    Rule {
        name: "how_many_of_them_did",
        pattern: "how_many|number $of_them have|has|had|did|were|are|was|got? been|already? NOUN",
        make: |found| {
            let Some(Phrase::Part(Part::Where(did))) = happened(found, true) else { return None };
            Some(Phrase::Measure(Measure::Where(Box::new(Measure::Count(None)), vec![did])))
        },
    },
    Rule {
        name: "percent_of_them",
        pattern: "what|which|how_many|the? percentage|percent|share|proportion|fraction|% $of_them $turned_out? have|had|was|is|that|who? from|in|of|by|for|with|to|at|on? WHERE",
        make: |found| Some(Phrase::Measure(part_of(Measure::Count(None), found.pred(0)?))),
    },
    Rule {
        name: "share_of_all",
        pattern: "what|which|how_many? percentage|percent|share|proportion|fraction|part of_all|of_the|of NOUN $that_is",
        make: |_| Some(Phrase::Part(Part::ShareOfAll)),
    },
    Rule {
        name: "by_share_of_total",
        pattern: "by|with|and|, their|its|the? share of the? total|all|overall|the_total WHERE? NOUN",
        make: |found| {
            // *categories by share of total delivered units*
            let total = total_of(&found.noun(0)?)?;
            let share = Part::Measure(Measure::Share(Box::new(total), Whole::Total));
            Some(Phrase::Part(Part::All(found.pred(0).map(Part::Where).into_iter().chain([share]).collect())))
        },
    },
    Rule {
        name: "share_of_all_there",
        pattern: "and|,|with what? their|its|the? share|percentage|proportion|percent|% of_all|of_the|of_total NOUN there|in_it|in_each|in_each_of_them|in_each_one",
        make: |_| Some(Phrase::Part(Part::ShareOfAll)),
    },
    Rule {
        name: "share_that_is",
        pattern: "what|which|how_many percentage|percent|share|proportion|fraction|part $that_is",
        make: |_| Some(Phrase::Part(Part::ShareOfAll)),
    },
];

/// True where a condition stands before a noun and another behind it, with *is* between them.
fn stands_between(found: &Matched<'_>, noun: Words) -> bool {
    let word = |at: usize| found.lattice.question.word(at);
    let before = noun.start.checked_sub(1).filter(|at| *at >= found.words.start).map_or("", word);
    let is_said = !matches!(before, "" | "of" | "the" | "our" | "all" | "these" | "those" | "%");
    is_said && matches!(word(noun.end), "is" | "are" | "was" | "were" | "that" | "who" | "which")
}

/// True for a condition whose word stands before the noun.
fn is_said_before(pred: &Pred, noun: Words) -> bool {
    let words = match pred {
        Pred::Flag(said, _) | Pred::Happened(said, _) | Pred::Known(said, _) => Some(said.words),
        Pred::Is { values, .. } => values.first().map(|value| value.words),
        _ => None,
    };
    words.is_some_and(|words| words.end <= noun.start)
}

/// True where the words before a percentage say what the part is.
fn is_of_part(found: &Matched<'_>) -> bool {
    let lattice = found.lattice;
    let Some(before) = found.words.start.checked_sub(1) else { return false };
    let begins = matches!(
        lattice.question.word(found.words.start),
        "%" | "percent" | "percentage" | "pct" | "share" | "proportion"
    );
    let nouns = lattice.nouns(before);
    begins && nouns.iter().any(|noun| noun.words.end == before + 1 && noun.tables.is_empty())
}

/// *share of repeat customers*: how many percent of all have come at least twice.
fn repeat_share(found: &Matched<'_>) -> Option<Phrase> {
    let repeat = Having {
        measure: Measure::Count(None),
        operator: Comparison::GreaterOrEqual,
        with: Against::Value(Value::Integer(2)),
    };
    let rows = Part::Subject(found.noun(0)?.as_table()?);
    Some(Phrase::Part(Part::All(vec![rows, Part::Having(repeat), Part::ShareOfGroups])))
}

/// How many percent of rows that have conditions of their own another holds for: *share of paid invoices that were late*.
fn part_of_these(found: &Matched<'_>) -> Option<Phrase> {
    let group = found.group(0)?;
    if group.preds.is_empty() {
        return None;
    }
    let rows = Measure::Count(Some(group.of));
    let mut parts: Vec<Part> = group.preds.into_iter().map(Part::Where).collect();
    parts.push(Part::Measure(part_of(rows, found.pred(0)?)));
    Some(Phrase::Part(Part::All(parts)))
}

/// How many percent of rows a condition holds for.
pub(super) fn part_of(rows: Measure, pred: Pred) -> Measure {
    Measure::Share(Box::new(Measure::Where(Box::new(rows), vec![pred])), Whole::Rows)
}
