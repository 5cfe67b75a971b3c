//! What can go wrong with the lessons' files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::teaching::LessonId;

/// Why lessons could not be kept or changed. What is in the files already is unharmed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LessonError {
    /// Another process has kept the files locked for too long.
    #[error("the lessons in `{}` are locked by another process", .folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no room.
    #[error("the disk is full: `{}` cannot be written", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder cannot be written.
    #[error("`{}` cannot be written: {problem}", .path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The file was written by a newer release.
    #[error("`{}` has version {found}, newer than {known}, the newest this release knows", .path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The newest version known here.
        known: u64,
    },
    /// The file makes no sense and could not be moved out of the way.
    #[error("`{}` is damaged: {problem}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A lesson that people wrote is theirs to change.
    #[error("lesson `{id}` is written by hand (hint: edit `{}`)", .path.display())]
    HandWritten {
        /// The lesson.
        id: LessonId,
        /// The file it stands in.
        path: PathBuf,
    },
    /// There is no such lesson.
    #[error("there is no lesson `{id}`")]
    Unknown {
        /// The id.
        id: LessonId,
    },
    /// Anything else that went wrong with a file.
    #[error("`{}`: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

impl LessonError {
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let path = path.to_owned();
        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::Full { path },
            PermissionDenied | ReadOnlyFilesystem => Self::ReadOnly { path, problem: error.to_string() },
            _ => Self::Io { path, source: error },
        }
    }
}

/// Something about the lessons' files that a person should know; the program goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LessonNotice {
    /// The learned lessons made no sense; they are kept under another name, and learning starts afresh.
    KeptAside {
        /// The damaged file's own name.
        path: PathBuf,
        /// Where it is now.
        kept: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file could not be used at all.
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// One hand-written lesson could not be understood; the others are used.
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// Where in it: `table_mappings[2]`.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

impl fmt::Display for LessonNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeptAside { path, kept, problem } => write!(
                f,
                "the learned lessons in `{}` were damaged ({problem}); the file is kept as `{}`, and learning starts afresh",
                path.display(),
                kept.display()
            ),
            Self::Unusable { path, problem } => {
                write!(f, "the lessons in `{}` are not used: {problem}", path.display())
            }
            Self::NotUnderstood { path, place, problem } => {
                write!(f, "`{place}` in `{}` is not used: {problem}", path.display())
            }
        }
    }
}
