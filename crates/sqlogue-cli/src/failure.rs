//! How a command ends, and what it says when it ends badly.

use std::io;
use std::process::ExitCode;

use super::output;
use super::show::text;
use sqlogue::Error;
use sqlogue::conversation::Status;
use sqlogue::store::StoreError;
use sqlogue_base::secret::redact;

/// How a command ended. The numbers are a promise to scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Answered.
    Answered,
    /// An error of sqlogue's own.
    Internal,
    /// Wrong usage or settings, or a file that cannot be used.
    Usage,
    /// The turn failed.
    Failed,
    /// The question can be read in several ways, and somebody has to say which.
    Awaiting,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Answered => 0,
            Exit::Internal => 1,
            Exit::Usage => 2,
            Exit::Failed => 3,
            Exit::Awaiting => 4,
        })
    }
}

impl From<Status> for Exit {
    fn from(status: Status) -> Self {
        match status {
            Status::Completed => Self::Answered,
            Status::AwaitingCorrection => Self::Awaiting,
            Status::Failed | Status::Open => Self::Failed,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(super) enum Failure {
    /// Somebody has to be told.
    Told { exit: Exit, message: String, hint: Option<String> },
    /// Whoever read the output went away. There is nobody left to tell, and nothing wrong.
    NobodyReads,
}

impl Failure {
    /// Wrong usage, or a file that cannot be used.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Usage, message: message.into(), hint: None }
    }

    /// A fault of sqlogue's own.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Internal, message: message.into(), hint: None }
    }

    /// What is wrong, in one line.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Told { message, .. } => redact(message).into_owned(),
            Self::NobodyReads => self.to_string(),
        }
    }

    /// The same with advice.
    pub(super) fn hint(mut self, advice: impl Into<String>) -> Self {
        if let Self::Told { hint, .. } = &mut self {
            *hint = Some(advice.into());
        }
        self
    }

    /// Says what is wrong on standard error; returns the code to exit with.
    pub(super) fn tell(&self) -> ExitCode {
        match self {
            Self::NobodyReads => ExitCode::SUCCESS,
            Self::Told { exit, .. } => {
                // Where standard error is closed too, the exit code is all that can be said.
                drop(output::tell(&self.to_string()));
                (*exit).into()
            }
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Told { message, hint, .. } = self else { return f.write_str("nobody reads the output") };
        write!(f, "error: {}", text::clean_lines(&redact(message)))?;
        match hint {
            Some(hint) => write!(f, "\nhint: {}", text::clean_lines(&redact(hint))),
            None => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match &error {
            error if error.is_usage() => Exit::Usage,
            Error::Cancelled | Error::NotApproved => Exit::Failed,
            _ => Exit::Internal,
        };
        let (message, hint) = split_hint(&error.to_string());
        let advice = match &error {
            Error::Store(StoreError::UnknownSession { .. }) => Some("`sqlogue sessions list` lists them"),
            Error::Store(StoreError::Damaged { what, .. }) if what.starts_with("turn ") => Some(
                "`sqlogue sessions show ID` lists the turns, and `sqlogue sessions branch ID NEW --turn N` goes on after one \
                 that is whole",
            ),
            _ => None,
        };
        let hint = hint.or_else(|| advice.map(str::to_owned));
        Self::Told { exit, message, hint }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::NobodyReads,
            _ => Self::usage(format!("the output cannot be written: {error}")),
        }
    }
}

/// Takes the advice out of a message of one line, `what is wrong (hint: what to do)`.
pub(super) fn split_hint(message: &str) -> (String, Option<String>) {
    match message.split_once(" (hint: ") {
        Some((message, hint)) => {
            (message.to_owned(), Some(hint.strip_suffix(')').unwrap_or(hint).to_owned()))
        }
        None => (message.to_owned(), None),
    }
}
