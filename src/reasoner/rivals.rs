//! Readings of a question that are about equally likely.
//!
//! Asking costs a person more than reading an answer does, so a question is put only where two readings are the same but
//! for one column, as with two dates or two amounts, and neither is plainly likelier. Whether their results differ is for
//! somebody to find out who can run them.

use super::rules::Understanding;
use crate::ambiguity::{Ambiguity, AmbiguityKind, Choice, Correction};
use crate::plan::{ColumnRef, Confidence, PlannerOutput, QueryPlan};
use crate::schema::Schema;

/// A reading less likely than this part of the best one is no rival.
const CLOSE: f32 = 0.9;

/// At most so many readings are offered.
const MOST: usize = 4;

/// The question to put, if the best reading, which is `best`, has rivals.
pub(super) fn question(
    understanding: &Understanding,
    best: &PlannerOutput,
    schema: &Schema,
) -> Option<Ambiguity> {
    let first = understanding.candidates.first()?;
    if first.confidence == Confidence::High || best.query_plan.as_ref() != Some(&first.plan) {
        return None;
    }
    let mut options: Vec<(ColumnRef, &QueryPlan)> = Vec::new();
    for candidate in understanding.candidates.iter().skip(1) {
        if candidate.probability < first.probability * CLOSE {
            continue;
        }
        let Some((taken, other)) = one_column(&first.plan, &candidate.plan) else { continue };
        if !alike(&taken, &other, schema) {
            continue;
        }
        if options.is_empty() {
            options.push((taken.clone(), &first.plan));
        }
        // All choices are about one column, or the question would be several.
        let same = options.first().is_some_and(|(column, _)| *column == taken);
        if same && !options.iter().any(|(column, _)| *column == other) && options.len() < MOST {
            options.push((other, &candidate.plan));
        }
    }
    let names: Vec<String> = options.iter().map(|(column, _)| format!("`{}`", shown(column))).collect();
    let question = format!("The question may mean {}. Which one do you mean?", names.join(" or "));
    let options = options.into_iter().map(|(column, plan)| Choice {
        label: column.column.clone(),
        meaning: format!("take `{}`", shown(&column)),
        correction: Correction::Reading { query_plan: Box::new(plan.clone()) },
        preview: None,
    });
    let options: Vec<Choice> = options.collect();
    // Two columns of one name cannot be told apart by it.
    let told_apart =
        options.iter().all(|one| options.iter().filter(|other| other.label == one.label).count() == 1);
    Ambiguity::new(AmbiguityKind::Reading, question, options).filter(|_| told_apart)
}

/// Two dates or two amounts. Columns of other kinds are no rivals: one of them was misread, and asking would not mend it.
fn alike(one: &ColumnRef, other: &ColumnRef, schema: &Schema) -> bool {
    let kind = |column: &ColumnRef| {
        schema
            .table(&column.table)
            .and_then(|table| table.column(&column.column))
            .map(|column| column.column_type)
    };
    let (Some(one), Some(other)) = (kind(one), kind(other)) else { return false };
    (one.is_temporal() && other.is_temporal()) || (one.is_numeric() && other.is_numeric())
}

fn shown(column: &ColumnRef) -> String {
    format!("{}.{}", column.table, column.column)
}

/// The one column in which two plans differ, in the one and in the other; `None` where they differ in more.
fn one_column(one: &QueryPlan, other: &QueryPlan) -> Option<(ColumnRef, ColumnRef)> {
    let (mut masked, mut columns) = (one.clone(), Vec::new());
    mask(&mut masked, &mut columns);
    let (mut other_masked, mut other_columns) = (other.clone(), Vec::new());
    mask(&mut other_masked, &mut other_columns);
    if masked != other_masked || columns.len() != other_columns.len() {
        return None;
    }
    let mut differing = None;
    for pair in columns.into_iter().zip(other_columns).filter(|(one, other)| one != other) {
        match &differing {
            None => differing = Some(pair),
            Some(known) if *known == pair => {}
            Some(_) => return None,
        }
    }
    // A column of another table would need another join, and the plans would differ in it.
    differing.filter(|(one, other)| one.table == other.table)
}

/// Takes the names of all columns out of a plan.
fn mask(plan: &mut QueryPlan, columns: &mut Vec<ColumnRef>) {
    plan.for_each_column_mut(&mut |column| {
        columns.push(std::mem::replace(column, ColumnRef::new("", "")));
    });
}
