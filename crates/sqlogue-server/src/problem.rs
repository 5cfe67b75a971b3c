//! What is answered where something is wrong: `application/problem+json` (RFC 9457).

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use sqlogue::Error;
use sqlogue::sql::Refusal;
use sqlogue::store::StoreError;
use sqlogue_base::secret::redact;
use utoipa::ToSchema;

use crate::wire::Conversation;

/// Something that cannot be done: what is wrong, and what to do.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub(crate) struct Problem(Box<Details>);

/// Something that cannot be done: what is wrong, and what to do.
#[derive(Debug, Clone, Serialize, ToSchema, JsonSchema)]
#[schema(as = Problem)]
pub(crate) struct Details {
    /// A name for the kind of problem, `urn:sqlogue:problem:` and its code.
    #[serde(rename = "type")]
    kind: String,
    /// The kind of problem in words, the same each time.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// What is wrong this time.
    detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The rule that SQL has broken, where that is the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// How the conversation stands, where somebody else has changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<Box<Conversation>>,
    #[serde(skip)]
    wait: Option<Duration>,
}

/// A kind of problem: its code, its title, its status.
type Kind = (&'static str, &'static str, StatusCode);

const BAD_REQUEST: Kind = ("bad_request", "The request cannot be read", StatusCode::BAD_REQUEST);
const UNAUTHORIZED: Kind = ("unauthorized", "A token is needed", StatusCode::UNAUTHORIZED);
const FORBIDDEN: Kind = ("forbidden", "The request comes from elsewhere", StatusCode::FORBIDDEN);
const UNKNOWN: Kind = ("not_found", "There is no such thing", StatusCode::NOT_FOUND);
const CONFLICT: Kind = ("conflict", "The conversation does not stand where you think", StatusCode::CONFLICT);
const CANCELLED: Kind = ("cancelled", "The turn was cancelled", StatusCode::CONFLICT);
const UNUSABLE: Kind = ("unusable", "What was given cannot be used", StatusCode::UNPROCESSABLE_ENTITY);
const REFUSED: Kind = ("refused", "The SQL was refused", StatusCode::UNPROCESSABLE_ENTITY);
const TOO_MANY: Kind = ("too_many", "Too much at a time", StatusCode::TOO_MANY_REQUESTS);
const UNAVAILABLE: Kind = ("unavailable", "It cannot be reached now", StatusCode::SERVICE_UNAVAILABLE);
const INTERNAL: Kind = ("internal", "A fault of sqlogue's own", StatusCode::INTERNAL_SERVER_ERROR);

impl Problem {
    fn new((code, title, status): Kind, detail: impl ToString) -> Self {
        let text = detail.to_string();
        let text = redact(&text);
        let (detail, hint) = match text.split_once(" (hint: ") {
            Some((detail, hint)) => (detail.to_owned(), Some(hint.trim_end_matches(')').to_owned())),
            None => (text.into_owned(), None),
        };
        Self(Box::new(Details {
            kind: format!("urn:sqlogue:problem:{code}"),
            title,
            status: status.as_u16(),
            detail,
            hint,
            code: None,
            conversation: None,
            wait: None,
        }))
    }

    pub(crate) fn bad_request(detail: impl ToString) -> Self {
        Self::new(BAD_REQUEST, detail)
    }

    /// The same with another status of the 400s, such as 405 or 413.
    pub(crate) fn of_status(status: StatusCode, detail: impl ToString) -> Self {
        let mut problem = Self::new(BAD_REQUEST, detail);
        problem.0.status = status.as_u16();
        problem
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(
            UNAUTHORIZED,
            "the request has no token that is known (hint: send `Authorization: Bearer TOKEN`)",
        )
    }

    pub(crate) fn forbidden(detail: impl ToString) -> Self {
        Self::new(FORBIDDEN, detail)
    }

    pub(crate) fn unknown(detail: impl ToString) -> Self {
        Self::new(UNKNOWN, detail)
    }

    pub(crate) fn no_conversation(id: &str) -> Self {
        Self::unknown(format!("there is no conversation `{id}`"))
    }

    pub(crate) fn conflict(detail: impl ToString) -> Self {
        Self::new(CONFLICT, detail)
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(CANCELLED, "the turn was cancelled; the conversation is as it was before")
    }

    pub(crate) fn unusable(detail: impl ToString) -> Self {
        Self::new(UNUSABLE, detail)
    }

    pub(crate) fn refused(refusal: Refusal) -> Self {
        let mut problem = Self::new(REFUSED, refusal.reason);
        problem.0.code = Some(refusal.code.name());
        problem
    }

    pub(crate) fn too_many(detail: impl ToString, wait: Duration) -> Self {
        let mut problem = Self::new(TOO_MANY, detail);
        problem.0.wait = Some(wait);
        problem
    }

    pub(crate) fn unavailable(detail: impl ToString) -> Self {
        Self::new(UNAVAILABLE, detail)
    }

    pub(crate) fn internal(detail: impl ToString) -> Self {
        let detail = detail.to_string();
        tracing::error!(%detail, "a request failed");
        Self::new(INTERNAL, detail)
    }

    /// The same, with how the conversation stands.
    pub(crate) fn standing(mut self, conversation: Conversation) -> Self {
        self.0.conversation = Some(Box::new(conversation));
        self
    }

    /// Whether somebody else has changed the conversation, so that the caller should see how it stands.
    pub(crate) fn is_conflict(&self) -> bool {
        self.0.kind.ends_with(CONFLICT.0)
    }

    #[cfg(test)]
    pub(crate) fn status(&self) -> u16 {
        self.0.status
    }

    /// What is wrong and what to do, in a line.
    pub(crate) fn line(&self) -> String {
        match &self.0.hint {
            Some(hint) => format!("{} (hint: {hint})", self.0.detail),
            None => self.0.detail.clone(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::UnknownSession { .. } => Self::unknown("there is no such conversation"),
            StoreError::UnknownTurn { .. } | StoreError::NoSuchStep { .. } => Self::unknown(error),
            StoreError::Conflict { .. } => {
                Self::conflict("somebody else has changed the conversation meanwhile")
            }
            StoreError::SessionExists { .. } => Self::conflict("there is such a conversation already"),
            StoreError::ReadOnlySession { .. } => {
                Self::conflict("the conversation is there to be read (hint: branch it)")
            }
            StoreError::NothingTo { what, .. } => Self::conflict(format!("there is nothing to {what}")),
            StoreError::TurnConflict { .. }
            | StoreError::Finished { .. }
            | StoreError::Running { .. }
            | StoreError::Abandoned { .. } => Self::conflict(error),
            StoreError::BadId => Self::unusable(error),
            StoreError::Locked | StoreError::Full | StoreError::ReadOnly(_) => Self::unavailable(error),
            _ => Self::internal(error),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::Store(error) => error.into(),
            Error::Cancelled => Self::cancelled(),
            Error::NoDatabase { .. } => Self::unusable(error),
            Error::OtherDatabase { .. } | Error::UnknownDatabase { .. } => Self::conflict(error),
            Error::Database { .. } => Self::unavailable(error),
            error => Self::internal(error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let wait = self.0.wait.map(|wait| wait.as_secs_f64().ceil().max(1.0));
        let mut response = (status, axum::Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(wait) = wait.and_then(|wait| HeaderValue::from_str(&wait.to_string()).ok()) {
            headers.insert(header::RETRY_AFTER, wait);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
