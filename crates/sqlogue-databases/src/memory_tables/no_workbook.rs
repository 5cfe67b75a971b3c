//! Workbooks in a program that was built without them: each is refused, with what to do about it.

use std::path::Path;

use rusqlite::Connection;

use super::{LoadError, Loader, unreadable};
use crate::DatabaseError;

pub(crate) use super::cell::Cell;

/// A sheet of a workbook; there is none.
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// Refuses a workbook.
///
/// # Errors
/// Always.
pub(crate) fn sheets(path: &Path, _: u64) -> Result<Vec<Sheet>, DatabaseError> {
    Err(unreadable(path, "this program was built without `excel`; build it with `--features excel`"))
}

/// Refuses a workbook.
///
/// # Errors
/// Always.
pub(super) fn load(_: &Connection, path: &Path, _: &mut Loader<'_>) -> Result<(), LoadError> {
    Ok(sheets(path, 0).map(drop)?)
}
