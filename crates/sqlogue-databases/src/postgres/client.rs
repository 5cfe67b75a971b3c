//! Connections for what this program keeps on a server for itself; questions never go this way.

use std::time::Duration;

use deadpool::managed::Pool;
use tokio::time::Instant;
use tokio_postgres::Client;

use super::address::Address;
use super::session::Connector;
use crate::DatabaseError;
use crate::flight::{Flight, sessions};

/// How many bytes the server may send while a connection is lent.
const BYTES: usize = 1 << 30;

/// A few connections to one server, made as they are needed.
pub struct Clients {
    sessions: Pool<Connector>,
}

/// A connection on loan. Dropped before it is [given back](Lent::give_back), it is closed and what it does is stopped.
pub struct Lent {
    flight: Flight<Connector>,
}

impl Clients {
    /// Connections to the database at a URL, as [`PostgresDatabase::at`](super::PostgresDatabase::at) reads it.
    pub fn at(url: &str) -> Result<Self, DatabaseError> {
        Ok(Self { sessions: sessions(Connector::to(Address::parse(url)?)?)? })
    }

    /// A connection that is free, or a new one, within a time.
    pub async fn lend(&self, limit: Duration) -> Result<Lent, DatabaseError> {
        Ok(Lent { flight: Flight::begin(&self.sessions, Instant::now() + limit, limit).await? })
    }
}

impl Lent {
    /// The connection.
    pub fn client(&mut self) -> Option<&mut Client> {
        let session = self.flight.session()?;
        session.meter.allow(BYTES);
        Some(&mut session.client)
    }

    /// Leaves the connection to others.
    pub fn give_back(self) {
        self.flight.landed();
    }
}
