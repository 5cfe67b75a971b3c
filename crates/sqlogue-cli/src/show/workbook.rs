//! Rows as a workbook for spreadsheet programs.

use sqlogue::schema::Value;

/// A workbook (XLSX) with one sheet.
///
/// # Errors
/// There are more rows or columns than a sheet has.
pub(crate) fn xlsx(columns: &[String], rows: &[Vec<Value>]) -> Result<Vec<u8>, String> {
    sqlogue::answer::xlsx(columns, rows).map_err(|error| error.to_string())
}
