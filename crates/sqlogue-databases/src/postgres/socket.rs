//! A connection to a server that takes only so many bytes.
//!
//! A single cell can be a gigabyte, and a protocol message is read whole before anybody sees how long it is. The
//! meter ends the connection instead.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;

use super::address::Place;

/// How many more bytes may arrive.
#[derive(Debug, Default)]
pub(super) struct Meter(AtomicI64);

impl Meter {
    /// Allows so many bytes from now on.
    pub(super) fn allow(&self, bytes: usize) {
        self.0.store(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// True where more bytes came than were allowed.
    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 0
    }

    fn take(&self, bytes: usize) -> io::Result<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        if self.0.fetch_sub(bytes, Ordering::Relaxed) < bytes {
            return Err(io::Error::other("the server sent more than is allowed"));
        }
        Ok(())
    }
}

/// A connection with its meter.
pub(super) struct Socket {
    stream: Stream,
    meter: Arc<Meter>,
}

enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Socket {
    pub(super) async fn connect(place: &Place, meter: Arc<Meter>) -> io::Result<Self> {
        let stream = match place {
            Place::Tcp { host, port, .. } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                stream.set_nodelay(true)?;
                Stream::Tcp(stream)
            }
            #[cfg(unix)]
            Place::Socket(path) => Stream::Unix(UnixStream::connect(path).await?),
        };
        Ok(Self { stream, meter })
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_read(cx, buffer),
            #[cfg(unix)]
            Stream::Unix(stream) => Pin::new(stream).poll_read(cx, buffer),
        };
        polled
            .map(|result| result.and_then(|()| self.meter.take(buffer.filled().len().saturating_sub(before))))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            #[cfg(unix)]
            Stream::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            #[cfg(unix)]
            Stream::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            #[cfg(unix)]
            Stream::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
