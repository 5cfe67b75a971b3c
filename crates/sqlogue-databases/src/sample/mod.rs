//! The sample database: a small business that anyone understands.
//!
//! A shop sells forty products to a hundred and twenty customers in a dozen cities; employees take the orders. The
//! data is made by code with a fixed seed, so it is the same in every build: three years of orders, from the
//! beginning of 2024 to 20 November 2026, more of them before the holidays and more every year. Some customers
//! have never ordered, some e-mail addresses and phone numbers are missing, some orders were cancelled or returned.

mod data;
mod names;
mod random;

use std::path::Path;

use rusqlite::Connection;

use crate::{DatabaseError, SqliteDatabase};

/// The name under which the sample is known.
pub const NAME: &str = "sample";

/// The URL that opens it.
pub const URL: &str = "sample:";

/// Opens the sample, in memory.
///
/// # Errors
/// Where there is no memory for it.
pub fn open() -> Result<SqliteDatabase, DatabaseError> {
    SqliteDatabase::in_memory(NAME, data::fill)
}

/// Writes the sample as a new SQLite file.
///
/// # Errors
/// Where the file is there already, or cannot be written.
pub fn write(path: impl AsRef<Path>) -> Result<(), DatabaseError> {
    let path = path.as_ref();
    let failed = |message: String| DatabaseError::Failed { name: NAME.to_owned(), message };
    // Created here first, so that a file that is there is never touched.
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|error| failed(format!("cannot create `{}`: {error}", path.display())))?;
    let write = || Connection::open(path).and_then(|mut connection| data::fill(&mut connection));
    write().map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests;
