//! The picture of an answer.

use std::sync::Arc;

use axum::Extension;
use axum::Json as Answer;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use sqlogue::chart::Chart;
use utoipa::{IntoParams, ToSchema};

use super::extract::{Path, Query, turn};
use crate::desk::Desk;
use crate::owner::Owner;
use crate::picture::{Look, Picture};
use crate::problem::Problem;

/// How a picture is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Svg,
}

/// What is sent of a picture.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Sent {
    /// What was chosen, with its Vega-Lite and a drawing, or the drawing alone.
    #[serde(default)]
    #[param(inline)]
    format: Format,
}

/// The picture that fits the answer of a turn. Where the server has its rows no longer, the query is run again.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/turns/{turn}/chart", tag = "conversations",
    operation_id = "get_chart",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("turn" = String, Path, description = "The turn"),
        Sent,
        Look
    ),
    responses((status = 200, description = "The picture",
        content((Picture = "application/json"), (String = "image/svg+xml")))))]
pub(super) async fn chart(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path((id, run)): Path<(String, String)>,
    Query(sent): Query<Sent>,
    Query(look): Query<Look>,
) -> Result<Response, Problem> {
    let run = turn(&run)?;
    let (rows, _) = desk.rows(&owner, &id, run).await?;
    let taken = desk.turn(&owner, &id, run).await?;
    let chart = Chart::of_answer(&taken.state, Some(&rows));
    let chart = chart.ok_or_else(|| Problem::conflict("the turn has no rows"))?;
    Ok(match sent.format {
        Format::Json => Answer(Picture::of(&chart, look)).into_response(),
        Format::Svg => ([(header::CONTENT_TYPE, "image/svg+xml")], look.draw(&chart)).into_response(),
    })
}
