//! Plain HTTP to another computer. Everyone on the way can read what is sent, so the person has to confirm it first.

use orion_protocol::{Code, ErrorInfo};
use url::{Host, Url};

/// Refuses plain HTTP to another computer that nobody confirmed.
///
/// # Errors
/// `unencrypted`, with what to do.
pub fn check_encrypted(url: &Url, confirmed: bool) -> Result<(), ErrorInfo> {
    if confirmed || url.scheme() != "http" || is_this_computer(url) {
        return Ok(());
    }
    let host = url.host_str().unwrap_or_default();
    Err(ErrorInfo::new(
        Code::Unencrypted,
        format!("Messages to {host} would travel unencrypted, so nothing was sent."),
        "Use an https:// address. If you trust the network, confirm it: in the window's form, with allow_http = true in the \
         endpoint's table in config.toml, or with --allow-http.",
    ))
}

/// True for an address that never leaves this computer.
#[must_use]
pub fn is_this_computer(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        // RFC 6761, 6.3: names below `localhost` are this computer.
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_leaves_this_computer_only_when_it_was_confirmed() {
        let check = |url: &str, confirmed| {
            check_encrypted(&Url::parse(url).unwrap(), confirmed).map_err(|error| error.code)
        };
        for url in [
            "http://192.168.0.2/v1",
            "http://host.example/v1",
            "http://localhost.example/v1",
            "http://127.0.0.1.example/v1",
            "http://[::2]/v1",
        ] {
            assert_eq!((check(url, false), check(url, true)), (Err(Code::Unencrypted), Ok(())), "{url}");
        }
        for url in [
            "https://host.example/v1",
            "http://localhost:1/v1",
            "http://a.localhost/v1",
            "http://127.0.0.9/v1",
            "http://[::1]/v1",
        ] {
            assert_eq!(check(url, false), Ok(()), "{url}");
        }
    }
}
