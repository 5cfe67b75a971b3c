//! Rows as a workbook for spreadsheet programs.

use rust_xlsxwriter::{Format, Workbook, XlsxError};

use super::cell;
use crate::schema::Value;

/// A workbook (XLSX) with one sheet: a heading and a line for each row. Numbers are numbers and NULL is an empty cell.
///
/// A text longer than a cell can hold is cut, which its last character shows.
///
/// # Errors
/// There are more rows or columns than a sheet has.
pub fn xlsx(columns: &[String], rows: &[Vec<Value>]) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let heading = Format::new().set_bold();
    for (column, name) in (0..).zip(columns) {
        sheet.write_string_with_format(0, column, text(name), &heading)?;
    }
    sheet.set_freeze_panes(1, 0)?;
    for (line, row) in (1..).zip(rows) {
        for (column, value) in (0..).zip(row) {
            match value {
                Value::Null => {}
                Value::Boolean(value) => {
                    sheet.write_boolean(line, column, *value)?;
                }
                Value::Integer(number) if number.unsigned_abs() <= EXACT => {
                    sheet.write_number(line, column, *number as f64)?;
                }
                Value::Real(number) if number.is_finite() => {
                    sheet.write_number(line, column, *number)?;
                }
                // Texts stay texts: what looks like a formula is never one.
                Value::Text(value) => {
                    sheet.write_string(line, column, text(value))?;
                }
                Value::Integer(_) | Value::Real(_) | Value::Blob(_) => {
                    sheet.write_string(line, column, text(&cell(value)))?;
                }
            }
        }
    }
    sheet.autofit();
    workbook.save_to_buffer()
}

/// Spreadsheets keep numbers in binary floating point; a whole number beyond this would become another.
const EXACT: u64 = 1 << 53;

/// The most characters that a cell can hold.
const LONGEST: usize = 32_767;

fn text(text: &str) -> String {
    // Spreadsheets count in units of UTF-16.
    if text.encode_utf16().count() <= LONGEST {
        return text.to_owned();
    }
    let mut left = LONGEST - 1;
    let fits = |character: &char| {
        let fits = character.len_utf16() <= left;
        left = left.saturating_sub(character.len_utf16());
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use calamine::{Data, Reader as _, Xlsx};

    use super::*;

    #[test]
    fn a_workbook_keeps_every_cell_and_its_kind() {
        let columns = ["name", "n", "x", "seen", "none"].map(str::to_owned);
        let long = "€".repeat(40_000);
        let rows = vec![
            vec![Value::from("=1+1"), Value::from(42), Value::from(2.5), Value::Boolean(true), Value::Null],
            vec![
                Value::from(long.as_str()),
                Value::from(i64::MAX),
                Value::from(f64::INFINITY),
                Value::Blob(vec![255]),
                Value::from(""),
            ],
        ];
        let bytes = xlsx(&columns, &rows).unwrap();
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).unwrap();
        let sheet = book.worksheet_range_at(0).unwrap().unwrap();
        let cell = |row, column| sheet.get_value((row, column)).cloned().unwrap_or_default();
        let heading: Vec<String> = (0..5).map(|column| cell(0, column).to_string()).collect();
        assert_eq!(heading, columns);
        assert_eq!(cell(1, 0), Data::String("=1+1".to_owned()));
        assert_eq!(cell(1, 1), Data::Float(42.0));
        assert_eq!(cell(1, 2), Data::Float(2.5));
        assert_eq!(cell(1, 3), Data::Bool(true));
        assert_eq!(cell(1, 4), Data::Empty);
        assert!(cell(2, 0).to_string().ends_with('…') && cell(2, 0).to_string().chars().count() == LONGEST);
        assert_eq!(cell(2, 1), Data::String(i64::MAX.to_string()));
        assert_eq!(cell(2, 3), Data::String("x'ff'".to_owned()));
    }
}
