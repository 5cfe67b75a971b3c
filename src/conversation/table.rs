//! Rows as a plain text table.

use comfy_table::{CellAlignment, Table, presets};

use super::QueryResult;
use crate::base::text::clean;
use crate::schema::Value;

/// Columns as wide as their widest cell, numbers to the right, a line under the headings.
pub(super) fn text_table(result: &QueryResult) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(result.columns.iter().map(|name| clean(name)));
    for row in &result.rows {
        table.add_row(row.iter().map(|value| {
            let cell = comfy_table::Cell::new(clean(&value.to_string()));
            match value {
                Value::Integer(_) | Value::Real(_) => cell.set_alignment(CellAlignment::Right),
                _ => cell,
            }
        }));
    }
    table.to_string()
}
