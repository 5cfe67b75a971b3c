//! Where the trace goes: to standard error, and to a collector where somebody names one.

use std::env::var_os;
use std::io;

use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt, registry};

use super::args::{Arguments, Command, LogFormat};
use super::collector::Collector;
use super::failure::Failure;
use super::output;

/// Where the environment names a collector.
const NAMES: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

/// Sends the trace to standard error; standard output belongs to answers. Gives the collector that it is sent to as well, which
/// takes what is told until it is dropped.
///
/// # Errors
/// What is named as a collector cannot be one.
pub(super) fn begin(arguments: &Arguments) -> Result<Option<Collector>, Failure> {
    let collector = match arguments.command.as_ref().and_then(wished) {
        Some(Wish::At(url)) => Collector::open(Some(url))?,
        Some(Wish::AsTheEnvironmentHasIt) if named() => Collector::open(None)?,
        _ => None,
    };
    let logging = &arguments.logging;
    let filter = EnvFilter::try_new(logging.filter()).unwrap_or_else(|_| EnvFilter::new("error"));
    let told = fmt::layer().with_writer(output::trace_output);
    let told = match logging.form() {
        LogFormat::Text => told.with_ansi(output::colours(&io::stderr())).boxed(),
        LogFormat::Json => told.json().boxed(),
    };
    let mut layers = vec![told.with_filter(filter).boxed()];
    layers.extend(collector.as_ref().map(|collector| collector.layer().boxed()));
    // It fails only where somebody else has set a subscriber before, whose trace is then the one that counts.
    drop(registry().with(layers).try_init());
    Ok(collector)
}

/// How a command's traces are collected.
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "without servers nothing is collected"))]
enum Wish<'a> {
    /// By the collector there.
    At(&'a str),
    /// By the one that the environment names, if it names one.
    AsTheEnvironmentHasIt,
}

/// Only servers have traces that somebody else follows; other commands do not wait for a collector.
fn wished(command: &Command) -> Option<Wish<'_>> {
    match command {
        #[cfg(feature = "serve")]
        Command::Serve(serve) => Some(serve.otlp.as_deref().map_or(Wish::AsTheEnvironmentHasIt, Wish::At)),
        #[cfg(feature = "serve")]
        Command::Mcp => Some(Wish::AsTheEnvironmentHasIt),
        _ => None,
    }
}

fn named() -> bool {
    let is_off = var_os("OTEL_SDK_DISABLED").is_some_and(|off| off.eq_ignore_ascii_case("true"));
    !is_off && NAMES.iter().any(|name| var_os(name).is_some_and(|place| !place.is_empty()))
}
