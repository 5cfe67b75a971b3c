//! The rows of a turn: pages of JSON, and files to download.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use sqlogue::answer::{Texts, csv};
use sqlogue::database::Rows;
use utoipa::{IntoParams, ToSchema};

use super::extract::{Path, Query, turn};
use super::turns::ROWS;
use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::wire::RowPage;

/// How rows are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Csv,
    Xlsx,
}

/// Which rows, and how they are written.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Pages of JSON, or all rows as CSV or as a workbook.
    #[serde(default)]
    #[param(inline)]
    format: Format,
    /// JSON only: leaves out so many rows.
    #[serde(default)]
    offset: u32,
    /// JSON only: at most so many rows; 100 unless set, 10,000 at most.
    #[serde(default)]
    limit: Option<u32>,
}

/// The rows of a turn. Where the server has them no longer, its query is run again.
#[utoipa::path(get, path = "/api/v1/conversations/{id}/turns/{turn}/rows", operation_id = "get_rows", tag = "conversations",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("turn" = String, Path, description = "The turn"),
        Which
    ),
    responses((status = 200, description = "The rows", content(
        (RowPage = "application/json"),
        (String = "text/csv"),
        (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
    ))))]
pub(super) async fn rows(
    State(desk): State<Arc<Desk>>,
    Extension(owner): Extension<Owner>,
    Path((id, run)): Path<(String, String)>,
    Query(which): Query<Which>,
) -> Result<Response, Problem> {
    let (rows, asked_again) = desk.rows(&owner, &id, turn(&run)?).await?;
    match which.format {
        Format::Json => {
            let limit = which.limit.map_or(ROWS, |limit| limit.clamp(1, 10_000) as usize);
            Ok(axum::Json(page(&rows, which.offset as usize, limit, asked_again)).into_response())
        }
        Format::Csv => {
            let text = csv(&rows.columns, &rows.rows, Texts::Harmless);
            Ok(file("text/csv; charset=utf-8", "rows.csv", text.into_bytes()))
        }
        Format::Xlsx => workbook(&rows),
    }
}

/// A page of rows as JSON.
pub(crate) fn page(rows: &Rows, offset: usize, limit: usize, asked_again: bool) -> RowPage {
    let all = &rows.rows;
    let end = offset.saturating_add(limit).min(all.len());
    let shown = all.get(offset..end).unwrap_or_default();
    let cells =
        |row: &Vec<_>| row.iter().map(|value| serde_json::to_value(value).unwrap_or_default()).collect();
    RowPage {
        columns: rows.columns.clone(),
        rows: shown.iter().map(cells).collect(),
        row_count: all.len() as u64,
        truncated: rows.truncated,
        next: (end < all.len()).then_some(end as u64),
        asked_again,
    }
}

#[cfg(feature = "excel")]
fn workbook(rows: &Rows) -> Result<Response, Problem> {
    let book = sqlogue::answer::xlsx(&rows.columns, &rows.rows)
        .map_err(|error| Problem::unusable(format!("the rows do not fit into a workbook: {error}")))?;
    Ok(file("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "rows.xlsx", book))
}

#[cfg(not(feature = "excel"))]
fn workbook(_: &Rows) -> Result<Response, Problem> {
    Err(Problem::unusable("this program was built without `excel` (hint: `format=csv` gives the rows too)"))
}

fn file(kind: &'static str, name: &str, content: Vec<u8>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    (StatusCode::OK, [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, &disposition)], content)
        .into_response()
}
