//! The name of a host that a command may reach, with or without a port (C2).
//!
//! A name is compared, never interpreted: it is plain ASCII, and no address in any of the forms that programs take for one. Deliberately not here: where
//! a name leads (`network/onward`).

use std::fmt;

/// The ports of a name without one: those of HTTPS and HTTP.
#[cfg(target_os = "linux")]
const PORTS: [u16; 2] = [443, 80];

/// The longest name, and the longest part of one (RFC 1035).
const NAME: usize = 253;
const LABEL: usize = 63;

/// A host by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    /// A host as it is written: a name, or a name and a port.
    ///
    /// # Errors
    /// The reason for which it is none, as the end of a sentence that begins with it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (name, port) = match text.split_once(':') {
            None => (text, None),
            Some((name, port)) => (name, Some(of_port(port)?)),
        };
        Ok(Self { name: of_name(name)?, port })
    }
}

#[cfg(target_os = "linux")]
impl Host {
    /// The host of a connection. The ports of a name without one go without saying.
    pub(crate) fn at(name: &str, port: u16) -> Result<Self, &'static str> {
        Ok(Self { name: of_name(name)?, port: Some(port).filter(|port| !PORTS.contains(port)) })
    }

    /// True if this one was granted and the other is asked for.
    pub(crate) fn covers(&self, name: &str, port: u16) -> bool {
        self.name == name && self.port.map_or(PORTS.contains(&port), |own| own == port)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

fn of_port(text: &str) -> Result<u16, &'static str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain).ok_or("has no port from 1 to 65535 after its colon")
}

/// A name as it is compared: in small letters, without the dot at its end.
fn of_name(text: &str) -> Result<String, &'static str> {
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let labels: Vec<&str> = name.split('.').collect();
    let is_plain = |label: &&str| {
        (1..=LABEL).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = labels.last().copied().unwrap_or_default();
    if name.contains('*') {
        Err("stands for many hosts; name each one")
    } else if name == "localhost" || last == "localhost" {
        Err("is this computer itself")
    } else if is_number(last) || name.starts_with('[') {
        Err("is an address; name the host")
    } else if name.len() > NAME || !labels.iter().all(is_plain) {
        Err("is not the name of a host; only letters, digits, dots and hyphens are, others as xn--")
    } else if labels.len() < 2 {
        Err("has no dot; give the whole name")
    } else {
        Ok(name)
    }
}

/// True for a last label by which programs take the whole for an address: decimal, or hexadecimal with 0x (the host parser of the URL standard).
fn is_number(label: &str) -> bool {
    let digits = label.strip_prefix("0x");
    (!label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()))
        || digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::Host;

    #[test]
    fn a_name_is_one_exact_host_in_small_letters() {
        let long = format!("{}.test", "a".repeat(63));
        for (text, shown) in [
            ("crates.io", "crates.io"),
            ("Static.Crates.IO.", "static.crates.io"),
            ("registry.test:8080", "registry.test:8080"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("3.example", "3.example"),
            (long.as_str(), long.as_str()),
        ] {
            assert_eq!(Host::parse(text).unwrap().to_string(), shown, "{text}");
        }
    }

    #[test]
    fn addresses_patterns_this_computer_and_odd_names_are_no_hosts() {
        for text in [
            "",
            ".",
            "*",
            "*.crates.io",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "registry",
            "127.0.0.1",
            "1.2.3.4.",
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "a.0177",
            "a.0x",
            "::1",
            "[::1]",
            "[::1]:443",
            "a..b",
            ".a.b",
            "a.b..",
            "-a.b",
            "a-.b",
            "a_b.c",
            "a b.c",
            "a.b/",
            "a.b/c",
            "u@a.b",
            "u:p@a.b",
            "bücher.example",
            "a.b\0",
            "a.b\n",
            "a.b%00",
            "a.b:",
            "a.b:0",
            "a.b:080",
            "a.b:65536",
            "a.b:+1",
            "a.b:80:80",
            "http://a.b",
            "a.b ",
            " a.b",
        ] {
            assert!(Host::parse(text).is_err(), "{text:?}");
        }
        assert!(Host::parse(&format!("{}.test", "a".repeat(64))).is_err());
        assert!(Host::parse(&format!("{}test", "a.".repeat(126))).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_without_a_port_has_those_of_the_web_and_one_with_a_port_that_alone() {
        let (plain, with) = (Host::parse("a.test").unwrap(), Host::parse("a.test:8080").unwrap());
        assert_eq!([443, 80, 8080].map(|port| plain.covers("a.test", port)), [true, true, false]);
        assert_eq!([443, 80, 8080].map(|port| with.covers("a.test", port)), [false, false, true]);
        assert!(!plain.covers("b.a.test", 443) && !plain.covers("test", 443));
    }
}
