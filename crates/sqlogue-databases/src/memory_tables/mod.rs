//! CSV, JSON and Parquet files and Excel workbooks as tables that can be asked.
//!
//! [`load`] reads a file, or every file of a folder, into a private SQLite file that is gone when the database is. What a
//! column holds is found out from all of its cells: numbers with separators or units, dates in the forms people write,
//! truth values, empty cells. Nothing is guessed from a sample, and a column whose cells do not agree stays text. Where a
//! reading could be another one (3/4/2024), the choice is reported as a [`Note`]. JSON says itself what is a number, and a
//! Parquet file what each of its columns is.

mod cache;
mod cell;
mod csv;
mod date;
mod decode;
mod guess;
mod gzip;
mod heading;
mod json;
mod kind;
mod number;
#[cfg(feature = "excel")]
mod ods;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod table;
#[cfg(feature = "excel")]
mod unpacking;
#[cfg(feature = "excel")]
pub(crate) mod workbook;
#[cfg(not(feature = "excel"))]
#[path = "no_workbook.rs"]
pub(crate) mod workbook;
#[cfg(feature = "excel")]
mod xls;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use self::cache::Origin;
use self::kind::{Form, Kind};
use super::{DatabaseError, SqliteDatabase};
pub use cache::TableCache;
use sqlogue_base::secret::redact;

/// How much is loaded at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadLimits {
    /// The bytes of all files together, unpacked. What is made of them takes about as much room on the disk.
    pub files: u64,
    /// The bytes that one workbook may unpack to, and that its cells may take in memory. Its file may take a fifth of it.
    /// What is held in memory of a Parquet file at once may take as much.
    pub workbook: u64,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self { files: 2 << 30, workbook: 512 << 20 }
    }
}

/// A database, and what was noticed while it was filled.
#[derive(Debug)]
pub struct Loaded {
    /// The database, as read-only as any other.
    pub database: SqliteDatabase,
    /// The tables, in the order of the files and sheets.
    pub tables: Vec<LoadedTable>,
}

impl Loaded {
    /// The database of tables that were loaded now or before.
    fn new(database: SqliteDatabase, tables: Vec<LoadedTable>) -> Self {
        let database = database.counted(tables.iter().map(|table| (table.name.clone(), table.rows)));
        Self { database, tables }
    }
}

/// A table and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedTable {
    /// The table's name.
    pub name: String,
    /// The file, and the sheet where the file has several.
    pub source: String,
    /// The number of rows.
    pub rows: u64,
    /// What was noticed.
    pub notes: Vec<Note>,
}

/// Something about a table that people should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// Every date of the column could be read day first and month first.
    AmbiguousDates {
        /// The column.
        column: String,
        /// Whether the day was taken to be first.
        day_first: bool,
    },
    /// The column's numbers have a sign behind or before them that is not part of their value: `%`, `€`.
    Unit {
        /// The column.
        column: String,
        /// The sign.
        unit: char,
    },
    /// Some rows have more cells than there are headings; columns without a name were added.
    ExtraCells,
    /// Cells longer than can be queried were cut.
    CutCells {
        /// How many.
        count: u64,
    },
    /// The text is not UTF-8 and was read as Windows-1252.
    OldEncoding,
    /// The last row holds the totals of the others, and was left out.
    TotalRow {
        /// What it is called in the file.
        label: String,
    },
    /// The first row looks like data, so columns have numbers for names.
    NoHeading,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AmbiguousDates { column, day_first } => {
                let order = if *day_first { "day/month" } else { "month/day" };
                write!(f, "the dates in `{column}` were read as {order}; nothing in the file says which")
            }
            Self::Unit { column, unit } => write!(f, "`{column}` is in {unit}"),
            Self::ExtraCells => f.write_str("some rows have more cells than there are headings"),
            Self::CutCells { count } => write!(f, "{count} cells longer than 100 kB were cut"),
            Self::OldEncoding => f.write_str("the file is not UTF-8 and was read as Windows-1252"),
            Self::TotalRow { label } => {
                write!(f, "the last row is a total (`{label}`) and no row of data, so it was left out")
            }
            Self::NoHeading => f.write_str("the first row has no headings, so the columns are numbered"),
        }
    }
}

/// How far loading is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The table that is being filled.
    pub table: &'a str,
    /// The rows of it so far.
    pub rows: u64,
    /// The bytes read of all files so far; what a file holds and its rows are read one after the other, and both count.
    pub done: u64,
    /// The bytes to read.
    pub total: u64,
}

/// True where the path is something that [`load`] reads: a CSV, JSON, Parquet or Excel file by its name, or a folder.
pub fn is_loadable(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    kind::kind(path).is_some() || path.is_dir()
}

/// Loads a file, or every CSV, JSON, Parquet and Excel file of a folder.
///
/// `progress` is called now and then, some hundred times for a large file. This takes about a second for a million
/// rows and does not yield; in async code it belongs on a thread for blocking work.
///
/// # Errors
/// Where a file cannot be read, is not what its name says, or there is nothing in it.
///
/// ```
/// use sqlogue_databases::memory_tables;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("sales.csv");
/// std::fs::write(&path, "day,amount\n31/12/2024,\"1,200.50\"\n")?;
/// let loaded = memory_tables::load(&path, &mut |_| {})?;
/// assert_eq!((loaded.tables[0].name.as_str(), loaded.tables[0].rows), ("sales", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: impl AsRef<Path>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Loaded, DatabaseError> {
    load_within(path, LoadLimits::default(), progress)
}

/// The same with limits of one's own.
///
/// # Errors
/// As [`load`].
pub fn load_within(
    path: impl AsRef<Path>,
    limits: LoadLimits,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Loaded, DatabaseError> {
    load_cached(path, limits, None, progress)
}

/// The same, unless the tables of the same unchanged files were kept in a cache; those that are loaded are kept there.
///
/// # Errors
/// As [`load`].
pub fn load_cached(
    path: impl AsRef<Path>,
    limits: LoadLimits,
    cache: Option<&TableCache>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Loaded, DatabaseError> {
    let path = path.as_ref();
    let name = kind::stem(path).unwrap_or_else(|| "data".into());
    let files = kind::files(path)?;
    let origin = || Origin::of(path, files.iter().map(|(file, _)| file.as_path()), limits);
    let Some((cache, before)) = cache.zip(cache.and_then(|_| origin())) else {
        return load_files(path, &name, &files, limits, progress, |_| {});
    };
    if let Some(loaded) = cache.find(&before, &name) {
        return Ok(loaded);
    }
    let mut staged = None;
    let mut loaded = load_files(path, &name, &files, limits, progress, |made| {
        // What changed while it was read is neither the old nor the new.
        if origin().as_ref() == Some(&before) {
            staged = Some(cache.stage(made));
        }
    })?;
    let kept = staged.transpose().and_then(|staged| match staged {
        Some(staged) => cache.keep(staged, before, loaded.tables.clone()).map(Some),
        None => Ok(None),
    });
    match kept {
        Ok(Some(copy)) => loaded.database = loaded.database.kept_as(&copy),
        Ok(None) => {}
        Err(error) => {
            tracing::info!(database = name, %error, "the tables are not kept for the next time");
        }
    }
    Ok(loaded)
}

/// Reads the files. `made` is handed the private file when it is whole, before it loses its name.
fn load_files(
    path: &Path,
    name: &str,
    files: &[(PathBuf, Kind)],
    limits: LoadLimits,
    progress: &mut dyn FnMut(Progress<'_>),
    made: impl FnOnce(&Path),
) -> Result<Loaded, DatabaseError> {
    let sizes: Vec<u64> =
        files.iter().map(|(file, _)| fs::metadata(file).map_or(0, |data| data.len())).collect();
    let size: u64 = sizes.iter().sum();
    if size > limits.files {
        let problem =
            format!("its files take {} MB, and at most {} MB are loaded", size >> 20, limits.files >> 20);
        return Err(too_large(path, problem));
    }
    let mut loader = Loader {
        limits,
        tables: Vec::new(),
        free: limits.files - size,
        packing: (1, 1),
        done: 0,
        total: size.saturating_mul(2),
        progress,
    };
    let mut failure = None;
    let fill = |connection: &mut Connection| {
        // A failure of ours ends the filling as one of SQLite's would, and is told in place of it.
        let mut fill = |connection: &mut Connection| -> Result<(), LoadError> {
            connection.execute_batch("BEGIN")?;
            for ((file, kind), size) in files.iter().zip(&sizes) {
                let before = loader.done;
                loader.packing = (1, 1);
                match kind.form {
                    Form::Text => csv::load(connection, file, *kind, &mut loader)?,
                    Form::Json => json::load(connection, file, *kind, &mut loader)?,
                    Form::Parquet => parquet::load(connection, file, &mut loader)?,
                    Form::Workbook => workbook::load(connection, file, &mut loader)?,
                }
                loader.done = before + size * 2;
            }
            connection.execute_batch("COMMIT")?;
            // How many rows each table has is what SQLite needs to know to join a large one to a small one the right way
            // round; the other way takes four times as long.
            Ok(connection.execute_batch("ANALYZE")?)
        };
        fill(connection).map_err(|error| match error {
            LoadError::Sqlite(error) => error,
            LoadError::Ours(error) => {
                failure = Some(error);
                rusqlite::Error::InvalidQuery
            }
        })
    };
    let filled = SqliteDatabase::temporary_and(name, fill, made);
    if let Some(error) = failure {
        return Err(error);
    }
    let database = filled.map_err(|error| match error {
        DatabaseError::Limit { what, limit } => {
            too_large(path, format!("loading it needs more {what} than is allowed ({limit})"))
        }
        error => error,
    })?;
    if loader.tables.is_empty() {
        return Err(unreadable(path, "there is no table in it"));
    }
    Ok(Loaded::new(database, loader.tables))
}

/// What loading goes by, and what it has done so far.
struct Loader<'a> {
    limits: LoadLimits,
    tables: Vec<LoadedTable>,
    /// The bytes that files may unpack to, beyond what they take packed.
    free: u64,
    /// The bytes of this file, and what it unpacks to.
    packing: (u64, u64),
    done: u64,
    total: u64,
    progress: &'a mut dyn FnMut(Progress<'_>),
}

impl Loader<'_> {
    /// Says how far it is: `read` more bytes than at the beginning of this file, unpacked.
    fn tell(&mut self, table: &str, rows: u64, read: u64) {
        let (packed, unpacked) = self.packing;
        let share = u128::from(read) * u128::from(packed) / u128::from(unpacked.max(1));
        let read = u64::try_from(share).unwrap_or(u64::MAX);
        let done = self.done.saturating_add(read).min(self.total);
        (self.progress)(Progress { table, rows, done, total: self.total });
    }

    /// The bytes that a packed file of this length may unpack to.
    fn room(&self, packed: u64) -> u64 {
        self.free.saturating_add(packed)
    }

    /// Takes note of what this file unpacks to.
    fn unpacks(&mut self, packed: u64, unpacked: u64) {
        self.free = self.free.saturating_sub(unpacked.saturating_sub(packed));
        self.packing = (packed, unpacked);
    }

    /// A name that no table has yet.
    fn free_name(&self, wanted: &str) -> String {
        let wanted = heading::clean(wanted);
        let wanted = match wanted.as_str() {
            "" => "data".to_owned(),
            name if name.to_ascii_lowercase().starts_with("sqlite_") => format!("t_{name}"),
            name => name.to_owned(),
        };
        let is_free = |name: &str| !self.tables.iter().any(|table| table.name.eq_ignore_ascii_case(name));
        if is_free(&wanted) {
            return wanted;
        }
        (2..).map(|number| format!("{wanted}_{number}")).find(|name| is_free(name)).unwrap_or(wanted)
    }
}

/// What stops loading.
enum LoadError {
    Ours(DatabaseError),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for LoadError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<DatabaseError> for LoadError {
    fn from(error: DatabaseError) -> Self {
        Self::Ours(error)
    }
}

pub(crate) fn unreadable(path: &Path, problem: &str) -> DatabaseError {
    DatabaseError::Unreadable { path: shown(path), problem: clean(problem) }
}

fn too_large(path: &Path, problem: String) -> DatabaseError {
    DatabaseError::TooLarge { path: shown(path), problem }
}

fn shown(path: &Path) -> String {
    clean(&path.display().to_string())
}

/// A text for messages. What looks like an address was meant as one, and may hold a password.
fn clean(text: &str) -> String {
    redact(text).chars().filter(|character| !character.is_control()).take(300).collect()
}

fn io(path: &Path, error: &std::io::Error) -> DatabaseError {
    match error.kind() {
        std::io::ErrorKind::NotFound => DatabaseError::NotFound { path: shown(path) },
        std::io::ErrorKind::PermissionDenied => DatabaseError::Permission { path: shown(path) },
        _ => unreadable(path, &error.to_string()),
    }
}

#[cfg(test)]
mod gzip_tests;
#[cfg(test)]
mod old_workbook_tests;
#[cfg(test)]
mod tests;
