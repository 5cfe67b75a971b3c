//! The file behind a database: how it is read, and whether it still is what was opened.

use std::fs;
use std::path::PathBuf;

use super::look::{Header, Look};

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Where it is, with the locks by which programs take turns.
    Shared {
        /// True where changes are written to a log first, from which they are merged into the file while others read.
        logs: bool,
    },
    /// Where it is, as a file that nobody changes. Reading a database with a log in any other way leaves two files
    /// beside it.
    Alone,
    /// From a private copy in which a change that was cut off has been undone, or a log been merged.
    Recovered,
}

impl How {
    /// How to read a file that looks like this. One that changes at this moment is left to SQLite's locks.
    pub(super) fn of(look: &Look, header: &Header, is_stable: bool) -> Self {
        match look {
            _ if !is_stable => Self::Shared { logs: header.logs },
            // Nobody has the log open whose index is not there, so nobody tells which part of it counts.
            Look { log: Some(_), indexed: false, .. } => Self::Recovered,
            _ if header.logs && look.is_quiet() => Self::Alone,
            _ => Self::Shared { logs: header.logs },
        }
    }
}

/// A file that was opened, as it was then.
#[derive(Debug)]
pub(super) struct Source {
    /// The path as given.
    pub(super) path: PathBuf,
    /// The path of the file itself, links followed.
    pub(super) real: PathBuf,
    pub(super) look: Look,
    pub(super) how: How,
}

impl Source {
    /// True where what is open still is what the path leads to.
    ///
    /// A file that others changed is opened anew even where SQLite would notice: a file that was copied over this one
    /// can look to SQLite like one that nobody touched, and it would mix the pages of both. What was opened just now
    /// (`is_new`) has no old pages, and is taken as it is under the lock.
    pub(super) fn is_current(&mut self, is_new: bool) -> bool {
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let look = if path == self.real { Look::at(&path) } else { None };
        match (self.how, look) {
            (_, None) => false,
            (How::Shared { .. }, Some(look)) => {
                let is_same =
                    look.file == self.look.file || (is_new && look.file.is_same_file(&self.look.file));
                self.look = look;
                is_same
            }
            (How::Alone | How::Recovered, Some(look)) => look == self.look,
        }
    }

    /// True where what was read just now, under a lock, can be a mixture of old and new.
    pub(super) fn may_be_mixed(&self) -> bool {
        let look = || Look::at(&self.real);
        match self.how {
            // A log is merged into the file under the eyes of readers, who know which pages not to take from it.
            How::Shared { logs: true } | How::Recovered => false,
            How::Shared { logs: false } => look().is_none_or(|look| look.file != self.look.file),
            How::Alone => look().is_none_or(|look| look != self.look),
        }
    }
}
