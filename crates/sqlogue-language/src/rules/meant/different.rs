//! What is counted once, however often it comes. People may be counted several times: *different members per branch* speaks of those
//! who come there, each of them once, and not of those who belong there, who are different anyway.

use crate::rules::grammar::{WordLists, has_people, is_called};
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Expr, QueryPlan};

/// Leaves out how many rows there are beside how many different ones, where nothing else is asked for: *how many different rooms has
/// each member booked?*
pub(super) fn counted_once(plan: &mut QueryPlan, asked: &Question) {
    let lists = WordLists::embedded();
    let is_said = asked.tokens.iter().any(|token| lists.has("different", &token.lower));
    let goes_on = asked.tokens.iter().any(|token| matches!(token.lower.as_str(), "and" | "," | "&" | "plus"));
    let counts = |expr: &Expr, apart: bool| match expr {
        Expr::Aggregate { function: Aggregate::Count, distinct, .. } => *distinct == apart,
        _ => false,
    };
    let shown = &mut plan.select.projection;
    if is_said && !goes_on && shown.iter().any(|shown| counts(&shown.expr, true)) {
        shown.retain(|shown| !counts(&shown.expr, false));
    }
}

/// Drops the readings that count people by what each of them belongs to, where another counts those of whom other rows tell, and leaves
/// no more words out.
pub(super) fn those_who_came_first(all: &mut Vec<Proposal>, asked: &Question, knowledge: &Knowledge) {
    let is_said = asked.tokens.iter().any(|token| WordLists::embedded().has("different", &token.lower));
    if !is_said {
        return;
    }
    let told: Vec<Option<bool>> = all.iter().map(|one| counts_people(&one.draft.plan, knowledge)).collect();
    let least = all.iter().zip(&told).filter(|(_, told)| **told == Some(true));
    let Some(least) = least.map(|(one, _)| one.account.left_out.len()).min() else { return };
    let mut told = told.into_iter();
    all.retain(|one| told.next().flatten() != Some(false) || one.account.left_out.len() < least);
}

/// Whether a plan that counts people in groups does so by rows that tell of them; none where it counts no people.
fn counts_people(plan: &QueryPlan, knowledge: &Knowledge) -> Option<bool> {
    let select = &plan.select;
    let tables: Vec<TableId> =
        select.tables().filter_map(|table| knowledge.table_named(&table.table)).collect();
    let joins = knowledge.joins();
    let are_people =
        |table: &TableId| is_called(knowledge, *table, "buyers") || has_people(knowledge, *table);
    // Of rows that are joined, each is one of those to which no other refers.
    let is_finest = |table: &TableId| !tables.iter().any(|other| joins.refers(*other, *table));
    let people_of = |expr: &Expr| {
        let Expr::Aggregate { function: Aggregate::Count, argument, .. } = expr else { return None };
        let Expr::Column(column) = argument.as_ref() else { return tables.iter().copied().find(is_finest) };
        let id = knowledge.column_in(plan, column)?;
        Some(joins.reference(id).map_or(knowledge.column(id).table, |edge| edge.to))
    };
    let people = select.projection.iter().find_map(|shown| people_of(&shown.expr)).filter(are_people)?;
    // Who belongs somewhere and what was done there stand side by side, and not together.
    let belongs = || tables.iter().any(|table| joins.refers(people, *table));
    let tells = |table: &TableId| joins.refers(*table, people) && !(tables.contains(&people) && belongs());
    // Each has one city of his own, however often he came.
    let keys =
        select.group_by.iter().flat_map(Expr::columns).filter_map(|column| knowledge.column_in(plan, column));
    let mut keys = keys.map(|id| knowledge.column(id).table).peekable();
    (keys.peek().is_some() && keys.all(|table| table != people)).then(|| tables.iter().any(tells))
}
