//! Requests to the API: bounded in time and size, repeated where that can help, never sent elsewhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::address::Address;
use super::token::TokenSource;
use super::wire::ErrorAnswer;
use crate::base::json;
use crate::database::DatabaseError;

/// The largest answer in bytes, decompressed. A page of rows is at most 10 MB as BigQuery counts.
const LARGEST: usize = 48 << 20;

/// How often a request is tried.
const TRIES: u32 = 3;

/// The client of all requests of one database.
pub(super) fn client(name: &str) -> Result<Client, DatabaseError> {
    // Somebody else may have installed one before; any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .connect_timeout(Duration::from_secs(10))
        // Tokens are for one host only.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("sqlogue/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| DatabaseError::Failed { name: name.to_owned(), message: error.to_string() })
}

/// Requests about one dataset.
#[derive(Clone)]
pub(super) struct Http {
    client: Client,
    base: String,
    name: String,
    tokens: Option<Arc<dyn TokenSource>>,
}

/// One request. The path is below the API's address and begins with a slash.
pub(super) struct Request<'a> {
    pub(super) path: String,
    pub(super) query: Vec<(&'a str, String)>,
    pub(super) body: Option<Json>,
}

impl Http {
    pub(super) fn new(client: Client, address: &Address, tokens: Option<Arc<dyn TokenSource>>) -> Self {
        let base = format!("{}/bigquery/v2", address.endpoint);
        Self { client, base, name: address.name(), tokens }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Sends a request until it is answered, at most three times and not beyond the deadline. `sql` is the text
    /// that positions in errors count in.
    pub(super) async fn call<T: DeserializeOwned + Serialize>(
        &self,
        request: &Request<'_>,
        sql: &str,
        deadline: Instant,
    ) -> Result<T, DatabaseError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = bounded(self.build(request).await?, left).await;
            let wait = Duration::from_millis(200) * 2_u32.pow(tried);
            let may_wait = tried < TRIES && wait < deadline.saturating_duration_since(Instant::now());
            match answer {
                Ok((status, body)) if (200..300).contains(&status) => {
                    return understood(&body).map_err(|problem| DatabaseError::Failed {
                        name: self.name.clone(),
                        message: format!("its answer cannot be understood: {problem}"),
                    });
                }
                Ok((status, body)) => {
                    let is_passing = matches!(status, 429 | 500 | 502 | 503 | 504);
                    if !(is_passing && may_wait) {
                        return Err(ErrorAnswer::read(status, &body).error(&self.name, sql));
                    }
                }
                Err(_) if may_wait => {}
                Err(message) => return Err(DatabaseError::Unreachable { name: self.name.clone(), message }),
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn build(&self, request: &Request<'_>) -> Result<RequestBuilder, DatabaseError> {
        let method = if request.body.is_some() { Method::POST } else { Method::GET };
        let mut url = format!("{}{}", self.base, request.path);
        for (at, (key, value)) in request.query.iter().enumerate() {
            url.push(if at == 0 { '?' } else { '&' });
            url.push_str(&format!("{key}={}", encoded(value)));
        }
        let mut builder = self.client.request(method, url);
        if let Some(tokens) = &self.tokens {
            builder = builder.bearer_auth(tokens.token().await?);
        }
        if let Some(body) = &request.body {
            builder = builder.header("Content-Type", "application/json").body(body.to_string());
        }
        Ok(builder)
    }
}

/// An answer in which every object is one.
fn understood<T: DeserializeOwned + Serialize>(body: &[u8]) -> Result<T, String> {
    let body: Json = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let answer = T::deserialize(&body).map_err(|error| error.to_string())?;
    json::same_shape(&body, &answer).map(|()| answer)
}

/// Sends a request and reads its answer, up to a size.
pub(super) async fn bounded(request: RequestBuilder, within: Duration) -> Result<(u16, Vec<u8>), String> {
    let read = async {
        let mut response = request.send().await.map_err(|error| told(&error))?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| told(&error))? {
            if body.len() + chunk.len() > LARGEST {
                return Err(format!("its answer is larger than {} MB", LARGEST >> 20));
            }
            body.extend_from_slice(&chunk);
        }
        Ok((status, body))
    };
    tokio::time::timeout(within, read).await.unwrap_or_else(|_| Err("no answer in time".into()))
}

/// What went wrong, without the address, which has the SQL's job in it but helps nobody.
fn told(error: &reqwest::Error) -> String {
    let kind = if error.is_connect() {
        "nobody answers"
    } else if error.is_timeout() {
        "no answer in time"
    } else {
        "the connection failed"
    };
    match std::error::Error::source(error) {
        Some(cause) => format!("{kind}: {cause}"),
        None => kind.into(),
    }
}

/// A request with a form in it.
pub(super) fn form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    request.header("Content-Type", "application/x-www-form-urlencoded").body(fields.join("&"))
}

/// A text as it stands in addresses and forms.
pub(super) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
