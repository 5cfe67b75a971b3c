//! The thread that owns a database's connections.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::errors::{Failure, database_error};
use super::open::Quiet;
use crate::database::DatabaseError;

/// The stack of the thread, several times what SQLite needs for the deepest expression it may parse.
const STACK: usize = 8 << 20;

/// A database's two connections.
#[derive(Debug)]
pub(super) struct Connections {
    /// For this crate's own SQL: schema and values.
    pub(super) reader: Connection,
    /// For checked queries, locked down.
    pub(super) queries: Connection,
    /// Set where the file is read as one that does not change.
    pub(super) quiet: Option<Quiet>,
}

type Job = Box<dyn FnOnce(&mut Connections) + Send>;

/// A handle to the thread, which ends when the last handle is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    name: Arc<str>,
    jobs: Sender<Job>,
}

impl Worker {
    pub(super) fn start(name: Arc<str>, mut connections: Connections) -> Result<Self, DatabaseError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        thread::Builder::new()
            .name("sqlite".into())
            .stack_size(STACK)
            .spawn(move || {
                while let Ok(job) = queue.recv() {
                    if let Some(live) = connections.quiet.as_ref().and_then(Quiet::reopened) {
                        connections = live;
                    }
                    job(&mut connections);
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
        job: impl FnOnce(&mut Connections) -> Result<T, Failure> + Send + 'static,
    ) -> impl Future<Output = Result<T, DatabaseError>> + Send + 'static {
        let (answer, answered) = oneshot::channel();
        let sent = self.jobs.send(Box::new(move |connections| {
            // Nobody waits for the answer any more where this fails.
            let _ = answer.send(job(connections));
        }));
        let name = Arc::clone(&self.name);
        async move {
            let gone =
                || DatabaseError::Failed { name: name.to_string(), message: "its thread has ended".into() };
            sent.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?.map_err(|failure| database_error(failure, &name))
        }
    }
}
