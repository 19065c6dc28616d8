//! How answers are dressed: every one of them carries the same strict headers, whatever it says.

use super::guard::{Guard, Refused};
use crate::page;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// What goes with every answer.
const ALWAYS: [(&str, &str); 7] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
];

/// What the page may do: run its own scripts and styles, known by their hashes, and talk to this server. Nothing else.
pub(super) fn policy(guard: &Guard) -> String {
    let hashes = |list: &[&str]| match list {
        [] => "'none'".to_string(),
        _ => list.iter().map(|h| format!("'{h}'")).collect::<Vec<_>>().join(" "),
    };
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src 'self' data: blob:; connect-src 'self' {}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hashes(page::SCRIPTS),
        hashes(page::STYLES),
        guard.sockets()
    )
}

/// Put the headers on that every answer has.
pub(super) fn dress(mut response: Response<Body>, policy: &HeaderValue) -> Response<Body> {
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    response
}

fn plain(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// The page.
pub(super) fn the_page() -> Response<Body> {
    plain(StatusCode::OK, HTML, page::HTML)
}

/// One sentence.
pub(super) fn sentence(status: StatusCode, text: &str) -> Response<Body> {
    plain(status, TEXT, format!("{text}\n"))
}

impl From<Refused> for Response<Body> {
    fn from(Refused(status, text): Refused) -> Self {
        sentence(status, text)
    }
}

/// On to the page, with the cookie set: the token leaves the address.
pub(super) fn welcome(cookie: &str) -> Response<Body> {
    let mut response = sentence(StatusCode::SEE_OTHER, "The page is at /.");
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
    match HeaderValue::from_str(cookie) {
        Ok(value) => response.headers_mut().insert(header::SET_COOKIE, value),
        Err(_) => return sentence(StatusCode::INTERNAL_SERVER_ERROR, "The cookie cannot be written."),
    };
    response
}

/// A file to keep.
pub(super) fn file(name: &'static str, kind: &'static str, bytes: Vec<u8>) -> Response<Body> {
    let mut response = plain(StatusCode::OK, kind, bytes);
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    response
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment")));
    response
}
