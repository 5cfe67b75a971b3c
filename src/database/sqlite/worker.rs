//! The thread that owns a database's connections.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use rusqlite::{Connection, ErrorCode};
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::errors::{Failure, database_error};
use super::look::shown;
use super::open;
use super::source::Source;
use crate::database::DatabaseError;

/// The stack of the thread, several times what SQLite needs for the deepest expression it may parse.
const STACK: usize = 8 << 20;

/// How often a job is done anew because somebody changed the file meanwhile.
const TRIES: u32 = 3;

/// A database's two connections.
#[derive(Debug)]
pub(super) struct Connections {
    /// For this crate's own SQL: schema and values.
    pub(super) reader: Connection,
    /// For checked queries, locked down.
    pub(super) queries: Connection,
    /// What differs where the schema does that was there when they were opened.
    pub(super) schema: u64,
    /// How often the database was opened before.
    pub(super) generation: u32,
    /// The file, where it is one of others.
    pub(super) source: Option<Source>,
    /// The folder of a private file that still has a name.
    pub(super) _folder: Option<TempDir>,
}

/// The connections as long as they can be had.
struct Held {
    name: Arc<str>,
    path: Option<PathBuf>,
    connections: Option<Connections>,
    generation: u32,
}

impl Held {
    /// Does a job on one state of what the path leads to now, anew where somebody changed it meanwhile.
    fn answer<T>(
        &mut self,
        job: &mut impl FnMut(&mut Connections) -> Result<T, Failure>,
    ) -> Result<T, DatabaseError> {
        for last in (0..TRIES).rev() {
            let is_new = self.connections.is_none();
            let connections = self.opened()?;
            let begun = connections.reader.execute_batch("BEGIN; SELECT 1 FROM sqlite_schema");
            // Looked at under the lock, where no other program writes.
            let is_current = connections.source.as_mut().is_none_or(|source| source.is_current(is_new));
            let result = match begun {
                Ok(()) if is_current => Some(job(connections)),
                Ok(()) => None,
                Err(error) => Some(Err(error.into())),
            };
            let may_be_mixed = connections.source.as_ref().is_some_and(Source::may_be_mixed);
            if !connections.reader.is_autocommit() {
                // Nothing was written, so there is nothing to lose where this fails.
                drop(connections.reader.execute_batch("ROLLBACK"));
            }
            match result {
                Some(Err(failure)) if last > 0 && was_cut_off(&failure) && connections.source.is_some() => {}
                Some(result) if !may_be_mixed => {
                    return result.map_err(|failure| database_error(failure, &self.name));
                }
                _ => {}
            }
            self.connections = None;
        }
        let path = self.path.as_ref().map(|path| shown(path)).unwrap_or_default();
        Err(DatabaseError::Changing { path })
    }

    /// The connections; where they were closed, because they led to what is no more, new ones.
    fn opened(&mut self) -> Result<&mut Connections, DatabaseError> {
        match &mut self.connections {
            Some(connections) => Ok(connections),
            closed => {
                let gone =
                    || DatabaseError::Failed { name: self.name.to_string(), message: "it is closed".into() };
                let opened = open::file(self.path.as_ref().ok_or_else(gone)?, &self.name)?;
                self.generation = self.generation.wrapping_add(1);
                Ok(closed.insert(Connections { generation: self.generation, ..opened }))
            }
        }
    }
}

/// True where what is open is of no use any more: a writer died and left a change to be undone, or the file is not what it
/// was.
fn was_cut_off(failure: &Failure) -> bool {
    let Failure::Sqlite(error) = failure else { return false };
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::SystemIoFailure
        )
    )
}

type Job = Box<dyn FnOnce(&mut Held) + Send>;

/// A handle to the thread, which ends when the last handle is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    name: Arc<str>,
    jobs: Sender<Job>,
}

impl Worker {
    pub(super) fn start(
        name: Arc<str>,
        path: Option<PathBuf>,
        connections: Connections,
    ) -> Result<Self, DatabaseError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let mut held = Held { name: Arc::clone(&name), path, connections: Some(connections), generation: 0 };
        thread::Builder::new()
            .name("sqlite".into())
            .stack_size(STACK)
            .spawn(move || {
                while let Ok(job) = queue.recv() {
                    job(&mut held);
                }
            })
            .map_err(|error| DatabaseError::Failed {
                name: name.to_string(),
                message: format!("its thread cannot be started: {error}"),
            })?;
        Ok(Self { name, jobs })
    }

    /// Runs a job on the thread, after those that came before it.
    pub(super) fn run<T: Send + 'static>(
        &self,
        mut job: impl FnMut(&mut Connections) -> Result<T, Failure> + Send + 'static,
    ) -> impl Future<Output = Result<T, DatabaseError>> + Send + 'static {
        let (answer, answered) = oneshot::channel();
        let sent = self.jobs.send(Box::new(move |held| {
            // Nobody waits for the answer any more where this fails.
            let _ = answer.send(held.answer(&mut job));
        }));
        let name = Arc::clone(&self.name);
        async move {
            let gone =
                || DatabaseError::Failed { name: name.to_string(), message: "its thread has ended".into() };
            sent.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        }
    }
}
