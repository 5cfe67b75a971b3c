//! A store on a PostgreSQL server, for several programs that share sessions. Everything that is SQL is in this folder.

mod format;
mod sessions;
mod turns;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Transaction};

use super::digest::digest;
use super::lease::LEASE;
use super::model::check_id;
use super::{
    Keep, NewSession, Position, SessionFilter, Store, StoreError, StoreFuture, StoredSession, TurnInfo,
};
use crate::database::DatabaseError;
use crate::database::postgres::client::Clients;
use crate::graph::RunId;
use crate::graph::journal::{Entry, RunRecord, Summary};

/// How long a connection, a lock and a statement are waited for.
const WAIT: Duration = Duration::from_secs(10);

/// What every transaction begins with.
const LIMITS: &str = "SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '30s'";

/// The lock that making tables and deleting sessions take alone and everybody else shares: "sqls".
const EVERYTHING: i64 = 0x7371_6c73;

/// Keeps conversations in the schema `sqlogue` of a PostgreSQL database, shared by any number of programs.
///
/// Nobody is connected to until the first call, which makes the tables where there are none. What is deleted is gone for
/// everybody who asks the server; the server itself overwrites it when it vacuums, and keeps it in its log and its backups
/// as long as it is set up to.
pub struct PostgresStore {
    clients: Clients,
    keep: Keep,
    lease: Duration,
    ready: OnceCell<()>,
}

type Working<'t, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 't>>;

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        f.debug_struct("PostgresStore").field("keep", &self.keep).finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// A store on the server at a URL, as [`PostgresDatabase::at`](crate::database::PostgresDatabase::at) reads it.
    ///
    /// # Errors
    /// The URL cannot be read.
    pub fn at(url: &str, keep: Keep) -> Result<Self, StoreError> {
        Ok(Self { clients: Clients::at(url)?, keep, lease: LEASE, ready: OnceCell::new() })
    }

    /// The same with another time for which a program that says no more is taken for alive; ten minutes at most.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, ..self }
    }

    /// Works in one transaction, after the tables are there.
    async fn with<T: Send>(
        &self,
        lock: Lock,
        work: impl for<'t> FnOnce(&'t Transaction<'_>) -> Working<'t, T> + Send,
    ) -> Result<T, StoreError> {
        self.ready.get_or_try_init(|| self.prepare()).await?;
        self.transact(lock, work).await
    }

    /// Makes the tables where they are not there as they should be. Where they are, nobody is waited for.
    async fn prepare(&self) -> Result<(), StoreError> {
        let found = self.transact(Lock::Nothing, |transaction| Box::pin(format::found(transaction))).await?;
        if found == Some(format::FORMAT) {
            return Ok(());
        }
        self.transact(Lock::Everything, |transaction| Box::pin(format::make_tables(transaction))).await
    }

    async fn transact<T: Send>(
        &self,
        lock: Lock,
        work: impl for<'t> FnOnce(&'t Transaction<'_>) -> Working<'t, T> + Send,
    ) -> Result<T, StoreError> {
        let mut lent = self.clients.lend(WAIT).await?;
        let client = lent.client().ok_or(StoreError::Locked)?;
        let transaction = client.transaction().await?;
        transaction.batch_execute(LIMITS).await?;
        let done = match lock.take(&transaction).await {
            Ok(()) => work(&transaction).await,
            Err(error) => Err(error),
        };
        let done = match done {
            Ok(done) => transaction.commit().await.map(|()| done).map_err(StoreError::from),
            Err(error) => {
                transaction.rollback().await?;
                Err(error)
            }
        };
        lent.give_back();
        done
    }
}

/// What nobody else may change meanwhile.
enum Lock {
    Nothing,
    /// One session; others may be changed.
    Session(String),
    /// All of them.
    Everything,
}

impl Lock {
    async fn take(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        match self {
            Self::Nothing => {}
            Self::Session(name) => {
                transaction.execute("SELECT pg_advisory_xact_lock_shared($1)", &[&EVERYTHING]).await?;
                // Two names of one hash wait for each other without need, and nothing worse.
                transaction.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", &[name]).await?;
            }
            Self::Everything => {
                transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&EVERYTHING]).await?;
            }
        }
        Ok(())
    }
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        match error.code() {
            Some(
                &SqlState::LOCK_NOT_AVAILABLE | &SqlState::QUERY_CANCELED | &SqlState::T_R_DEADLOCK_DETECTED,
            ) => Self::Locked,
            Some(&SqlState::DISK_FULL) => Self::Full,
            Some(&SqlState::READ_ONLY_SQL_TRANSACTION | &SqlState::INSUFFICIENT_PRIVILEGE) => {
                Self::ReadOnly(said(&error))
            }
            _ => Self::Other(said(&error).into()),
        }
    }
}

/// The server's words, without its details: they can quote what was stored.
fn said(error: &Error) -> String {
    let message = error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
    message.chars().map(|character| if character.is_control() { ' ' } else { character }).take(300).collect()
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        Self::Other(error.to_string().into())
    }
}

impl Store for PostgresStore {
    fn keep(&self) -> Keep {
        self.keep
    }

    fn create(&self, session: NewSession) -> StoreFuture<'_, StoredSession> {
        Box::pin(async move {
            check_id(&session.id)?;
            self.with(Lock::Session(session.id.clone()), move |transaction| {
                Box::pin(async move { Ok(sessions::create(transaction, &session).await?.session) })
            })
            .await
        })
    }

    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        let id = id.to_owned();
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { Ok(sessions::find(transaction, &id).await?.map(|row| row.session)) })
        }))
    }

    fn sessions(&self, filter: SessionFilter) -> StoreFuture<'_, Vec<StoredSession>> {
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { sessions::list(transaction, &filter).await })
        }))
    }

    fn move_head<'a>(&'a self, id: &'a str, from: Option<RunId>, to: Position) -> StoreFuture<'a, ()> {
        let id = id.to_owned();
        Box::pin(self.with(Lock::Session(id.clone()), move |transaction| {
            Box::pin(async move { sessions::move_head(transaction, &id, from, to).await })
        }))
    }

    fn protect<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()> {
        let id = id.to_owned();
        Box::pin(self.with(Lock::Session(id.clone()), move |transaction| {
            Box::pin(async move { sessions::protect(transaction, &id).await })
        }))
    }

    fn delete<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        let id = id.to_owned();
        Box::pin(self.with(Lock::Everything, move |transaction| {
            Box::pin(async move { sessions::delete(transaction, &id).await })
        }))
    }

    fn write<'a>(&'a self, session: &'a str, entry: Entry) -> StoreFuture<'a, ()> {
        let session = session.to_owned();
        Box::pin(async move {
            check_id(&session)?;
            let mut entry = entry;
            let digest = digest(&mut entry, self.keep)?;
            let lease = self.lease;
            self.with(Lock::Session(session.clone()), move |transaction| {
                Box::pin(async move { turns::write(transaction, &session, &entry, &digest, lease).await })
            })
            .await?
        })
    }

    fn hold(&self, run: RunId) -> StoreFuture<'_, ()> {
        let lease = self.lease;
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::hold(transaction, run, lease).await })
        }))
    }

    fn lease(&self) -> Duration {
        self.lease
    }

    fn turns<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>> {
        let session = session.to_owned();
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::of_session(transaction, &session).await })
        }))
    }

    fn unfinished<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>> {
        let session = session.to_owned();
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::unfinished(transaction, &session).await })
        }))
    }

    fn turn(&self, run: RunId) -> StoreFuture<'_, Option<TurnInfo>> {
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::info(transaction, run).await })
        }))
    }

    fn record(&self, run: RunId) -> StoreFuture<'_, Option<RunRecord>> {
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::record(transaction, run).await })
        }))
    }

    fn summary(&self, run: RunId) -> StoreFuture<'_, Option<Summary>> {
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::summary(transaction, run).await })
        }))
    }

    fn rewind(&self, run: RunId, steps: u32) -> StoreFuture<'_, ()> {
        Box::pin(self.with(Lock::Nothing, move |transaction| {
            Box::pin(async move { turns::rewind(transaction, run, steps).await })
        }))
    }

    fn drop_turn(&self, run: RunId) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let Some(turn) = self.turn(run).await? else { return Ok(false) };
            self.with(Lock::Session(turn.session), move |transaction| {
                Box::pin(async move { turns::drop_turn(transaction, run).await })
            })
            .await
        })
    }

    fn give_up<'a>(&'a self, run: RunId, reason: &'a str) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let Some(turn) = self.turn(run).await? else { return Ok(false) };
            let reason = reason.to_owned();
            self.with(Lock::Session(turn.session), move |transaction| {
                Box::pin(async move { turns::give_up(transaction, run, &reason).await })
            })
            .await
        })
    }

    fn size(&self) -> StoreFuture<'_, u64> {
        Box::pin(self.with(Lock::Nothing, |transaction| Box::pin(turns::size(transaction))))
    }

    fn vacuum(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.with(Lock::Nothing, |_| Box::pin(async { Ok(()) })).await?;
            // It cannot be part of a transaction.
            let mut lent = self.clients.lend(WAIT).await?;
            let client = lent.client().ok_or(StoreError::Locked)?;
            client.batch_execute("VACUUM FULL sqlogue.steps").await?;
            client.batch_execute("VACUUM FULL sqlogue.turns").await?;
            client.batch_execute("VACUUM FULL sqlogue.sessions").await?;
            lent.give_back();
            Ok(())
        })
    }
}
