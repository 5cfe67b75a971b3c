//! Data dictionaries in Excel: what people wrote about tables and columns.
//!
//! Two layouts are understood, and workbooks that mix them. In the one, a sheet lists the columns of many tables, a
//! heading says which column of the sheet names the table. In the other, each sheet describes one table, whose name
//! is the sheet's. Headings may stand anywhere in the first rows and may be called what people call them.

mod headings;
mod read;

use std::path::Path;

use crate::database::DatabaseError;
use crate::database::memory_tables::{LoadLimits, workbook};
use crate::schema::Schema;

/// What a data dictionary says, and what in it was not understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dictionary {
    /// Tables and columns with descriptions, types and keys as far as they are given.
    pub schema: Schema,
    /// What was not understood, in words, with sheet and row.
    pub problems: Vec<String>,
}

/// Reads a data dictionary from a workbook.
///
/// # Errors
/// Where the file is no workbook, or nothing in it describes a table.
pub fn read(path: impl AsRef<Path>) -> Result<Dictionary, DatabaseError> {
    read_within(path, LoadLimits::default())
}

/// The same with limits of one's own.
///
/// # Errors
/// As [`read`], and where the workbook is larger than allowed.
pub fn read_within(path: impl AsRef<Path>, limits: LoadLimits) -> Result<Dictionary, DatabaseError> {
    let path = path.as_ref();
    let sheets = workbook::sheets(path, limits.workbook)?;
    let dictionary = read::dictionary(&sheets);
    if dictionary.schema.tables.is_empty() {
        return Err(crate::database::memory_tables::unreadable(
            path,
            "no sheet describes a table; a sheet needs a heading such as `Column` and another such as `Type` or `Description`",
        ));
    }
    Ok(dictionary)
}

#[cfg(test)]
mod tests;
