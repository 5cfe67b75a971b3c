//! A web handler: questions as JSON, answers as JSON, conversations kept in a file.
//!
//! ```text
//! cargo run --example web_handler
//! curl localhost:8080/ask -H 'content-type: application/json' -d '{"question": "How many customers are there?"}'
//! ```
//! The answer names its conversation; a question that names it too is a follow-up.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use sqlogue::database::Rows;
use sqlogue::store::StoreError;
use sqlogue::{Engine, Error};

/// What is asked.
#[derive(Debug, Deserialize)]
pub struct Ask {
    question: String,
    /// The conversation to go on with.
    conversation: Option<String>,
}

/// What is answered.
#[derive(Debug, Serialize)]
pub struct Reply {
    conversation: String,
    status: &'static str,
    sql: Option<String>,
    result: Option<Rows>,
    message: Option<String>,
    /// What can be answered to a question back.
    options: Vec<String>,
}

/// The routes of the service. The engine has to have a store.
pub fn routes(engine: Engine) -> Router {
    Router::new().route("/ask", post(ask)).with_state(engine)
}

async fn ask(
    State(engine): State<Engine>,
    Json(ask): Json<Ask>,
) -> Result<Json<Reply>, (StatusCode, String)> {
    let previous = match (&ask.conversation, engine.sessions()) {
        (Some(id), Some(sessions)) => {
            Some(sessions.open(id).await.map_err(|error| refused(error.into()))?.state)
        }
        _ => None,
    };
    // Every turn is stored under the id of its conversation; two questions at once in one conversation are a conflict.
    let answer = engine.ask(ask.question.as_str(), previous).await.map_err(refused)?;
    let (result, message, options) = match answer.rows() {
        Ok(rows) => (Some(rows.clone()), answer.state.message.clone(), Vec::new()),
        Err(reason) => (None, Some(reason.message), reason.options),
    };
    Ok(Json(Reply {
        conversation: answer.state.session_id.clone(),
        status: answer.state.status.name(),
        sql: answer.state.query.clone(),
        result,
        message,
        options,
    }))
}

/// What the caller did wrong is theirs to know; the rest is for the log.
fn refused(error: Error) -> (StatusCode, String) {
    let status = match &error {
        Error::Store(StoreError::UnknownSession { .. }) => StatusCode::NOT_FOUND,
        error if error.is_usage() => StatusCode::CONFLICT,
        _ => return (StatusCode::INTERNAL_SERVER_ERROR, "the question could not be answered".to_owned()),
    };
    (status, error.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    use sqlogue::store::{SqliteOptions, SqliteStore};
    use std::sync::Arc;

    let store = SqliteStore::open("conversations.sqlite", SqliteOptions::default())?;
    let url = std::env::args().nth(1).unwrap_or_default();
    let engine = Engine::builder().database(url).store(Arc::new(store)).build()?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    axum::serve(listener, routes(engine)).await?;
    Ok(())
}
