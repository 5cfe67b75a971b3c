//! One answer as one line of JSON.

use serde::Serialize;
use serde_json::Value as Json;

use super::tally::Became;
pub(super) use sqlogue::answer::{Form, Line};

/// What became of a line.
pub(super) fn became(line: &Line<'_>) -> Became {
    match line.status() {
        "completed" => Became::Answered,
        "awaiting_correction" => Became::Awaiting,
        _ => Became::Failed,
    }
}

/// The line for an input that is no question at all.
pub(super) fn unreadable(id: &Json, message: &str) -> String {
    serde_json::json!({ "id": id, "status": "failed", "message": message }).to_string()
}

/// A value as JSON on one line. Nothing that is printed here can fail to be written as JSON.
pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| unreadable(&Json::Null, &error.to_string()))
}
