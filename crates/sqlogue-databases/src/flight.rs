//! Sessions that are used by one query at a time, and stopped when nobody waits for it any more.

use std::future::Future;
use std::time::Duration;

use deadpool::managed::{Manager, Object, Pool, PoolError};
use tokio::time::{Instant, timeout, timeout_at};

use crate::DatabaseError;

/// How many sessions a database has at most.
const SESSIONS: usize = 4;

/// How long a request to stop a query is pursued.
const CANCELLING: Duration = Duration::from_secs(5);

/// Makes sessions, and stops what one of them is doing.
pub trait Connect: Manager<Error = DatabaseError> + Send + Sync + 'static {
    /// What people call the database.
    fn name(&self) -> &str;

    /// Does at once what of stopping needs no waiting: the runtime may end before more can be done.
    fn begin_to_stop(&self, _session: &Self::Type) {}

    /// Asks the database to stop what a session is doing, and ends the session.
    ///
    /// # Errors
    /// Where nobody could be asked; the query then ends at its time limit.
    fn stop(&self, session: Self::Type) -> impl Future<Output = Result<(), DatabaseError>> + Send;
}

/// Prepares to connect; connects to nobody yet.
pub(crate) fn sessions<M: Connect>(connector: M) -> Result<Pool<M>, DatabaseError> {
    let name = connector.name().to_owned();
    Pool::builder(connector)
        .max_size(SESSIONS)
        .build()
        .map_err(|error| DatabaseError::Failed { name, message: error.to_string() })
}

/// A session in use. Unless it has [landed](Flight::landed), dropping it stops what the database is doing and ends
/// the session, so that a caller who no longer waits leaves nothing behind.
pub(crate) struct Flight<M: Connect> {
    session: Option<Object<M>>,
    sessions: Pool<M>,
}

impl<M: Connect> Flight<M> {
    /// Takes a session, a new one if it must be.
    pub(crate) async fn begin(
        sessions: &Pool<M>,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Self, DatabaseError> {
        match timeout_at(deadline, sessions.get()).await {
            Ok(Ok(session)) => Ok(Self { session: Some(session), sessions: sessions.clone() }),
            Ok(Err(PoolError::Backend(error))) => Err(error),
            Ok(Err(other)) => Err(DatabaseError::Failed {
                name: sessions.manager().name().to_owned(),
                message: other.to_string(),
            }),
            Err(_) => Err(DatabaseError::Deadline { limit }),
        }
    }

    pub(crate) fn session(&mut self) -> Option<&mut M::Type> {
        self.session.as_deref_mut()
    }

    /// The session is idle again and others may use it.
    pub(crate) fn landed(mut self) {
        self.session = None;
    }
}

impl<M: Connect> Drop for Flight<M> {
    fn drop(&mut self) {
        let Some(session) = self.session.take() else { return };
        let session = Object::take(session);
        let sessions = self.sessions.clone();
        sessions.manager().begin_to_stop(&session);
        // Without a runtime nobody drives connections either, and the database's own time limit ends the query.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let stopped = timeout(CANCELLING, sessions.manager().stop(session)).await;
                if !matches!(stopped, Ok(Ok(()))) {
                    tracing::debug!("a query could not be cancelled; it ends at its time limit");
                }
            });
        }
    }
}
