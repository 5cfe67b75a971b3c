//! The service that carries one request to the server and its answer back, within limits.

use std::sync::Arc;
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::{Client, Response, redirect};
use serde_json::Value;

use super::endpoint::Endpoint;
use super::{fault, sse};
use crate::base::input;
use crate::base::secret::Redactor;
use crate::model::settings::{ModelSettings, seconds};
use crate::model::{ModelError, ModelErrorKind, ProgressSink};

/// The largest body that is read, decompressed: an answer has a few kilobytes.
pub(super) const MAX_BODY: usize = 4 * 1024 * 1024;

/// A body that says why a request failed needs no more.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// A file of certificates needs no more: those of a whole system have half a megabyte.
const MAX_CERTIFICATES: u64 = 16 << 20;

/// Redirects within one origin that are followed.
const MAX_REDIRECTS: usize = 3;

/// A fault on its way through the service's error type.
#[derive(Debug)]
pub(super) struct Fault(pub(super) ModelError);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Self {
        Self(error)
    }
}

impl From<Fault> for OpenAIError {
    fn from(fault: Fault) -> Self {
        Self::Boxed(Box::new(fault))
    }
}

/// Sends requests.
#[derive(Clone)]
pub(super) struct Carrier {
    pub(super) http: Client,
    pub(super) first_byte: Duration,
    pub(super) redactor: Arc<Redactor>,
}

/// An HTTP client with the limits of the settings.
pub(super) fn http_client(settings: &ModelSettings, endpoint: &Endpoint) -> Result<Client, String> {
    // Whichever library comes first installs the provider; a second one finds it there.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let same_origin = redirect::Policy::custom(|attempt| {
        let first = attempt.previous().first().map(|url| url.origin());
        // Every other status turns the request into one without a body.
        let keeps_body = matches!(attempt.status().as_u16(), 307 | 308);
        if keeps_body && first == Some(attempt.url().origin()) && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let mut builder = Client::builder()
        .user_agent(concat!("sqlogue/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(seconds(settings.connect_timeout))
        .redirect(same_origin)
        .referer(false);
    if endpoint.is_loopback {
        builder = builder.no_proxy();
    }
    if let Some(path) = &settings.ca_file {
        let unusable =
            |problem: String| format!("`ca_file` (`{}`) cannot be used: {problem}", path.display());
        let pem = input::bytes(path, MAX_CERTIFICATES).map_err(|error| unusable(error.to_string()))?;
        let certificates =
            reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| unusable(error.to_string()))?;
        builder = builder.tls_certs_merge(certificates);
    } else if settings.base_url.trim_start().starts_with("http://") {
        // A plain server needs no certificates, and small containers have none to load.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| format!("the HTTP client cannot be built: {error}"))
}

impl Carrier {
    /// Sends one request. What comes back is a response whose body is one JSON value, whatever form it was sent in.
    pub(super) async fn carry(
        &self,
        factory: HttpRequestFactory,
        task: &str,
        progress: Option<&ProgressSink>,
    ) -> Result<Response, Fault> {
        let request = factory.build().await.map_err(|error| self.not_sent(&error))?;
        let sending = tokio::time::timeout(self.first_byte, self.http.execute(request));
        let response = match sending.await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(transport(&error, &self.redactor).into()),
            Err(_) => return Err(self.silent().into()),
        };
        let status = response.status();
        if status.is_redirection() {
            let detail = self.redactor.clean(&target(&response), 200);
            return Err(ModelError::new(ModelErrorKind::Redirect, detail)
                .with_status(status.as_u16())
                .into());
        }
        if !status.is_success() {
            let headers = response.headers().clone();
            // The status says most; a body that breaks off must not hide it.
            let body = self.body(response, MAX_ERROR_BODY).await.unwrap_or_default();
            return Err(fault::of(status.as_u16(), &headers, &body, &self.redactor).into());
        }
        let value = if is_event_stream(&response) {
            sse::read(self, response, task, progress).await?
        } else {
            let body = self.body(response, MAX_BODY).await?;
            self.json(&body)?
        };
        let bytes = serde_json::to_vec(&value).unwrap_or_default();
        Ok(Response::from(http::Response::new(bytes)))
    }

    /// A body, at most so long.
    async fn body(&self, mut response: Response, cap: usize) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response).await? {
            if body.len() + chunk.len() > cap {
                let detail = format!("an answer of more than {} kB", cap / 1024);
                return Err(ModelError::new(ModelErrorKind::TooLarge, detail));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// The next piece of a body.
    pub(super) async fn chunk(&self, response: &mut Response) -> Result<Option<Vec<u8>>, ModelError> {
        match tokio::time::timeout(self.first_byte, response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk.map(Vec::from)),
            Ok(Err(error)) => {
                let detail = self.redactor.clean(&causes(&error), 200);
                Err(ModelError::new(ModelErrorKind::BrokenOff, detail))
            }
            Err(_) => Err(self.silent()),
        }
    }

    fn json(&self, body: &[u8]) -> Result<Value, ModelError> {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(ModelError::new(ModelErrorKind::NotAnAnswer, "the body is empty"));
        }
        if text.starts_with("data:") {
            return sse::join(text, &self.redactor);
        }
        serde_json::from_str(text).map_err(|_| {
            let detail = format!("the body begins with `{}`", self.redactor.clean(text, 80));
            ModelError::new(ModelErrorKind::NotAnAnswer, detail)
        })
    }

    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    fn silent(&self) -> ModelError {
        let detail = format!("nothing came for {:.1} s", self.first_byte.as_secs_f64());
        ModelError::new(ModelErrorKind::Timeout, detail)
    }

    fn not_sent(&self, error: &OpenAIError) -> Fault {
        ModelError::new(ModelErrorKind::Setup, self.redactor.clean(&error.to_string(), 200)).into()
    }
}

/// What failed below HTTP.
pub(super) fn transport(error: &reqwest::Error, redactor: &Redactor) -> ModelError {
    let kind = match () {
        () if error.is_connect() => ModelErrorKind::Unreachable,
        () if error.is_timeout() => ModelErrorKind::Timeout,
        () if error.is_builder() => ModelErrorKind::Setup,
        () if error.is_redirect() => ModelErrorKind::Redirect,
        () => ModelErrorKind::BrokenOff,
    };
    // The origin alone: a path or a query may hold a key.
    let origin = error.url().filter(|_| error.is_connect()).map(|url| url.origin().ascii_serialization());
    let place = origin.map(|origin| format!("{origin}: ")).unwrap_or_default();
    ModelError::new(kind, redactor.clean(&format!("{place}{}", causes(error)), 200))
}

/// An error's innermost cause: the outer layers only say that something failed, and name the whole URL.
fn causes(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(reqwest::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Where a redirect leads, without its query, which may hold anything.
fn target(response: &Response) -> String {
    let location =
        response.headers().get(reqwest::header::LOCATION).and_then(|location| location.to_str().ok());
    match location.and_then(|location| response.url().join(location).ok()) {
        Some(url) => format!("to {}", url.origin().ascii_serialization()),
        None => "without saying where".to_owned(),
    }
}
