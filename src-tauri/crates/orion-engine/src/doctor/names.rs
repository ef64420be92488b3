//! Takes out of a text what a report must not name, and says of a server no more than everybody may know.

use std::net::IpAddr;
use std::path::Path;

use orion_protocol::EndpointPreset;
use url::{Host, Url};

use crate::config::{Environment, is_this_computer};
use crate::paths::Paths;
use crate::secrets::Redactor;

/// The names that a report must not have.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// What is looked for, and what stands in its place; the longest first.
    known: Vec<(String, &'static str)>,
    redactor: Redactor,
}

impl Names {
    pub(super) fn of(paths: &Paths, environment: &Environment, redactor: &Redactor) -> Self {
        let mut known: Vec<(String, &'static str)> = Vec::new();
        let mut folder = |folder: &Path, word| known.push((folder.to_string_lossy().into_owned(), word));
        folder(&paths.data_dir, "DATA");
        folder(&paths.config_dir, "CONFIG");
        let home = etcetera::home_dir().ok();
        if let Some(home) = &home {
            folder(home, "~");
            // Where the variables name nobody.
            let last = home.file_name().map(|name| name.to_string_lossy().into_owned());
            known.extend(last.map(|name| (name, "USER")));
        }
        let named = [("USER", "USER"), ("LOGNAME", "USER"), ("USERNAME", "USER")];
        let named = named.into_iter().chain([("HOSTNAME", "HOST"), ("COMPUTERNAME", "HOST")]);
        known.extend(named.filter_map(|(name, word)| Some((environment.get(name)?.to_owned(), word))));
        known.extend(
            std::fs::read_to_string("/etc/hostname").ok().map(|name| (name.trim().to_owned(), "HOST")),
        );
        // One letter is no name, and would be found everywhere.
        known.retain(|(name, _)| name.chars().count() > 1);
        known.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { known, redactor: redactor.clone() }
    }

    /// A text from elsewhere without names, keys and addresses, on one line of at most 200 characters.
    pub(super) fn out_of(&self, text: &str) -> String {
        let text = self.redactor.redact(text);
        let mut text: String =
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(2_000).collect();
        for (name, word) in &self.known {
            text = replaced(&text, name, word);
        }
        let words: Vec<&str> =
            text.split(' ').map(|word| if is_private(word) { "(private)" } else { word }).collect();
        let text = words.join(" ");
        match text.char_indices().nth(200) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// The text with a word in the place of a name, wherever it is a name of its own or a part of a path.
fn replaced(text: &str, name: &str, word: &str) -> String {
    let mut rest = text;
    let mut made = String::with_capacity(text.len());
    while let Some(at) =
        rest.to_lowercase().find(&name.to_lowercase()).filter(|at| rest.is_char_boundary(*at))
    {
        let end = rest.len().min(rest.ceil_char_boundary(at + name.len()));
        let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_own = !joins(rest[..at].chars().next_back()) && !joins(rest[end..].chars().next());
        made.push_str(&rest[..at]);
        made.push_str(if is_own { word } else { &rest[at..end] });
        rest = &rest[end..];
    }
    made + rest
}

/// A word that has an address, a host or a path in it: whoever reads a report needs none of them.
fn is_private(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"/[]:\\".contains(c));
    let bare = word.split_once("://").map_or(word, |(_, rest)| rest);
    let host = bare.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host).trim_matches(['[', ']']);
    let is_path = word.starts_with('/') && word.len() > 1 || word.contains(":\\") || word.starts_with("\\\\");
    let is_address = host.parse::<IpAddr>().is_ok_and(|address| !address.is_loopback());
    is_path || is_address || word.contains("://")
}

/// The server of an endpoint: a known one by its name, any other one by where it is.
pub(super) fn server(url: &Url, presets: &[EndpointPreset]) -> String {
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
        _ => "another server",
    };
    format!("{place}, {}", url.scheme())
}

/// Names that no public name server knows (RFC 6762, RFC 8375, and the one that ICANN reserved in 2024).
fn is_local_name(name: &str) -> bool {
    [".local", ".home.arpa", ".internal", ".lan"].iter().any(|end| name.to_ascii_lowercase().ends_with(end))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn names() -> Names {
        let paths = Paths {
            config_dir: PathBuf::from("/home/ann/.config/orion"),
            data_dir: PathBuf::from("/srv/secret-folder/data"),
            others: Vec::new(),
        };
        let environment = [("USER", "ann"), ("HOSTNAME", "annsbox")].into_iter().collect();
        Names::of(&paths, &environment, &Redactor::default())
    }

    #[test]
    fn names_folders_and_addresses_leave_a_text() {
        for (text, without) in [
            ("anns-server", "anns-server"),
            ("ann's server", "USER's server"),
            ("Ann_2 on AnnsBox", "USER_2 on HOST"),
            ("planned", "planned"),
            ("/srv/secret-folder/data/orion.db is gone", "DATA/orion.db is gone"),
            ("in /srv/other/place.", "in (private)"),
            ("C:\\Users\\x is gone", "(private) is gone"),
            (
                "at 10.0.0.7:8080, [fd00::1]:80 and 127.0.0.1:11434",
                "at (private) (private) and 127.0.0.1:11434",
            ),
            ("see https://llm.acme.example/v1", "see (private)"),
            ("a\u{1b}[31mred", "a [31mred"),
        ] {
            assert_eq!(names().out_of(text), without, "{text}");
        }
        assert_eq!(names().out_of(&"x".repeat(300)).chars().count(), 201);
    }

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
            ("https://llm.acme.example/v1", "another server, https"),
        ] {
            assert_eq!(server(&Url::parse(url).unwrap(), std::slice::from_ref(&known)), said);
        }
    }
}
