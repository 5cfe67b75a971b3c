//! Rows as a plain text table.

use comfy_table::{CellAlignment, Table, presets};

use super::QueryResult;
use crate::schema::Value;

/// Columns as wide as their widest cell, numbers to the right, a line under the headings.
pub(super) fn text_table(result: &QueryResult) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(&result.columns);
    for row in &result.rows {
        table.add_row(row.iter().map(|value| {
            let cell = comfy_table::Cell::new(printable(&value.to_string()));
            match value {
                Value::Integer(_) | Value::Real(_) => cell.set_alignment(CellAlignment::Right),
                _ => cell,
            }
        }));
    }
    table.to_string()
}

/// One line, without characters that could move the cursor or colour the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
