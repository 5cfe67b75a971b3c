//! Streamed answers, joined into the form of a whole one.

use reqwest::Response;
use serde_json::{Value, json};

use super::carry::{Carrier, MAX_BODY};
use super::fault;
use crate::base::secret::Redactor;
use crate::model::{ModelError, ModelErrorKind, Progress, ProgressSink};

/// Reads a stream to its end.
pub(super) async fn read(
    carrier: &Carrier,
    mut response: Response,
    task: &str,
    progress: Option<&ProgressSink>,
) -> Result<Value, ModelError> {
    let mut joined = Joined::default();
    let mut pending: Vec<u8> = Vec::new();
    let mut read = 0_usize;
    'stream: while let Some(chunk) = carrier.chunk(&mut response).await? {
        read += chunk.len();
        if read > MAX_BODY {
            let detail = format!("a stream of more than {} kB", MAX_BODY / 1024);
            return Err(ModelError::new(ModelErrorKind::TooLarge, detail));
        }
        pending.extend_from_slice(&chunk);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            let before = joined.content.len();
            joined.line(&String::from_utf8_lossy(&line), carrier.redactor())?;
            if let Some(progress) = progress.filter(|_| joined.content.len() > before) {
                let received = joined.content.chars().count();
                progress.tell(Progress { task: task.to_owned(), received });
            }
            if joined.done {
                // Nothing comes after `[DONE]`; some servers keep the connection open all the same.
                break 'stream;
            }
        }
    }
    joined.line(&String::from_utf8_lossy(&pending), carrier.redactor())?;
    joined.end()
}

/// Joins a stream that has arrived as a whole.
pub(super) fn join(text: &str, redactor: &Redactor) -> Result<Value, ModelError> {
    let mut joined = Joined::default();
    for line in text.lines() {
        joined.line(line, redactor)?;
    }
    joined.end()
}

#[derive(Default)]
struct Joined {
    content: String,
    refusal: String,
    finish: Option<String>,
    usage: Option<Value>,
    chunks: usize,
    done: bool,
}

impl Joined {
    /// Takes one line of the stream. Lines that are no data (comments, names of events) carry nothing we need.
    fn line(&mut self, line: &str, redactor: &Redactor) -> Result<(), ModelError> {
        let Some(data) = line.trim_end_matches(['\r', '\n']).strip_prefix("data:") else { return Ok(()) };
        let data = data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data).map_err(|_| {
            let detail = format!("a piece is no JSON: `{}`", redactor.clean(data, 80));
            ModelError::new(ModelErrorKind::BrokenStream, detail)
        })?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(fault::in_answer(error, redactor));
        }
        self.chunks += 1;
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        let first = choices
            .into_iter()
            .flatten()
            .find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0);
        let Some(choice) = first else { return Ok(()) };
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        let part =
            |name: &str| delta.and_then(|delta| delta.get(name)).and_then(Value::as_str).unwrap_or_default();
        self.content.push_str(part("content"));
        self.refusal.push_str(part("refusal"));
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(finish.to_owned());
        }
        Ok(())
    }

    /// The whole answer, in the form that servers give it in when it is not streamed.
    fn end(self) -> Result<Value, ModelError> {
        let Some(finish) = self.finish else {
            // A prompt that overflows the context gives an empty stream on some servers, so this is no answer.
            let detail = match self.chunks {
                0 => "the stream was empty",
                _ => "the stream ended without a finish reason",
            };
            return Err(ModelError::new(ModelErrorKind::BrokenStream, detail));
        };
        let refusal = (!self.refusal.is_empty()).then_some(self.refusal);
        Ok(json!({
            "choices": [{"message": {"content": self.content, "refusal": refusal}, "finish_reason": finish}],
            "usage": self.usage,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> Result<Value, ModelErrorKind> {
        join(text, &Redactor::default()).map_err(|error| error.kind)
    }

    #[test]
    fn pieces_are_joined() {
        let stream = concat!(
            ": comment\nevent: x\n",
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\r\n\r\n",
            "data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"SEL\"}},{\"index\":1,\"delta\":{\"content\":\"x\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"ECT 1\"},\"finish_reason\":\"stop\"}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n",
        );
        let whole = joined(stream).unwrap();
        assert_eq!(whole.pointer("/choices/0/message/content").unwrap(), "SELECT 1");
        assert_eq!(whole.pointer("/usage/prompt_tokens").unwrap(), 3);
    }

    #[test]
    fn what_is_cut_or_malformed_is_no_answer() {
        for stream in [
            "data: [DONE]\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"SELECT\"}}]}\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"SELECT\"}}]}\n\ndata: [DONE]\n",
            "data: {\"choices\":[{\"del\n",
        ] {
            assert_eq!(joined(stream), Err(ModelErrorKind::BrokenStream), "{stream}");
        }
    }
}
