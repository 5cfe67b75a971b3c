//! From a path or URL to the database behind it.

use std::path::Path;
use std::sync::Arc;

use super::stores::table_cache;
use crate::base::secret::holds_secret;
use crate::config::{ConfigError, Settings};
#[cfg(feature = "adbc")]
use crate::database::AdbcDatabase;
#[cfg(feature = "bigquery")]
use crate::database::BigQueryDatabase;
#[cfg(feature = "mysql")]
use crate::database::MySqlDatabase;
#[cfg(feature = "postgres")]
use crate::database::PostgresDatabase;
use crate::database::memory_tables::{self, LoadLimits, LoadedTable, Progress, TableCache};
use crate::database::{Database, SqliteDatabase};
use crate::error::Error;
use crate::sample;
use crate::source::Described;
use crate::source::excel::{self, Dictionary};

/// Opens a database by its path or URL; an empty one is the embedded sample.
///
/// `postgres://…`, `mysql://…` (or `mariadb://…`) and `bigquery://PROJECT/DATASET` are servers, which are not spoken to before
/// the first question. `duckdb:FILE` and `duckdb:FOLDER/*.parquet` are asked by DuckDB's library, `adbc:DRIVER?…` is what an
/// ADBC driver leads to. A file of CSV, JSON or Parquet, an Excel workbook and a folder of such files are loaded into a
/// private temporary file; any other path is an SQLite file.
///
/// # Errors
/// The URL has a scheme that is not known, or the database cannot be opened.
pub fn open(url: &str) -> Result<Arc<dyn Database>, Error> {
    Ok(open_within(url, LoadLimits::default(), None, &mut |_| {})?.database)
}

/// Opens the database of the settings, by its name in them or by its path or URL, within their limits. `progress` is told
/// how far the loading of files of values is.
///
/// # Errors
/// As [`open`].
pub fn open_database(
    settings: &Settings,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<OpenedDatabase, Error> {
    let (limits, cache) = (load_limits(settings), table_cache(settings));
    match settings.databases.get_key_value(&settings.database) {
        Some((name, url)) => {
            let OpenedDatabase { database, tables } = open_within(url, limits, cache.as_ref(), progress)?;
            Ok(OpenedDatabase { database: Arc::new(Described::named(name, database)), tables })
        }
        None => open_within(&settings.database, limits, cache.as_ref(), progress),
    }
}

/// A database that was opened.
#[derive(Debug)]
pub struct OpenedDatabase {
    /// The database.
    pub database: Arc<dyn Database>,
    /// The tables that files of values were loaded into, with what was noticed about them; empty for every other database.
    pub tables: Vec<LoadedTable>,
}

impl From<Arc<dyn Database>> for OpenedDatabase {
    fn from(database: Arc<dyn Database>) -> Self {
        Self { database, tables: Vec::new() }
    }
}

/// Reads a data dictionary within the limits of the settings.
///
/// # Errors
/// There is no such file, or it is no workbook, or too large.
pub fn read_dictionary(path: &Path, settings: &Settings) -> Result<Dictionary, Error> {
    excel::read_within(path, load_limits(settings)).map_err(|error| Error::dictionary(path, error))
}

/// How much the settings allow to be loaded.
pub fn load_limits(settings: &Settings) -> LoadLimits {
    LoadLimits {
        files: u64::from(settings.load_megabytes) << 20,
        workbook: u64::from(settings.workbook_megabytes) << 20,
    }
}

fn open_within(
    url: &str,
    limits: LoadLimits,
    cache: Option<&TableCache>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<OpenedDatabase, Error> {
    if url.is_empty() || url == sample::URL {
        return Ok((Arc::new(sample::open()?) as Arc<dyn Database>).into());
    }
    // What follows is a path or a driver's business, and may hold anything.
    if let Some(("duckdb" | "adbc", _)) = url.split_once(':') {
        return adbc(url).map(OpenedDatabase::from);
    }
    refuse_half_address(url)?;
    let database = match url.split_once(':') {
        Some(("sqlite", path)) => sqlite(path.strip_prefix("//").unwrap_or(path)),
        // A single letter before the colon is a Windows drive.
        Some((scheme, rest)) if scheme.len() > 1 && rest.starts_with("//") => server(scheme, url),
        _ if memory_tables::is_loadable(url) => {
            let loaded = memory_tables::load_cached(url, limits, cache, progress)?;
            return Ok(OpenedDatabase { database: Arc::new(loaded.database), tables: loaded.tables });
        }
        Some((scheme, _)) if is_scheme(scheme) && !Path::new(url).exists() => Err(unknown(scheme)),
        _ => sqlite(url),
    };
    database.map(OpenedDatabase::from)
}

/// Schemes of servers. What begins with one is no path, whatever follows.
const SERVERS: [&str; 14] = [
    "postgres",
    "postgresql",
    "bigquery",
    "mysql",
    "mariadb",
    "mssql",
    "sqlserver",
    "oracle",
    "mongodb",
    "redis",
    "snowflake",
    "jdbc",
    "http",
    "https",
];

/// Refuses an address that lacks its scheme or its slashes: it would be taken for a file, and its password for part of a
/// name.
///
/// # Errors
/// Says so, and repeats no more than the scheme.
pub(super) fn refuse_half_address(url: &str) -> Result<(), Error> {
    const HINT: &str = "(hint: write `postgres://USER@HOST/DATABASE`, `mysql://USER@HOST/DATABASE` or `bigquery://PROJECT/DATASET`)";
    if url.contains("://") && !url.starts_with("jdbc:") {
        return Ok(());
    }
    match url.split_once(':') {
        Some((scheme, _)) if SERVERS.contains(&scheme.to_ascii_lowercase().as_str()) => Err(unusable(
            format!("an address that begins with `{}:` goes on with `//` {HINT}", clean(scheme)),
        )),
        _ if holds_secret(url) && !Path::new(url).exists() => Err(unusable(format!(
            "there is no such file, and an address with a password begins with its kind {HINT}"
        ))),
        _ => Ok(()),
    }
}

fn sqlite(path: &str) -> Result<Arc<dyn Database>, Error> {
    Ok(Arc::new(SqliteDatabase::open(path)?))
}

#[cfg_attr(
    not(any(feature = "postgres", feature = "mysql", feature = "bigquery")),
    expect(unused_variables, reason = "no server can be reached without these features")
)]
fn server(scheme: &str, url: &str) -> Result<Arc<dyn Database>, Error> {
    match scheme.to_ascii_lowercase().as_str() {
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => Ok(Arc::new(PostgresDatabase::at(url)?)),
        #[cfg(feature = "mysql")]
        "mysql" | "mariadb" => Ok(Arc::new(MySqlDatabase::at(url)?)),
        #[cfg(feature = "bigquery")]
        "bigquery" => Ok(Arc::new(BigQueryDatabase::at(url)?)),
        #[cfg(not(feature = "postgres"))]
        "postgres" | "postgresql" => Err(left_out("postgres")),
        #[cfg(not(feature = "mysql"))]
        "mysql" | "mariadb" => Err(left_out("mysql")),
        #[cfg(not(feature = "bigquery"))]
        "bigquery" => Err(left_out("bigquery")),
        _ => Err(unknown(scheme)),
    }
}

#[cfg(feature = "adbc")]
fn adbc(address: &str) -> Result<Arc<dyn Database>, Error> {
    Ok(Arc::new(AdbcDatabase::at(address)?))
}

#[cfg(not(feature = "adbc"))]
fn adbc(_: &str) -> Result<Arc<dyn Database>, Error> {
    Err(left_out("adbc"))
}

#[cfg(not(all(feature = "adbc", feature = "postgres", feature = "mysql", feature = "bigquery")))]
fn left_out(feature: &'static str) -> Error {
    Error::LeftOut { feature }
}

/// True for what an address may begin with; a path with a colon in it is none, nor is a Windows drive.
fn is_scheme(text: &str) -> bool {
    let is_sign = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
    text.len() > 1 && text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(is_sign)
}

fn unknown(scheme: &str) -> Error {
    Error::UnknownScheme { scheme: clean(scheme) }
}

fn unusable(problem: String) -> Error {
    ConfigError::Invalid { problem }.into()
}

fn clean(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_that_is_not_known_names_those_that_are() {
        let error = open("mssql://host/shop").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`mssql`") && error.contains("postgres://"), "{error}");
        let error = open("orc:shop.orc").map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with("`orc` is no kind of database"), "{error}");
        let error = open("12:30.db").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("no database at `12:30.db`"), "{error}");
    }

    #[test]
    fn a_mistyped_address_is_not_repeated() {
        for url in [
            "postgres:/u:PW@h",
            "postgres:u:PW@h/x",
            "POSTGRES:/u:PW@h",
            "jdbc:postgresql://u:PW@h/x",
            "u:PW@h/x",
            "host=h password=PW",
        ] {
            let error = open(url).map(|_| ()).unwrap_err().to_string();
            assert!(!error.contains("PW"), "{url} gave {error}");
        }
    }

    #[test]
    fn a_file_of_values_becomes_a_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sales.csv");
        std::fs::write(&path, "city,amount\nRome,3\nOslo,4\n").unwrap();
        assert_eq!(open(path.to_str().unwrap()).unwrap().dialect(), crate::sql::Dialect::Sqlite);
    }
}
