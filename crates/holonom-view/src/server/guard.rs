//! Who may come in. Any web page can reach the loopback interface through its visitor's browser, so four things are
//! asked together:
//!
//! - the socket is bound to 127.0.0.1: nobody from another machine;
//! - `Host` names this server: no page whose own name was made to point here (DNS rebinding);
//! - `Origin`, where a browser sends one, is this server itself, and a WebSocket or anything but a GET must have one:
//!   no script of another page;
//! - a token that only the user's own terminal has seen, from the first visit on in a cookie that the browser keeps to
//!   itself (`HttpOnly`) and never sends along from other sites (`SameSite=Strict`).
//!
//! Names and origins are taken apart and compared as a whole; nothing is looked for inside them.

use super::token::Token;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

/// Names of this machine, as seen from itself.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];
/// Where `http:` goes without a port.
const HTTP_PORT: u16 = 80;

/// What is asked of every request.
#[derive(Debug)]
pub(super) struct Guard {
    port: u16,
    token: Token,
    /// Lets one in, once.
    ticket: Mutex<Option<Token>>,
}

/// A request that is refused: the status and a sentence for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused(pub StatusCode, pub &'static str);

const WRONG_HOST: Refused = Refused(StatusCode::FORBIDDEN, "This server answers to 127.0.0.1 and localhost only.");
const WRONG_ORIGIN: Refused = Refused(StatusCode::FORBIDDEN, "This server answers to its own page only.");
const NO_TOKEN: Refused = Refused(
    StatusCode::UNAUTHORIZED,
    "This page belongs to whoever started the program: open the address that it printed in the terminal, token included.",
);

impl Guard {
    pub fn new(address: SocketAddr, token: Token, ticket: Token) -> Guard {
        Guard { port: address.port(), token, ticket: Mutex::new(Some(ticket)) }
    }

    /// Host and origin, before anything else is looked at.
    pub fn place(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let host = only(headers, header::HOST).ok_or(WRONG_HOST)?;
        let absolute = uri.authority().is_none_or(|a| self.is_here(a.as_str()));
        if !(self.is_here(host) && absolute) {
            return Err(WRONG_HOST);
        }
        let reads = method == Method::GET || method == Method::HEAD;
        let must = !reads || headers.contains_key(header::UPGRADE);
        let good = if headers.contains_key(header::ORIGIN) {
            only(headers, header::ORIGIN).is_some_and(|o| o.strip_prefix("http://").is_some_and(|h| self.is_here(h)))
        } else {
            !must
        };
        if good { Ok(()) } else { Err(WRONG_ORIGIN) }
    }

    /// The token in the cookie.
    pub fn cookie(&self, headers: &HeaderMap) -> Result<(), Refused> {
        // another program on another port of this machine may have set a cookie of the same name: any of them may be
        // the right one
        let name = self.cookie_name();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok());
        let mut values = cookies
            .flat_map(|v| v.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(n, _)| *n == name)
            .map(|(_, value)| value);
        if values.any(|value| self.token.matches(value)) { Ok(()) } else { Err(NO_TOKEN) }
    }

    /// The token or the ticket in an address: none, or the cookie to set, or a refusal.
    pub fn address(&self, uri: &Uri) -> Result<Option<String>, Refused> {
        let query = uri.query().unwrap_or("");
        let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let good = match (value("token"), value("ticket")) {
            (None, None) => return Ok(None),
            (Some(token), _) => self.token.matches(token),
            (None, Some(ticket)) => {
                let mut valid = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
                valid.take_if(|t| t.matches(ticket)).is_some()
            }
        };
        let cookie = || format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name(), self.token.text());
        if good { Ok(Some(cookie())) } else { Err(NO_TOKEN) }
    }

    /// Cookies are shared by all ports of a machine: the name keeps servers apart.
    pub fn cookie_name(&self) -> String {
        format!("holonom-{}", self.port)
    }

    /// Where the page's own WebSocket goes, for the Content-Security-Policy.
    pub fn sockets(&self) -> String {
        NAMES.map(|name| format!("ws://{name}:{}", self.port)).join(" ")
    }

    /// Is `host[:port]` this server?
    fn is_here(&self, host: &str) -> bool {
        let (name, port) = match host.split_once(':') {
            // digits only: `parse` alone would take "+80"
            Some((name, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                (name, digits.parse().ok())
            }
            Some(_) => return false,
            None => (host, Some(HTTP_PORT)),
        };
        port == Some(self.port) && NAMES.iter().any(|n| n.eq_ignore_ascii_case(name))
    }
}

/// A header that stands there exactly once, as text.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(port: u16) -> Guard {
        let token = || Token::random().expect("random");
        Guard::new(SocketAddr::from(([127, 0, 0, 1], port)), token(), token())
    }

    #[test]
    fn names_are_compared_as_a_whole() {
        let g = guard(4711);
        for good in ["127.0.0.1:4711", "localhost:4711", "LocalHost:4711"] {
            assert!(g.is_here(good), "{good}");
        }
        for bad in [
            "",
            ":",
            ":4711",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:",
            "127.0.0.1:4712",
            "127.0.0.1:+4711",
            "127.0.0.1:04711x",
            "127.0.0.1:4711:4711",
            "127.0.0.1.evil.example:4711",
            "evil.example:4711",
            "evil-localhost:4711",
            "localhost.:4711",
            "127.0.0.1:4711.evil.example",
            "user@127.0.0.1:4711",
            "127.0.0.1:4711/",
            "127.0.0.1:70247",
            "[::1]:4711",
            "0.0.0.0:4711",
            " 127.0.0.1:4711",
            "127.1:4711",
            "2130706433:4711",
        ] {
            assert!(!g.is_here(bad), "{bad}");
        }
        assert!(guard(80).is_here("localhost") && guard(80).is_here("localhost:80"), "the port that is not written");
    }
}
