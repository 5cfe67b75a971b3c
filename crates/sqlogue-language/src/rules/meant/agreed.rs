//! Readings that differ in nothing but the columns that words were taken for: where composer and grammar agree on one of them, the
//! others, which fit the words less, are not meant.

use crate::rules::compose::Draft;
use crate::rules::event_date::holds_days;
use crate::rules::knowledge::Knowledge;
use serde_json::Value;
use sqlogue_sql::plan::QueryPlan;

/// By how much the grammar has to prefer what both make.
const NEARER: f32 = 0.2;

/// A plan without the names of its columns, and these.
struct Shape {
    plan: String,
    columns: Vec<(String, String)>,
}

/// Drops the readings that put columns in the places of those that both generators agree on which the grammar finds worse. Of
/// two dates either may be meant.
pub(in crate::rules) fn agreed_columns_only(drafts: &mut Vec<Draft>, knowledge: &Knowledge) {
    let agreed: Vec<(f32, Shape)> =
        drafts.iter().filter_map(|draft| Some((draft.agreed?, Shape::of(&draft.plan)))).collect();
    if agreed.is_empty() {
        return;
    }
    drafts.retain(|draft| {
        let Some(score) = draft.agreed.or(draft.grammar) else { return true };
        let mut nearer = agreed.iter().filter(|(other, _)| score < other - NEARER).peekable();
        nearer.peek().is_none() || {
            let own = Shape::of(&draft.plan);
            !nearer.any(|(_, shape)| own.differs_in_columns(shape, knowledge))
        }
    });
}

impl Shape {
    fn of(plan: &QueryPlan) -> Self {
        let mut value = serde_json::to_value(plan).unwrap_or_default();
        let mut columns = Vec::new();
        take_columns(&mut value, &mut columns);
        Self { plan: value.to_string(), columns }
    }

    /// True for two plans that differ in their columns alone, and in no dates.
    fn differs_in_columns(&self, other: &Self, knowledge: &Knowledge) -> bool {
        let is_date = |(table, column): &(String, String)| {
            let table = knowledge.table_named(table);
            let id = table.and_then(|table| knowledge.column_named(table, column));
            id.is_none_or(|id| holds_days(knowledge.column(id)))
        };
        self.plan == other.plan
            && self.columns.iter().zip(&other.columns).all(|(one, other)| one == other || !is_date(one))
    }
}

/// Leaves the names of columns out, and collects them with those of their tables.
fn take_columns(value: &mut Value, columns: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(column)) = fields.get("column").cloned() {
                let table = fields.get("table").and_then(Value::as_str).unwrap_or_default().to_owned();
                columns.push((table, column));
                fields.insert("column".to_owned(), Value::Null);
            }
            fields.values_mut().for_each(|value| take_columns(value, columns));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| take_columns(value, columns)),
        _ => {}
    }
}
