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
    components(schemas(crate::problem::Details)),
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
    let schemes = json!({ "token": { "type": "http", "scheme": "bearer" } });
    put(document.pointer_mut("/components"), "securitySchemes", schemes);
    // A token is needed only where the server has some.
    put(Some(&mut document), "security", json!([{}, { "token": [] }]));
    let paths = document.get_mut("paths").and_then(Json::as_object_mut);
    let paths = paths.into_iter().flat_map(|paths| paths.values_mut()).filter_map(Json::as_object_mut);
    for operation in paths.flat_map(|path| path.values_mut()) {
        let problem = json!({
            "description": "What is wrong, and what to do",
            "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
        });
        put(operation.get_mut("responses"), "4XX", problem.clone());
        put(operation.get_mut("responses"), "503", problem);
        // A body that may be left out is no body that may be null.
        let content = operation.pointer_mut("/requestBody/content/application~1json");
        let given =
            content.as_ref().and_then(|content| content.pointer("/schema/oneOf")?.as_array()).cloned();
        let schema = given.into_iter().flatten().find(|schema| schema.get("$ref").is_some());
        if let Some(schema) = schema {
            put(content, "schema", schema);
        }
    }
    numbers(&mut document);
    document
}

/// Says how large a number may be. What is counted in 32 bits without a sign is more than `int32` has.
fn numbers(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            if fields.get("format").is_some_and(|format| format == "int32") {
                fields.insert("format".to_owned(), "int64".into());
                fields.entry("maximum").or_insert_with(|| u32::MAX.into());
            }
            fields.values_mut().for_each(numbers);
        }
        Json::Array(items) => items.iter_mut().for_each(numbers),
        _ => {}
    }
}

/// Puts a value into an object, where there is one.
fn put(object: Option<&mut Json>, key: &str, value: Json) {
    if let Some(object) = object.and_then(Json::as_object_mut) {
        object.insert(key.to_owned(), value);
    }
}
