//! Where the tokens come from that let us in.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Client;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::http;
use crate::base::{input, json};
use crate::database::{BoxFuture, DatabaseError};

/// What tokens are asked for: to run queries. What may be read is decided by the account's roles.
const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";

/// How long before its end a token is no longer used.
const MARGIN: Duration = Duration::from_secs(60);

/// A file of credentials has a few kilobytes.
const LARGEST: u64 = 1 << 20;

/// Gives access tokens for Google's APIs.
pub trait TokenSource: Send + Sync + fmt::Debug {
    /// A token that is valid now.
    fn token(&self) -> BoxFuture<'_, Result<String, DatabaseError>>;
}

/// The same token always, for those who have one already.
pub struct FixedToken(String);

impl FixedToken {
    /// A source of this token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }
}

/// Without the token.
impl fmt::Debug for FixedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FixedToken")
    }
}

impl TokenSource for FixedToken {
    fn token(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// Asks for tokens and keeps each as long as it is valid.
pub(super) struct Asking {
    client: Client,
    how: How,
    kept: Mutex<Option<(String, Instant)>>,
}

/// How a token is asked for.
enum How {
    /// A service account signs that it is itself.
    Account { email: String, key: Box<RsaKeyPair>, key_id: Option<String>, at: String },
    /// A user has logged in before, with Google's own program.
    User { client_id: String, client_secret: String, refresh_token: String, at: String },
    /// The machine itself belongs to Google, and knows.
    Machine { at: String },
}

/// The file of an account or a user.
#[derive(Deserialize)]
struct CredentialsFile {
    #[serde(rename = "type")]
    kind: String,
    client_email: Option<String>,
    private_key: Option<String>,
    private_key_id: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    refresh_token: Option<String>,
    token_uri: Option<String>,
}

/// The answer to a request for a token.
#[derive(Serialize, Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: u64,
}

impl Asking {
    /// Reads a file of credentials.
    pub(super) fn from_file(path: &Path, client: Client) -> Result<Self, DatabaseError> {
        let wrong = |problem: &str| DatabaseError::Address {
            problem: format!("the credentials in `{}` {problem}", path.display()),
        };
        let text = input::bytes(path, LARGEST).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
        let file: CredentialsFile =
            serde_json::from_slice(&text).map_err(|_| wrong("are not JSON of Google's kind"))?;
        let at = file.token_uri.unwrap_or_else(|| "https://oauth2.googleapis.com/token".into());
        if !at.starts_with("https://") && !at.starts_with("http://127.0.0.1:") {
            return Err(wrong("name a place for tokens that is not encrypted"));
        }
        let how = match (file.kind.as_str(), file.client_email, file.private_key) {
            ("service_account", Some(email), Some(key)) => {
                let key = PrivatePkcs8KeyDer::from_pem_slice(key.as_bytes())
                    .ok()
                    .and_then(|key| RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).ok())
                    .ok_or_else(|| wrong("have a key that is no RSA key"))?;
                How::Account { email, key: Box::new(key), key_id: file.private_key_id, at }
            }
            ("authorized_user", ..) => match (file.client_id, file.client_secret, file.refresh_token) {
                (Some(client_id), Some(client_secret), Some(refresh_token)) => {
                    How::User { client_id, client_secret, refresh_token, at }
                }
                _ => return Err(wrong("are incomplete")),
            },
            ("service_account", ..) => return Err(wrong("are incomplete")),
            _ => return Err(wrong("are of a kind that is not known; a service account's and a user's are")),
        };
        Ok(Self { client, how, kept: Mutex::new(None) })
    }

    /// Asks the machine that this runs on.
    pub(super) fn machine(host: &str, client: Client) -> Self {
        let at = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
        Self { client, how: How::Machine { at }, kept: Mutex::new(None) }
    }

    async fn ask(&self) -> Result<Granted, DatabaseError> {
        let request = match &self.how {
            How::Account { email, key, key_id, at } => {
                let assertion = signed(email, key, key_id.as_deref(), at)?;
                let form = [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    ("assertion", &assertion),
                ];
                http::form(self.client.post(at), &form)
            }
            How::User { client_id, client_secret, refresh_token, at } => {
                let form = [
                    ("grant_type", "refresh_token"),
                    ("client_id", client_id),
                    ("client_secret", client_secret),
                    ("refresh_token", refresh_token),
                ];
                http::form(self.client.post(at), &form)
            }
            How::Machine { at } => self.client.get(at).header("Metadata-Flavor", "Google"),
        };
        let refused = |message: String| DatabaseError::Login { name: "BigQuery".into(), message };
        let (status, body) = http::bounded(request, Duration::from_secs(10)).await.map_err(|problem| match &self.how {
            How::Machine { .. } => refused(
                "no credentials were found; set GOOGLE_APPLICATION_CREDENTIALS, or log in with `gcloud auth application-default login`".into(),
            ),
            _ => refused(format!("no token could be had: {problem}")),
        })?;
        // The body of a refusal can repeat what was sent, so only the status is told.
        if !(200..300).contains(&status) {
            return Err(refused(format!("no token was given (status {status})")));
        }
        json::read(&String::from_utf8_lossy(&body))
            .map_err(|_| refused("the answer to a request for a token has none".into()))
    }
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.how {
            How::Account { .. } => "a service account",
            How::User { .. } => "a user",
            How::Machine { .. } => "the machine's account",
        })
    }
}

impl TokenSource for Asking {
    fn token(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async move {
            let mut kept = self.kept.lock().await;
            if let Some((token, end)) = kept.as_ref()
                && Instant::now() < *end
            {
                return Ok(token.clone());
            }
            let granted = self.ask().await?;
            let lasts = Duration::from_secs(granted.expires_in.min(24 * 3600)).saturating_sub(MARGIN);
            *kept = Some((granted.access_token.clone(), Instant::now() + lasts));
            Ok(granted.access_token)
        })
    }
}

/// A JSON web token that says who asks, for an hour.
fn signed(email: &str, key: &RsaKeyPair, key_id: Option<&str>, at: &str) -> Result<String, DatabaseError> {
    let failed = |message: &str| DatabaseError::Login { name: "BigQuery".into(), message: message.into() };
    let now =
        SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| failed("the clock is wrong"))?.as_secs();
    let header = serde_json::json!({ "alg": "RS256", "typ": "JWT", "kid": key_id });
    let claims =
        serde_json::json!({ "iss": email, "scope": SCOPE, "aud": at, "iat": now, "exp": now + 3600 });
    let message = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature)
        .map_err(|_| failed("the key of the service account cannot sign"))?;
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
