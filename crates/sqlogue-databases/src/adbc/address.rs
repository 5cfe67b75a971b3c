//! Addresses of databases behind drivers.

use std::path::{Path, PathBuf};

use crate::DatabaseError;
use crate::url::decoded;
use sqlogue_sql::sql::Dialect;

/// What DuckDB may take of the machine's memory unless the address says otherwise; beyond it writes to a temporary folder.
const MEMORY: &str = "4GB";

/// What is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    DuckDb,
    /// Whatever a driver leads to.
    Driver,
}

/// An address, taken apart.
pub struct Address {
    pub(super) kind: Kind,
    /// What people call the database.
    pub(super) name: String,
    /// DuckDB's file, or a pattern of files; empty for other drivers.
    pub(super) path: String,
    /// The driver's name or path, where one is named.
    pub(super) driver: Option<PathBuf>,
    pub(super) dialect: Dialect,
    /// What the driver is told when it opens the database.
    pub(super) options: Vec<(String, String)>,
}

impl Address {
    pub(super) fn parse(address: &str) -> Result<Self, DatabaseError> {
        let (scheme, rest) = address.split_once(':').ok_or_else(form)?;
        match scheme.to_ascii_lowercase().as_str() {
            "duckdb" => Self::of_duckdb(rest),
            "adbc" => Self::of_driver(rest),
            _ => Err(form()),
        }
    }

    fn of_duckdb(rest: &str) -> Result<Self, DatabaseError> {
        // A question mark can be part of a pattern; what follows the last one has a parameter's form.
        let (path, parameters) = match rest.rsplit_once('?') {
            Some((path, parameters)) if parameters.contains('=') => (path, parameters),
            _ => (rest, ""),
        };
        if path.contains("://") {
            return Err(wrong("DuckDB is given files of this machine, and no address of another"));
        }
        if path.is_empty() {
            return Err(form());
        }
        let mut read = Self {
            kind: Kind::DuckDb,
            name: name(path),
            path: path.to_owned(),
            driver: None,
            dialect: Dialect::DuckDb,
            options: Vec::new(),
        };
        let mut memory = MEMORY.to_owned();
        for (key, value) in pairs(parameters) {
            match key {
                "driver" => read.driver = Some(PathBuf::from(value)),
                "memory-limit" | "memory_limit" if is_size(&value) => memory = value,
                "threads" if value.parse::<u16>().is_ok_and(|threads| threads > 0) => {
                    read.options.push(("threads".into(), value));
                }
                "memory-limit" | "memory_limit" => {
                    return Err(wrong("`memory-limit` is a size such as `2GB`"));
                }
                "threads" => return Err(wrong("`threads` is a number")),
                _ => {
                    return Err(wrong(
                        "a parameter behind its `?` is not known; known are `driver`, `memory-limit` and `threads`",
                    ));
                }
            }
        }
        read.options.push(("memory_limit".into(), memory));
        Ok(read)
    }

    fn of_driver(rest: &str) -> Result<Self, DatabaseError> {
        let (driver, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        if driver.is_empty() {
            return Err(form());
        }
        let (mut dialect, mut name) = (dialect_of(driver), None);
        let mut options = Vec::new();
        for (key, value) in pairs(parameters) {
            match key {
                "dialect" => {
                    let known = value.parse().map_err(|error| wrong(&format!("{error}")))?;
                    dialect = Some(known);
                }
                "name" => name = Some(value),
                key => options.push((decoded(key), value)),
            }
        }
        let dialect = dialect.ok_or_else(|| {
            wrong("which SQL this driver's database speaks is not known; add `dialect=postgres` (or `sqlite`, `bigquery`, `mysql`, `duckdb`)")
        })?;
        let name = name.unwrap_or_else(|| stem(driver));
        Ok(Self {
            kind: Kind::Driver,
            name: name.chars().filter(|character| !character.is_control()).take(100).collect(),
            path: String::new(),
            driver: Some(PathBuf::from(decoded(driver))),
            dialect,
            options,
        })
    }
}

/// The dialect that a driver's database speaks, by the driver's name. Snowflake's is nearest to PostgreSQL's.
fn dialect_of(driver: &str) -> Option<Dialect> {
    let known = [
        ("duckdb", Dialect::DuckDb),
        ("sqlite", Dialect::Sqlite),
        ("postgres", Dialect::Postgres),
        ("snowflake", Dialect::Postgres),
        ("redshift", Dialect::Postgres),
        ("bigquery", Dialect::BigQuery),
        ("mysql", Dialect::MySql),
        ("mariadb", Dialect::MySql),
    ];
    let driver = stem(driver).to_ascii_lowercase();
    known.into_iter().find(|(name, _)| driver.contains(name)).map(|(_, dialect)| dialect)
}

/// A file's name without folder, extension and what libraries' names begin with.
fn stem(path: &str) -> String {
    let file =
        Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    stem.strip_prefix("lib").unwrap_or(stem).to_owned()
}

/// `shop` for `data/shop.duckdb`, and the folder's name for a pattern.
fn name(path: &str) -> String {
    let path = Path::new(path.trim_end_matches('/'));
    let named = path.iter().rev().find(|part| !part.to_string_lossy().contains(['*', '?', '[']));
    let named = named.map(|part| stem(&part.to_string_lossy())).filter(|name| !name.is_empty());
    let named = named.unwrap_or_else(|| "files".to_owned());
    named.chars().filter(|character| !character.is_control()).take(100).collect()
}

fn pairs(parameters: &str) -> impl Iterator<Item = (&str, String)> {
    parameters.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key, decoded(value))
    })
}

/// `512MB`, `1.5 GiB`.
fn is_size(text: &str) -> bool {
    let digits = text.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    let unit = digits.trim().to_ascii_uppercase();
    text.len() > digits.len()
        && matches!(unit.as_str(), "KB" | "MB" | "GB" | "TB" | "KIB" | "MIB" | "GIB" | "TIB")
}

fn form() -> DatabaseError {
    wrong("it is not of the form `duckdb:FILE`, `duckdb:FOLDER/*.parquet` or `adbc:DRIVER?uri=…`")
}

pub(super) fn wrong(problem: &str) -> DatabaseError {
    DatabaseError::Address { problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let address =
            Address::parse("duckdb:data/shop.duckdb?memory-limit=512MB&threads=2&driver=/opt/libduckdb.so");
        let address = address.unwrap();
        assert_eq!((address.name.as_str(), address.path.as_str()), ("shop", "data/shop.duckdb"));
        assert_eq!(address.driver.as_deref(), Some(Path::new("/opt/libduckdb.so")));
        assert_eq!(address.options[0], ("threads".into(), "2".into()));
        let address = Address::parse("duckdb:data/sales/*_202?.parquet").unwrap();
        assert_eq!((address.name.as_str(), address.path.as_str()), ("sales", "data/sales/*_202?.parquet"));
        let address = Address::parse("adbc:libadbc_driver_sqlite.so?uri=shop%20one.db").unwrap();
        assert_eq!((address.name.as_str(), address.dialect), ("adbc_driver_sqlite", Dialect::Sqlite));
        assert_eq!(address.options, [("uri".to_owned(), "shop one.db".to_owned())]);
        let address = Address::parse("adbc:flightsql?uri=grpc://h:1&dialect=duckdb&name=lake").unwrap();
        assert_eq!((address.name.as_str(), address.dialect), ("lake", Dialect::DuckDb));
    }

    #[test]
    fn what_is_wrong_is_said_without_secrets() {
        for address in [
            "duckdb:",
            "duckdb:s3://bucket/hunter2",
            "duckdb:a.db?hunter2=1",
            "duckdb:a.db?memory-limit=hunter2",
            "duckdb:a.db?threads=0",
            "adbc:?uri=hunter2",
            "adbc:flightsql?uri=hunter2",
            "adbc:sqlite?dialect=hunter2",
        ] {
            let Err(error) = Address::parse(address) else { panic!("{address}") };
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
