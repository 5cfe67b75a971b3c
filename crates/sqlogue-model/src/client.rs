//! The wire-independent request and reply.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelError;

/// A reply on its way. Dropping it cancels the request.
pub type ClientFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// Somebody who answers requests.
pub trait ModelClient: Send + Sync {
    /// The model that answers, for people.
    fn model(&self) -> &str;

    /// Asks, and waits for the whole answer.
    ///
    /// # Errors
    /// A [`ModelError`] for whatever is no complete answer: one that was cut, filtered or refused is an error too.
    fn complete<'a>(&'a self, request: &'a Request) -> ClientFuture<'a>;
}

/// What a model is asked.
#[derive(Clone, Serialize, Deserialize)]
pub struct Request {
    /// What the request is for (`table_relevance`); recordings and logs name it so.
    pub task: String,
    /// How the model is to work.
    pub system: String,
    /// What it is to work on.
    pub user: String,
    /// The shape of the answer, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<ReplySchema>,
    /// At most this many tokens of answer. Servers take zero or nothing for "no limit", so at least 1 is always sent.
    pub max_tokens: u32,
    /// How freely the model chooses its words; 0 for the likeliest.
    #[serde(default)]
    pub temperature: f32,
    /// Who is told how the answer grows, where somebody wants to know. The answer is then streamed.
    #[serde(skip)]
    pub progress: Option<ProgressSink>,
}

/// The shape of an answer, as a JSON schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplySchema {
    /// The name that the request gives to the shape.
    pub name: String,
    /// The JSON schema, every object closed and every property required.
    pub schema: Value,
}

/// How far an answer has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What the request is for.
    pub task: String,
    /// The characters received so far.
    pub received: usize,
}

/// Somebody who is told how an answer grows.
#[derive(Clone)]
pub struct ProgressSink(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSink {
    /// Calls `tell` for every piece of an answer.
    pub fn new(tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells.
    pub fn tell(&self, progress: Progress) {
        (self.0)(progress);
    }
}

/// What a model answered, complete.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The answer, without thinking blocks and end markers.
    pub text: String,
    /// What it cost, as far as the server says.
    #[serde(default)]
    pub usage: TokenUsage,
    /// Why the model stopped, in the server's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// How many requests were sent for it, those that failed included.
    #[serde(default = "one")]
    pub requests: u32,
}

fn one() -> u32 {
    1
}

/// The tokens that a server says it has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Of the prompt.
    #[serde(default)]
    pub prompt_tokens: Option<u64>,
    /// Of the answer.
    #[serde(default)]
    pub completion_tokens: Option<u64>,
}

impl Request {
    /// A request without a shape.
    pub fn new(task: &str, system: impl Into<String>, user: impl Into<String>, max_tokens: u32) -> Self {
        Self {
            task: task.to_owned(),
            system: system.into(),
            user: user.into(),
            schema: None,
            max_tokens: max_tokens.max(1),
            temperature: 0.0,
            progress: None,
        }
    }

    /// The same with a shape for the answer.
    #[must_use]
    pub fn schema(mut self, name: &str, schema: Value) -> Self {
        self.schema = Some(ReplySchema { name: name.to_owned(), schema });
        self
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("task", &self.task)
            .field("system", &self.system)
            .field("user", &self.user)
            .field("schema", &self.schema.as_ref().map(|schema| &schema.name))
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}

impl Reply {
    /// An answer that cost one request and nobody counted.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), requests: 1, ..Self::default() }
    }
}
