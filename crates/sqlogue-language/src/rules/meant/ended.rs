//! When something ended: deals that are `Closed Won` were won on the day on which they were closed, and not on that on which they were
//! created or were to be closed.

use std::collections::BTreeSet;

use super::done::stored;
use crate::rules::grammar::columns::{is_date, is_planned};
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::families::{day_of, family_of};
use crate::rules::propose::Proposal;
use crate::rules::stem::root;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Arithmetic, ColumnRef, Comparison, Condition, Expr, Projection, QueryPlan, Select};
use sqlogue_sql::schema::Value;

/// What states have in common that are an end.
const ENDED: [&str; 7] = ["closed", "ended", "finished", "completed", "decided", "resolved", "settled"];

/// Drops the readings of rows in a state that go by another day than that of the state, where no word says that day and another
/// reading goes by that of the state.
pub(super) fn own_days_first(all: &mut Vec<Proposal>, asked: &Question, knowledge: &Knowledge) {
    let strays: Vec<Option<bool>> = all.iter().map(|one| strays(&one.draft.plan, asked, knowledge)).collect();
    if !strays.contains(&Some(false)) {
        return;
    }
    let mut strays = strays.into_iter();
    all.retain(|_| strays.next().flatten() != Some(true));
}

/// A *win rate* is of what has come to an end, won or lost, and not of what is still open. Whoever says of what, gets that.
pub(super) fn rate_of_ended(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let says_rate = (1..asked.tokens.len()).any(|at| matches!(asked.word(at), "rate" | "rates" | "ratio"));
    let says_whole =
        asked.tokens.iter().any(|token| matches!(token.lower.as_str(), "all" | "total" | "created"));
    let [.., rate] = plan.select.projection.as_slice() else { return };
    let divides = matches!(rate.expr, Expr::Arithmetic { operator: Arithmetic::Divide, .. });
    let grouped = |shown: &Projection| plan.select.group_by.contains(&shown.expr);
    let (_, others) = plan.select.projection.split_last().unwrap_or((rate, &[]));
    if !says_rate || says_whole || !divides || !others.iter().all(grouped) {
        return;
    }
    let mut counted = None;
    rate.expr.for_each(&mut |part| {
        if let Expr::Case { branches, .. } = part
            && let [branch] = branches.as_slice()
            && let [condition] = branch.when.conjuncts()
        {
            counted = counted
                .take()
                .or_else(|| state_of(condition).map(|(column, state)| (column.clone(), state.to_owned())));
        }
    });
    let Some((column, state)) = counted else { return };
    let family = stored(plan, &column, knowledge).and_then(|id| family_of(knowledge, id, &state));
    // What was returned for one reason or another has not ended, for all that it is one family.
    let ended = |(shared, states): (String, Vec<String>)| ENDED.contains(&shared.as_str()).then_some(states);
    let Some(states) = family.and_then(ended) else { return };
    let list = states.into_iter().map(|state| Expr::Literal(Value::Text(state))).collect();
    let ended = Condition::In { expr: Expr::Column(column), list, negated: false };
    plan.select.filter = Condition::all(plan.select.filter.take().into_iter().chain([ended]).collect());
}

/// The column and the state that a condition asks for.
fn state_of(condition: &Condition) -> Option<(&ColumnRef, &str)> {
    match condition {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(Value::Text(state)),
        } => Some((column, state)),
        _ => None,
    }
}

/// Whether a plan of rows in such a state goes by another day than that of the state; none where it goes by no day, or asks for no
/// state that a day tells of.
fn strays(plan: &QueryPlan, asked: &Question, knowledge: &Knowledge) -> Option<bool> {
    let day = day_of_state(plan, knowledge)?;
    let named = plan.with.iter().flat_map(|named| named.query.selects());
    let orders = plan.order_by.iter().map(|order| &order.expr);
    let exprs = plan.selects().chain(named).flat_map(Select::exprs).chain(orders);
    let table = knowledge.column(day).table;
    let days = |expr: &Expr| -> Vec<ColumnId> {
        let ids = expr.columns().into_iter().filter_map(|column| stored(plan, column, knowledge));
        ids.filter(|id| knowledge.column(*id).table == table && is_date(knowledge, *id)).collect()
    };
    let used: Vec<Vec<ColumnId>> = exprs.map(days).filter(|days| !days.is_empty()).collect();
    let shared: BTreeSet<String> = roots(knowledge, day);
    let is_said = |id: &ColumnId| {
        let own = roots(knowledge, *id);
        let mut own = own.difference(&shared);
        own.any(|word| asked.tokens.iter().any(|token| token.root == *word))
    };
    // From the day on which it was created to that on which it was closed, it took so long.
    let strays = |days: &Vec<ColumnId>| {
        let mut others = days.iter().filter(|id| **id != day && !is_said(id));
        others.any(|id| is_planned(knowledge, *id) || !days.contains(&day))
    };
    (!used.is_empty()).then(|| used.iter().any(strays))
}

/// The day that bears the word which the state of the rows shares with others.
fn day_of_state(plan: &QueryPlan, knowledge: &Knowledge) -> Option<ColumnId> {
    let mut found = None;
    plan.clone().for_each_condition_mut(&mut |condition| {
        let Some((column, state)) = state_of(condition) else { return };
        let Some(id) = stored(plan, column, knowledge) else { return };
        found = found.or_else(|| day_of(knowledge, id, state));
    });
    found
}

fn roots(knowledge: &Knowledge, id: ColumnId) -> BTreeSet<String> {
    knowledge.column(id).forms.iter().flatten().map(|word| root(word)).collect()
}
