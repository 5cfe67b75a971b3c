//! *On average*, wherever it stands: what is measured is meant as a mean. *How many days do they keep a book, on average*, *for
//! how much do they sell on average*.

use crate::rules::grammar::amounts::amounts_of;
use crate::rules::grammar::bind::Binding;
use crate::rules::grammar::columns::{flag, is_number};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Per, Pred, Query, Show};
use crate::rules::knowledge::Knowledge;
use sqlogue_sql::plan::Aggregate;

/// The query with its totals as means; none where it has nothing of which there is one.
pub(super) fn averaged(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let mut other = Query { averaged: false, ..query.clone() };
    if other.show.iter().any(is_mean) {
        return Some(other);
    }
    if let Some(of_each) = mean_of_counts(&other) {
        return Some(of_each);
    }
    let mut found = false;
    for show in &mut other.show {
        if let Some(mean) = mean_of(show, binding, knowledge) {
            (*show, found) = (Show::Measure(mean), true);
        }
    }
    // *items in an order on average* asks how many there are, and not what one is worth.
    let is_in_others = other.preds.iter().any(|pred| matches!(pred, Pred::Related(..)));
    let says_nothing =
        other.show.is_empty() && other.take.is_none() && other.having.is_empty() && !is_in_others;
    if !found && says_nothing {
        let worth = Attr::Amount(other.subject.clone()?);
        other.show.push(Show::Measure(Measure::Of(Aggregate::Avg, worth)));
        found = true;
    }
    found.then_some(other)
}

/// *average number of seats per booking*: of a number that each row has one of, that is the mean of the number itself.
pub(super) fn own_means(query: &mut Query, binding: &Binding) {
    let table = |noun: &Noun| binding.fillers.get(&noun.words).map(|filler| filler.table);
    for show in &mut query.show {
        if let Show::Measure(measure @ Measure::Mean(..)) = show
            && let Measure::Mean(total, Per::Row(each)) = &*measure
            && let Measure::Of(Aggregate::Sum, Attr::Noun(number)) = total.as_ref()
            && table(number).is_some()
            && table(number) == table(each)
        {
            *measure = Measure::Of(Aggregate::Avg, Attr::Noun(number.clone()));
        }
    }
}

/// True for what is a mean already, or is made of several measures.
fn is_mean(show: &Show) -> bool {
    let Show::Measure(measure) = show else { return false };
    matches!(
        measure,
        Measure::Of(Aggregate::Avg, _)
            | Measure::Percentile(..)
            | Measure::Mean(..)
            | Measure::Interval(..)
            | Measure::Ratio(..)
            | Measure::Percent(..)
            | Measure::Less(..)
            | Measure::Change(..)
            | Measure::Share(..)
    )
}

fn mean_of(show: &Show, binding: &Binding, knowledge: &Knowledge) -> Option<Measure> {
    match show {
        // What an order came to is the sum of its lines.
        Show::Measure(
            total @ Measure::Of(Aggregate::Sum, Attr::Revenue(_) | Attr::Net(..) | Attr::Profit(_)),
        ) => Some(Measure::Mean(Box::new(total.clone()), Per::Whole)),
        // What an order came to may be told by its lines alone: their sum, and the mean of that.
        Show::Measure(total @ Measure::Of(Aggregate::Sum, Attr::Amount(noun))) => {
            let table = binding.fillers.get(&noun.words)?.table;
            let own = amounts_of(knowledge, table)? == table;
            Some(match own {
                true => Measure::Of(Aggregate::Avg, Attr::Amount(noun.clone())),
                false => Measure::Mean(Box::new(total.clone()), Per::Row(noun.clone())),
            })
        }
        Show::Measure(Measure::Of(Aggregate::Sum, attr)) => Some(Measure::Of(Aggregate::Avg, attr.clone())),
        Show::Noun(noun) => {
            let id = binding.fillers.get(&noun.words)?.column?;
            let counts = is_number(knowledge, id) && flag(knowledge, id).is_none();
            counts.then(|| Measure::Of(Aggregate::Avg, Attr::Noun(noun.clone())))
        }
        Show::Measure(_) => None,
    }
}

/// *how many loans per member, on average*: how many each of them has, and the mean of that. So with *orders per month*.
fn mean_of_counts(query: &Query) -> Option<Query> {
    let counted = match query.show.as_slice() {
        [Show::Measure(Measure::Count(counted))] => counted.as_ref(),
        [] => None,
        _ => return None,
    };
    let per = match query.keys.as_slice() {
        [Key::Noun(each)] if !query.show.is_empty() => Per::Row(each.clone()),
        [Key::Time(unit, None)] => Per::Time(*unit),
        _ => return None,
    };
    let counted = Measure::Count(Some(counted.or(query.subject.as_ref())?.clone()));
    let mean = Measure::Mean(Box::new(counted), per);
    Some(Query { show: vec![Show::Measure(mean)], keys: Vec::new(), ..query.clone() })
}
