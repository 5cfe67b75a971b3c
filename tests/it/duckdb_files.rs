//! Files of DuckDB's, made by its own library.
//!
//! The library is looked for where people have it: in the folders of `ADBC_DRIVER_PATH`, and in the system's. Where it is not,
//! tests say what they skip; with `CI` set they fail instead.

use sqlogue::database::{AdbcDatabase, DatabaseError};
use tempfile::TempDir;

use crate::server_kit::skip;

/// A database file in a folder of its own.
pub struct File {
    folder: TempDir,
}

/// A file with what a script makes, or none where DuckDB's library is not there.
pub fn file(test: &str, script: &str) -> Option<File> {
    let file = File { folder: tempfile::tempdir().unwrap() };
    match sqlogue_databases::adbc::write(&file.path("shop.duckdb"), script) {
        Ok(()) => Some(file),
        Err(DatabaseError::NoDriver { .. }) => {
            skip(test, "DuckDB's library (`libduckdb.so`, in a folder of `ADBC_DRIVER_PATH`)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

impl File {
    /// The database, opened as people open it.
    pub fn open(&self) -> AdbcDatabase {
        AdbcDatabase::at(&self.address()).unwrap()
    }

    pub fn address(&self) -> String {
        format!("duckdb:{}", self.path("shop.duckdb"))
    }

    /// The path of another file beside it.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}
