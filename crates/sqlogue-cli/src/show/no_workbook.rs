//! Workbooks where the program is built without them.

use sqlogue::schema::Value;

/// Says how to have them.
///
/// # Errors
/// Always.
pub(crate) fn xlsx(_: &[String], _: &[Vec<Value>]) -> Result<Vec<u8>, String> {
    Err("this program was built without `excel` (build it with `--features excel`)".to_owned())
}
