//! The values of a database that nobody writes any more, found once and kept in a file beside it.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::errors::Failure;
use super::values::{self, TextColumns};
use crate::{ColumnValues, ValueLimits};
use sqlogue_base::files;

/// Where the values of a database are kept.
pub(crate) fn values_of(database: &Path) -> PathBuf {
    database.with_extension("values")
}

/// What was found, and what it is the answer to.
#[derive(Serialize, Deserialize)]
struct Found<'a> {
    columns: std::borrow::Cow<'a, [TextColumns]>,
    limits: ValueLimits,
    values: Vec<ColumnValues>,
}

/// The values of these columns: those that are kept in `file`, or else those in the database, which are kept then.
pub(super) fn texts(
    connection: &mut Connection,
    columns: &[TextColumns],
    limits: &ValueLimits,
    file: Option<&Path>,
) -> Result<Vec<ColumnValues>, Failure> {
    let Some(file) = file else { return Ok(values::texts(connection, columns, limits)?.values) };
    let kept = fs::read(file).ok().and_then(|kept| serde_json::from_slice::<Found<'_>>(&kept).ok());
    if let Some(kept) = kept.filter(|kept| *kept.columns == *columns && kept.limits == *limits) {
        return Ok(kept.values);
    }
    let texts = values::texts(connection, columns, limits)?;
    let found = Found { columns: columns.into(), limits: *limits, values: texts.values };
    // What the time did not suffice for may be there the next time.
    if texts.in_time {
        let kept =
            serde_json::to_vec(&found).map_err(Into::into).and_then(|kept| files::replace(file, &kept));
        if let Err(error) = kept {
            tracing::info!(%error, "the values are not kept for the next time");
        }
    }
    Ok(found.values)
}
