//! A collector of traces where the program is built without what sends them.

use std::convert::Infallible;
use std::io::{self, Write as _};

use tracing_subscriber::layer::Identity;

use super::failure::Failure;

/// There is none.
pub(super) struct Collector(Infallible);

impl Collector {
    /// Says that the program cannot send traces. Where it is the environment that asks for them, other programs may be meant.
    pub(super) fn open(url: Option<&str>) -> Result<Option<Self>, Failure> {
        let (message, hint) =
            ("this program was built without `otel` and sends no traces", "build it with `--features otel`");
        if url.is_some() {
            return Err(Failure::usage(message).hint(hint));
        }
        // Where standard error is closed there is nobody to tell.
        drop(writeln!(io::stderr(), "{message} (hint: {hint})"));
        Ok(None)
    }

    /// What would hand it the spans.
    pub(super) fn layer(&self) -> Identity {
        match self.0 {}
    }
}
