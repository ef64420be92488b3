//! The way from the proxy to a granted host: its addresses, asked for by Orion and checked, or the proxy of the system (C2).
//!
//! The address that was checked is the one that is connected to, so a name that leads elsewhere a moment later gains nothing. Deliberately not here:
//! which addresses are public (`addresses`).

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::addresses::is_public;
use super::head::Head;

/// The time for the addresses of a name, for a connection to one of them, and for the word of the system's proxy.
const NAMED: Duration = Duration::from_secs(15);
const CONNECTED: Duration = Duration::from_secs(10);
const SAID: Duration = Duration::from_secs(30);

/// Addresses of a name that are tried.
const TRIED: usize = 4;

/// The addresses of a name, with the port that is asked for.
type Names = Arc<dyn Fn(&str, u16) -> Vec<SocketAddr> + Send + Sync>;

/// The network outside, as a test has it.
#[derive(Clone)]
pub struct Internet {
    /// The addresses of names.
    pub names: Names,
    /// Addresses that count as public.
    pub public: Vec<IpAddr>,
    /// The proxy of the system.
    pub proxy: Option<String>,
    /// Bytes that a command may receive and send.
    pub most: (u64, u64),
}

impl fmt::Debug for Internet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Internet").field("public", &self.public).finish_non_exhaustive()
    }
}

/// The things by which a host is reached.
#[derive(Debug, Clone)]
pub(crate) struct Onward {
    /// Another network than this computer's.
    tried: Option<Internet>,
    system: Arc<Matcher>,
}

/// A connection to a host.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) stream: TcpStream,
    pub(super) by: By,
    /// The first bytes of the host, if they came with the word of the system's proxy.
    pub(super) rest: Vec<u8>,
}

/// The way of a connection.
#[derive(Debug)]
pub(super) enum By {
    Itself,
    /// The system's proxy, with what proves that this person may use it.
    Proxy(Box<Intercept>),
}

/// The line with which the system's proxy is told who asks, if it wants to know.
pub(super) fn proof(proxy: &Intercept) -> String {
    let value = proxy.basic_auth().and_then(|value| value.to_str().ok());
    value.map(|value| format!("Proxy-Authorization: {value}\r\n")).unwrap_or_default()
}

impl Onward {
    /// By the names and the proxy of this computer, or of another network.
    pub(crate) fn of(tried: Option<Internet>) -> Self {
        let system = match &tried {
            None => Matcher::from_system(),
            Some(Internet { proxy, .. }) => Matcher::builder().all(proxy.clone().unwrap_or_default()).build(),
        };
        Self { tried, system: Arc::new(system) }
    }

    /// Connects to the host, or says why not: the end of a sentence that begins with its name.
    pub(super) async fn connect(&self, name: &str, port: u16, is_plain: bool) -> Result<Connected, String> {
        let scheme = if is_plain { "http" } else { "https" };
        let uri = format!("{scheme}://{name}:{port}/").parse();
        match uri.ok().and_then(|uri| self.system.intercept(&uri)) {
            Some(proxy) => over(&proxy, name, port, is_plain).await,
            None => {
                let stream = self.direct(name, port).await?;
                Ok(Connected { stream, by: By::Itself, rest: Vec::new() })
            }
        }
    }

    async fn direct(&self, name: &str, port: u16) -> Result<TcpStream, String> {
        let addresses = match &self.tried {
            Some(Internet { names, .. }) => names(name, port),
            None => match timeout(NAMED, tokio::net::lookup_host((name, port))).await {
                Ok(Ok(found)) => found.collect(),
                Ok(Err(_)) => Vec::new(),
                Err(_) => return Err("could not be looked up in time".to_owned()),
            },
        };
        if addresses.is_empty() {
            return Err("has no address that is known here".to_owned());
        }
        let also_public = self.tried.as_ref().map_or(&[][..], |tried| &tried.public);
        let is_public = |address: &SocketAddr| is_public(address.ip()) || also_public.contains(&address.ip());
        let addresses: Vec<SocketAddr> = addresses.into_iter().filter(is_public).collect();
        if addresses.is_empty() {
            return Err("leads to an address that is not of the public internet".to_owned());
        }
        let mut last = None;
        for address in addresses.into_iter().take(TRIED) {
            match connected(TcpStream::connect(address)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        Err(not_reached(last.as_ref()))
    }
}

async fn connected(connecting: impl Future<Output = io::Result<TcpStream>>) -> io::Result<TcpStream> {
    timeout(CONNECTED, connecting).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

fn not_reached(error: Option<&io::Error>) -> String {
    match error.map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => "refused the connection".to_owned(),
        Some(io::ErrorKind::TimedOut) => "did not answer in time".to_owned(),
        _ => "could not be reached".to_owned(),
    }
}

/// Connects over the system's proxy, which looks the name up itself. A tunnel is asked for; plain HTTP is passed to the proxy as it is.
async fn over(proxy: &Intercept, name: &str, port: u16, is_plain: bool) -> Result<Connected, String> {
    let uri = proxy.uri();
    let (Some("http"), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return Err("needs the proxy of this system, and Orion can only use one of plain HTTP".to_owned());
    };
    let broken = |what: &str| format!("could not be reached: the proxy of this system {what}");
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let connecting = TcpStream::connect((host, uri.port_u16().unwrap_or(80)));
    let mut stream = connected(connecting).await.map_err(|_| broken("did not answer"))?;
    let by = By::Proxy(Box::new(proxy.clone()));
    if is_plain {
        return Ok(Connected { stream, by, rest: Vec::new() });
    }
    let proof = proof(proxy);
    let head = format!("CONNECT {name}:{port} HTTP/1.1\r\nHost: {name}:{port}\r\n{proof}\r\n");
    let asking = async {
        stream.write_all(head.as_bytes()).await.ok()?;
        Head::read(&mut stream).await.ok()
    };
    let said = timeout(SAID, asking).await.ok().flatten().ok_or_else(|| broken("did not answer"))?;
    match status(said.bytes()) {
        Some(200..=299) => {
            let rest = said.rest().to_vec();
            Ok(Connected { stream, by, rest })
        }
        Some(status) => Err(broken(&format!("answered {status}"))),
        None => Err(broken("gave an answer that is none")),
    }
}

fn status(head: &[u8]) -> Option<u16> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    response.parse(head).ok().filter(httparse::Status::is_complete)?;
    response.code
}
