//! Whether the server lives, whether it can answer, and what it counts.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value as Json, json};

use crate::desk::Desk;
use crate::problem::Problem;

/// The process lives.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Turns can be taken: the store can be read, and nobody has told the server to stop.
pub(super) async fn readyz(State(desk): State<Arc<Desk>>) -> Result<Answer<Json>, Problem> {
    if desk.turns.is_closed() {
        return Err(Problem::unavailable("the server is shutting down"));
    }
    desk.sessions().store().session("readyz").await?;
    let databases = &desk.conversations.databases;
    Ok(Answer(
        json!({ "ready": true, "databases": databases.engines().len(), "closed": databases.closed().len() }),
    ))
}

/// What happened, for Prometheus.
pub(super) async fn metrics(State(desk): State<Arc<Desk>>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], desk.metrics.text()).into_response()
}

/// The graph that every turn walks through.
#[utoipa::path(get, path = "/api/v1/graph", operation_id = "draw_graph", tag = "databases",
    responses((status = 200, description = "A drawing", body = String, content_type = "image/svg+xml")))]
pub(super) async fn graph(State(desk): State<Arc<Desk>>) -> Result<Response, Problem> {
    let picture = desk.engine(None)?.graph().picture();
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], picture.svg()).into_response())
}
