//! The page: files that are in the program, so that nothing has to be built, installed or fetched from elsewhere.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::desk::Desk;

/// A file of the page.
struct File {
    path: &'static str,
    kind: &'static str,
    content: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! file {
    ($path:literal, $kind:expr, $name:literal) => {
        File { path: $path, kind: $kind, content: include_str!(concat!("../page/", $name)) }
    };
}

const FILES: &[File] = &[
    file!("/", "text/html; charset=utf-8", "index.html"),
    file!("/page/style.css", "text/css; charset=utf-8", "style.css"),
    file!("/page/icon.svg", "image/svg+xml", "icon.svg"),
    file!("/page/app.js", SCRIPT, "app.js"),
    file!("/page/api.js", SCRIPT, "api.js"),
    file!("/page/chart.js", SCRIPT, "chart.js"),
    file!("/page/dom.js", SCRIPT, "dom.js"),
    file!("/page/graph.js", SCRIPT, "graph.js"),
    file!("/page/side.js", SCRIPT, "side.js"),
    file!("/page/sql.js", SCRIPT, "sql.js"),
    file!("/page/table.js", SCRIPT, "table.js"),
    file!("/page/turn.js", SCRIPT, "turn.js"),
];

/// The routes of the page.
pub(super) fn router() -> Router<Arc<Desk>> {
    FILES.iter().fold(Router::new(), |router, file| {
        router.route(file.path, get(move || std::future::ready(sent(file))))
    })
}

fn sent(file: &File) -> Response {
    // A new release has new files under the same names, so a browser asks each time.
    ([(header::CONTENT_TYPE, file.kind), (header::CACHE_CONTROL, "no-cache")], file.content).into_response()
}
