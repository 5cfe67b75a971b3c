//! From a path or URL to the database behind it.

use std::path::Path;
use std::sync::Arc;

use crate::base::secret::holds_secret;
use crate::config::{ConfigError, Settings};
#[cfg(feature = "bigquery")]
use crate::database::BigQueryDatabase;
#[cfg(feature = "mysql")]
use crate::database::MySqlDatabase;
#[cfg(feature = "postgres")]
use crate::database::PostgresDatabase;
use crate::database::memory_tables::{self, LoadLimits};
use crate::database::{Database, SqliteDatabase};
use crate::error::Error;
use crate::sample;

/// Opens a database by its path or URL; an empty one is the embedded sample.
///
/// `postgres://…`, `mysql://…` (or `mariadb://…`) and `bigquery://PROJECT/DATASET` are servers, which are not spoken to before the first question. A file
/// of CSV, JSON or Parquet, an Excel workbook and a folder of such files are loaded into a private temporary file; any other
/// path is an SQLite file.
///
/// # Errors
/// The URL has a scheme that is not known, or the database cannot be opened.
pub fn open(url: &str) -> Result<Arc<dyn Database>, Error> {
    open_within(url, LoadLimits::default())
}

/// How much the settings allow to be loaded.
pub fn load_limits(settings: &Settings) -> LoadLimits {
    LoadLimits {
        files: u64::from(settings.load_megabytes) << 20,
        workbook: u64::from(settings.workbook_megabytes) << 20,
    }
}

pub(super) fn open_within(url: &str, limits: LoadLimits) -> Result<Arc<dyn Database>, Error> {
    if url.is_empty() || url == sample::URL {
        return Ok(Arc::new(sample::open()?));
    }
    refuse_half_address(url)?;
    match url.split_once(':') {
        Some(("sqlite", path)) => sqlite(path.strip_prefix("//").unwrap_or(path)),
        // A single letter before the colon is a Windows drive.
        Some((scheme, rest)) if scheme.len() > 1 && rest.starts_with("//") => server(scheme, url),
        _ if memory_tables::is_loadable(url) => {
            Ok(Arc::new(memory_tables::load_within(url, limits, &mut |_| {})?.database))
        }
        _ => sqlite(url),
    }
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
        _ => Err(unusable(format!(
            "`{}` is no kind of database that is known; use a path, `sqlite:PATH`, `postgres://HOST/NAME`, \
             `mysql://HOST/NAME` or `bigquery://PROJECT/DATASET`",
            clean(scheme)
        ))),
    }
}

#[cfg(not(all(feature = "postgres", feature = "mysql", feature = "bigquery")))]
fn left_out(feature: &str) -> Error {
    unusable(format!(
        "this program was built without `{feature}` (hint: build it with `--features {feature}`)"
    ))
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
