//! A response as it came, for the trace: its status line, the headers that say something of a failure, its body (0046).
//!
//! Headers are named one by one, so that a cookie or an account of the person's is never among them.

use std::io;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use orion_engine::received::Received;
use reqwest::Response;
use reqwest::header::{HeaderMap, HeaderName};

use crate::body;

/// Headers that say what came, when, from where, and how to ask the provider about it.
const HEADERS: [&str; 14] = [
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "retry-after",
    "date",
    "server",
    "via",
    "x-request-id",
    "request-id",
    "x-trace-id",
    "cf-ray",
    "openai-processing-ms",
    "x-should-retry",
];

/// What remains of a quota, in the spelling of many providers.
const QUOTA: &str = "ratelimit";

/// The most bytes of a header's value: 1 KiB. None of these has more than a line. A longer one is left out whole: in a part of it, a key that
/// is cut in two could not be found.
const VALUE: usize = 1 << 10;

/// Notes the status line and the headers of a response.
pub(crate) fn begins(response: &Response, received: &Received) {
    received.next();
    let status = response.status();
    let line = format!(
        "{:?} {} {}",
        response.version(),
        status.as_str(),
        status.canonical_reason().unwrap_or_default()
    );
    received.add(format!("{}\n", line.trim_end()).as_bytes());
    received.add(&lines(response.headers()));
    received.add(b"\n");
}

/// The body, piece by piece as it comes; each piece is noted.
pub(crate) fn pieces(response: Response, received: &Received) -> BoxStream<'static, io::Result<Bytes>> {
    let received = received.clone();
    body::pieces(response).inspect_ok(move |piece| received.add(piece)).boxed()
}

fn lines(headers: &HeaderMap) -> Vec<u8> {
    let says = |name: &HeaderName| HEADERS.contains(&name.as_str()) || name.as_str().contains(QUOTA);
    let mut lines = Vec::new();
    for (name, value) in headers.iter().filter(|(name, value)| says(name) && !value.is_sensitive()) {
        lines.extend_from_slice(name.as_str().as_bytes());
        lines.extend_from_slice(b": ");
        let value = Some(value.as_bytes()).filter(|value| value.len() <= VALUE);
        lines.extend_from_slice(value.unwrap_or_default());
        lines.push(b'\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_that_say_something_of_a_failure_are_noted() {
        let long = "canary".repeat(VALUE);
        let headers = [
            ("content-type", "application/json"),
            ("set-cookie", "session=canary"),
            ("authorization", "Bearer canary"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("openai-organization", "canary"),
            ("retry-after", "7"),
            ("via", long.as_str()),
        ];
        let headers: HeaderMap = headers
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .into_iter()
            .collect();
        let lines = String::from_utf8(lines(&headers)).unwrap();
        let mut lines: Vec<&str> = lines.lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            ["content-type: application/json", "retry-after: 7", "via: ", "x-ratelimit-remaining-tokens: 0"]
        );
    }
}
