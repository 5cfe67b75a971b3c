//! Sessions with the server: made, cleaned between two uses, and ended where they cannot be trusted any more.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use rustls::ClientConfig;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::NoTls;
use tokio_postgres::{CancelToken, Client};

use super::address::{Address, Place, Trust};
use super::errors::{connect_error, printable};
use super::socket::{Meter, Socket};
use super::tls::{self, Encryption};
use super::values::Zone;
use crate::DatabaseError;
use crate::flight::Connect;

/// What a login and our own questions about the server may take together, in bytes.
const GREETING: usize = 4 << 20;

/// How long the server may take to clean a session; a new one is made then.
const CLEANING: Duration = Duration::from_secs(1);

/// Brings a session back to where it was after the login, whatever happened in it. Prepared statements stay:
/// the client has some of its own, and no query can make others.
const CLEAN: &str = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; \
    SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

/// Functions that somebody made beside those of the system, under the same names. A call with matching types
/// reaches theirs, and it may do anything.
const SHADOWING: &str = "SELECT DISTINCT theirs.proname::text FROM pg_catalog.pg_proc AS theirs \
    JOIN pg_catalog.pg_namespace AS place ON place.oid = theirs.pronamespace \
    WHERE place.nspname <> 'pg_catalog' AND theirs.provolatile = 'v' \
    AND pg_catalog.pg_function_is_visible(theirs.oid) \
    AND EXISTS (SELECT 1 FROM pg_catalog.pg_proc AS ours WHERE ours.proname = theirs.proname \
      AND ours.pronamespace = 'pg_catalog'::regnamespace)";

/// A session with the server.
pub struct Session {
    pub(super) client: Client,
    pub(super) meter: Arc<Meter>,
    /// The time zone that times are shown in.
    pub(super) zone: Zone,
    /// The names of functions that may not be called although the guard knows them.
    pub(super) impostors: BTreeSet<String>,
    place: Place,
}

/// Makes sessions.
pub struct Connector {
    pub(super) address: Address,
    encryption: Option<Arc<ClientConfig>>,
}

impl Connect for Connector {
    fn name(&self) -> &str {
        &self.address.name
    }

    async fn stop(&self, session: Session) -> Result<(), DatabaseError> {
        let (token, place) = (session.client.cancel_token(), session.place.clone());
        drop(session);
        let stopped = self.cancel(&place, &token).await;
        stopped.map_err(|error| connect_error(&error, &self.address.name, &place.to_string(), None))
    }
}

impl Connector {
    /// Prepares to connect; connects to nobody yet.
    pub(super) fn to(address: Address) -> Result<Self, DatabaseError> {
        let encryption = match address.trust {
            Trust::Disable => None,
            trust => Some(
                tls::settings(trust, address.authorities.as_deref())
                    .map_err(|problem| DatabaseError::Address { problem: printable(&problem) })?,
            ),
        };
        Ok(Self { address, encryption: encryption.map(Arc::new) })
    }

    async fn enter(&self, place: &Place) -> Result<Session, DatabaseError> {
        let meter = Arc::new(Meter::default());
        meter.allow(GREETING);
        let name = &self.address.name;
        let unreachable = |error: std::io::Error| DatabaseError::Unreachable {
            name: name.clone(),
            message: tried(place, &error),
        };
        let socket = Socket::connect(place, Arc::clone(&meter)).await.map_err(unreachable)?;
        let (mut config, unused) = self.address.login(place);
        let failed = |error| connect_error(&error, name, &place.to_string(), unused.as_deref());
        let (client, zone) = match (place, &self.encryption) {
            (Place::Tcp { name, .. }, Some(settings)) => {
                let encryption = Encryption::new(Arc::clone(settings), name);
                let (client, connection) = config.connect_raw(socket, encryption).await.map_err(failed)?;
                let zone = Zone::named(connection.parameter("TimeZone"));
                tokio::spawn(watched(connection));
                (client, zone)
            }
            _ => {
                config.ssl_mode(SslMode::Disable);
                let (client, connection) = config.connect_raw(socket, NoTls).await.map_err(failed)?;
                let zone = Zone::named(connection.parameter("TimeZone"));
                tokio::spawn(watched(connection));
                (client, zone)
            }
        };
        let impostors = match client.query(SHADOWING, &[]).await {
            Ok(rows) => rows.iter().filter_map(|row| row.try_get::<_, String>(0).ok()).collect(),
            // Databases that only speak PostgreSQL's language need not have its catalog.
            Err(error) => {
                tracing::debug!(%error, "functions that look like the system's were not looked for");
                BTreeSet::new()
            }
        };
        Ok(Session { client, meter, zone, impostors, place: place.clone() })
    }

    /// Asks the server to stop what a session is doing.
    async fn cancel(&self, place: &Place, token: &CancelToken) -> Result<(), tokio_postgres::Error> {
        let meter = Arc::new(Meter::default());
        meter.allow(GREETING);
        let Ok(socket) = Socket::connect(place, meter).await else { return Ok(()) };
        match (place, &self.encryption) {
            (Place::Tcp { name, .. }, Some(settings)) => {
                token.cancel_query_raw(socket, Encryption::new(Arc::clone(settings), name)).await
            }
            _ => token.cancel_query_raw(socket, NoTls).await,
        }
    }
}

/// Drives a connection until it ends.
async fn watched(connection: impl Future<Output = Result<(), tokio_postgres::Error>>) {
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection ended");
    }
}

fn tried(place: &Place, error: &std::io::Error) -> String {
    printable(&format!("{place}: {error}"))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port, .. } => write!(f, "{host} port {port}"),
            #[cfg(unix)]
            Self::Socket(path) => write!(f, "socket {}", path.display()),
        }
    }
}

impl Manager for Connector {
    type Type = Session;
    type Error = DatabaseError;

    async fn create(&self) -> Result<Session, DatabaseError> {
        let within = self.address.config.get_connect_timeout().copied().unwrap_or(CLEANING);
        let mut last = None;
        for place in self.address.places() {
            match timeout(within, self.enter(&place)).await {
                Ok(Ok(session)) => return Ok(session),
                // Who is known and not let in here is not let in next door either.
                Ok(Err(error @ DatabaseError::Login { .. })) => return Err(error),
                Ok(Err(error)) => last = Some(error),
                Err(_) => {
                    let message = format!("{place}: no answer within {} s", within.as_secs_f64());
                    last = Some(DatabaseError::Unreachable { name: self.address.name.clone(), message });
                }
            }
        }
        Err(last.unwrap_or_else(|| DatabaseError::Address { problem: "it names no host".into() }))
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<DatabaseError> {
        if session.client.is_closed() {
            return Err(RecycleError::message("closed"));
        }
        session.meter.allow(GREETING);
        match timeout(CLEANING, session.client.batch_execute(CLEAN)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(RecycleError::message(error.to_string())),
            Err(_) => Err(RecycleError::message("the server did not clean it in time")),
        }
    }
}
