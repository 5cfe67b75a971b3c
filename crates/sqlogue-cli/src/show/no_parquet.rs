//! Parquet files where the program is built without them.

use sqlogue::schema::Value;

/// Says how to have them.
///
/// # Errors
/// Always.
pub(crate) fn parquet(_: &[String], _: &[Vec<Value>]) -> Result<Vec<u8>, String> {
    Err("this program was built without `parquet` (build it with `--features parquet`)".to_owned())
}
