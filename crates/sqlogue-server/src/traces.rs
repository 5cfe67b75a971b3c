//! Spans of requests and turns, for the log and for whoever collects traces. They hold names and numbers, and nothing that a
//! person or a database said. The spans of a turn's nodes are the graph engine's.

use axum::http::{HeaderMap, Method};
use sqlogue::graph::RunId;
use tracing::field::{Empty, display};
use tracing::{Span, info_span};

/// The span of a request, in the trace that its sender says it belongs to.
pub(crate) fn request(method: &Method, headers: &HeaderMap) -> Span {
    let span = info_span!(
        "request",
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = known(method),
        http.route = Empty,
        http.response.status_code = Empty,
    );
    follow(&span, headers);
    span
}

/// Says in a request's span what came of it.
pub(crate) fn answered(span: &Span, route: &str, status: u16) {
    span.record("http.route", route).record("http.response.status_code", status);
    if status >= 500 {
        span.record("otel.status_code", "error");
    }
}

/// The span of a turn, from the wait for its place to its answer.
pub(crate) fn turn() -> Span {
    info_span!("turn", turn = Empty, status = Empty, route = Empty)
}

/// Says in the span of the turn that is being worked on which one it is.
pub(crate) fn taken(run: RunId) {
    Span::current().record("turn", display(run));
}

/// Says there how it ended.
pub(crate) fn ended(status: &'static str, route: &'static str) {
    Span::current().record("status", status).record("route", route);
}

/// What a client makes up is no name of a method.
fn known(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::DELETE
        | Method::PATCH
        | Method::OPTIONS => method.as_str(),
        _ => "_OTHER",
    }
}

/// Puts a span below the one that the request's `traceparent` names (W3C Trace Context).
#[cfg(feature = "otel")]
fn follow(span: &Span, headers: &HeaderMap) {
    use opentelemetry::global::get_text_map_propagator;
    use opentelemetry::propagation::Extractor;
    use tracing_opentelemetry::OpenTelemetrySpanExt as _;

    struct Headers<'a>(&'a HeaderMap);

    impl Extractor for Headers<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(axum::http::HeaderName::as_str).collect()
        }
    }

    if !span.is_disabled() {
        let parent = get_text_map_propagator(|propagator| propagator.extract(&Headers(headers)));
        // It fails where nobody collects traces.
        drop(span.set_parent(parent));
    }
}

#[cfg(not(feature = "otel"))]
fn follow(_: &Span, _: &HeaderMap) {}
