//! The place of a server, in words that a report may have: everybody's server by its name, any other one by where it is.

use orion_protocol::EndpointPreset;
use url::{Host, Url};

use crate::config::is_this_computer;

/// The place of a server.
pub(super) fn place(url: &Url, presets: &[EndpointPreset]) -> String {
    if is_this_computer(url) {
        return url
            .port_or_known_default()
            .map_or_else(|| "on this computer".to_owned(), |port| format!("on this computer, port {port}"));
    }
    let same = |preset: &&EndpointPreset| {
        Url::parse(&preset.base_url).is_ok_and(|known| known.host_str() == url.host_str())
    };
    if let Some(known) = presets.iter().find(same) {
        return known.label.clone();
    }
    let place = match url.host() {
        Some(Host::Ipv4(address)) if address.is_private() || address.is_link_local() => {
            "in a private network"
        }
        Some(Host::Ipv6(address)) if address.is_unique_local() || address.is_unicast_link_local() => {
            "in a private network"
        }
        Some(Host::Domain(name)) if !name.contains('.') || is_local_name(name) => "in a private network",
        _ => "on another server",
    };
    format!("{place}, {}", url.scheme())
}

/// Names that no public name server knows (RFC 6762, RFC 8375, and the one that ICANN reserved in 2024).
fn is_local_name(name: &str) -> bool {
    [".local", ".home.arpa", ".internal", ".lan"].iter().any(|end| name.to_ascii_lowercase().ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_where_everybody_knows_it() {
        let known = EndpointPreset {
            name: "deepseek".into(),
            label: "DeepSeek".into(),
            base_url: "https://api.deepseek.com/v1".into(),
            key_variable: None,
            model: None,
            local: false,
        };
        for (url, said) in [
            ("https://api.deepseek.com/v1", "DeepSeek"),
            ("http://localhost:11434/v1", "on this computer, port 11434"),
            ("http://192.168.1.5:8080/v1", "in a private network, http"),
            ("http://[fd00::5]/v1", "in a private network, http"),
            ("https://gpu.local/v1", "in a private network, https"),
            ("https://gpu/v1", "in a private network, https"),
            ("https://llm.acme.example/v1", "on another server, https"),
        ] {
            assert_eq!(place(&Url::parse(url).unwrap(), std::slice::from_ref(&known)), said);
        }
    }
}
