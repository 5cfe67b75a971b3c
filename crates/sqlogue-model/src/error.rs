//! Why there is no answer, and what to do about it.

use std::time::Duration;

use thiserror::Error;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{kind}{}{} ({})", status_text(*status), detail_text(detail), kind.what_to_do())]
pub struct ModelError {
    /// The kind, for programs.
    pub kind: ModelErrorKind,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// The server's or the library's words: one line, short, without keys.
    pub detail: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// How many requests were sent until then.
    pub requests: u32,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The client cannot be set up as configured.
    #[error("the model client cannot be set up")]
    Setup,
    /// The server wants a key, and none is set.
    #[error("the model cannot be asked")]
    NoKey,
    /// There is no connection to the server.
    #[error("the model server cannot be reached")]
    Unreachable,
    /// The server did not answer in time.
    #[error("the model server did not answer in time")]
    Timeout,
    /// The connection ended within the answer.
    #[error("the connection to the model server broke off")]
    BrokenOff,
    /// The stream of the answer was cut, malformed or ended without saying that it was complete.
    #[error("the model server's stream was incomplete")]
    BrokenStream,
    /// 401.
    #[error("the model server does not accept the key")]
    Unauthorized,
    /// 403.
    #[error("the model server forbids the request")]
    Forbidden,
    /// 404.
    #[error("the model server knows no such address or model")]
    NotFound,
    /// 429.
    #[error("the model server has too many requests")]
    RateLimited,
    /// 402, or 429 for an account that is used up.
    #[error("the account at the model server is used up")]
    Quota,
    /// The prompt and the answer are longer than the model can take.
    #[error("the request is longer than the model can take")]
    ContextLength,
    /// Other requests that the server refuses.
    #[error("the model server refuses the request")]
    BadRequest,
    /// 503 while the server loads the model.
    #[error("the model server is still loading the model")]
    Loading,
    /// 5xx.
    #[error("the model server failed")]
    Server,
    /// The server's filter took the answer.
    #[error("the model server's content filter stopped the answer")]
    ContentFilter,
    /// The model declined.
    #[error("the model refused to answer")]
    Refusal,
    /// No choices, no text, or nothing but thinking.
    #[error("the model gave an empty answer")]
    Empty,
    /// The answer was cut by the limit on its length.
    #[error("the model's answer was cut off by its length limit")]
    Cut,
    /// The body is no JSON, or not the JSON of an answer.
    #[error("the model server sent something that is no answer")]
    NotAnAnswer,
    /// The body is larger than is read.
    #[error("the model server sent more than is read")]
    TooLarge,
    /// The server redirects to another origin.
    #[error("the model server redirects elsewhere")]
    Redirect,
    /// The recording does not hold the request.
    #[error("the recording holds no answer to this request")]
    NotRecorded,
}

impl ModelErrorKind {
    /// What a person can do about it.
    pub fn what_to_do(self) -> &'static str {
        match self {
            Self::Setup => "check the model settings",
            Self::Unreachable => "check `base_url` and that the server runs",
            Self::Timeout => "try again, raise `call_timeout`, or use a faster model",
            Self::BrokenOff | Self::BrokenStream => "try again; with a local server, lower `concurrency`",
            Self::NoKey => "docs/models.md says how",
            Self::Unauthorized => "check the API key",
            Self::Forbidden => "check what the API key may use",
            Self::NotFound => "check `base_url`, which usually ends in `/v1`, and `model`",
            Self::RateLimited => "wait a little, or lower `concurrency`",
            Self::Quota => "check the account's plan and billing",
            Self::ContextLength => "lower `max_tokens`, or use a model with a longer context",
            Self::BadRequest => "check `model` and the other model settings",
            Self::Loading => "wait until the model is loaded and ask again",
            Self::Server => "try again, and look at the server's log",
            Self::ContentFilter | Self::Refusal => "put the question differently",
            Self::Empty => "try again, or use another model; thinking alone is no answer",
            Self::Cut => "raise `answer_tokens`, or ask for less at once",
            Self::NotAnAnswer => "check that `base_url` names an OpenAI-compatible server",
            Self::TooLarge => "check the server",
            Self::Redirect => "set `base_url` to where the server really is",
            Self::NotRecorded => "record the conversation again",
        }
    }

    /// Whether the same request may well succeed a little later.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Unreachable
                | Self::Timeout
                | Self::BrokenOff
                | Self::BrokenStream
                | Self::RateLimited
                | Self::Loading
                | Self::Server
        )
    }
}

impl ModelError {
    /// A fault of that kind. The detail must be clean already.
    pub fn new(kind: ModelErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, status: None, detail: detail.into(), retry_after: None, requests: 0 }
    }

    /// The same with the status of the response.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }
}

fn status_text(status: Option<u16>) -> String {
    status.map(|status| format!(" (status {status})")).unwrap_or_default()
}

fn detail_text(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}
