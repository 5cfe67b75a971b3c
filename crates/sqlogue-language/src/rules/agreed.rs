//! Readings that differ in nothing but the columns that words were taken for: where composer and grammar agree on one of them, the
//! others of the grammar, which fit its words less, are not meant.

use super::compose::Draft;
use sqlogue_sql::plan::QueryPlan;

/// By how much the grammar has to prefer what both make.
const NEARER: f32 = 0.2;

/// Drops the readings that put columns in the places of those that both generators agree on which the grammar finds worse.
pub(super) fn agreed_columns_only(drafts: &mut Vec<Draft>) {
    let agreed: Vec<(f32, String)> =
        drafts.iter().filter_map(|draft| Some((draft.agreed?, without_columns(&draft.plan)))).collect();
    if agreed.is_empty() {
        return;
    }
    drafts.retain(|draft| {
        let Some(score) = draft.agreed.or(draft.grammar) else { return true };
        let may_be = |(other, _): &&(f32, String)| score < other - NEARER;
        let mut nearer = agreed.iter().filter(may_be).peekable();
        nearer.peek().is_none() || {
            let own = without_columns(&draft.plan);
            !nearer.any(|(_, shape)| *shape == own)
        }
    });
}

/// A plan without the names of its columns.
fn without_columns(plan: &QueryPlan) -> String {
    let mut value = serde_json::to_value(plan).unwrap_or_default();
    blank(&mut value);
    value.to_string()
}

fn blank(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            if let Some(column) = fields.get_mut("column").filter(|column| column.is_string()) {
                *column = serde_json::Value::Null;
            }
            fields.values_mut().for_each(blank);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(blank),
        _ => {}
    }
}
