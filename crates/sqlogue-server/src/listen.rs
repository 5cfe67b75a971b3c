//! Connections: taken, bounded in number and in time, and let go when the server stops.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::desk::Desk;
use crate::options::Waits;

/// Where connections come from.
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<TlsAcceptor>,
}

/// Serves until `shutdown`, and then lets what was begun come to its end.
pub(crate) async fn run(door: Door, router: Router, desk: Arc<Desk>, shutdown: CancellationToken) {
    let places = Arc::new(Semaphore::new(desk.options.limits.connections));
    let connections = TaskTracker::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        let accepted = tokio::select! {
            accepted = door.listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                refused(&error).await;
                continue;
            }
        };
        let (router, shutdown, tls) = (router.clone(), shutdown.clone(), door.tls.clone());
        let (open, waits) = (desk.metrics.connections.clone(), desk.options.waits);
        connections.spawn(async move {
            open.inc();
            serve(stream, tls, waits, router, shutdown).await;
            open.dec();
            drop(place);
        });
    }
    drop(door);
    finish(&desk, &connections).await;
}

/// Lets turns end by themselves for as long as is allowed, cancels what still runs, and closes what is still open.
async fn finish(desk: &Desk, connections: &TaskTracker) {
    desk.turns.close();
    if timeout(desk.options.grace, desk.turns.wait()).await.is_err() {
        tracing::warn!("turns are cancelled; the store has them as interrupted");
    }
    desk.stop.cancel();
    connections.close();
    // Answers that are ready are still sent; who does not take them is not waited for.
    drop(
        timeout(Duration::from_secs(2), async { tokio::join!(desk.turns.wait(), connections.wait()) }).await,
    );
}

/// A connection that could not be taken. Where files run out there may be some again soon.
async fn refused(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be taken");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

async fn serve(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    waits: Waits,
    router: Router,
    shutdown: CancellationToken,
) {
    // Answers are small and in one piece, so waiting for more to send only costs time.
    drop(stream.set_nodelay(true));
    match tls {
        None => converse(stream, waits, router, shutdown).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(waits.head, tls.accept(stream)).await {
                converse(stream, waits, router, shutdown).await;
            }
        }
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    waits: Waits,
    router: Router,
    shutdown: CancellationToken,
) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(waits.reader));
    let stream = TokioIo::new(Box::pin(stream));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(waits.head)
        .max_buf_size(64 << 10)
        .serve_connection(stream, TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Clients that go away are nobody's fault.
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Whether only this machine can reach an address.
pub(crate) fn is_loopback(address: &SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
