//! Finding a driver, and loading it.

use std::env;
use std::path::{Path, PathBuf};

use adbc_core::LOAD_FLAG_DEFAULT;
use adbc_core::options::AdbcVersion;
use adbc_driver_manager::ManagedDriver;

use super::address::{Address, Kind};
use super::errors::printable;
use crate::DatabaseError;

/// Where people say that drivers are: folders, as in `PATH`.
const FOLDERS: &str = "ADBC_DRIVER_PATH";

/// The file of DuckDB's library.
const DUCKDB: &str = if cfg!(windows) {
    "duckdb.dll"
} else if cfg!(target_os = "macos") {
    "libduckdb.dylib"
} else {
    "libduckdb.so"
};

/// The driver of an address.
///
/// # Errors
/// It is not found, or cannot be loaded: says which file is missing, where it was looked for, and how people get it.
pub(super) fn load(address: &Address) -> Result<ManagedDriver, DatabaseError> {
    match (address.kind, &address.driver) {
        (Kind::DuckDb, Some(path)) => named(path, Some(b"duckdb_adbc_init")),
        (Kind::DuckDb, None) => duckdb(),
        (Kind::Driver, Some(path)) if path.components().count() > 1 => named(path, None),
        (Kind::Driver, driver) => by_name(driver.as_deref().unwrap_or(Path::new(""))),
    }
}

/// A driver whose file is named.
fn named(path: &Path, entry: Option<&[u8]>) -> Result<ManagedDriver, DatabaseError> {
    if !path.is_file() {
        let driver = shown(path);
        return Err(DatabaseError::NoDriver {
            driver,
            problem: "there is no such file".into(),
            advice: "name the path of the driver's library".into(),
        });
    }
    // A bare name would be looked for in the system's folders alone.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    // A driver of DuckDB is found by its own entry, whatever its file is called.
    let entry = entry.or_else(|| shown(&path).contains("duckdb").then_some(b"duckdb_adbc_init".as_slice()));
    ManagedDriver::load_dynamic_from_filename(&path, entry, AdbcVersion::V110)
        .map_err(|error| unloadable(&shown(&path), &error))
}

fn duckdb() -> Result<ManagedDriver, DatabaseError> {
    let folders = folders();
    if let Some(path) = folders.iter().map(|folder| folder.join(DUCKDB)).find(|path| path.is_file()) {
        return named(&path, Some(b"duckdb_adbc_init"));
    }
    let entry = Some(b"duckdb_adbc_init".as_slice());
    ManagedDriver::load_dynamic_from_filename(DUCKDB, entry, AdbcVersion::V110).map_err(|_| {
        let looked: Vec<String> = folders.iter().map(|folder| format!("`{}`", shown(folder))).collect();
        DatabaseError::NoDriver {
            driver: DUCKDB.into(),
            problem: format!("it is not in {} nor in the system's folders of libraries", looked.join(", ")),
            advice: format!(
                "get DuckDB's C library from duckdb.org (its `libduckdb` archive), or by `npm pack @duckdb/node-bindings-linux-x64`, \
                 and name its folder in `{FOLDERS}`, or its path behind the file: `duckdb:FILE?driver=/PATH/{DUCKDB}`"
            ),
        }
    })
}

/// A driver by its name alone: of a manifest or a library.
fn by_name(name: &Path) -> Result<ManagedDriver, DatabaseError> {
    let folders = folders();
    let file = format!("{}{}{}", env::consts::DLL_PREFIX, shown(name), env::consts::DLL_SUFFIX);
    let full = format!("{}adbc_driver_{}{}", env::consts::DLL_PREFIX, shown(name), env::consts::DLL_SUFFIX);
    let candidates = [shown(name), file, full.clone()];
    let found = folders.iter().flat_map(|folder| candidates.iter().map(move |file| folder.join(file)));
    if let Some(path) = found.into_iter().find(|path| path.is_file()) {
        return named(&path, None);
    }
    ManagedDriver::load_from_name(name, None, AdbcVersion::V110, LOAD_FLAG_DEFAULT, Some(folders.clone())).map_err(
        |_| {
            let looked: Vec<String> = folders.iter().map(|folder| format!("`{}`", shown(folder))).collect();
            DatabaseError::NoDriver {
                driver: full,
                problem: format!(
                    "neither it nor a manifest `{}.toml` is in {}, in the folders of ADBC's manifests, or in the system's folders of libraries",
                    shown(name),
                    looked.join(", ")
                ),
                advice: format!(
                    "get the driver from those who make the database (for many there is a package `adbc-driver-…` on PyPI that holds it), \
                     and name its folder in `{FOLDERS}`, or write its path: `adbc:/PATH/LIBRARY?uri=…`"
                ),
            }
        },
    )
}

/// Where drivers are looked for: what people said, beside the program, and where libraries are put by hand.
fn folders() -> Vec<PathBuf> {
    let said = env::var_os(FOLDERS).map(|folders| env::split_paths(&folders).collect::<Vec<_>>());
    let beside = env::current_exe().ok().and_then(|program| program.parent().map(Path::to_path_buf));
    let usual = ["/usr/local/lib", "/usr/lib"].into_iter().map(PathBuf::from);
    let all = said.unwrap_or_default().into_iter().chain(beside).chain(usual);
    // A relative folder would mean another one wherever the program is started.
    all.filter(|folder| folder.is_absolute()).collect()
}

fn unloadable(driver: &str, error: &adbc_core::error::Error) -> DatabaseError {
    DatabaseError::NoDriver {
        driver: driver.to_owned(),
        problem: format!("it cannot be loaded: {}", printable(&error.message)),
        advice: "take a library for this machine and system, one that has an ADBC driver in it".into(),
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().chars().filter(|character| !character.is_control()).take(300).collect()
}
