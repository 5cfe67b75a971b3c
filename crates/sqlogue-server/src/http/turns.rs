//! Turns: asked, watched, approved, cancelled.

use std::sync::Arc;

use axum::Extension;
use axum::Json as Answer;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sqlogue::graph::Trace;

use super::events;
use super::extract::{Json, Maybe, Path, turn};
use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::turns::{Asked, Came};
use crate::wire::{Approval, Approve, Ask, Resume, Turn, TurnItem, Turns};

/// So many rows are in an answer unless its caller says otherwise.
pub(super) const ROWS: usize = 100;

/// The most rows that one may hold.
const MOST: usize = 10_000;

/// Lists all turns of a conversation, also those undone and those not finished.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/turns", operation_id = "list_turns", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, description = "The turns", body = Turns)))]
pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Answer<Turns>, Problem> {
    let head = desk.conversations.look(&owner, &id).await?.head;
    let stored = owner.stored(&id).ok_or_else(|| Problem::no_conversation(&id))?;
    let turns = desk.sessions().turns(&stored).await?.into_iter().map(TurnItem::from).collect();
    Ok(Answer(Turns { head, turns }))
}

/// Takes a turn. With `Accept: text/event-stream` it is told as it happens: `turn`, `node`, `progress`, `sql`, `rows`,
/// `notice`, and last `answer`, `approval` or `problem`.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/turns", operation_id = "ask", tag = "conversations",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("Idempotency-Key" = Option<String>, Header, description = "The turn is taken once for each key", max_length = 200)
    ),
    request_body = Ask,
    responses(
        (status = 200, description = "The turn, also one that failed for what was asked",
            content((Turn = "application/json"), (String = "text/event-stream"))),
        (status = 202, description = "The turn waits for an approval", body = Approval)
    ))]
pub(super) async fn ask(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(ask): Json<Ask>,
) -> Result<Response, Problem> {
    let key = headers.get("idempotency-key").map(HeaderValue::to_str).transpose();
    let key = key.ok().filter(|key| key.is_none_or(|key| (1..=200).contains(&key.len())));
    let key = key.ok_or_else(|| {
        Problem::bad_request("the `Idempotency-Key` is none (hint: use 1 to 200 visible ASCII characters)")
    })?;
    let asked = Asked {
        input: ask.input,
        confirm: ask.confirm,
        fresh: ask.fresh,
        after: ask.after.as_deref().map(turn).transpose()?,
        key: key.map(str::to_owned),
    };
    let form = Shape { rows: shown(ask.rows)?, explain: ask.explain };
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accepts.contains("text/event-stream") {
        return Ok(events::stream(desk, owner, id, asked, form));
    }
    Ok(came(&id, desk.ask(&owner, &id, asked, None).await?, form))
}

/// How many rows are to be in an answer.
///
/// # Errors
/// More than come at once.
pub(super) fn shown(asked: Option<u32>) -> Result<usize, Problem> {
    let rows = asked.map_or(ROWS, |rows| rows as usize);
    if rows > MOST {
        return Err(Problem::unusable(format!(
            "an answer has at most {MOST} rows (hint: `rows` of the turn has pages and files of all)"
        )));
    }
    Ok(rows)
}

/// How a turn is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) explain: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self { rows: ROWS, explain: false }
    }
}

fn came(id: &str, came: Came, form: Shape) -> Response {
    match came {
        Came::Waits(approval) => (StatusCode::ACCEPTED, Answer(approval)).into_response(),
        Came::Over(taken) => {
            let mut response = Answer(taken.line(id, form.rows, form.explain)).into_response();
            let headers = response.headers_mut();
            if taken.replayed {
                headers.insert("idempotent-replayed", HeaderValue::from_static("true"));
            }
            if !taken.notices.is_empty() {
                let notices = sqlogue_base::text::clean(&taken.notices.join(" · "))
                    .replace(|c: char| !c.is_ascii(), "?");
                headers.extend(HeaderValue::from_str(&notices).ok().map(|notices| (NOTICE, notices)));
            }
            response
        }
    }
}

/// What else the person should know, beside the turn's own object, whose fields are the same everywhere.
const NOTICE: axum::http::HeaderName = axum::http::HeaderName::from_static("sqlogue-notice");

/// A turn that is over, as it was answered. Its rows are there as long as the server has them at hand; `rows` always has
/// them.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/turns/{turn}", operation_id = "get_turn", tag = "conversations",
    params(("id" = String, Path, description = "The conversation"), ("turn" = String, Path, description = "The turn")),
    responses((status = 200, description = "The turn, with the reasons for its answer", body = Turn)))]
pub(super) async fn look(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path((id, run)): Path<(String, String)>,
) -> Result<Answer<serde_json::Value>, Problem> {
    let taken = desk.turn(&owner, &id, turn(&run)?).await?;
    Ok(Answer(taken.json(&id, ROWS, true)))
}

/// The graph with the way that a turn took through it.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/turns/{turn}/graph", operation_id = "draw_turn", tag = "conversations",
    params(("id" = String, Path, description = "The conversation"), ("turn" = String, Path, description = "The turn")),
    responses((status = 200, description = "A drawing", body = String, content_type = "image/svg+xml")))]
pub(super) async fn graph(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path((id, run)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let run = turn(&run)?;
    let (_, record) = desk.record(&owner, &id, run).await?;
    let picture = desk.engine(None)?.graph().picture_of(&Trace::of_record(run, &record));
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], picture.svg()).into_response())
}

/// Lets the SQL of a turn that waits run, or does not.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/approve", operation_id = "approve", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")), request_body = Approve,
    responses((status = 200, description = "The turn", body = Turn)))]
pub(super) async fn approve(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Json(approve): Json<Approve>,
) -> Result<Response, Problem> {
    Ok(came(&id, desk.approve(&owner, &id, approve.approved).await?, Shape::default()))
}

/// Cancels the turn that runs or waits, and drops one that was interrupted.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/cancel", operation_id = "cancel", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 202, description = "It ends soon")))]
pub(super) async fn cancel(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    // An unknown conversation has no turns either, and is the better thing to say.
    desk.conversations.look(&owner, &id).await?;
    desk.cancel(&owner, &id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Finishes a turn whose server died.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/resume", operation_id = "resume", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")), request_body = Option<Resume>,
    responses(
        (status = 200, description = "The turn", body = Turn),
        (status = 202, description = "The turn waits for an approval", body = Approval)
    ))]
pub(super) async fn resume(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Maybe(resume): Maybe<Resume>,
) -> Result<Response, Problem> {
    Ok(came(&id, desk.resume(&owner, &id, None, resume.confirm).await?, Shape::default()))
}
