//! Whether a plan means something, and whether a database runs it in the sense of the words.
//!
//! Candidates of questions and of follow-ups pass the same check before any is run: a plan that fails it is no reading, and
//! the next one is tried. It looks at four things, one file each:
//!
//! ```text
//! shape     no summary beside single rows, no column of a group that its rows differ in
//! single    no summary of groups that are one row each
//! types     numbers are summed and compared with numbers, dates with dates, texts with texts
//! sense     nothing that contradicts itself, nothing taken away from itself
//! ```
//!
//! And no levels, such as balances, are added up over days.

mod sense;
mod shape;
mod single;
mod types;

pub(super) use single::of_rows;

use super::Knowledge;
use super::knowledge::TableId;
use sqlogue_sql::plan::{ColumnRef, Condition, Expr, JoinKind, QueryPlan, Source};

/// True where every part of the plan, nested queries included, can be answered in one way only.
pub(super) fn is_sound(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    names_its_tables(plan)
        && shape::is_sound(plan, knowledge)
        && single::is_sound(plan, knowledge)
        && types::is_sound(plan, knowledge)
        && sense::is_sound(plan)
        && !takes_both(plan, knowledge)
        && !leaves_out_both(plan, knowledge)
        && !asks_for_no_value(plan, knowledge)
        && !super::grammar::adds_up_days(plan, knowledge)
}

/// True where each column is one of a table that the plan reads somewhere, by the name it has there.
fn names_its_tables(plan: &QueryPlan) -> bool {
    fn named_sources(plan: &QueryPlan, names: &mut Vec<String>) {
        names.extend(plan.selects().filter_map(|select| match &select.from {
            Source::Query { alias, .. } => Some(alias.to_ascii_lowercase()),
            Source::Table(_) => None,
        }));
        plan.queries().into_iter().for_each(|query| named_sources(query, names));
    }
    let mut names: Vec<String> = plan.tables().iter().map(|used| used.name().to_ascii_lowercase()).collect();
    named_sources(plan, &mut names);
    let mut are_known = true;
    plan.clone().for_each_column_mut(&mut |column| {
        are_known &= column.table.is_empty() || names.contains(&column.table.to_ascii_lowercase());
    });
    are_known
}

/// True where an end of a span is bound twice, which nobody says in one question.
pub(super) fn bounds_twice(plan: &QueryPlan) -> bool {
    sense::bounds_twice(plan)
}

/// True where rows are asked for in which a column has no value that has one in every row: *no stock* is a stock of 0.
fn asks_for_no_value(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    plan.selects().any(|select| {
        let has_value = |column: &ColumnRef| {
            let kept = select.joins.iter().all(|join| join.kind == JoinKind::Inner);
            let table = select.tables().find(|table| table.name() == column.table).filter(|_| kept);
            let table = table.and_then(|table| knowledge.table_named(&table.table));
            let id = table.and_then(|table| knowledge.column_named(table, &column.column));
            id.is_some_and(|id| !knowledge.column(id).nullable)
        };
        select.filter.iter().flat_map(Condition::conjuncts).any(|condition| match condition {
            Condition::IsNull { expr: Expr::Column(column), negated: false } => has_value(column),
            _ => false,
        })
    })
}

/// True where rows are left out that have both of two kinds of rows below them: *no incidents and no repairs* leaves out those that
/// have either.
fn leaves_out_both(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let is_of_both = |of: &ColumnRef, query: &QueryPlan| {
        let own = plan.table_in_use(&of.table).and_then(|table| knowledge.table_named(table));
        let tables = query.select.tables().filter_map(|table| knowledge.table_named(&table.table));
        let tables: Vec<TableId> = tables.collect();
        let refers = |table: &&TableId| own.is_some_and(|own| knowledge.joins().refers(**table, own));
        let joined =
            || own.is_some_and(|own| tables.contains(&own)) && tables.iter().filter(refers).count() > 1;
        // The second condition is one of the rows themselves, and not of those that they are compared with.
        let nested = || {
            let inside = |condition: &&Condition| match condition {
                Condition::InQuery { expr: Expr::Column(other), .. } => {
                    other.table == of.table && !query.select.tables().any(|table| table.name() == of.table)
                }
                _ => false,
            };
            query.select.filter.iter().flat_map(Condition::conjuncts).any(|condition| inside(&condition))
        };
        joined() || nested()
    };
    plan.selects().any(|select| {
        select.filter.iter().flat_map(Condition::conjuncts).any(|condition| match condition {
            Condition::InQuery { expr: Expr::Column(of), query, negated: true } => is_of_both(of, query),
            _ => false,
        })
    })
}

/// True where a flag may be either: that restricts nothing, and whoever names both wants them apart.
fn takes_both(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    plan.selects().any(|select| {
        let flag = |column: &ColumnRef| {
            let table = select.tables().find(|table| table.name() == column.table)?;
            let table = knowledge.table_named(&table.table)?;
            let kind = &knowledge.column(knowledge.column_named(table, &column.column)?).kind;
            kind.is_flag().map(|(yes, no)| [yes.clone(), no.clone()])
        };
        select.filter.iter().flat_map(Condition::conjuncts).any(|condition| match condition {
            Condition::In { expr: Expr::Column(column), list, negated: false } => flag(column)
                .is_some_and(|both| both.iter().all(|value| list.contains(&Expr::Literal(value.clone())))),
            _ => false,
        })
    })
}
