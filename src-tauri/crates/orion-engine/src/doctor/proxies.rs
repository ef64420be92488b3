//! The proxies that requests go through.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use orion_protocol::{Finding, Subject, TroubleKind};
use tokio::net::TcpStream;
use url::Url;

use super::Examined;
use super::endpoints::bases;
use super::places::place;

/// A proxy is near.
const PATIENCE: Duration = Duration::from_secs(3);

/// As every HTTP client reads them, in small letters first.
const VARIABLES: [&str; 6] =
    ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

pub(super) async fn look(of: &Examined<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = VARIABLES.into_iter().filter_map(|name| wrong(of, name)).collect();
    let proxies: BTreeSet<Url> = bases(of).filter_map(|base| of.connector.proxy(&base)).collect();
    let asked = proxies.iter().map(|proxy| async move {
        let says = format!("a proxy {}", place(proxy, &[]));
        let (Some(host), Some(port)) = (proxy.host_str(), proxy.port_or_known_default()) else { return None };
        let host = host.trim_matches(['[', ']']);
        let answers = tokio::time::timeout(PATIENCE, TcpStream::connect((host, port))).await;
        Some(match answers {
            Ok(Ok(_)) => Finding::fine(Subject::Proxy, says),
            _ => Finding::troubled(
                Subject::Proxy,
                format!("{says}, does not answer"),
                TroubleKind::ProxySilent,
                "Start it, correct the proxy in the system's settings or in HTTPS_PROXY, or except the endpoint's host in NO_PROXY.",
            ),
        })
    });
    found.extend(join_all(asked).await.into_iter().flatten());
    if found.is_empty() {
        found.push(Finding::fine(Subject::Proxy, "none"));
    }
    found
}

fn wrong(of: &Examined<'_>, name: &str) -> Option<Finding> {
    let value = of.environment.get(name)?;
    let url = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let is_one = Url::parse(&url).is_ok_and(|url| {
        url.host_str().is_some_and(|host| !host.is_empty())
            && ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(&url.scheme())
    });
    (!is_one).then(|| {
        Finding::troubled(
            Subject::Proxy,
            format!("{name} is no address of a proxy, and is not used"),
            TroubleKind::ProxyWrong,
            format!("Write {name} as http://host:port, or take it out."),
        )
    })
}
