//! How plainly a candidate's words name what they were taken for, and what it returns.

use crate::rules::compose::{Draft, Meaning};
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{Chunk, Linked};
use sqlogue_sql::plan::{ColumnRef, Comparison, Condition, Expr, QueryPlan};

/// How plainly the words name what they were taken for.
pub(super) fn naming(
    draft: &Draft,
    chunks: &[Chunk],
    knowledge: &Knowledge,
    add: &mut impl FnMut(&str, f32),
) {
    let (mut worst_name, mut worst_value) = (1.0_f32, 1.0_f32);
    let (mut exact, mut names, mut rivals, mut foreign_rivals, mut value_rivals) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for meaning in &draft.meanings {
        if meaning.value.is_some() {
            worst_value = worst_value.min(meaning.score);
            let Some(chunk) = chunks.get(meaning.chunk) else { continue };
            let others = chunk.values.iter().filter(|link| {
                link.column.is_some()
                    && link.column != meaning.column_id
                    && link.score > chunk.values.first().map_or(0.0, |best| best.score) - 0.1
            });
            value_rivals += (others.count() as f32).min(3.0);
            continue;
        }
        worst_name = worst_name.min(meaning.score);
        names += 1.0;
        exact += f32::from(u8::from(meaning.score >= 0.97));
        let (Some(chunk), Some(column)) = (chunks.get(meaning.chunk), meaning.column_id) else { continue };
        let own = knowledge.column(column).table;
        for (other, score) in &chunk.columns {
            if *other == column || *score < meaning.score - 0.1 {
                continue;
            }
            if knowledge.column(*other).table == own {
                rivals += 1.0;
            } else {
                foreign_rivals += 1.0;
            }
        }
    }
    let said = |table: &str| {
        draft
            .meanings
            .iter()
            .any(|meaning| meaning.column.is_none() && meaning.table.eq_ignore_ascii_case(table))
    };
    let unsaid = draft.plan.select.tables().filter(|table| !said(table.name())).count();
    for (name, value) in [
        ("worst_name", worst_name),
        ("worst_value", worst_value),
        ("exact_names", if names > 0.0 { exact / names } else { 1.0 }),
        ("names", names),
        ("rivals", f32::min(rivals, 6.0)),
        ("foreign_rivals", f32::min(foreign_rivals, 6.0)),
        ("value_rivals", f32::min(value_rivals, 6.0)),
        ("tables_unsaid", unsaid as f32),
        ("tables", draft.plan.select.tables().count() as f32),
        ("numbers_missing", numbers_missing(draft, knowledge)),
        ("bare_references", bare_references(draft, chunks, knowledge)),
        ("first_by_key", first_by_key(draft, knowledge)),
    ] {
        add(name, value);
    }
}

/// The column of a table that an expression is.
fn id_of(expr: &Expr, knowledge: &Knowledge) -> Option<ColumnId> {
    let Expr::Column(column) = expr else { return None };
    knowledge.column_named(knowledge.table_named(&column.table)?, &column.column)
}

/// 1 where the first rows are those with the greatest or least key, which tells little but the order of entry.
fn first_by_key(draft: &Draft, knowledge: &Knowledge) -> f32 {
    let is_key = |expr: &Expr| {
        id_of(expr, knowledge).is_some_and(|id| {
            let column = knowledge.column(id);
            column.is_key || column.is_foreign
        })
    };
    let by_key = draft.plan.limit.is_some() && draft.plan.order_by.iter().any(|order| is_key(&order.expr));
    f32::from(u8::from(by_key))
}

/// How many numbers are said to be missing: *no stock* is none left.
fn numbers_missing(draft: &Draft, knowledge: &Knowledge) -> f32 {
    let is_number = |expr: &Expr| {
        id_of(expr, knowledge)
            .map(|id| knowledge.column(id))
            .is_some_and(|entry| entry.numeric && !entry.is_foreign && !entry.kind.is_date())
    };
    let missing = draft.plan.select.filter.iter().flat_map(Condition::conjuncts).filter(
        |condition| matches!(condition, Condition::IsNull { expr, negated: false } if is_number(expr)),
    );
    missing.count() as f32
}

/// How many columns are shown that refer to rows which have names, where nobody spoke of a number or a code.
fn bare_references(draft: &Draft, chunks: &[Chunk], knowledge: &Knowledge) -> f32 {
    let said = chunks.iter().any(|chunk| {
        chunk
            .text
            .split(' ')
            .any(|word| matches!(word, "id" | "ids" | "number" | "code" | "codes" | "no" | "key"))
    });
    let bare = |expr: &Expr| {
        let edge = id_of(expr, knowledge).and_then(|id| knowledge.joins().reference(id));
        edge.is_some_and(|edge| !knowledge.table(edge.to).label.is_empty())
    };
    match said {
        true => 0.0,
        false => draft.plan.select.projection.iter().filter(|shown| bare(&shown.expr)).count() as f32,
    }
}

/// The words that were taken for what they only mean by a synonym of the language.
pub(super) fn synonyms(
    draft: &Draft,
    chunks: &[Chunk],
    linked: &Linked,
    knowledge: &Knowledge,
    add: &mut impl FnMut(&str, f32),
) {
    let is_synonym = |meaning: &&Meaning| {
        chunks.get(meaning.chunk).is_some_and(|chunk| linked.is_synonym(chunk, meaning, knowledge))
    };
    let (mut count, mut doubt) = (0.0, 0.0);
    for meaning in draft.meanings.iter().filter(is_synonym) {
        count += 1.0;
        doubt += 1.0 - meaning.score.min(1.0);
    }
    add("synonyms", count);
    add("synonyms_doubt", doubt);
}

/// What is returned: keys, names, other columns, and whether words asked for them.
pub(super) fn outputs(draft: &Draft, knowledge: &Knowledge, add: &mut impl FnMut(&str, f32)) {
    let (mut keys, mut labels, mut unsaid, mut tables) = (0.0, 0.0, 0.0, Vec::new());
    let (mut compared, mut repeating, mut flags) = (0.0, 0.0, 0.0);
    for item in &draft.plan.select.projection {
        let Expr::Column(column) = &item.expr else { continue };
        let Some(table) = knowledge.table_named(&column.table) else { continue };
        let Some(id) = knowledge.column_named(table, &column.column) else { continue };
        let entry = knowledge.column(id);
        keys += f32::from(u8::from(entry.is_key || entry.is_foreign));
        flags += f32::from(u8::from(entry.kind.is_flag().is_some()));
        labels += f32::from(u8::from(knowledge.table(table).label.contains(&id)));
        unsaid += f32::from(u8::from(!draft.meanings.iter().any(|meaning| meaning.column_id == Some(id))));
        compared += f32::from(u8::from(is_fixed(&draft.plan, column)));
        repeating += f32::from(u8::from(
            !entry.is_key && !entry.unique && !knowledge.table(table).label.contains(&id),
        ));
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    for (name, value) in [
        ("returns_keys", keys),
        ("returns_labels", labels),
        ("returns_flags", flags),
        ("returns_unsaid", unsaid),
        ("returns_from", tables.len() as f32),
        ("returns_compared", compared),
        ("returns_repeating", if repeats(&draft.plan) { repeating } else { 0.0 }),
        (
            "repeats",
            f32::from(u8::from(repeats(&draft.plan) && repeating > 0.0 && labels == 0.0 && keys == 0.0)),
        ),
    ] {
        add(name, value);
    }
}

/// True where all rows have the same value in a column, so that nobody asks for it.
fn is_fixed(plan: &QueryPlan, column: &ColumnRef) -> bool {
    plan.select.filter.iter().flat_map(|filter| filter.conjuncts()).any(|condition| {
        matches!(condition, Condition::Compare { left: Expr::Column(left), operator: Comparison::Equal, .. }
            if left == column)
    })
}

/// True for a plain list of rows, in which equal ones may stand more than once.
fn repeats(plan: &QueryPlan) -> bool {
    let select = &plan.select;
    !select.distinct
        && select.group_by.is_empty()
        && plan.limit.is_none()
        && plan.set_operations.is_empty()
        && !select.projection.iter().any(|item| item.expr.is_aggregate())
}
