//! One condition or another, and both kinds: *out of stock or discontinued*, *under 5 or over 20 euros*, *aged either 36 or 37*,
//! *villages with both certified and uncertified farmers*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Named, Pred, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Comparison;
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "either", pattern: "either? WHERE ,? or WHERE", make: any },
    Rule { name: "one_of_three", pattern: "either? WHERE ,|or WHERE ,? or WHERE", make: any },
    Rule { name: "either_value", pattern: "either VALUE or VALUE", make: one_value },
    Rule {
        name: "value_or_again_value",
        pattern: "either? by|via|with|in|from|at|for|to|on|through VALUE ,? or by|via|with|in|from|at|for|to|on|through VALUE",
        make: one_value,
    },
    Rule { name: "or_beyond", pattern: "either? WHERE ,? or OP NUM", make: or_again },
    Rule { name: "or_beyond_money", pattern: "either? WHERE ,? or OP MONEY", make: or_again },
    Rule { name: "money_or_beyond", pattern: "$costing? OP NUM or OP MONEY", make: prices },
    Rule { name: "costs_or_beyond", pattern: "$costing OP NUM or OP NUM", make: prices },
    Rule {
        name: "one_number_or_another",
        pattern: "NOUN $yes|of|at|with|: either? NUM or NUM",
        make: one_number,
    },
    Rule { name: "either_number", pattern: "NOUN either? NUM or NUM", make: one_number },
    Rule {
        name: "both_kinds",
        pattern: "$with|that|which|where? both WHERE and WHERE NOUN",
        make: |found| both_kinds(found, [found.pred(0)?, found.pred(1)?]),
    },
    Rule {
        name: "both_values_of_rows",
        pattern: "$with|that|which|where? both VALUE and VALUE NOUN",
        make: |found| {
            let is = |named: Named| Pred::Is { values: vec![named], column: None, negated: false };
            both_kinds(found, [is(found.value(0)?), is(found.value(1)?)])
        },
    },
    Rule {
        name: "in_none",
        pattern: "$not|$never in|on|at|part_of|included_in|contained_in|on_sale_in|listed_in any|a|an|one|a_single GROUP",
        make: |found| condition(Pred::Related(found.group(0)?, false)),
    },
];

/// *out of stock or discontinued*: values side by side are read together already.
fn any(found: &Matched<'_>) -> Option<Phrase> {
    let preds: Vec<Pred> = (0..3).map_while(|at| found.pred(at)).collect();
    let values = preds.iter().all(|pred| matches!(pred, Pred::Is { negated: false, .. }));
    let timed = preds.iter().all(|pred| matches!(pred, Pred::In(..) | Pred::On(..)));
    (!values && !timed).then_some(condition(Pred::Any(preds))).flatten()
}

/// *by cash or by card*: both are said in the same way.
fn one_value(found: &Matched<'_>) -> Option<Phrase> {
    let (one, other) = (found.value(0)?, found.value(1)?);
    let before = |named: &Named| named.words.start.checked_sub(1).map(|at| found.lattice.question.word(at));
    let alike = before(&one) == before(&other) || before(&one) == Some("either");
    let values = vec![one, other];
    alike.then(|| condition(Pred::Is { values, column: None, negated: false }))?
}

/// *under 5 or over 20*: the second bound is of what the first one is of.
fn or_again(found: &Matched<'_>) -> Option<Phrase> {
    let first = found.pred(0)?;
    let attr = match &first {
        // A number without a unit is no age where nothing says so.
        Pred::Compare(Attr::Age(..), ..) => return None,
        Pred::Compare(attr, ..) | Pred::Range(attr, ..) => attr.clone(),
        _ => return None,
    };
    let again = Pred::Compare(attr, found.operator()?, found.number(0)?);
    condition(Pred::Any(vec![first, again]))
}

/// *under 5 or over 20 euros*
fn prices(found: &Matched<'_>) -> Option<Phrase> {
    let said = Words::new(found.words.start, found.words.start + 1);
    let [one, other] =
        [0, 1].map(|at| Some(Pred::Compare(Attr::Price(said), found.nth_operator(at)?, found.number(at)?)));
    condition(Pred::Any(vec![one?, other?]))
}

/// *aged either 36 or 37*
fn one_number(found: &Matched<'_>) -> Option<Phrase> {
    let attr = Attr::Noun(found.noun(0)?.as_column()?);
    let is = |at: usize| Some(Pred::Compare(attr.clone(), Comparison::Equal, found.number(at)?));
    condition(Pred::Any(vec![is(0)?, is(1)?]))
}

/// Groups that have rows of the one kind and rows of the other.
fn both_kinds(found: &Matched<'_>, kinds: [Pred; 2]) -> Option<Phrase> {
    let of = found.noun(0)?.as_table()?;
    let some = |kind: Pred| {
        let measure = Measure::Where(Box::new(Measure::Count(Some(of.clone()))), vec![kind]);
        let with = Against::Value(Value::Integer(0));
        Part::Having(Having { measure, operator: Comparison::Greater, with })
    };
    Some(Phrase::Part(Part::All(kinds.into_iter().map(some).collect())))
}
