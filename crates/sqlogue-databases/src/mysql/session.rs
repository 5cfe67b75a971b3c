//! Sessions with the server: made, cleaned between two uses, and ended where they cannot be trusted any more.

use std::collections::BTreeSet;
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Error};
use tokio::time::timeout;

use super::address::Address;
use super::errors::{connect_error, has_no_encryption};
use crate::DatabaseError;
use crate::flight::Connect;
use sqlogue_sql::sql::{Dialect, functions};

/// How long the server may take to clean a session; a new one is made then.
const CLEANING: Duration = Duration::from_secs(1);

/// Functions that somebody made in this database. A server that has none of its own by that name calls theirs.
const ROUTINES: &str = "SELECT ROUTINE_NAME FROM information_schema.ROUTINES \
    WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_TYPE = 'FUNCTION'";

/// A session with the server.
pub struct Session {
    pub(super) conn: Conn,
    /// MariaDB limits the time of a statement by another setting than MySQL.
    pub(super) is_mariadb: bool,
    /// The names of functions that may not be called although the guard knows them.
    pub(super) impostors: BTreeSet<String>,
    /// What the server knows the session by.
    id: u64,
}

/// Makes sessions.
pub struct Connector {
    pub(super) address: Address,
}

impl Connect for Connector {
    fn name(&self) -> &str {
        &self.address.name
    }

    async fn stop(&self, session: Session) -> Result<(), DatabaseError> {
        let stopped = self.cancel(session.id).await;
        // The rest of its rows is read before it is closed, which is little only now.
        drop(session);
        stopped.map_err(|error| connect_error(&error, &self.address.name, &self.address.place))
    }
}

impl Connector {
    async fn connect(&self) -> Result<Conn, Error> {
        match (Conn::new(self.address.opts.clone()).await, &self.address.plain) {
            (Err(error), Some(plain)) if has_no_encryption(&error) => Conn::new(plain.clone()).await,
            (result, _) => result,
        }
    }

    async fn enter(&self) -> Result<Session, Error> {
        let mut conn = self.connect().await?;
        let greeting = conn.query_first("SELECT VERSION(), CONNECTION_ID()").await?;
        let (version, id): (String, u64) = greeting.unwrap_or_default();
        let impostors: Vec<String> = match conn.query(ROUTINES).await {
            Ok(names) => names,
            // What only speaks MySQL's language need not have its catalog.
            Err(error @ Error::Server(_)) => {
                tracing::debug!(%error, "functions that look like the server's were not looked for");
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        let is_known = |name: &String| functions::is_allowed(name, Dialect::MySql);
        let impostors = impostors.into_iter().map(|name| name.to_lowercase()).filter(is_known).collect();
        Ok(Session { conn, is_mariadb: version.to_lowercase().contains("mariadb"), impostors, id })
    }

    /// Asks the server to stop what a session is doing.
    async fn cancel(&self, id: u64) -> Result<(), Error> {
        let mut conn = self.connect().await?;
        conn.query_drop(format!("KILL QUERY {id}")).await?;
        conn.disconnect().await
    }
}

impl Manager for Connector {
    type Type = Session;
    type Error = DatabaseError;

    async fn create(&self) -> Result<Session, DatabaseError> {
        let Address { name, place, within, .. } = &self.address;
        match timeout(*within, self.enter()).await {
            Ok(result) => result.map_err(|error| connect_error(&error, name, place)),
            Err(_) => {
                let message = format!("{place}: no answer within {} s", within.as_secs_f64());
                Err(DatabaseError::Unreachable { name: name.clone(), message })
            }
        }
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<DatabaseError> {
        match timeout(CLEANING, session.conn.reset()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(RecycleError::message("the server cannot clean it")),
            Ok(Err(error)) => Err(RecycleError::message(error.to_string())),
            Err(_) => Err(RecycleError::message("the server did not clean it in time")),
        }
    }
}
