//! What comes in again each month is that of contracts that have not come to their end.

use crate::rules::grammar::bind::Binding;
use crate::rules::grammar::columns::start_and_end;
use crate::rules::grammar::form::{Attr, By, Measure, Pred, Query, Show, Words};
use crate::rules::knowledge::Knowledge;
use sqlogue_sql::plan::{Condition, Expr};

/// The query of running contracts alone where it asks for what they bring in each month; none where it is asked for an earlier time,
/// when others were running.
pub(super) fn of_running(query: Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let shown = query.show.iter().filter_map(|show| match show {
        Show::Measure(measure) => Some(measure),
        Show::Noun(_) => None,
    });
    let taken = query.take.iter().filter_map(|take| by_measure(&take.by));
    let sorted = query.order.iter().filter_map(|(by, _)| by_measure(by));
    let bound = query.having.iter().map(|having| &having.measure);
    let measures = shown.chain(taken).chain(sorted).chain(bound);
    let Some(words) = measures.filter_map(in_measure).next() else { return Some(query) };
    let table = binding.fillers.get(&words)?.table;
    let (_, end) = start_and_end(knowledge, table)?;
    let of_a_time = |pred: &Pred| matches!(pred, Pred::In(None, _) | Pred::Outside(None, _));
    if query.preds.iter().any(of_a_time) {
        return None;
    }
    let column = Expr::column(knowledge.table(table).name.clone(), knowledge.column(end).name.clone());
    let runs = Condition::IsNull { expr: column, negated: false };
    let mut query = query;
    query.preds.push(Pred::Given(Box::new(runs), vec![table]));
    Some(query)
}

fn by_measure(by: &By) -> Option<&Measure> {
    match by {
        By::Measure(measure) => Some(measure),
        _ => None,
    }
}

fn in_measure(measure: &Measure) -> Option<Words> {
    match measure {
        Measure::Of(_, attr) | Measure::Percentile(_, attr) | Measure::Spread(attr) => in_attr(attr),
        Measure::Mean(of, _) | Measure::Share(of, _) | Measure::Where(of, _) => in_measure(of),
        Measure::Ratio(one, other)
        | Measure::Percent(one, other)
        | Measure::Less(one, other)
        | Measure::Change(one, other) => in_measure(one).or_else(|| in_measure(other)),
        _ => None,
    }
}

fn in_attr(attr: &Attr) -> Option<Words> {
    match attr {
        Attr::Recurring(words) => Some(*words),
        Attr::Times(_, of) => in_attr(of),
        _ => None,
    }
}
