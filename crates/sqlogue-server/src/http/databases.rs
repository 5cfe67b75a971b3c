//! Databases: what is in them, what words mean in them, and SQL of one's own.

use std::sync::Arc;

use axum::Extension;
use axum::Json as Answer;
use axum::extract::State;
use axum::http::StatusCode;
use sqlogue::chart::Chart;
use sqlogue::lesson::{Lesson, Origin, Teaching};
use sqlogue::sql::{Definition, guard};
use sqlogue_base::json;

use super::extract::{Json, Path};
use super::lessons::{item, kept};
use super::rows::page;
use super::turns::shown;
use crate::desk::Desk;
use crate::owner::Owner;
use crate::picture::Picture;
use crate::problem::Problem;
use crate::wire::{Check, DatabaseItem, Define, Examples, LessonItem, RunSql, SqlRows, Verdict, now};

/// So many questions are enough to begin with.
const EXAMPLES: usize = 4;

/// Lists the databases.
#[utoipa::path(get, path = "/api/v1/databases", operation_id = "list_databases", tag = "databases",
    responses((status = 200, description = "The first one is asked where none is named", body = Vec<DatabaseItem>)))]
pub(super) async fn list(State(desk): State<Arc<Desk>>) -> Answer<Vec<DatabaseItem>> {
    let databases = &desk.conversations.databases;
    let open = databases.engines().iter().enumerate().map(|(place, engine)| DatabaseItem {
        name: engine.database().name().to_owned(),
        dialect: Some(engine.database().dialect().name()),
        first: place == 0,
        problem: None,
    });
    let closed = databases.closed().iter().map(|(name, problem)| DatabaseItem {
        name: name.clone(),
        dialect: None,
        first: false,
        problem: Some(sqlogue_base::secret::redact(problem).into_owned()),
    });
    Answer(open.chain(closed).collect())
}

/// What is seen of a database: tables, columns, keys, samples.
#[utoipa::path(get, path = "/api/v1/databases/{name}/schema", operation_id = "get_schema", tag = "databases",
    params(("name" = String, Path, description = "The database")),
    responses((status = 200, description = "As `sqlogue schema --format json` prints it", body = Object)))]
pub(super) async fn schema(
    State(desk): State<Arc<Desk>>,
    Path(name): Path<String>,
) -> Result<Answer<serde_json::Value>, Problem> {
    let knowledge = desk.engine(Some(&name))?.knowledge().await?;
    json::value(knowledge.schema()).map(Answer).map_err(Problem::internal)
}

/// Runs SQL that somebody wrote: one query, which the guard has to allow, read-only and within the limits.
#[utoipa::path(post, path = "/api/v1/databases/{name}/query", operation_id = "run_sql", tag = "databases",
    params(("name" = String, Path, description = "The database")), request_body = RunSql,
    responses((status = 200, description = "The rows", body = SqlRows)))]
pub(super) async fn query(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path(name): Path<String>,
    Json(run): Json<RunSql>,
) -> Result<Answer<SqlRows>, Problem> {
    let most = shown(run.rows)?;
    let rows = desk.run_sql(&owner, desk.engine(Some(&name))?, &run.sql, Some(most)).await?;
    let chart = run.picture.map(|look| Picture::of(&Chart::of(&rows.columns, &rows.rows, None), look));
    Ok(Answer(SqlRows { rows: page(&rows, 0, most.max(1), false), picture: chart }))
}

/// Some questions that can be asked of a database, and are answered surely.
#[utoipa::path(get, path = "/api/v1/databases/{name}/examples", operation_id = "get_examples", tag = "databases",
    params(("name" = String, Path, description = "The database")),
    responses((status = 200, description = "Questions", body = Examples)))]
pub(super) async fn examples(
    State(desk): State<Arc<Desk>>,
    Path(name): Path<String>,
) -> Result<Answer<Examples>, Problem> {
    let knowledge = desk.engine(Some(&name))?.knowledge().await?;
    // Each is tried, which takes some milliseconds.
    let questions =
        tokio::task::spawn_blocking(move || sqlogue::examples::examples(&knowledge, EXAMPLES)).await;
    Ok(Answer(Examples { questions: questions.map_err(Problem::internal)? }))
}

/// Says whether SQL may run, without running it.
#[utoipa::path(post, path = "/api/v1/check", operation_id = "check_sql", tag = "databases", request_body = Check,
    responses((status = 200, description = "The guard's verdict", body = Verdict)))]
pub(super) async fn check(
    State(desk): State<Arc<Desk>>,
    Json(check): Json<Check>,
) -> Result<Answer<Verdict>, Problem> {
    let dialect = desk.engine(check.database.as_deref())?.database().dialect();
    Ok(Answer(match guard::check(&check.sql, dialect) {
        Ok(_) => Verdict { verdict: "allow", code: None, reason: None },
        Err(refusal) => {
            desk.metrics.refused(refusal.code.name());
            Verdict { verdict: "reject", code: Some(refusal.code.name()), reason: Some(refusal.reason) }
        }
    }))
}

/// Defines a metric or a term for rows, for everybody who asks this database.
#[utoipa::path(post, path = "/api/v1/databases/{name}/definitions", operation_id = "define", tag = "lessons",
    params(("name" = String, Path, description = "The database")), request_body = Define,
    responses((status = 201, description = "The lesson that was added", body = LessonItem)))]
pub(super) async fn define(
    State(desk): State<Arc<Desk>>,
    Path(name): Path<String>,
    Json(define): Json<Define>,
) -> Result<(StatusCode, Answer<LessonItem>), Problem> {
    let engine = desk.engine(Some(&name))?;
    let memory = kept(engine)?;
    let (term, expression) = (define.name.trim(), define.expression.trim());
    if !term.contains(char::is_alphabetic) || term.contains(char::is_control) || term.len() > 200 {
        return Err(Problem::unusable("a definition needs a name in words"));
    }
    let knowledge = engine.knowledge().await?;
    Definition::read(expression, knowledge.schema(), engine.database().dialect())
        .map_err(|error| Problem::unusable(format!("`{term}` cannot be defined so: {error}")))?;
    let teaching = Teaching::Definition { name: term.to_owned(), expression: expression.to_owned() };
    let lesson = Lesson::new(teaching, Some(engine.database().name()), Origin::Added { at: now() });
    let answer = item(&lesson);
    // It waits for other processes that write.
    let added = tokio::task::spawn_blocking(move || memory.add(lesson)).await;
    added.map_err(Problem::internal)?.map_err(Problem::unusable)?;
    Ok((StatusCode::CREATED, Answer(answer)))
}
