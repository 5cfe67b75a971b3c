//! The client for OpenAI-compatible servers.
//!
//! `async-openai` builds the request and hands it to a service of ours (`carry`), which sends it with limits on time and
//! size, joins streamed answers, and keeps the status of what failed. Around it stand the attempts (`retry`), what was
//! learnt about the server (`quirks`), and a lenient reading of the answer (`wire`).

mod carry;
mod endpoint;
mod fault;
mod quirks;
mod retry;
mod sse;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use async_openai::Client;
use async_openai::error::OpenAIError;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use self::carry::{Carrier, Fault};
use self::endpoint::Endpoint;
use self::quirks::Quirks;
use super::settings::{ModelSettings, seconds};
use super::{ClientFuture, ModelClient, ModelError, ModelErrorKind, Reply, Request};
use sqlogue_base::secret::Redactor;

/// Asks an OpenAI-compatible server.
///
/// What a server cannot do (a JSON schema for the answer, `max_completion_tokens`, a temperature) is found out by the
/// first request that needs it and remembered as long as the client lives.
pub struct OpenAiClient {
    client: Client<Endpoint>,
    carrier: Carrier,
    quirks: Quirks,
    slots: Semaphore,
    settings: Limits,
    redactor: Arc<Redactor>,
    lacks_key: bool,
    model: String,
    stop: Vec<String>,
}

struct Limits {
    call: Duration,
    attempts: u32,
}

impl OpenAiClient {
    /// A client as the settings say. Nothing is sent yet.
    ///
    /// # Errors
    /// The settings do not fit, the address is none, or the certificates cannot be read.
    pub fn new(settings: &ModelSettings) -> Result<Self, ModelError> {
        let secrets = settings.headers.values().chain([&settings.api_key]).map(|secret| secret.expose());
        let redactor = Arc::new(Redactor::new(secrets));
        if let Some(problem) = settings.problem() {
            return Err(ModelError::new(ModelErrorKind::Setup, redactor.clean(&problem, 300)));
        }
        let endpoint = Endpoint::new(settings).map_err(|problem| setup(&redactor, &problem))?;
        let http = carry::http_client(settings, &endpoint).map_err(|problem| setup(&redactor, &problem))?;
        let carrier = Carrier {
            http: http.clone(),
            first_byte: seconds(settings.first_byte_timeout),
            redactor: Arc::clone(&redactor),
        };
        let lacks_key = endpoint.lacks_key;
        Ok(Self {
            lacks_key,
            client: Client::build(http, endpoint),
            carrier,
            quirks: Quirks::default(),
            slots: Semaphore::new(settings.concurrency),
            settings: Limits {
                call: seconds(settings.call_timeout),
                attempts: settings.attempts.clamp(1, 3),
            },
            redactor,
            model: settings.model.clone(),
            stop: settings.stop.clone(),
        })
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        if self.lacks_key {
            // Asking would only be refused, and where there is no network it would be said to be that.
            let detail = "no key is set: set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` to a server that needs none; \
                          `--reasoner rules` needs no model";
            return Err(ModelError::new(ModelErrorKind::NoKey, detail));
        }
        // The wait for a free slot is part of the call: a caller who waits does not care what for.
        let deadline = Instant::now() + self.settings.call;
        let mut sent = 0_u32;
        let work = async {
            let Ok(_slot) = self.slots.acquire().await else {
                return Err(ModelError::new(ModelErrorKind::Setup, "the client is closed"));
            };
            self.attempts(request, deadline, &mut sent).await
        };
        match tokio::time::timeout_at(deadline, work).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let detail = format!("no complete answer within {:.1} s", self.settings.call.as_secs_f64());
                Err(ModelError { requests: sent, ..ModelError::new(ModelErrorKind::Timeout, detail) })
            }
        }
    }

    async fn attempts(
        &self,
        request: &Request,
        deadline: Instant,
        sent: &mut u32,
    ) -> Result<Reply, ModelError> {
        let mut unexplained = false;
        loop {
            *sent += 1;
            let last = *sent == self.settings.attempts;
            let used = self.quirks.current(request, last && unexplained);
            let error = match self.once(request, &used).await {
                Ok(reply) => {
                    self.quirks.confirm(request, &used);
                    return Ok(Reply { requests: *sent, ..reply });
                }
                Err(error) => ModelError { requests: *sent, ..error },
            };
            unexplained = error.kind == ModelErrorKind::Server && error.status == Some(500);
            tracing::debug!(task = %request.task, attempt = *sent, %error, "a request to the model failed");
            if *sent >= self.settings.attempts {
                return Err(error);
            }
            if self.quirks.learn(&error, &used) {
                continue;
            }
            let Some(wait) = retry::delay(&error, *sent) else { return Err(error) };
            if Instant::now() + wait >= deadline {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// One request, one answer or fault.
    async fn once(&self, request: &Request, used: &quirks::Used) -> Result<Reply, ModelError> {
        let body = wire::body(request, &self.model, &self.stop, used);
        let carrier = self.carrier.clone();
        let (task, progress) = (request.task.clone(), request.progress.clone());
        let service = tower::service_fn(move |factory| {
            let (carrier, task, progress) = (carrier.clone(), task.clone(), progress.clone());
            async move { carrier.carry(factory, &task, progress.as_ref()).await }
        });
        let client = self.client.clone().with_http_service(service);
        let answer: Result<Value, OpenAIError> = client.chat().create_byot(&body).await;
        match answer {
            Ok(answer) => wire::reply(&answer, &self.redactor),
            Err(OpenAIError::Boxed(error)) => match error.downcast::<Fault>() {
                Ok(fault) => Err(fault.0),
                Err(other) => Err(self.unexpected(&other.to_string())),
            },
            Err(OpenAIError::Reqwest(error)) => Err(carry::transport(&error, &self.redactor)),
            Err(other) => Err(self.unexpected(&other.to_string())),
        }
    }

    fn unexpected(&self, text: &str) -> ModelError {
        ModelError::new(ModelErrorKind::NotAnAnswer, self.redactor.clean(text, 200))
    }
}

impl ModelClient for OpenAiClient {
    fn model(&self) -> &str {
        &self.model
    }

    fn complete<'a>(&'a self, request: &'a Request) -> ClientFuture<'a> {
        Box::pin(self.call(request))
    }
}

impl std::fmt::Debug for OpenAiClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAiClient").field("model", &self.model).finish_non_exhaustive()
    }
}

fn setup(redactor: &Redactor, problem: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Setup, redactor.clean(problem, 300))
}
