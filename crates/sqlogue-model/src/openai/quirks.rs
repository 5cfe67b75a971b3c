//! What was learnt about a server: which parameters it does not take.

use std::sync::{Mutex, PoisonError};

use crate::{ModelError, ModelErrorKind, Request};

/// How the shape of an answer is asked for, the best first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Format {
    /// `{"type": "json_schema", …}`: the server holds the model to the schema.
    #[default]
    JsonSchema,
    /// `{"type": "json_object", "schema": …}`: what some servers understand in its place.
    ObjectWithSchema,
    /// `{"type": "json_object"}`: any JSON.
    Object,
    /// Nothing: the prompt alone says what is wanted.
    Text,
}

/// The parameters that one request uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) format: Format,
    /// `max_completion_tokens` in place of `max_tokens`.
    pub(super) completion_tokens: bool,
    pub(super) no_temperature: bool,
    pub(super) no_stop: bool,
    pub(super) no_stream_options: bool,
}

/// What a server takes, as far as it is known. Shared by all requests of a client.
#[derive(Default)]
pub(super) struct Quirks {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    used: Used,
    /// How often in a row a request got through only without the shape of its answer.
    only_without: u32,
}

/// A server may fail twice by accident and succeed without a shape by accident; not so often in a row.
const ENOUGH: u32 = 2;

impl Quirks {
    /// What the next request should use. Some servers fail without a word at a shape that they do not know, so the last
    /// attempt after an unexplained failure does without: an answer without a shape is better than none.
    pub(super) fn current(&self, request: &Request, last_chance: bool) -> Used {
        let used = self.known.lock().unwrap_or_else(PoisonError::into_inner).used;
        match request.schema {
            Some(_) if last_chance => Used { format: Format::Text, ..used },
            _ => used,
        }
    }

    /// Remembers what worked, where it is less than what was thought to work.
    pub(super) fn confirm(&self, request: &Request, used: &Used) {
        if request.schema.is_none() {
            return;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if used.format < Format::Text || known.used.format == Format::Text {
            known.only_without = 0;
            return;
        }
        known.only_without += 1;
        if known.only_without >= ENOUGH {
            known.used.format = Format::Text;
        }
    }

    /// Learns from a refusal; true where the next request will be another one, which is worth an attempt at once.
    pub(super) fn learn(&self, error: &ModelError, used: &Used) -> bool {
        let refused = match error.status {
            Some(400 | 404 | 415 | 422 | 500 | 501) => {
                matches!(error.kind, ModelErrorKind::BadRequest | ModelErrorKind::Server)
            }
            _ => false,
        };
        if !refused {
            return false;
        }
        let words = error.detail.to_ascii_lowercase();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut known.used;
        let before = *known;
        if words.contains("max_completion_tokens") && words.contains("max_tokens") && !used.completion_tokens
        {
            known.completion_tokens = true;
        } else if words.contains("temperature") {
            known.no_temperature = true;
        } else if words.contains("stream_options") {
            known.no_stream_options = true;
        } else if words.contains("'stop'") || words.contains("`stop`") || words.contains("\"stop\"") {
            known.no_stop = true;
        } else if used.format != Format::Text && (about_format(&words) || error.status != Some(500)) {
            // Another request may have learnt the same meanwhile.
            known.format = known.format.max(next(used.format, &words));
        }
        *known != before
    }
}

fn about_format(words: &str) -> bool {
    ["response_format", "json_schema", "json_object", "schema", "grammar", "structured", "guided"]
        .iter()
        .any(|word| words.contains(word))
}

fn next(format: Format, words: &str) -> Format {
    match format {
        // A server that does not know the field will not take it in another place; plain JSON it may still do.
        Format::JsonSchema if words.contains("json_object") && !words.contains("schema\"") => Format::Object,
        Format::JsonSchema => Format::ObjectWithSchema,
        Format::ObjectWithSchema | Format::Object | Format::Text => Format::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, detail: &str) -> ModelError {
        let kind = if status < 500 { ModelErrorKind::BadRequest } else { ModelErrorKind::Server };
        ModelError::new(kind, detail).with_status(status)
    }

    fn shaped() -> Request {
        Request::new("t", "", "", 10).schema("x", serde_json::json!({}))
    }

    #[test]
    fn the_shape_is_asked_for_less_strictly_step_by_step() {
        let quirks = Quirks::default();
        let first = quirks.current(&shaped(), false);
        assert_eq!(first.format, Format::JsonSchema);
        assert!(quirks.learn(&refusal(500, "response_format: Input should be 'json_object'"), &first));
        let second = quirks.current(&shaped(), false);
        assert!(second.format > Format::JsonSchema);
        assert!(quirks.learn(&refusal(400, "schema not supported"), &second));
        assert_eq!(quirks.current(&shaped(), false).format, Format::Text);
    }

    #[test]
    fn a_failure_that_names_nothing_teaches_nothing() {
        let quirks = Quirks::default();
        let used = quirks.current(&shaped(), false);
        assert!(!quirks.learn(&refusal(500, "Internal Server Error"), &used));
        assert!(!quirks.learn(&refusal(503, "busy"), &used));
        assert_eq!(quirks.current(&shaped(), false), Used::default());
    }

    #[test]
    fn a_server_that_only_ever_answers_without_a_shape_is_asked_for_none() {
        let quirks = Quirks::default();
        let without = quirks.current(&shaped(), true);
        quirks.confirm(&shaped(), &without);
        assert_eq!(quirks.current(&shaped(), false).format, Format::JsonSchema);
        quirks.confirm(&shaped(), &without);
        assert_eq!(quirks.current(&shaped(), false).format, Format::Text);
    }

    #[test]
    fn parameters_that_newer_models_refuse_are_dropped() {
        let quirks = Quirks::default();
        let used = quirks.current(&shaped(), false);
        let text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert!(quirks.learn(&refusal(400, text), &used));
        assert!(quirks.learn(&refusal(400, "Unsupported value: 'temperature' does not support 0"), &used));
        let used = quirks.current(&shaped(), false);
        assert!(used.completion_tokens && used.no_temperature && used.format == Format::JsonSchema);
    }
}
