//! Repair by rules: a name that the schema does not know, a text that no cell holds.

use super::{Ask, Knowledge, RuleReasoner, WrittenQuery};
use crate::conversation::{Failure, Route};
use crate::lesson::Teaching;
use crate::plan::{ColumnRef, QueryPlan};
use crate::sql::{self, Finding, guard};

/// The plan of a statement that failed, with every unknown name replaced by the one that comes nearest; `None` where
/// something is unknown and nothing comes near, or where names are not what is wrong.
pub(super) fn repair(ask: Ask<'_>, failure: &Failure, plan: Option<&QueryPlan>) -> Option<WrittenQuery> {
    let mut plan = plan?.clone();
    let checked = guard::check(&failure.sql, ask.dialect).ok()?;
    let findings = sql::resolve(&checked, ask.knowledge.schema());
    let mut notes = Vec::new();
    for finding in &findings {
        match finding {
            Finding::UnknownTable { table, near } => {
                let known = &learnt_table(ask, table).or_else(|| near.first().cloned())?;
                plan.for_each_table_mut(&mut |used| {
                    if used.table.eq_ignore_ascii_case(table) {
                        used.table.clone_from(known);
                    }
                });
                rename_uses(&mut plan, table, known);
                notes.push(format!("There is no table `{table}`; `{known}` was taken instead."));
            }
            Finding::UnknownColumn { column, near, .. } => {
                let right = learnt_column(ask, column).or_else(|| near.first().cloned())?;
                let (table, known) = right.split_once('.')?;
                let uses = plan.clone();
                plan.for_each_column_mut(&mut |used| {
                    let of_table =
                        uses.table_in_use(&used.table).is_none_or(|name| name.eq_ignore_ascii_case(table));
                    if used.column.eq_ignore_ascii_case(column) && of_table {
                        known.clone_into(&mut used.column);
                    }
                });
                notes.push(format!("There is no column `{column}`; `{table}.{known}` was taken instead."));
            }
            Finding::TableNotInUse { .. } => return None,
        }
    }
    if notes.is_empty() {
        return None;
    }
    Some(WrittenQuery { sql: sql::render_named(&plan, ask.dialect), plan: Some(plan), note: notes.join(" ") })
}

/// The ways to say SQL with names that the schema knows, the nearest first, whoever wrote it.
pub fn renamed(ask: Ask<'_>, sql: &str) -> Vec<WrittenQuery> {
    let Ok(checked) = guard::check(sql, ask.dialect) else { return Vec::new() };
    let schema = ask.knowledge.schema();
    let findings: Vec<String> = sql::resolve(&checked, schema).iter().map(ToString::to_string).collect();
    let note = format!("Names were corrected: {}.", findings.join("; "));
    let written = |sql: String| {
        let plan = sql::lift(&sql, schema, ask.dialect);
        WrittenQuery { sql, plan, note: note.clone() }
    };
    sql::renamed(&checked, schema).into_iter().map(written).collect()
}

/// What the rules would answer, in place of a query that nobody could write or correct.
pub(super) fn instead(rules: &RuleReasoner, ask: Ask<'_>, failure: Option<&Failure>) -> Option<WrittenQuery> {
    // In a follow-up the words alone are not what is meant.
    if matches!(ask.state.route, Some(Route::Inline | Route::Update)) {
        return None;
    }
    let Some(plan) = rules.whole(ask).ok().and_then(|whole| whole.plan().cloned()) else {
        // Where nobody else understands the question, what comes near the query is the best that there is.
        return renamed(ask, &failure?.sql).into_iter().next();
    };
    let sql = sql::render_named(&plan, ask.dialect);
    let note = "The model had no query that runs, so the embedded rules answered.".to_owned();
    Some(WrittenQuery { sql, plan: Some(plan), note })
}

/// What a table is called by the lessons.
fn learnt_table(ask: Ask<'_>, wrong: &str) -> Option<String> {
    ask.lessons.iter().find_map(|lesson| match &lesson.teaching {
        Teaching::TableMapping { schema_name, actual_name, .. }
            if schema_name.eq_ignore_ascii_case(wrong) =>
        {
            Some(actual_name.clone())
        }
        _ => None,
    })
}

/// What column was right where this name was wrong before, as `table.column`.
fn learnt_column(ask: Ask<'_>, wrong: &str) -> Option<String> {
    ask.lessons.iter().find_map(|lesson| match &lesson.teaching {
        Teaching::ErrorPattern { wrong: Some(known), right: Some(right), .. }
            if known.eq_ignore_ascii_case(wrong) =>
        {
            Some(right.to_string())
        }
        _ => None,
    })
}

fn rename_uses(plan: &mut QueryPlan, from: &str, to: &str) {
    plan.for_each_column_mut(&mut |column: &mut ColumnRef| {
        if column.table.eq_ignore_ascii_case(from) {
            to.clone_into(&mut column.table);
        }
    });
}

/// How many values of a column are named where it does not have the one that was asked for.
const NAMED: usize = 8;

/// Which texts a plan looks for that a column with few values does not have, and what it has.
pub fn no_such_values(knowledge: &Knowledge, plan: &QueryPlan) -> Option<String> {
    let mut notes = Vec::new();
    plan.clone().for_each_compared_text_mut(&mut |column, text| {
        let table = plan.table_in_use(&column.table).unwrap_or(&column.table);
        let Some(cells) = knowledge.cells_instead(table, &column.column, text) else { return };
        let named: Vec<String> = cells.iter().take(NAMED).map(|cell| format!("`{cell}`")).collect();
        let more = if cells.len() > NAMED { " and others" } else { "" };
        notes.push(format!(
            "No `{text}` in `{}.{}`: there are {}{more}.",
            table,
            column.column,
            named.join(", ")
        ));
    });
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// The plan of a statement that found nothing, with every compared text that no cell of its column holds replaced by the
/// cell that comes nearest; `None` where every text occurs, or nothing comes near.
pub fn respelt(ask: Ask<'_>, plan: Option<&QueryPlan>) -> Option<WrittenQuery> {
    let mut refined = plan?.clone();
    let before = refined.clone();
    let mut notes = Vec::new();
    refined.for_each_compared_text_mut(&mut |column, text| {
        let table = before.table_in_use(&column.table).unwrap_or(&column.table);
        if let Some(known) = ask.knowledge.near_value(table, &column.column, text) {
            notes.push(format!("Nothing matches `{text}`; `{known}` was taken instead."));
            *text = known;
        }
    });
    if notes.is_empty() {
        return None;
    }
    Some(WrittenQuery {
        sql: sql::render_named(&refined, ask.dialect),
        plan: Some(refined),
        note: notes.join(" "),
    })
}
