//! A request to the proxy: the host that it asks for, and what of it is passed on (C2).
//!
//! A connection is one request. Of plain HTTP the head is written anew from its parts, so no server reads another request in it than was judged here.
//! Deliberately not here: whether the host is granted (`network`), and the connection to it (`onward`).

use std::fmt::Write;
use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::copying::{Meter, Way};
use super::head::Head;
use super::onward::{By, Connected, proof};
use super::refusal::Refusal;
use crate::host::Host;

/// Headers of a request. Programs send a dozen.
const HEADERS: usize = 96;

/// Headers between two ends of one connection, which are not passed on (RFC 9110 and older programs).
const HOP_BY_HOP: [&str; 10] = [
    "connection",
    "host",
    "keep-alive",
    "max-forwards",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

/// A request that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// In small letters, without the dot at its end.
    pub(super) name: String,
    pub(super) port: u16,
    /// The request of plain HTTP; none of a tunnel (CONNECT).
    pub(super) plain: Option<Plain>,
}

/// A request of plain HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plain {
    method: String,
    /// The path with its query.
    target: String,
    /// The headers that are passed on, each with its line end.
    headers: Vec<u8>,
    /// Bytes of the body.
    length: u64,
}

impl Asked {
    pub(super) fn of(head: &Head) -> Result<Self, Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let is_whole = request.parse(head.bytes()).is_ok_and(|status| status.is_complete());
        let (Some(method), Some(target), true) = (request.method, request.path, is_whole) else {
            return Err(Refusal::MALFORMED);
        };
        if method == "CONNECT" {
            let (name, port) = authority(target, None)?;
            return Ok(Self { name, port, plain: None });
        }
        // Its answer is the request as the system's proxy got it, with the person's password for that proxy (RFC 9110).
        if method.eq_ignore_ascii_case("TRACE") {
            return Err(Refusal::MALFORMED);
        }
        // `https://` is asked for by CONNECT, and a path alone names no host.
        let rest =
            target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")).map(|_| &target[7..]);
        let rest = rest.ok_or(Refusal::MALFORMED)?;
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if path.contains('#') || !path.is_ascii() {
            return Err(Refusal::MALFORMED);
        }
        let (name, port) = authority(host, Some(80))?;
        let target = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let method = method.to_owned();
        let (headers, length) = passed_on(request.headers, &name, port)?;
        Ok(Self { name, port, plain: Some(Plain { method, target, headers, length }) })
    }

    /// Passes the request on, and the answer back, to the end of either.
    pub(super) async fn pass(
        &self,
        client: &mut TcpStream,
        head: &Head,
        server: &mut Connected,
        meter: &Meter<'_>,
    ) -> io::Result<()> {
        match &self.plain {
            None => tunnel(client, head.rest(), server, meter).await,
            Some(plain) => {
                let written = plain.written(&self.name, self.port, &server.by);
                exchange(client, &written, plain.length, head.rest(), server, meter).await
            }
        }
    }
}

/// The host and the port of an authority, without a user. `port` is that of one that names none.
fn authority(text: &str, port: Option<u16>) -> Result<(String, u16), Refusal> {
    let (name, named) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let is_plain = |port: &&str| port.bytes().all(|byte| byte.is_ascii_digit());
    let port = match named {
        Some(named) => {
            Some(named).filter(is_plain).and_then(|port| port.parse().ok()).filter(|port| *port != 0)
        }
        None => port,
    };
    let port = port.ok_or(Refusal::MALFORMED)?;
    let host = Host::at(name, port).map_err(|_| Refusal::NO_NAME)?;
    Ok((host.name().to_owned(), port))
}

/// The headers that are passed on, and the length of the body.
fn passed_on(headers: &[httparse::Header<'_>], name: &str, port: u16) -> Result<(Vec<u8>, u64), Refusal> {
    let text = |value: &[u8]| std::str::from_utf8(value).map(|text| text.trim().to_owned()).ok();
    let (mut hosts, mut lengths, mut named) = (0, Vec::new(), Vec::new());
    for header in headers {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        if is("host") {
            hosts += 1;
            let host = text(header.value).ok_or(Refusal::MALFORMED)?;
            if authority(&host, Some(80)).ok() != Some((name.to_owned(), port)) {
                return Err(Refusal::OTHER_HOST);
            }
        } else if is("transfer-encoding") {
            return Err(Refusal::NO_LENGTH);
        } else if is("content-length") {
            let length = text(header.value).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            lengths.push(length.and_then(|text| text.parse::<u64>().ok()).ok_or(Refusal::NO_LENGTH)?);
        } else if is("connection") || is("proxy-connection") {
            let names = text(header.value).ok_or(Refusal::MALFORMED)?;
            named.extend(names.split(',').map(|name| name.trim().to_ascii_lowercase()));
        }
    }
    if hosts > 1 || lengths.len() > 1 {
        return Err(Refusal::MALFORMED);
    }
    let mut passed = Vec::new();
    for header in headers {
        let name = header.name.to_ascii_lowercase();
        // The length is the body's end, whoever names it.
        let goes = name == "content-length" || !named.contains(&name);
        if goes && !HOP_BY_HOP.contains(&name.as_str()) {
            passed.extend_from_slice(header.name.as_bytes());
            passed.extend_from_slice(b": ");
            passed.extend_from_slice(header.value);
            passed.extend_from_slice(b"\r\n");
        }
    }
    Ok((passed, lengths.first().copied().unwrap_or(0)))
}

impl Plain {
    /// The head as it is passed on.
    fn written(&self, name: &str, port: u16, by: &By) -> Vec<u8> {
        let Self { method, target, headers, .. } = self;
        let host = if port == 80 { name.to_owned() } else { format!("{name}:{port}") };
        let mut head = match by {
            By::Itself => format!("{method} {target} HTTP/1.1\r\n"),
            By::Proxy(_) => format!("{method} http://{host}{target} HTTP/1.1\r\n"),
        };
        let _ = write!(head, "Host: {host}\r\nConnection: close\r\n");
        if let By::Proxy(proxy) = by {
            head.push_str(&proof(proxy));
        }
        [head.as_bytes(), headers, b"\r\n"].concat()
    }
}

/// A tunnel: whatever comes goes on, both ways.
async fn tunnel(
    client: &mut TcpStream,
    early: &[u8],
    server: &mut Connected,
    meter: &Meter<'_>,
) -> io::Result<()> {
    client.write_all(b"HTTP/1.1 200 Connection Established\r\n\r\n").await?;
    let rest = std::mem::take(&mut server.rest);
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.stream.split();
    let sending = async {
        meter.write(early, &mut to_server, Way::Sent).await?;
        meter.copy(&mut from_client, &mut to_server, u64::MAX, Way::Sent).await?;
        to_server.shutdown().await
    };
    let receiving = async {
        meter.write(&rest, &mut to_client, Way::Received).await?;
        meter.copy(&mut from_server, &mut to_client, u64::MAX, Way::Received).await?;
        to_client.shutdown().await
    };
    tokio::try_join!(sending, receiving).map(|_| ())
}

/// One request and its answer, which says that the next request is a connection of its own.
async fn exchange(
    client: &mut TcpStream,
    head: &[u8],
    length: u64,
    early: &[u8],
    server: &mut Connected,
    meter: &Meter<'_>,
) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.stream.split();
    let early_body = &early[..usize::try_from(length).map_or(early.len(), |length| length.min(early.len()))];
    let sending = async {
        meter.write(head, &mut to_server, Way::Sent).await?;
        meter.write(early_body, &mut to_server, Way::Sent).await?;
        let left = length - early_body.len() as u64;
        if meter.copy(&mut from_client, &mut to_server, left, Way::Sent).await? > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // Whatever else the program sends is not read.
        std::future::pending().await
    };
    let receiving = async {
        meter.copy(&mut from_server, &mut to_client, u64::MAX, Way::Received).await?;
        to_client.shutdown().await
    };
    tokio::select! {
        ended = sending => ended,
        ended = receiving => ended,
    }
}
