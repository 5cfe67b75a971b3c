//! What happens, in numbers, as Prometheus reads them. No label holds what a person or a database said.

use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use sqlogue::conversation::{ConversationState, Route};

type Labels = [(&'static str, String); 1];
type Labels2 = [(&'static str, String); 2];
type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The counters of one server.
pub(crate) struct Metrics {
    registry: Registry,
    turns: Family<Labels2, Counter>,
    nodes: Histograms,
    durations: Histogram,
    tokens: Family<Labels, Counter>,
    refused: Family<Labels, Counter>,
    requests: Family<Labels2, Counter>,
    /// Turns that run now.
    running: Gauge,
    /// Connections that are open now.
    pub(crate) connections: Gauge,
}

/// A turn that runs, for as long as this lives.
pub(crate) struct Running(Gauge);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// From a tenth of a millisecond to half a minute.
fn buckets() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 4.0, 10))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("sqlogue");
        let metrics = Self {
            turns: Family::default(),
            nodes: Family::new_with_constructor(buckets as fn() -> Histogram),
            durations: buckets(),
            tokens: Family::default(),
            refused: Family::default(),
            requests: Family::default(),
            running: Gauge::default(),
            connections: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("turns", "Turns by how they ended and the way they took", metrics.turns.clone());
        registry.register_with_unit("node", "Time in each node", Unit::Seconds, metrics.nodes.clone());
        registry.register_with_unit("turn", "Time of whole turns", Unit::Seconds, metrics.durations.clone());
        registry.register("model_tokens", "Tokens of language models by kind", metrics.tokens.clone());
        registry.register(
            "refused_sql",
            "Statements that the guard refused, by rule",
            metrics.refused.clone(),
        );
        registry.register("requests", "Requests by route and status", metrics.requests.clone());
        registry.register("turns_running", "Turns that run now", metrics.running.clone());
        registry.register("connections_open", "Connections that are open now", metrics.connections.clone());
        Self { registry, ..metrics }
    }

    /// A turn begins to run.
    pub(crate) fn running(&self) -> Running {
        self.running.inc();
        Running(self.running.clone())
    }

    /// A node is done.
    pub(crate) fn node(&self, node: &str, took_us: u64) {
        let took = Duration::from_micros(took_us).as_secs_f64();
        self.nodes.get_or_create(&[("node", node.to_owned())]).observe(took);
    }

    /// A turn is over.
    pub(crate) fn turn(&self, state: &ConversationState, took: Duration) {
        let route = state.route.map_or("none", Route::name);
        self.turns
            .get_or_create(&[("status", state.status.name().to_owned()), ("route", route.to_owned())])
            .inc();
        self.durations.observe(took.as_secs_f64());
        let usage = state.usage;
        for (kind, number) in [("prompt", usage.prompt_tokens), ("completion", usage.completion_tokens)] {
            self.tokens.get_or_create(&[("kind", kind.to_owned())]).inc_by(number);
        }
    }

    /// A turn was not carried out.
    pub(crate) fn no_turn(&self, why: &'static str) {
        self.turns.get_or_create(&[("status", why.to_owned()), ("route", "none".to_owned())]).inc();
    }

    /// The guard has refused a statement.
    pub(crate) fn refused(&self, code: &str) {
        self.refused.get_or_create(&[("code", code.to_owned())]).inc();
    }

    /// A request was answered; the route as it is declared, never as it was asked.
    pub(crate) fn request(&self, route: &str, status: u16) {
        self.requests.get_or_create(&[("route", route.to_owned()), ("status", status.to_string())]).inc();
    }

    /// All of it, as Prometheus reads it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}
