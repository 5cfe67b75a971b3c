//! What is said to have been done: *the amount paid by method* leaves out what was not paid, and *boxes planned for this quarter*
//! goes by the day for which they are planned.

use std::collections::BTreeSet;

use crate::rules::grammar::WordLists;
use crate::rules::grammar::columns::{is_date, is_planned, named};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::propose::Proposal;
use crate::rules::stem::root;
use crate::rules::text::{Question, Token, TokenKind};
use sqlogue_sql::plan::{ColumnRef, Comparison, Condition, Expr, QueryPlan, Select};

/// Drops the readings that pass over what is said to have been done, where another is the same but for the date that tells it, and
/// leaves nothing out.
pub(super) fn deeds_said_first(all: &mut Vec<Proposal>, asked: &Question, knowledge: &Knowledge) {
    let tables: BTreeSet<TableId> =
        all.iter().flat_map(|one| tables_of(&one.draft.plan, knowledge)).collect();
    for token in &asked.tokens {
        for told in days_of(token, &tables, knowledge) {
            let heeds = |plan: &QueryPlan| goes_by(plan, told, asked, knowledge);
            let heeding: Vec<String> = all
                .iter()
                .filter(|one| one.account.left_out.is_empty() && heeds(&one.draft.plan))
                .map(|one| but_for_days(&one.draft.plan, told, knowledge))
                .collect();
            if !heeding.is_empty() {
                all.retain(|one| {
                    let plan = &one.draft.plan;
                    heeds(plan) || !heeding.contains(&but_for_days(plan, told, knowledge))
                });
            }
        }
    }
}

/// Leaves out what was not done where groups are made by the time at which it was: *boxes shipped per quarter*.
pub(super) fn leave_out_undone(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let tables = tables_of(plan, knowledge);
    let told: Vec<ColumnId> =
        asked.tokens.iter().flat_map(|token| days_of(token, &tables, knowledge)).collect();
    if told.is_empty() {
        return;
    }
    let whole = plan.clone();
    let day = |column: &ColumnRef| stored(&whole, column, knowledge).filter(|id| told.contains(id));
    let named = plan.with.iter_mut().map(|named| &mut named.query.select);
    for select in named.chain([&mut plan.select]) {
        let times = select.group_by.iter().filter(|key| !matches!(key, Expr::Column(_)));
        let Some(time) = times.flat_map(Expr::columns).find(|column| day(column).is_some()).cloned() else {
            continue;
        };
        let known = |part: &&Condition| part.columns().contains(&&time);
        if !select.filter.iter().flat_map(Condition::conjuncts).any(|part| known(&part)) {
            let is_known = Condition::IsNull { expr: Expr::Column(time), negated: true };
            select.filter = Condition::all(select.filter.take().into_iter().chain([is_known]).collect());
        }
    }
}

/// True where a plan goes by a day: by it alone, where no word says another.
fn goes_by(plan: &QueryPlan, day: ColumnId, asked: &Question, knowledge: &Knowledge) -> bool {
    let named = plan.with.iter().flat_map(|named| named.query.selects());
    let columns = plan.selects().chain(named).flat_map(Select::exprs).flat_map(Expr::columns);
    let used: Vec<ColumnId> = columns
        .filter_map(|column| stored(plan, column, knowledge))
        .filter(|id| knowledge.column(*id).table == knowledge.column(day).table && is_date(knowledge, *id))
        .collect();
    let is_said =
        |id: &ColumnId| asked.tokens.iter().any(|token| is_participle(token) && says(token, *id, knowledge));
    used.contains(&day) && used.iter().all(|id| *id == day || is_said(id))
}

/// The tables of the database that a plan uses.
fn tables_of(plan: &QueryPlan, knowledge: &Knowledge) -> BTreeSet<TableId> {
    plan.tables().into_iter().filter_map(|used| knowledge.table_named(&used.table)).collect()
}

/// The column of the database that a plan speaks of, also in one of its named queries.
pub(super) fn stored(plan: &QueryPlan, column: &ColumnRef, knowledge: &Knowledge) -> Option<ColumnId> {
    let named = || knowledge.column_named(knowledge.table_named(&column.table)?, &column.column);
    knowledge.column_in(plan, column).or_else(named)
}

/// True where a word names a column by one of its own words.
fn says(token: &Token, id: ColumnId, knowledge: &Knowledge) -> bool {
    knowledge.column(id).forms.iter().flatten().any(|own| root(own) == token.root)
}

/// True where a plan compares two days for being unlike, which nobody asks by *shipped but not delivered*.
pub(super) fn tells_days_apart(plan: &QueryPlan, asked: &Question, knowledge: &Knowledge) -> bool {
    const UNLIKE: [&str; 8] =
        ["different", "differ", "differs", "other", "another", "same", "equal", "unlike"];
    let is_day = |expr: &Expr| knowledge.column_of(plan, expr).is_some_and(|id| is_date(knowledge, id));
    let compares = |condition: &Condition| match condition {
        Condition::Compare { left, operator: Comparison::NotEqual, right } => is_day(left) && is_day(right),
        _ => false,
    };
    plan.select.filter.iter().flat_map(Condition::conjuncts).any(compares)
        && !asked.tokens.iter().any(|token| UNLIKE.contains(&token.lower.as_str()))
}

/// The days of these tables that tell when something was done, by the participle for it; some rows have none. Of two that it may name, neither
/// tells it: `assigned_from` and `assigned_to`. What was collected or received was paid, where no day bears that word itself.
fn days_of(token: &Token, tables: &BTreeSet<TableId>, knowledge: &Knowledge) -> Vec<ColumnId> {
    if !is_participle(token) {
        return Vec::new();
    }
    let is_taken = matches!(token.lower.as_str(), "collected" | "received");
    let own = |id: &ColumnId| is_date(knowledge, *id) && says(token, *id, knowledge);
    let of_payment = |id: &ColumnId| is_taken && is_date(knowledge, *id) && named(knowledge, *id, &["paid"]);
    let of_table = |columns: &[ColumnId]| {
        let mut told: Vec<ColumnId> = columns.iter().copied().filter(own).collect();
        if told.is_empty() {
            told.extend(columns.iter().copied().filter(of_payment));
        }
        let (planned, done): (Vec<ColumnId>, Vec<ColumnId>) =
            told.into_iter().partition(|id| is_planned(knowledge, *id));
        let only = |days: Vec<ColumnId>| match days.as_slice() {
            [day] => Some(*day),
            _ => None,
        };
        let may_miss = |day: &ColumnId| knowledge.column(*day).nullable;
        [only(planned), only(done).filter(may_miss)].into_iter().flatten().collect::<Vec<_>>()
    };
    tables.iter().flat_map(|table| of_table(&knowledge.table(*table).columns)).collect()
}

/// True for a word such as *shipped* or *sent*, but not for *incident*.
fn is_participle(token: &Token) -> bool {
    let word = token.lower.as_str();
    let is_regular = word.len() > 4 && word.ends_with("ed");
    token.kind == TokenKind::Word && (is_regular || WordLists::embedded().has("irregular_participle", word))
}

/// What a plan says but for the day by which it goes, and but for the condition that this day is known.
fn but_for_days(plan: &QueryPlan, told: ColumnId, knowledge: &Knowledge) -> String {
    let mut bare = plan.clone();
    let is_guard = |part: &Condition| match part {
        Condition::IsNull { expr: Expr::Column(column), negated: true } => {
            stored(plan, column, knowledge) == Some(told)
        }
        _ => false,
    };
    let named = bare.with.iter_mut().map(|named| &mut named.query.select);
    for select in named.chain([&mut bare.select]) {
        select.filter = select.filter.take().and_then(|filter| {
            Condition::all(filter.conjuncts().iter().filter(|part| !is_guard(part)).cloned().collect())
        });
    }
    let mut said = serde_json::to_string(&bare).unwrap_or_default();
    let table = knowledge.table(knowledge.column(told).table);
    for id in table.columns.iter().filter(|id| is_date(knowledge, **id)) {
        let name = serde_json::to_string(&knowledge.column(*id).name).unwrap_or_default();
        said = said.replace(&format!("\"column\":{name}"), "\"column\":\"\"");
    }
    said
}
