//! Parquet files in a program that was built without them: each is refused, with what to do about it.

use std::path::Path;

use rusqlite::Connection;

use super::{LoadError, Loader, unreadable};

/// Refuses a Parquet file.
///
/// # Errors
/// Always.
pub(super) fn load(_: &Connection, path: &Path, _: &mut Loader<'_>) -> Result<(), LoadError> {
    let problem = "this program was built without `parquet`; build it with `--features parquet`";
    Err(unreadable(path, problem).into())
}
