//! The faces of sqlogue for browsers, programs and assistants: an HTTP API, a page, and MCP.
//!
//! All are thin: a request is parsed, the engine is asked, and what it says is shown. What they share is behind one desk:
//! conversations belong to their owner, one turn of each runs at a time, and every turn is taken once.
//!
//! ```text
//! connection ──► guard (whence?) ──► token (whose?) ──► HTTP ─┐
//!                                                       MCP ──┼──► desk ──► conversation ──► engine
//! standard input ────────────────────────────────────── MCP ──┘               store
//! ```
//!
//! A caller owns the socket and the signal to stop, so that tests can too.

mod conversations;
mod databases;
mod desk;
mod gate;
mod http;
mod listen;
mod mcp;
mod metrics;
mod options;
mod owner;
mod picture;
mod problem;
mod recent;
mod traces;
mod turns;
mod watch;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

pub use databases::Databases;
pub use options::{Limits, Options, Waits};
pub use owner::{TokenError, Tokens};
use sqlogue::store::{Keep, MemoryStore, Sessions};
use tokio::net::TcpListener;
pub use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use desk::Desk;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could ask without being known.
    #[error(
        "at {address} other machines could ask without a token (hint: name a file of tokens with `--token-file`, set \
         `SQLOGUE_TOKEN`, or listen at 127.0.0.1)"
    )]
    Open {
        /// Where it was to listen.
        address: SocketAddr,
    },
    /// The socket cannot be used.
    #[error("the address cannot be listened at: {0}")]
    Socket(#[from] std::io::Error),
}

/// A server that is ready to be run.
pub struct Server {
    desk: Arc<Desk>,
}

impl Server {
    /// A server that answers about these databases.
    ///
    /// Conversations are kept where the first database's engine keeps them, and in memory where it keeps none; then the
    /// latest 2,000 are, and less where their turns are many.
    pub fn new(databases: Databases, options: Options) -> Self {
        let stored = databases.engines().first().and_then(|engine| engine.sessions()).cloned();
        let desk = match stored {
            Some(sessions) => Desk::new(databases, sessions, None, options),
            None => {
                let sessions = Sessions::new(Arc::new(MemoryStore::new(Keep::Shape)));
                let databases = databases.keeping(&sessions);
                Desk::new(databases, sessions, Some(desk::IN_MEMORY), options)
            }
        };
        Self { desk: Arc::new(desk) }
    }

    /// Checks that a server with these options may listen there.
    ///
    /// # Errors
    /// [`StartError::Open`] where other machines could ask without a token.
    pub fn may_serve(&self, address: &SocketAddr) -> Result<(), StartError> {
        if self.desk.options.tokens.is_empty() && !listen::is_loopback(address) {
            return Err(StartError::Open { address: *address });
        }
        Ok(())
    }

    /// Serves HTTP, the page and MCP until `shutdown` fires. Turns that run then are finished within the grace of the
    /// options, and otherwise left in the store as interrupted.
    ///
    /// # Errors
    /// [`StartError::Open`] where other machines could ask without a token.
    pub async fn serve(
        &self,
        listener: TcpListener,
        tls: Option<TlsAcceptor>,
        shutdown: CancellationToken,
    ) -> Result<(), StartError> {
        self.may_serve(&listener.local_addr()?)?;
        let router = http::router(Arc::clone(&self.desk));
        listen::run(listen::Door { listener, tls }, router, Arc::clone(&self.desk), shutdown).await;
        Ok(())
    }

    /// Serves MCP on standard input and output, until the input ends.
    ///
    /// # Errors
    /// The other side does not speak MCP.
    pub async fn serve_stdio(&self) -> Result<(), std::io::Error> {
        mcp::over_stdio(Arc::clone(&self.desk)).await
    }
}
