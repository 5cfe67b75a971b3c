//! What requests hold, with problems in place of axum's own texts.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use sqlogue::graph::RunId;
use tower_http::timeout::TimeoutError;

use crate::problem::Problem;

/// A body of JSON.
pub(super) struct Json<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match axum::Json::<Object<T>>::from_request(request, state).await {
            Ok(axum::Json(Object(body))) => Ok(Self(body)),
            Err(rejection) => Err(problem(&rejection)),
        }
    }
}

/// What an object of JSON holds. A list of values would do as well for what is derived, and is described nowhere.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields)).map(Object)
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// The same where all of it may be left out, the body too.
pub(super) struct Maybe<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for Maybe<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let headers = request.headers();
        let is_empty = headers.get(header::CONTENT_LENGTH).is_none_or(|length| length == "0")
            && !headers.contains_key(header::TRANSFER_ENCODING);
        if is_empty {
            return Ok(Self(T::default()));
        }
        Json::from_request(request, state).await.map(|Json(body)| Self(body))
    }
}

fn problem(rejection: &JsonRejection) -> Problem {
    if is_late(rejection) {
        return Problem::of_status(
            StatusCode::REQUEST_TIMEOUT,
            "the body of the request took too long to arrive",
        );
    }
    let text = rejection.body_text();
    match rejection.status() {
        StatusCode::UNPROCESSABLE_ENTITY => Problem::unusable(text),
        StatusCode::BAD_REQUEST => Problem::bad_request(text),
        status => Problem::of_status(status, text),
    }
}

/// Whether a body was not all there in time.
fn is_late(rejection: &JsonRejection) -> bool {
    let mut error: Option<&dyn Error> = Some(rejection);
    while let Some(cause) = error {
        if cause.is::<TimeoutError>() {
            return true;
        }
        error = cause.source();
    }
    false
}

/// What stands in the path.
pub(super) struct Path<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(path)| Self(path))
            .map_err(|error| Problem::bad_request(error.body_text()))
    }
}

/// What stands behind the path.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|axum::extract::Query(query)| Self(query))
            .map_err(|error| Problem::bad_request(error.body_text()))
    }
}

/// The id of a turn.
///
/// # Errors
/// The text is none, so there is no such turn.
pub(super) fn turn(id: &str) -> Result<RunId, Problem> {
    id.parse().map_err(|_| Problem::unknown(format!("there is no turn `{}`", sqlogue_base::text::clean(id))))
}
