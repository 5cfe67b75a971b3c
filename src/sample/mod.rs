//! placeholder
/// placeholder
pub const URL: &str = "sample:";
/// placeholder
pub fn open() -> Result<crate::database::SqliteDatabase, crate::database::DatabaseError> { crate::database::SqliteDatabase::open("sample.db") }
