//! What a server is told when it starts.

use std::time::Duration;

use crate::owner::Tokens;

/// How a server behaves. The defaults are safe, and right for one person at one machine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who may ask; everybody who reaches the server where there are none.
    pub tokens: Tokens,
    /// Names by which the server may be addressed, beside `localhost` and addresses in numbers.
    pub hosts: Vec<String>,
    /// What one token may use.
    pub limits: Limits,
    /// How long a turn may go on after the server was told to stop, before it is cancelled.
    pub grace: Duration,
    /// How long others are waited for.
    pub waits: Waits,
}

/// How long others are waited for. A connection that keeps the server waiting for longer ends.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// For the head of a request, and so for the next one on a connection that is kept open; for the beginning of TLS.
    pub head: Duration,
    /// For the whole of a request's body.
    pub body: Duration,
    /// For a reader to take anything at all of an answer.
    pub reader: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(10), body: seconds(20), reader: seconds(30) }
    }
}

/// What one token may use; where there are no tokens, all together.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Turns that run at the same time.
    pub running: usize,
    /// Turns that wait for their place; more are refused.
    pub waiting: usize,
    /// Requests a second in the long run, 0 for any number. Ten times as many may come at once.
    pub rate: u32,
    /// Bytes of a request's body.
    pub body: usize,
    /// Connections at the same time, of all tokens together.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { running: 8, waiting: 256, rate: 100, body: 64 << 10, connections: 1024 }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tokens: Tokens::default(),
            hosts: Vec::new(),
            limits: Limits::default(),
            grace: Duration::from_secs(10),
            waits: Waits::default(),
        }
    }
}
