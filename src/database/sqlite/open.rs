//! Opening a file, or a database in memory.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::errors::{Failure, database_error};
use super::worker::Connections;
use super::{functions, lock};
use crate::base::secret::redact;
use crate::database::DatabaseError;

/// How long a database that is being written is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Opens a file twice, for reading only.
pub(super) fn file(path: &Path, name: &str) -> Result<Connections, DatabaseError> {
    inspect(path)?;
    // Merely reading a database in WAL mode leaves two files beside it. Where nobody else has it open, it can be
    // read as it is, which leaves none; where somebody opens it later, it is opened again.
    let quiet = Quiet::of(path);
    let opened = match &quiet {
        Some(_) => open(path, true),
        None => open(path, false).or_else(|error| match error.sqlite_error_code() {
            // On media that cannot be written, the files beside it cannot be made, and nobody else writes either.
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) if is_quiet(path) => open(path, true),
            _ => Err(error),
        }),
    };
    let connections = opened.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => DatabaseError::NotADatabase { path: shown(path) },
        Some(ErrorCode::PermissionDenied) => DatabaseError::Permission { path: shown(path) },
        _ => database_error(Failure::Sqlite(error), name),
    })?;
    Ok(Connections { quiet, ..connections })
}

fn open(path: &Path, immutable: bool) -> rusqlite::Result<Connections> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("{}?mode=ro{}", file_uri(path), if immutable { "&immutable=1" } else { "" });
    let connections = pair(0, || Connection::open_with_flags(&uri, flags))?;
    // Opening reads nothing; this does.
    connections.reader.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connections)
}

/// A file in WAL mode that nobody else had open, as it was then.
#[derive(Debug)]
pub(super) struct Quiet {
    path: PathBuf,
    seen: Option<(u64, SystemTime)>,
}

impl Quiet {
    fn of(path: &Path) -> Option<Self> {
        let mut header = Vec::with_capacity(20);
        File::open(path).ok()?.take(20).read_to_end(&mut header).ok()?;
        // The 19th byte is the version for reading: 2 stands for WAL.
        let is_wal = header.get(19) == Some(&2);
        (is_wal && is_quiet(path)).then(|| Self { path: path.to_owned(), seen: Self::look(path) })
    }

    fn look(path: &Path) -> Option<(u64, SystemTime)> {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    }

    /// The connections to use from now on, where somebody has begun to write.
    pub(super) fn reopened(&self) -> Option<Connections> {
        if is_quiet(&self.path) && Self::look(&self.path) == self.seen {
            return None;
        }
        open(&self.path, false).ok()
    }
}

/// True where no log waits to be merged into the file, so that the file alone is the whole database.
fn is_quiet(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or(true, |log| log.len() == 0)
}

/// Says in our own words what SQLite would say less clearly, or not at all.
fn inspect(path: &Path) -> Result<(), DatabaseError> {
    let not_a_file = |problem| Err(DatabaseError::NotAFile { path: shown(path), problem });
    // SQLite would read it as an address, with parameters that may ask for writing.
    if path.as_os_str().as_encoded_bytes().starts_with(b"file:") {
        return not_a_file("it is an address, not a path");
    }
    let problem = |error: std::io::Error| match error.kind() {
        ErrorKind::PermissionDenied => DatabaseError::Permission { path: shown(path) },
        _ => DatabaseError::NotFound { path: shown(path) },
    };
    let metadata = fs::metadata(path).map_err(problem)?;
    if metadata.is_dir() {
        return not_a_file("it is a folder");
    }
    if !metadata.is_file() {
        return not_a_file("it is not a regular file");
    }
    if metadata.len() == 0 {
        return Err(DatabaseError::Empty { path: shown(path) });
    }
    let mut start = Vec::with_capacity(MAGIC.len());
    let file = File::open(path).map_err(problem)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(problem)?;
    if start == MAGIC {
        return Ok(());
    }
    // An encrypted file is noise from its first byte, in whole pages.
    let is_noise =
        metadata.len().is_multiple_of(512) && start.iter().filter(|byte| !byte.is_ascii()).count() > 3;
    Err(if is_noise {
        DatabaseError::Encrypted { path: shown(path) }
    } else {
        DatabaseError::NotADatabase { path: shown(path) }
    })
}

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

/// The path for messages. What looks like an address was meant as one, and may hold a password.
fn shown(path: &Path) -> String {
    redact(&path.display().to_string())
        .chars()
        .filter(|character| !character.is_control())
        .take(300)
        .collect()
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
        let writing = common | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut writer = Connection::open_with_flags(&uri, writing)?;
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
    reader.busy_timeout(BUSY)?;
    queries.busy_timeout(BUSY)?;
    reader.pragma_update(None, "query_only", true)?;
    functions::register(&queries)?;
    lock::lock_down(&mut queries)?;
    Ok(Connections { reader, queries, quiet: None })
}
