//! The body of a request, and a lenient reading of the answer's.

use serde_json::{Map, Value, json};

use super::fault;
use super::quirks::{Format, Used};
use crate::base::secret::Redactor;
use crate::model::{ModelError, ModelErrorKind, Reply, Request, TokenUsage};

/// Marks at which an answer ends although the server passed on more.
const END_MARKS: [&str; 9] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
    "</s>",
];

/// The tags between which models think aloud.
const THOUGHTS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
];

/// The body that asks for an answer. Roles and contents are of the plainest kind, which every server takes.
pub(super) fn body(request: &Request, model: &str, stop: &[String], used: &Used) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    let messages = [("system", &request.system), ("user", &request.user)];
    let messages = messages.iter().filter(|(_, content)| !content.is_empty());
    let messages: Vec<Value> =
        messages.map(|(role, content)| json!({"role": role, "content": content})).collect();
    body.insert("messages".to_owned(), json!(messages));
    let limit = if used.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    body.insert(limit.to_owned(), json!(request.max_tokens.max(1)));
    if !used.no_temperature {
        body.insert("temperature".to_owned(), json!(request.temperature));
    }
    if !used.no_stop && !stop.is_empty() {
        body.insert("stop".to_owned(), json!(stop));
    }
    if let Some(shape) = &request.schema {
        let format = match used.format {
            Format::JsonSchema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": shape.name, "strict": true, "schema": shape.schema},
            })),
            Format::ObjectWithSchema => Some(json!({"type": "json_object", "schema": shape.schema})),
            Format::Object => Some(json!({"type": "json_object"})),
            Format::Text => None,
        };
        if let Some(format) = format {
            body.insert("response_format".to_owned(), format);
        }
    }
    if request.progress.is_some() {
        body.insert("stream".to_owned(), json!(true));
        if !used.no_stream_options {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    } else {
        body.insert("stream".to_owned(), json!(false));
    }
    Value::Object(body)
}

/// The answer in a response, if there is a whole one.
pub(super) fn reply(answer: &Value, redactor: &Redactor) -> Result<Reply, ModelError> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(fault::in_answer(error, redactor));
    }
    let usage = usage(answer);
    let Some(choices) = answer.get("choices").and_then(Value::as_array) else {
        let detail = format!("there are no `choices` in `{}`", redactor.clean(&answer.to_string(), 80));
        return Err(ModelError::new(ModelErrorKind::NotAnAnswer, detail));
    };
    let Some(choice) = choices.first() else {
        return Err(ModelError::new(ModelErrorKind::Empty, "the list of choices is empty"));
    };
    let finish = choice.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
    let message = choice.get("message").unwrap_or(choice);
    if let Some(refusal) =
        message.get("refusal").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    {
        return Err(ModelError::new(ModelErrorKind::Refusal, redactor.clean(refusal, 200)));
    }
    match finish.as_deref() {
        // A query that lost its end may still be a query, and another one.
        Some("length" | "max_tokens" | "max_completion_tokens") => {
            return Err(ModelError::new(ModelErrorKind::Cut, ""));
        }
        Some("content_filter") => return Err(ModelError::new(ModelErrorKind::ContentFilter, "")),
        _ => {}
    }
    let content = text(message.get("content").or_else(|| message.get("text")).unwrap_or(&Value::Null));
    let content = spoken(&content);
    if content.is_empty() {
        return Err(ModelError::new(ModelErrorKind::Empty, "there is no text in it"));
    }
    Ok(Reply { text: content, usage, finish, requests: 1 })
}

/// Content is a text, or a list of parts with texts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let part =
                |part: &Value| part.get("text").unwrap_or(part).as_str().unwrap_or_default().to_owned();
            parts.iter().map(part).collect()
        }
        _ => String::new(),
    }
}

/// What is said, without what was only thought and without what follows the end.
fn spoken(content: &str) -> String {
    let mut text = content;
    // Channels: what is meant to be read is the last message.
    if let Some((_, last)) = text.rsplit_once("<|message|>") {
        text = last;
    }
    let mut text = text.to_owned();
    for (open, close) in THOUGHTS {
        while let Some(begin) = text.find(open) {
            let end =
                text.get(begin..).and_then(|rest| rest.find(close)).map(|end| begin + end + close.len());
            let after = end.and_then(|end| text.get(end..)).unwrap_or_default().to_owned();
            text.truncate(begin);
            text.push_str(&after);
        }
        // Templates often open the block in the prompt, so that only its end is in the answer.
        if let Some((_, after)) = text.rsplit_once(close) {
            text = after.to_owned();
        }
    }
    if let Some(end) = END_MARKS.iter().filter_map(|mark| text.find(mark)).min() {
        text.truncate(end);
    }
    text.trim().to_owned()
}

fn usage(answer: &Value) -> TokenUsage {
    let count = |name: &str| {
        let count = answer.get("usage")?.get(name)?;
        count
            .as_u64()
            .or_else(|| count.as_f64().filter(|count| (0.0..1e12).contains(count)).map(|count| count as u64))
    };
    TokenUsage { prompt_tokens: count("prompt_tokens"), completion_tokens: count("completion_tokens") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: Value) -> Result<String, ModelErrorKind> {
        reply(&answer, &Redactor::default()).map(|reply| reply.text).map_err(|error| error.kind)
    }

    #[test]
    fn an_answer_may_lack_almost_everything() {
        assert_eq!(read(json!({"choices": [{"message": {"content": "SELECT 1"}}]})).unwrap(), "SELECT 1");
        let odd = json!({"created": 1.5, "choices": [{"finish_reason": "eos", "message": {"role": null,
            "content": [{"type": "text", "text": "SELECT"}, {"type": "text", "text": " 1"}]}}],
            "usage": {"prompt_tokens": 3.0, "completion_tokens": null}, "service_tier": "x"});
        let reply = reply(&odd, &Redactor::default()).unwrap();
        assert_eq!(reply.text, "SELECT 1");
        assert_eq!(reply.usage, TokenUsage { prompt_tokens: Some(3), completion_tokens: None });
    }

    #[test]
    fn what_is_no_whole_answer_is_an_error() {
        use ModelErrorKind as K;
        for (answer, kind) in [
            (json!({"choices": []}), K::Empty),
            (json!({"choices": [{"message": {"content": null}}]}), K::Empty),
            (json!({"choices": [{"message": {"content": "SEL"}, "finish_reason": "length"}]}), K::Cut),
            (
                json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
                K::ContentFilter,
            ),
            (json!({"choices": [{"message": {"content": null, "refusal": "I cannot"}}]}), K::Refusal),
            (json!({"choices": [{"message": {"content": "<think>SELECT 1"}}]}), K::Empty),
            (json!({"hello": 1}), K::NotAnAnswer),
            (json!([1]), K::NotAnAnswer),
            (json!({"error": {"code": 500, "message": "x"}}), K::Server),
        ] {
            assert_eq!(read(answer.clone()), Err(kind), "{answer}");
        }
    }

    #[test]
    fn thoughts_and_end_marks_are_left_out() {
        for text in [
            "<think>DROP TABLE x;</think>\nSELECT 1",
            "hm, DROP TABLE x</think>SELECT 1<|im_end|>\n<|im_start|>user",
            "<thinking>a</thinking><think>b</think>SELECT 1</s>",
            "<|channel|>analysis<|message|>DROP<|end|><|channel|>final<|message|>SELECT 1<|return|>",
        ] {
            assert_eq!(spoken(text), "SELECT 1", "{text}");
        }
    }
}
