//! What every request passes before anything is done for it: whence it comes, whose it is, how much it may.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;

use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::traces;

/// The page runs its own scripts and styles, talks to its own server, and is framed by nobody.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses what another site sends, and says to browsers what answers may do.
pub(super) async fn guard(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let span = traces::request(request.method(), request.headers());
    let mut response = match whence(&desk, &request) {
        Ok(()) => next.run(request).instrument(span.clone()).await,
        Err(problem) => problem.into_response(),
    };
    // The outermost layer sees no route, so that the one that answered says it; paths are no labels, there are too many.
    let route = route
        .or_else(|| response.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned()))
        .unwrap_or_else(|| "none".to_owned());
    let status = response.status().as_u16();
    desk.metrics.request(&route, status);
    traces::answered(&span, &route, status);
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn whence(desk: &Desk, request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let host = host(headers, request.uri())?;
    if !is_known(desk, host) {
        return Err(Problem::of_status(
            axum::http::StatusCode::MISDIRECTED_REQUEST,
            "the server is not known by this name (hint: `--allow-host NAME` makes it known)",
        ));
    }
    // What is too large is refused by what it says of itself, before any of it is read.
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > desk.options.limits.body as u64) {
        return Err(Problem::of_status(
            axum::http::StatusCode::PAYLOAD_TOO_LARGE,
            format!("a request holds at most {} bytes", desk.options.limits.body),
        ));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let own = origin.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
        if own.is_none_or(|(_, origin)| !origin.eq_ignore_ascii_case(host)) {
            return Err(Problem::forbidden("pages of other sites may not use this server"));
        }
    }
    // A browser says by itself where a request comes from. A link on another page may lead to this one, and to nothing else.
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let is_link = request.method() == Method::GET
        && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate")
        && request.uri().path() == "/";
    if !matches!(site, None | Some("same-origin" | "none")) && !is_link {
        return Err(Problem::forbidden("pages of other sites may not use this server"));
    }
    Ok(())
}

/// The name and port by which the server is addressed.
fn host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Result<&'a str, Problem> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (host, second) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
    match (host.or_else(|| uri.authority().map(|authority| authority.as_str())), second) {
        (Some(host), None) => Ok(host),
        _ => Err(Problem::bad_request("the request does not say which server it is for")),
    }
}

/// Whether a name is one of ours. An address in numbers is always one: no foreign name can be made to point there.
fn is_known(desk: &Desk, host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok()
        || desk
            .options
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(host))
}

/// Finds out whose a request is, and whether they may have another.
pub(super) async fn token(State(desk): State<Arc<Desk>>, mut request: Request, next: Next) -> Response {
    let owner = match owner(&desk, request.headers()) {
        Ok(owner) => owner,
        Err(problem) => return problem.into_response(),
    };
    if let Err(problem) = desk.gate.request(&owner) {
        return problem.into_response();
    }
    let route = request.extensions().get::<MatchedPath>().cloned();
    request.extensions_mut().insert(owner);
    let mut response = next.run(request).await;
    response.extensions_mut().extend(route.map(http_extension).unwrap_or_default());
    response
}

fn http_extension(route: MatchedPath) -> axum::http::Extensions {
    let mut extensions = axum::http::Extensions::new();
    extensions.insert(route);
    extensions
}

fn owner(desk: &Desk, headers: &HeaderMap) -> Result<Owner, Problem> {
    let tokens = &desk.options.tokens;
    if tokens.is_empty() {
        return Ok(Owner::Local);
    }
    let given = headers.get(header::AUTHORIZATION).and_then(|given| given.to_str().ok());
    let (scheme, token) = given.and_then(|given| given.split_once(' ')).ok_or_else(Problem::unauthorized)?;
    let owner = tokens.owner(token.trim()).filter(|_| scheme.eq_ignore_ascii_case("bearer"));
    owner.ok_or_else(Problem::unauthorized)
}
