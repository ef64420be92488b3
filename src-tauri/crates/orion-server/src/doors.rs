//! Who is let in: the name that was called, the web page that calls, the token, and how often (H1, H2, H6).
//!
//! A browser sends what any page tells it to, and a name of the web can be made to lead to this computer. So the name and the origin
//! are looked at before anything else. Deliberately not here: which project somebody may reach.

use std::net::SocketAddr;
use std::time::Instant;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use orion_protocol::{Code, ErrorInfo};

use crate::problem::Problem;
use crate::rate::Rate;
use crate::tokens::{Access, Tokens};

/// The ports of `http` and `https`, which nobody sends.
const PORTS_OF_SCHEMES: [u16; 2] = [80, 443];

/// The callers that are let in.
#[derive(Debug)]
pub(crate) struct Doors {
    tokens: Tokens,
    /// The names with their ports; none where only this computer's user can reach the socket.
    hosts: Option<Vec<String>>,
    /// Further names, with any port.
    names: Vec<String>,
    origins: Vec<String>,
    read_only: bool,
    full: Rate,
    reads: Rate,
}

impl Doors {
    pub(crate) fn new(
        tokens: Tokens,
        address: Option<SocketAddr>,
        (names, origins): (Vec<String>, Vec<String>),
        read_only: bool,
    ) -> Self {
        let hosts = address.map(|address| {
            let port = address.port();
            let mut hosts = vec![address.to_string()];
            if address.ip().is_loopback() {
                hosts.extend([
                    format!("localhost:{port}"),
                    format!("127.0.0.1:{port}"),
                    format!("[::1]:{port}"),
                ]);
            }
            if PORTS_OF_SCHEMES.contains(&port) {
                let names = hosts.iter().filter_map(|host| Some(host.rsplit_once(':')?.0.to_owned()));
                hosts.extend(names.collect::<Vec<_>>());
            }
            hosts
        });
        let names = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        let (full, reads) = (Rate::default(), Rate::default());
        Self { tokens, hosts, names, origins, read_only, full, reads }
    }

    /// # Errors
    /// 403 for a name or a page that was not allowed.
    pub(crate) fn recognize(&self, request: &Request) -> Result<(), Problem> {
        let headers = request.headers();
        let named = request.uri().authority().map(|authority| authority.as_str().to_owned());
        if !named.iter().all(|host| self.is_host(host)) || !self.is_called_by_its_name(headers) {
            return Err(Problem::forbidden(
                "This server is not called by that name.",
                "Start it with --allow-host and the name.",
            ));
        }
        if !headers.get_all(header::ORIGIN).iter().all(|origin| self.is_origin(origin)) {
            return Err(Problem::forbidden(
                "Pages of this origin may not call.",
                "Start the server with --allow-origin and the origin.",
            ));
        }
        Ok(())
    }

    /// The most that the caller may do.
    ///
    /// # Errors
    /// 401 without a token, 403 for a change with the token that reads, 429.
    pub(crate) fn admit(&self, request: &Request) -> Result<Access, Problem> {
        let access = self.access(request.headers()).ok_or_else(unknown)?;
        let writes = !matches!(*request.method(), Method::GET | Method::HEAD);
        if writes && (access == Access::Reads || self.read_only) {
            return Err(Problem::forbidden(
                "This token, or this server, only reads.",
                "Use the other token, and a server without --read-only.",
            ));
        }
        let rate = if access == Access::Full { &self.full } else { &self.reads };
        rate.take(Instant::now())
            .map(|()| access)
            .map_err(|wait| Problem::too_many("These are too many requests.", wait))
    }

    fn is_called_by_its_name(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().is_ok_and(|host| self.is_host(host)),
            _ => false,
        }
    }

    fn is_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let Some(hosts) = &self.hosts else { return true };
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => &host,
        };
        hosts.contains(&host) || self.names.iter().any(|allowed| *allowed == host || allowed == name)
    }

    fn is_origin(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes())
    }

    fn access(&self, headers: &HeaderMap) -> Option<Access> {
        let shown = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = shown.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| self.tokens.access(token.trim())).flatten()
    }
}

fn unknown() -> Problem {
    let error = ErrorInfo::new(
        Code::Authentication,
        "The request has no valid token.",
        "Send it as `Authorization: Bearer TOKEN`; `orion serve --print-token` prints it.",
    );
    Problem::new(StatusCode::UNAUTHORIZED, error)
}
