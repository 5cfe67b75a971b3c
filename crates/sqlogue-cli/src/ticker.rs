//! A line at the bottom of the terminal that says how far something long is.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use super::show::text;

/// How often the line is drawn anew; what is done sooner shows nothing.
const STEP: Duration = Duration::from_millis(150);

/// The line. It is written to standard error, and only where that is a terminal.
pub(super) struct Ticker {
    is_shown: bool,
    drawn: Instant,
    is_terminal: bool,
}

impl Ticker {
    /// A line beside an output that goes elsewhere, or comes later.
    pub(super) fn new() -> Self {
        Self { is_shown: false, drawn: Instant::now(), is_terminal: io::stderr().is_terminal() }
    }

    /// A line beside answers that are written while it is there: none where they go to a terminal, where they show
    /// themselves how far it is.
    pub(super) fn beside_answers() -> Self {
        let mut ticker = Self::new();
        ticker.is_terminal &= !io::stdout().is_terminal();
        ticker
    }

    /// Says how far it is, if it is time to say it again.
    pub(super) fn draw(&mut self, what: impl FnOnce() -> String) {
        if !self.is_terminal || self.drawn.elapsed() < STEP {
            return;
        }
        self.drawn = Instant::now();
        self.is_shown = true;
        let _ = write!(io::stderr(), "\r\u{1b}[K{}", text::clean(&what()));
    }

    /// Takes the line away.
    pub(super) fn wipe(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
