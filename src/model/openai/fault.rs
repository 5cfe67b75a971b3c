//! What a server means by an answer that is none.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::base::secret::Redactor;
use crate::model::{ModelError, ModelErrorKind};

/// Characters of a server's words that are kept.
const WORDS: usize = 240;

/// The fault that a status and a body stand for.
pub(super) fn of(status: u16, headers: &HeaderMap, body: &[u8], redactor: &Redactor) -> ModelError {
    let text = String::from_utf8_lossy(body);
    let (code, message) = match serde_json::from_str::<Value>(text.trim()) {
        Ok(json) => words(&json),
        Err(_) => (String::new(), without_tags(&text)),
    };
    let kind = kind(status, &code, &message);
    ModelError {
        retry_after: retry_after(headers),
        ..ModelError::new(kind, redactor.clean(&message, WORDS)).with_status(status)
    }
}

/// The fault that an `error` inside a successful response stands for.
pub(super) fn in_answer(error: &Value, redactor: &Redactor) -> ModelError {
    let (code, message) = words(&serde_json::json!({ "error": error }));
    let status = code.split_whitespace().find_map(|word| word.parse::<u16>().ok()).unwrap_or(500);
    ModelError::new(kind(status, &code, &message), redactor.clean(&message, WORDS))
}

/// A server's code and message, wherever it puts them.
fn words(json: &Value) -> (String, String) {
    let error = json.get("error").unwrap_or(json);
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    if let Value::String(message) = error {
        return (String::new(), message.clone());
    }
    let code = ["code", "type", "status"].iter().filter_map(|name| error.get(name)).map(text);
    let code = code.collect::<Vec<_>>().join(" ");
    let message = ["message", "detail", "error", "msg", "title"]
        .iter()
        .find_map(|name| error.get(name))
        .map_or_else(|| text(error), text);
    (code, message)
}

fn kind(status: u16, code: &str, message: &str) -> ModelErrorKind {
    let words = format!("{code} {message}").to_ascii_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let too_long = says(&[
        "context_length",
        "context length",
        "context size",
        "exceed_context",
        "context window",
        "maximum context",
        "too many tokens",
        "prompt is too long",
    ]);
    match status {
        401 => ModelErrorKind::Unauthorized,
        402 => ModelErrorKind::Quota,
        403 => ModelErrorKind::Forbidden,
        429 if says(&["insufficient_quota", "billing", "exceeded your current quota"]) => {
            ModelErrorKind::Quota
        }
        429 => ModelErrorKind::RateLimited,
        400..600 if too_long => ModelErrorKind::ContextLength,
        404 => ModelErrorKind::NotFound,
        400..500 if says(&["content_filter", "content management policy", "content_policy"]) => {
            ModelErrorKind::ContentFilter
        }
        408 | 425 => ModelErrorKind::Server,
        400..500 => ModelErrorKind::BadRequest,
        503 if says(&["loading"]) => ModelErrorKind::Loading,
        _ => ModelErrorKind::Server,
    }
}

/// An HTML page as words.
fn without_tags(text: &str) -> String {
    let mut inside = false;
    let mut plain = String::new();
    for character in text.chars().take(4000) {
        match character {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                plain.push(' ');
            }
            _ if !inside => plain.push(character),
            _ => {}
        }
    }
    plain
}

/// How long the server asks to wait, in seconds or until a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse::<u64>().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let text = text("retry-after")?;
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.clamp(0.0, 1e9)).ok();
    }
    let until = jiff::fmt::rfc2822::parse(text).ok()?;
    let wait = until.timestamp().duration_since(jiff::Timestamp::now());
    Some(Duration::try_from(wait).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(status: u16, body: &str) -> (ModelErrorKind, String) {
        let error = of(status, &HeaderMap::new(), body.as_bytes(), &Redactor::default());
        (error.kind, error.detail)
    }

    #[test]
    fn every_server_says_it_in_its_own_way() {
        use ModelErrorKind as K;
        for (status, body, kind, detail) in [
            (401, r#"{"error":{"message":"bad key","code":null}}"#, K::Unauthorized, "bad key"),
            (401, r#"{"detail":"Missing key"}"#, K::Unauthorized, "Missing key"),
            (
                404,
                r#"{"error":"model \"x\" not found, try pulling it first"}"#,
                K::NotFound,
                "model \"x\" not found, try pulling it first",
            ),
            (
                400,
                r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"too big","n_ctx":4096}}"#,
                K::ContextLength,
                "too big",
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 4096 tokens"}}"#,
                K::ContextLength,
                "This model's maximum context length is 4096 tokens",
            ),
            (400, r#"{"error":{"message":"no","code":"content_filter"}}"#, K::ContentFilter, "no"),
            (429, r#"{"error":{"message":"slow down"}}"#, K::RateLimited, "slow down"),
            (429, r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#, K::Quota, "pay"),
            (503, r#"{"error":{"code":503,"message":"Loading model"}}"#, K::Loading, "Loading model"),
            (502, "<html><h1>Bad</h1> gateway</html>", K::Server, "Bad gateway"),
            (
                422,
                r#"{"detail":[{"loc":["body"],"msg":"x"}]}"#,
                K::BadRequest,
                r#"[{"loc":["body"],"msg":"x"}]"#,
            ),
        ] {
            assert_eq!(fault(status, body), (kind, detail.to_owned()), "{body}");
        }
    }
}
