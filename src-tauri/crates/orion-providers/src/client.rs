//! The HTTP clients of the process. Each is built when it is first needed, and connections are shared.
//!
//! There are two. Plain HTTP on this computer needs neither certificates nor proxies, and reading the system's would
//! take most of the time to the first request. Neither client follows redirects: another host must get neither key nor
//! prompt.

use std::fmt;
use std::sync::OnceLock;

use orion_protocol::{Code, ErrorInfo};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder};

use crate::tuning::Tuning;

/// Sent as `User-Agent`.
const AGENT: &str = concat!("orion/", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Default)]
pub(crate) struct Clients {
    local: OnceLock<Client>,
    remote: OnceLock<Client>,
}

impl Clients {
    /// For `http://` on this computer.
    pub(crate) fn local(&self, tuning: &Tuning) -> Result<Client, ErrorInfo> {
        built(&self.local, || common(tuning).no_proxy().tls_certs_only([]))
    }

    /// For everything else.
    pub(crate) fn remote(&self, tuning: &Tuning) -> Result<Client, ErrorInfo> {
        built(&self.remote, || common(tuning))
    }
}

fn built(place: &OnceLock<Client>, builder: impl FnOnce() -> ClientBuilder) -> Result<Client, ErrorInfo> {
    if let Some(client) = place.get() {
        return Ok(client.clone());
    }
    let client = builder().build().map_err(|error| {
        ErrorInfo::new(
            Code::Connection,
            "Secure connections cannot be set up on this computer.",
            "Check that its root certificates are installed.",
        )
        .with_detail(error.without_url().to_string())
    })?;
    Ok(place.get_or_init(|| client).clone())
}

fn common(tuning: &Tuning) -> ClientBuilder {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(tuning.connect)
        .tcp_nodelay(true)
        .user_agent(AGENT)
        .dns_resolver(System)
}

/// The system's own look-up. The type of its error tells it apart from others.
struct System;

impl Resolve for System {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is set by the connector.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(NameUnknown)?;
            Ok(Box::new(found.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// A host name has no address, or no address could be looked up.
#[derive(Debug, thiserror::Error)]
pub(crate) struct NameUnknown(#[source] std::io::Error);

impl fmt::Display for NameUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name could not be looked up")
    }
}
