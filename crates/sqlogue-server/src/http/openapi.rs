//! The document that describes the API, OpenAPI 3.1.

use serde_json::{Value as Json, json};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;

/// Where it is served.
pub(super) const PLACE: &str = "/api/v1/openapi.json";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "sqlogue",
        description = "Ask a database questions in conversation. Errors are `application/problem+json`. Where the server \
                       has tokens, every request needs one: `Authorization: Bearer TOKEN`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(crate::problem::Problem)),
    tags(
        (name = "conversations", description = "Conversations and their turns"),
        (name = "databases", description = "What can be asked, and SQL of one's own"),
        (name = "lessons", description = "What was learnt or written about databases")
    )
)]
struct Document;

/// The document before the routes are in it.
pub(super) fn base() -> OpenApi {
    Document::openapi()
}

/// The document as it is served: with what holds for all routes.
pub(super) fn finished(document: OpenApi) -> Json {
    let mut document = serde_json::to_value(document).unwrap_or_default();
    document["components"]["securitySchemes"] = json!({ "token": { "type": "http", "scheme": "bearer" } });
    // A token is needed only where the server has some.
    document["security"] = json!([{}, { "token": [] }]);
    let problem = json!({
        "description": "What is wrong, and what to do",
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
    });
    if let Some(paths) = document.get_mut("paths").and_then(Json::as_object_mut) {
        let operations =
            paths.values_mut().filter_map(Json::as_object_mut).flat_map(|path| path.values_mut());
        for operation in operations {
            if operation.get("responses").is_some() {
                operation["responses"]["4XX"] = problem.clone();
                operation["responses"]["503"] = problem.clone();
            }
        }
    }
    document
}
