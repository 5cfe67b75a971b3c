//! The `sqlogue` program: tracing, one call, an exit code.

use std::process::ExitCode;

use sqlogue::cli::{self, LogFormat, Logging};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let invocation = match cli::parse(std::env::args_os()) {
        Ok(invocation) => invocation,
        Err(exit) => return exit,
    };
    trace(invocation.logging());
    cli::run(invocation)
}

/// Sends the trace to standard error; standard output belongs to answers.
fn trace(logging: &Logging) {
    let filter = EnvFilter::try_new(logging.filter()).unwrap_or_else(|_| EnvFilter::new("error"));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(cli::trace_output);
    let set = match logging.form() {
        LogFormat::Text => subscriber.with_ansi(cli::colours_on_stderr()).try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    };
    // It fails only where somebody else has set a subscriber before, whose trace is then the one that counts.
    drop(set);
}
