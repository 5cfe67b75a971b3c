//! Opening a file, or a database in memory or in a private file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::errors::{Failure, database_error};
use super::look::{Header, Look, beside, shown};
use super::source::{How, Source};
use super::worker::Connections;
use super::{functions, introspect, lock, spill};
use crate::DatabaseError;
use sqlogue_base::files;

/// How long a database that is being written is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// How often a file is looked at anew that changes while it is opened.
const TRIES: u32 = 3;

/// The largest database, with its journal, that is recovered in a copy. Copying that much takes seconds.
const RECOVERED: u64 = 1 << 30;

/// The largest database that is made in a private file.
const TEMPORARY: u64 = 4 << 30;

/// After this time a file that somebody empties to fill it anew is not empty any more.
const REFILLED: Duration = Duration::from_millis(50);

/// Opens a file twice, for reading only.
pub(super) fn file(path: &Path, name: &str) -> Result<Connections, DatabaseError> {
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => DatabaseError::NotADatabase { path: shown(path) },
        Some(ErrorCode::PermissionDenied) => DatabaseError::Permission { path: shown(path) },
        _ => database_error(Failure::Sqlite(error), name),
    };
    // The journals lie beside the file that a link leads to.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    for last in (0..TRIES).rev() {
        let before = Look::settled(&real);
        let header = match Header::read(path) {
            // Who copies a file over this one empties it first.
            Err(DatabaseError::Empty { .. }) if last > 0 => {
                std::thread::sleep(REFILLED);
                continue;
            }
            header => header?,
        };
        let Some(look) = Look::at(&real) else { continue };
        let is_stable = before.as_ref() == Some(&look);
        if !is_stable && last > 0 {
            continue;
        }
        // A change that is under way or was cut off explains any size.
        if look.is_quiet() {
            header.check(path, look.size())?;
        }
        let (how, opened) = match How::of(&look, &header, is_stable) {
            How::Shared { logs } => match open(&real, false) {
                Err(error) if needs_writing(&error) && !is_stable => continue,
                Err(error) if needs_writing(&error) => (How::Recovered, recovered(path, &real, &look, name)),
                opened => (How::Shared { logs }, opened.map_err(failed)),
            },
            How::Alone => (How::Alone, open(&real, true).map_err(failed)),
            How::Recovered => (How::Recovered, recovered(path, &real, &look, name)),
        };
        // What was read while somebody wrote, past the locks, may be neither the old nor the new.
        if !matches!(how, How::Shared { .. }) && Look::at(&real).as_ref() != Some(&look) {
            continue;
        }
        let source = Source { path: path.to_owned(), real, look, how };
        return opened.map(|connections| Connections { source: Some(source), ..connections });
    }
    Err(DatabaseError::Changing { path: shown(path) })
}

/// True where reading would have to write first: to undo a change that was cut off, or to make the files of a log.
fn needs_writing(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

fn open(path: &Path, immutable: bool) -> rusqlite::Result<Connections> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("{}?mode=ro{}", file_uri(path), if immutable { "&immutable=1" } else { "" });
    pair(0, || Connection::open_with_flags(&uri, flags))
}

/// Opens a private file that nobody writes any more.
fn private(path: &Path) -> rusqlite::Result<Connections> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("{}?mode=ro&immutable=1", file_uri(path));
    pair(0, || {
        let connection = Connection::open_with_flags(&uri, flags)?;
        // Nobody cuts such a file short, so it can be read where the system keeps it, without a copy of each page.
        connection
            .execute_batch(&format!("PRAGMA mmap_size = {TEMPORARY}; PRAGMA cache_size = -{SORTED}"))?;
        Ok(connection)
    })
}

/// Opens a copy in which SQLite has undone the change that was cut off, or merged the log that was left.
fn recovered(path: &Path, real: &Path, look: &Look, name: &str) -> Result<Connections, DatabaseError> {
    let unfinished = |problem: String| DatabaseError::Unfinished { path: shown(path), problem };
    if look.size() > RECOVERED {
        let problem = format!("it takes {} MB, and a copy at most {}", look.size() >> 20, RECOVERED >> 20);
        return Err(unfinished(problem));
    }
    tracing::warn!(
        database = name,
        "a program stopped while it was writing the file; a recovered copy is read"
    );
    let copy = Private::new().map_err(|error| unfinished(error.to_string()))?;
    let parts = [("", Some(&look.file)), ("-journal", look.journal.as_ref()), ("-wal", look.log.as_ref())];
    for (suffix, _) in parts.into_iter().filter(|(_, part)| part.is_some()) {
        files::copy(&beside(real, suffix), &beside(&copy.path, suffix))
            .map_err(|error| unfinished(error.to_string()))?;
    }
    let recover = || -> rusqlite::Result<()> {
        let connection = Connection::open_with_flags(&copy.path, WRITING)?;
        // Reading makes SQLite put things right; the mode without a log leaves one file.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))
    };
    recover().and_then(|()| copy.open()).map_err(|error| match database_error(Failure::Sqlite(error), name) {
        error @ DatabaseError::Damaged { .. } => error,
        error => unfinished(error.to_string()),
    })
}

const WRITING: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE
    .union(OpenFlags::SQLITE_OPEN_CREATE)
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// A database in a folder that only its owner may enter.
struct Private {
    path: PathBuf,
    folder: TempDir,
}

impl Private {
    fn new() -> io::Result<Self> {
        let folder = files::temporary_folder()?;
        Ok(Self { path: folder.path().join("database"), folder })
    }

    /// Opens it twice. Where the system can, its name goes now, so that nothing is left of it whenever the process ends.
    fn open(self) -> rusqlite::Result<Connections> {
        let connections = private(&self.path)?;
        Ok(Connections { _folder: (!cfg!(unix)).then_some(self.folder), ..connections })
    }
}

/// Makes a database in a private file, lets `fill` write it, hands it to `made`, and opens it twice for reading. Where there
/// is no place for files, it is made in memory, and `made` is not called.
pub(super) fn temporary(
    name: &str,
    fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
    made: impl FnOnce(&Path),
) -> Result<Connections, DatabaseError> {
    let Ok(file) = Private::new() else { return memory(name, fill) };
    let make = || -> rusqlite::Result<Connections> {
        // Made before SQLite does, which asks the system for less privacy.
        drop(files::ensure(&file.path));
        let mut writer = Connection::open_with_flags(&file.path, WRITING)?;
        // A file that is gone when the process is needs no care for power cuts.
        writer.execute_batch(&format!(
            "PRAGMA page_size = {PAGE}; PRAGMA max_page_count = {}; PRAGMA cache_size = -{CACHE};
             PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA locking_mode = exclusive; PRAGMA temp_store = file",
            TEMPORARY / PAGE
        ))?;
        fill(&mut writer)?;
        writer.close().map_err(|(_, error)| error)?;
        made(&file.path);
        file.open()
    };
    make().map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            DatabaseError::Limit { what: "room for its tables", limit: format!("{} MB", TEMPORARY >> 20) }
        }
        _ => database_error(Failure::Sqlite(error), name),
    })
}

/// Opens a private file that was made as [`temporary`] makes it, and that nobody writes any more.
pub(super) fn kept(path: &Path, name: &str) -> Result<Connections, DatabaseError> {
    private(path).map_err(|error| database_error(Failure::Sqlite(error), name))
}

/// The bytes of a page of a database in a private file. SQLite sorts at least 250 times as much at once, and a million rows are
/// sorted faster in small pieces, two at a time, than in a few large ones.
const PAGE: u64 = 4 << 10;

/// The kilobytes of pages that a connection to a private file keeps, and so, where that is more, what it sorts at once. Pages
/// need not be kept, because the file is mapped into memory.
const SORTED: u64 = 4 << 10;

/// The kilobytes that writing such a database keeps in memory.
const CACHE: u64 = 16 << 10;

/// The path as an address whose every byte stands for itself.
fn file_uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file:");
    for byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte))
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri
}

/// Makes a database in memory, lets `fill` write it, and opens it twice for reading.
pub(super) fn memory(
    name: &str,
    fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
) -> Result<Connections, DatabaseError> {
    // Databases in memory that begin with a slash are shared by name within the process.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let uri = format!("file:/sqlogue-{number}?vfs=memdb");
    let make = || -> rusqlite::Result<Connections> {
        let common = OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut writer = Connection::open_with_flags(&uri, WRITING | common)?;
        fill(&mut writer)?;
        let size: i64 = writer.query_row(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            [],
            |row| row.get(0),
        )?;
        // It stays open until others hold the database, which would be gone otherwise.
        pair(size, || Connection::open_with_flags(&uri, common | OpenFlags::SQLITE_OPEN_READ_ONLY))
    };
    make().map_err(|error| database_error(Failure::Sqlite(error), name))
}

/// Two connections to a database that takes `size` bytes of memory itself.
fn pair(size: i64, open: impl Fn() -> rusqlite::Result<Connection>) -> rusqlite::Result<Connections> {
    let (reader, mut queries) = (open()?, open()?);
    // For the whole process, and it can only be lowered: the first database decides.
    reader.query_row(&format!("PRAGMA hard_heap_limit = {}", size.saturating_add(lock::HEAP)), [], |_| {
        Ok(())
    })?;
    for connection in [&reader, &queries] {
        connection.busy_timeout(BUSY)?;
        // Where nobody can see how large temporary files get, sorting stays in memory, which has a limit.
        connection.pragma_update(None, "temp_store", if spill::is_possible() { "file" } else { "memory" })?;
    }
    reader.pragma_update(None, "query_only", true)?;
    functions::register(&queries)?;
    lock::lock_down(&mut queries)?;
    // Opening reads nothing; this does.
    let schema = introspect::fingerprint(&reader)?;
    Ok(Connections { reader, queries, schema, generation: 0, source: None, _folder: None })
}
