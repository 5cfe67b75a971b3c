//! What a database's files look like from outside: the file itself, and the journals beside it.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::base::secret::redact;
use crate::database::DatabaseError;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The bytes of a header.
const HEADER: u64 = 100;

/// Within this time of a change, another one may leave the same time behind: file systems count in ticks.
const TICK: Duration = Duration::from_millis(15);

/// Enough of a file to see that it was changed or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Which file it is, in its file system.
    file: (u64, u64),
    pub(super) size: u64,
    changed: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let file = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let file = (0, 0);
        Self { file, size: metadata.len(), changed: metadata.modified().ok() }
    }

    /// True where both are the same file, changed or not.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.file == other.file
    }

    /// The stamp of a file that is there and not empty.
    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(&metadata)).filter(|stamp| stamp.size > 0)
    }
}

/// The files of a database at one moment. An empty journal or log is as good as none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// The database.
    pub(super) file: Stamp,
    /// What a change that is under way would be undone from.
    pub(super) journal: Option<Stamp>,
    /// Changes that are not in the file yet.
    pub(super) log: Option<Stamp>,
    /// True where the index of the log is there, as it is while anybody has the log open.
    pub(super) indexed: bool,
}

impl Look {
    /// A look at the files, none where the database is gone.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let beside = |suffix| Stamp::at(&beside(path, suffix));
        let file = Stamp::at(path)?;
        Some(Self {
            file,
            journal: beside("-journal"),
            log: beside("-wal"),
            indexed: beside("-shm").is_some(),
        })
    }

    /// The same, once no further change could look like none.
    pub(super) fn settled(path: &Path) -> Option<Self> {
        let look = Self::at(path)?;
        let stamps = [Some(&look.file), look.journal.as_ref(), look.log.as_ref()].into_iter().flatten();
        let youngest = stamps.filter_map(|stamp| stamp.changed?.elapsed().ok()).min();
        match youngest.and_then(|age| TICK.checked_sub(age)) {
            Some(rest) => {
                std::thread::sleep(rest);
                Self::at(path)
            }
            None => Some(look),
        }
    }

    /// True where nothing waits to be undone or merged, so that the file alone is the whole database.
    pub(super) fn is_quiet(&self) -> bool {
        self.journal.is_none() && self.log.is_none()
    }

    /// The bytes of all files.
    pub(super) fn size(&self) -> u64 {
        [Some(&self.file), self.journal.as_ref(), self.log.as_ref()]
            .into_iter()
            .flatten()
            .map(|stamp| stamp.size)
            .sum()
    }
}

/// The file that SQLite keeps beside a database under this suffix.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What the beginning of a database file says.
#[derive(Debug)]
pub(super) struct Header {
    /// True where changes are written to a log first.
    pub(super) logs: bool,
    /// The size of a page in bytes, where it is one that SQLite knows.
    page: Option<u64>,
    /// The number of pages, where the last writer knew to keep it.
    pages: Option<u64>,
}

impl Header {
    /// Reads the header, and says in our own words what SQLite would say less clearly, or not at all.
    pub(super) fn read(path: &Path) -> Result<Self, DatabaseError> {
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
        let mut start = Vec::with_capacity(HEADER as usize);
        let file = File::open(path).map_err(problem)?;
        file.take(HEADER).read_to_end(&mut start).map_err(problem)?;
        if start.starts_with(MAGIC) {
            return Ok(Self::parse(&start));
        }
        // An encrypted file is noise from its first byte, in whole pages.
        let is_noise = metadata.len().is_multiple_of(512)
            && start.iter().take(MAGIC.len()).filter(|byte| !byte.is_ascii()).count() > 3;
        Err(if is_noise {
            DatabaseError::Encrypted { path: shown(path) }
        } else {
            DatabaseError::NotADatabase { path: shown(path) }
        })
    }

    fn parse(start: &[u8]) -> Self {
        let short = |at: usize| {
            start.get(at..at + 2).and_then(|bytes| Some(u16::from_be_bytes(bytes.try_into().ok()?)))
        };
        let long = |at: usize| {
            start.get(at..at + 4).and_then(|bytes| Some(u32::from_be_bytes(bytes.try_into().ok()?)))
        };
        // The largest page does not fit into two bytes and is written as 1.
        let page = match short(16) {
            Some(1) => Some(65_536),
            page => page.map(u64::from).filter(|page| *page >= 512 && page.is_power_of_two()),
        };
        // A writer that does not know of the number leaves the counter behind that says for what it is right.
        let pages = long(28).filter(|pages| *pages > 0 && long(24) == long(92)).map(u64::from);
        Self { logs: start.get(19) == Some(&2), page, pages }
    }

    /// Checks that a file of `size` bytes, with nothing beside it that explains the difference, is whole.
    pub(super) fn check(&self, path: &Path, size: u64) -> Result<(), DatabaseError> {
        let incomplete = |problem| Err(DatabaseError::Incomplete { path: shown(path), problem });
        if size < HEADER {
            return incomplete(format!("only its first {size} bytes are there"));
        }
        // What else may be wrong with the header, SQLite says.
        let Some(page) = self.page else { return Ok(()) };
        match self.pages.map(|pages| pages * page) {
            Some(expected) if size < expected => {
                incomplete(format!("{size} of its {expected} bytes are there"))
            }
            _ if !size.is_multiple_of(page) => {
                incomplete(format!("its {size} bytes end within a page of {page} bytes"))
            }
            _ => Ok(()),
        }
    }
}

/// A path for messages. What looks like an address was meant as one, and may hold a password.
pub(super) fn shown(path: &Path) -> String {
    redact(&path.display().to_string())
        .chars()
        .filter(|character| !character.is_control())
        .take(300)
        .collect()
}
