//! The HTTP face: routes, what stands before them, and the document that describes them.

mod charts;
mod conversations;
mod databases;
mod door;
mod events;
mod extract;
mod files;
mod lessons;
mod openapi;
mod rows;
mod system;
mod turns;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::RequestBodyDeadlineLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use rows::page;

use crate::desk::Desk;
use crate::mcp;
use crate::problem::Problem;

/// Everything that is served.
pub(crate) fn router(desk: Arc<Desk>) -> Router {
    let (api, document) = api().split_for_parts();
    let body = desk.options.limits.body;
    let behind_the_door = Router::new()
        .merge(api)
        .route("/metrics", axum::routing::get(system::metrics))
        .merge(mcp::over_http(Arc::clone(&desk)))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&desk), door::token));
    let document = openapi::finished(document);
    Router::new()
        .merge(behind_the_door)
        .route(openapi::PLACE, axum::routing::get(move || std::future::ready(axum::Json(document.clone()))))
        .merge(files::router())
        .route("/healthz", axum::routing::get(system::healthz))
        .route("/readyz", axum::routing::get(system::readyz))
        .fallback(async || {
            Problem::unknown("there is nothing here (hint: `/api/v1/openapi.json` lists what there is)")
        })
        .method_not_allowed_fallback(async || {
            Problem::of_status(
                StatusCode::METHOD_NOT_ALLOWED,
                "the method is not one that this address takes",
            )
        })
        .layer(DefaultBodyLimit::max(body))
        .layer(RequestBodyDeadlineLayer::new(desk.options.waits.body))
        .layer(CatchPanicLayer::custom(|_| {
            axum::response::IntoResponse::into_response(Problem::internal(
                "a request met a fault of sqlogue's own",
            ))
        }))
        .layer(middleware::from_fn_with_state(Arc::clone(&desk), door::guard))
        .with_state(desk)
}

/// The routes of the API with what describes them, so that none is left out.
fn api() -> OpenApiRouter<Arc<Desk>> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(databases::list))
        .routes(routes!(databases::schema))
        .routes(routes!(databases::examples))
        .routes(routes!(databases::query))
        .routes(routes!(databases::define))
        .routes(routes!(databases::check))
        .routes(routes!(lessons::list))
        .routes(routes!(lessons::remove))
        .routes(routes!(conversations::list, conversations::create))
        .routes(routes!(conversations::look, conversations::delete))
        .routes(routes!(conversations::undo))
        .routes(routes!(conversations::redo))
        .routes(routes!(conversations::clear))
        .routes(routes!(conversations::branch))
        .routes(routes!(conversations::share))
        .routes(routes!(conversations::shared))
        .routes(routes!(turns::list, turns::ask))
        .routes(routes!(turns::look))
        .routes(routes!(turns::graph))
        .routes(routes!(turns::approve))
        .routes(routes!(turns::cancel))
        .routes(routes!(turns::resume))
        .routes(routes!(rows::rows))
        .routes(routes!(charts::chart))
        .routes(routes!(system::graph))
}
