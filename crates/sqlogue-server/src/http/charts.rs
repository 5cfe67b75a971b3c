//! The picture of an answer.

use std::sync::Arc;

use axum::Extension;
use axum::Json as Answer;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use sqlogue::chart::{Chart, Theme};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Path, Query, turn};
use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::wire::Picture;

/// How a picture is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Svg,
}

/// In which light a picture is looked at.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Light {
    #[default]
    Light,
    Dark,
}

/// How a picture is drawn.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Look {
    /// What was chosen, with its Vega-Lite, or a drawing.
    #[serde(default)]
    #[param(inline)]
    format: Format,
    /// SVG only: colours for a light or a dark ground.
    #[serde(default)]
    #[param(inline)]
    theme: Light,
    /// SVG only: how wide it is, in pixels; 720 unless set, from 240 to 4,000.
    #[serde(default)]
    width: Option<u32>,
    /// SVG only: how high it is, in pixels; 360 unless set, from 160 to 4,000.
    #[serde(default)]
    height: Option<u32>,
}

/// The picture that fits the answer of a turn. Where the server has its rows no longer, the query is run again.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/turns/{turn}/chart", tag = "conversations",
    operation_id = "get_chart",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("turn" = String, Path, description = "The turn"),
        Look
    ),
    responses((status = 200, description = "The picture",
        content((Picture = "application/json"), (String = "image/svg+xml")))))]
pub(super) async fn chart(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path((id, run)): Path<(String, String)>,
    Query(look): Query<Look>,
) -> Result<Response, Problem> {
    let run = turn(&run)?;
    let (rows, _) = desk.rows(&owner, &id, run).await?;
    let taken = desk.turn(&owner, &id, run).await?;
    let chart = Chart::of_answer(&taken.state, Some(&rows));
    let chart = chart.ok_or_else(|| Problem::conflict("the turn has no rows"))?;
    if look.format == Format::Json {
        return Ok(Answer(Picture {
            kind: chart.kind().name(),
            title: chart.title().to_owned(),
            reason: chart.reason().to_owned(),
            notes: chart.notes().to_vec(),
            vega_lite: chart.to_vega_lite(),
        })
        .into_response());
    }
    let theme = match look.theme {
        Light::Light => Theme::Light,
        Light::Dark => Theme::Dark,
    };
    let (width, height) =
        (look.width.unwrap_or(720).clamp(240, 4000), look.height.unwrap_or(360).clamp(160, 4000));
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], chart.to_svg(theme, width, height)).into_response())
}
