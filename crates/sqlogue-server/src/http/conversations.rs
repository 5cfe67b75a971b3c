//! Conversations: made, listed, looked at, moved, deleted.

use std::sync::Arc;

use axum::Extension;
use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use super::extract::{Maybe, Path, Query, turn};
use crate::desk::{Desk, Step};
use crate::owner::Owner;
use crate::problem::Problem;
use crate::wire::{Branch, Conversation, ConversationPage, NewConversation, Share, Shared, SharedTurn};

/// Which page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Page {
    /// Leaves out so many of the latest.
    #[serde(default)]
    offset: u32,
    /// At most so many; 50 unless set, 200 at most.
    #[serde(default)]
    limit: Option<u32>,
}

/// Lists conversations, the latest used first.
#[utoipa::path(get, path = "/api/v1/conversations", operation_id = "list_conversations", tag = "conversations", params(Page),
    responses((status = 200, description = "A page of conversations", body = ConversationPage)))]
pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Query(page): Query<Page>,
) -> Result<Answer<ConversationPage>, Problem> {
    let limit = page.limit.unwrap_or(50).clamp(1, 200) as usize;
    let conversations = desk.conversations.list(&owner, page.offset as usize, limit).await?;
    let next = (conversations.len() == limit).then_some(u64::from(page.offset) + limit as u64);
    Ok(Answer(ConversationPage { conversations, next }))
}

/// Begins a conversation.
#[utoipa::path(post, path = "/api/v1/conversations", operation_id = "create_conversation", tag = "conversations", request_body = Option<NewConversation>,
    responses((status = 201, description = "The conversation", body = Conversation)))]
pub(super) async fn create(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Maybe(new): Maybe<NewConversation>,
) -> Result<(StatusCode, Answer<Conversation>), Problem> {
    let conversation = desk.create(&owner, new.database.as_deref(), new.id).await?;
    Ok((StatusCode::CREATED, Answer(conversation)))
}

/// Says how a conversation stands.
#[utoipa::path(get, path = "/api/v1/conversations/{id}", operation_id = "get_conversation", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, description = "The conversation", body = Conversation)))]
pub(super) async fn look(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Answer<Conversation>, Problem> {
    Ok(Answer(desk.conversations.look(&owner, &id).await?))
}

/// Deletes a conversation for good.
#[utoipa::path(delete, path = "/api/v1/conversations/{id}", operation_id = "delete_conversation", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 204, description = "It is gone")))]
pub(super) async fn delete(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    desk.conversations.delete(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes back the last turn that changed something.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/undo", operation_id = "undo", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, description = "How it stands now", body = Conversation)))]
pub(super) async fn undo(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Answer<Conversation>, Problem> {
    Ok(Answer(desk.step(&owner, &id, Step::Undo).await?))
}

/// Brings back what was taken back last.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/redo", operation_id = "redo", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, description = "How it stands now", body = Conversation)))]
pub(super) async fn redo(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Answer<Conversation>, Problem> {
    Ok(Answer(desk.step(&owner, &id, Step::Redo).await?))
}

/// Goes back to the beginning; it can be undone.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/clear", operation_id = "clear", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, description = "How it stands now", body = Conversation)))]
pub(super) async fn clear(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<Answer<Conversation>, Problem> {
    Ok(Answer(desk.step(&owner, &id, Step::Clear).await?))
}

/// Makes a conversation that goes on from a turn of this one, and leaves this one as it is.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/branch", operation_id = "branch", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")), request_body = Option<Branch>,
    responses((status = 201, description = "The new conversation", body = Conversation)))]
pub(super) async fn branch(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    Maybe(branch): Maybe<Branch>,
) -> Result<(StatusCode, Answer<Conversation>), Problem> {
    let from = branch.turn.as_deref().map(turn).transpose()?;
    let conversation = desk.branch(&owner, &id, from, branch.id).await?;
    Ok((StatusCode::CREATED, Answer(conversation)))
}

/// Lets everybody who may use the server read the conversation as it stands now.
#[utoipa::path(post, path = "/api/v1/conversations/{id}/share", operation_id = "share", tag = "conversations",
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 201, description = "The key by which it is found", body = Share)))]
pub(super) async fn share(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Answer<Share>), Problem> {
    Ok((StatusCode::CREATED, Answer(Share { key: desk.share(&owner, &id).await? })))
}

/// Reads a conversation that was shared.
#[utoipa::path(get, path = "/api/v1/shared/{key}", operation_id = "get_shared", tag = "conversations",
    params(("key" = String, Path, description = "The key that `share` gave")),
    responses((status = 200, description = "The conversation as it was shared", body = Shared)))]
pub(super) async fn shared(
    State(desk): State<Arc<Desk>>,
    Path(key): Path<String>,
) -> Result<Answer<Shared>, Problem> {
    let id = crate::owner::shared(&key);
    let session = desk.sessions().store().session(&id).await?;
    let session = session.ok_or_else(|| Problem::unknown("there is no shared conversation of this key"))?;
    let turns = desk.sessions().history(&id).await?.into_iter().map(|turn| SharedTurn {
        row_count: turn.result.as_ref().map(|result| result.row_count),
        message: turn.error.map(|error| error.message),
        status: turn.status.name().to_owned(),
        at: turn.timestamp.to_string(),
        input: turn.input,
        sql: turn.query,
    });
    Ok(Answer(Shared { title: session.title, database: session.database, turns: turns.collect() }))
}
