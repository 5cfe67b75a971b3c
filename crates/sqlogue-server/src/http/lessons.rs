//! Lessons: what was learnt or written about databases.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use sqlogue::engine::Engine;
use sqlogue::lesson::{Filter, Lesson, LessonError, LessonId, LessonMemory};

use super::extract::Path;
use crate::desk::Desk;
use crate::problem::Problem;
use crate::wire::{LessonItem, Lessons};

/// Lists what was learnt or written.
#[utoipa::path(get, path = "/api/v1/lessons", operation_id = "list_lessons", tag = "lessons",
    responses((status = 200, description = "All lessons; none where nothing says where they are kept", body = Lessons)))]
pub(super) async fn list(State(desk): State<Arc<Desk>>) -> Result<Answer<Lessons>, Problem> {
    let memory = desk.engine(None)?.services().lessons.clone();
    let filter = Filter { retired: true, ..Filter::default() };
    let lessons = memory.map(|memory| memory.lessons());
    let lessons =
        lessons.iter().flat_map(|lessons| lessons.list(&filter)).map(|lesson| item(lesson)).collect();
    Ok(Answer(Lessons { lessons }))
}

/// Forgets a lesson that was learnt or added.
#[utoipa::path(delete, path = "/api/v1/lessons/{id}", operation_id = "delete_lesson", tag = "lessons",
    params(("id" = String, Path, description = "The lesson")),
    responses((status = 204, description = "It is forgotten")))]
pub(super) async fn remove(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let memory = kept(desk.engine(None)?)?;
    // It waits for other processes that write.
    let removed = tokio::task::spawn_blocking(move || memory.remove(&LessonId::from(id.as_str()))).await;
    match removed.map_err(Problem::internal)? {
        Ok(_) => Ok(StatusCode::NO_CONTENT),
        Err(error @ LessonError::Unknown { .. }) => Err(Problem::unknown(error)),
        Err(error) => Err(Problem::unusable(error)),
    }
}

/// Where lessons are kept.
///
/// # Errors
/// Nothing says where.
pub(super) fn kept(engine: &Engine) -> Result<Arc<dyn LessonMemory>, Problem> {
    engine.services().lessons.clone().ok_or_else(|| {
        Problem::conflict(
            "nothing says where lessons are kept (hint: set `memory_folder` in `sqlogue.toml`, or `SQLOGUE_MEMORY_FOLDER`)",
        )
    })
}

/// A lesson as it is sent.
pub(super) fn item(lesson: &Lesson) -> LessonItem {
    LessonItem {
        id: lesson.id.to_string(),
        kind: lesson.teaching.kind().name().to_owned(),
        database: lesson.database.clone(),
        lesson: lesson.to_string(),
        confidence: lesson.confidence,
        used: lesson.usage_count,
        retired: lesson.retired.is_some(),
    }
}
