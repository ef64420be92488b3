//! The target of requests: a checked base URL, and the key that may be sent there.
//!
//! Not here: which providers there are ([`crate::presets`]).

use std::net::IpAddr;

use orion_engine::config::{check_encrypted, is_this_computer};
use orion_protocol::{Code, ErrorInfo};
use reqwest::Url;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::error::Host;

/// An endpoint's address and key, checked and ready for calls.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    base: Url,
    pub(crate) host: Host,
    pub(crate) authorization: Option<HeaderValue>,
}

impl Target {
    /// Checks both. Nothing goes over plain HTTP to another computer unless the person confirmed it, and a key never does.
    pub(crate) fn new(
        base_url: &str,
        key: Option<SecretString>,
        allow_http: bool,
    ) -> Result<Self, ErrorInfo> {
        let base = base(base_url)?;
        let Some(name) = base.host_str() else { return Err(no_url()) };
        check_encrypted(&base, allow_http)?;
        let local = is_this_computer(&base);
        let name = base.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        // A pasted key often has a line end.
        let key = key
            .map(|key| SecretString::from(key.expose_secret().trim()))
            .filter(|key| !key.expose_secret().is_empty());
        let authorization = key.as_ref().map(authorization).transpose()?;
        if authorization.is_some() && base.scheme() == "http" && !local {
            return Err(ErrorInfo::new(
                Code::ConfigInvalid,
                format!("The key would travel to {name} unencrypted, so it is not sent."),
                "Use an https:// base URL, or remove the key.",
            ));
        }
        let near = local || is_near(&base);
        Ok(Self { base, host: Host { name, local, near, key, proxy: None }, authorization })
    }

    pub(crate) fn is_local_http(&self) -> bool {
        self.host.local && self.base.scheme() == "http"
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// The port that the address names.
    pub(crate) fn port(&self) -> Option<u16> {
        self.base.port()
    }

    pub(crate) fn chat(&self) -> Url {
        self.at(&["chat", "completions"])
    }

    pub(crate) fn models(&self) -> Url {
        self.at(&["models"])
    }

    /// Beside the shared interface, which servers have below `/v1`: their own interface has no version in its address.
    pub(crate) fn beside(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        let trimmed = url.path().trim_end_matches('/');
        let above = trimmed.strip_suffix("/v1").unwrap_or(trimmed).to_owned();
        url.set_path(&above);
        url.set_query(None);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// Below the base; its query stays, since Azure has its version there.
    fn at(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }
}

fn base(text: &str) -> Result<Url, ErrorInfo> {
    let mut url = Url::parse(text.trim()).map_err(|_| no_url())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(no_url());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ErrorInfo::new(
            Code::ConfigInvalid,
            "The base URL holds a user name or a password.",
            "Remove it from the URL and set a key instead.",
        ));
    }
    url.set_fragment(None);
    // People often paste the whole address.
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(path.strip_suffix("/chat/completions").unwrap_or(&path));
    Ok(url)
}

/// An address in the computer's own network: a private one, or a name that only this network knows.
fn is_near(base: &Url) -> bool {
    let name = base.host_str().unwrap_or_default();
    match name.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(IpAddr::V4(address)) => address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_unique_local() || address.is_unicast_link_local(),
        Err(_) => !name.contains('.') || name.ends_with(".local"),
    }
}

fn no_url() -> ErrorInfo {
    ErrorInfo::new(
        Code::ConfigInvalid,
        "The base URL is not a web address.",
        "Give one such as https://api.deepseek.com/v1 or http://localhost:11434/v1.",
    )
}

fn authorization(key: &SecretString) -> Result<HeaderValue, ErrorInfo> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).map_err(|_| {
        ErrorInfo::new(
            Code::ConfigInvalid,
            "The key holds characters that no key can have.",
            "Copy it again, without line breaks.",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(base: &str) -> String {
        Target::new(base, None, true)
            .map(|target| target.chat().to_string())
            .unwrap_or_else(|error| error.message)
    }

    #[test]
    fn the_chat_address_follows_from_the_base_however_it_is_written() {
        for base in
            ["https://h.example/v1", "https://h.example/v1/", " https://h.example/v1/chat/completions "]
        {
            assert_eq!(chat(base), "https://h.example/v1/chat/completions");
        }
        assert_eq!(chat("https://h.example"), "https://h.example/chat/completions");
        assert_eq!(chat("http://[::1]:8080/v1#x"), "http://[::1]:8080/v1/chat/completions");
        assert_eq!(
            chat("https://h.example/a?api-version=1"),
            "https://h.example/a/chat/completions?api-version=1"
        );
    }

    #[test]
    fn a_servers_own_interface_is_beside_the_shared_one() {
        let props = |base: &str| Target::new(base, None, true).unwrap().beside(&["props"]).to_string();
        for base in
            ["http://[::1]:8080/v1", "http://[::1]:8080/v1/", "http://[::1]:8080", "http://[::1]:8080/v1?a=b"]
        {
            assert_eq!((base, props(base)), (base, "http://[::1]:8080/props".to_owned()));
        }
        assert_eq!(props("https://h.example/llm/v1"), "https://h.example/llm/props");
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for base in ["", "api.deepseek.com/v1", "ftp://h/v1", "file:///etc", "http://", "localhost:11434"] {
            let error = Target::new(base, None, true).unwrap_err();
            assert_eq!(
                (base, error.code, &*error.message),
                (base, Code::ConfigInvalid, "The base URL is not a web address.")
            );
        }
        let error = Target::new("https://me:secret@h.example/v1", None, true).unwrap_err();
        assert_eq!((error.code, error.message.contains("secret")), (Code::ConfigInvalid, false));
    }

    #[test]
    fn a_key_goes_in_clear_to_this_computer_alone() {
        let with = |base: &str| {
            Target::new(base, Some("sk-1".into()), true).map(|target| target.authorization.is_some())
        };
        assert!(with("https://h.example/v1").unwrap());
        for base in
            ["http://localhost:1/v1", "http://127.0.0.9/v1", "http://[::1]/v1", "http://a.localhost/v1"]
        {
            assert!(with(base).unwrap());
        }
        for base in [
            "http://h.example/v1",
            "http://192.168.0.2/v1",
            "http://localhost.example/v1",
            "http://127.0.0.1.example/",
        ] {
            assert_eq!((base, with(base).unwrap_err().code), (base, Code::ConfigInvalid));
        }
        assert!(Target::new("http://h.example/v1", None, true).is_ok());
        let unconfirmed = Target::new("http://h.example/v1", None, false).unwrap_err();
        assert_eq!(unconfirmed.code, Code::Unencrypted);
    }

    #[test]
    fn a_key_is_trimmed_and_one_that_fits_no_header_is_refused_without_being_named() {
        let target = Target::new("https://h.example", Some(" sk-1\n".into()), true).unwrap();
        assert_eq!(target.authorization.unwrap().to_str().unwrap(), "Bearer sk-1");
        assert!(Target::new("http://h.example", Some(" \n".into()), true).unwrap().authorization.is_none());
        let error = Target::new("https://h.example", Some("sk-\n1".into()), true).unwrap_err();
        assert_eq!((error.code, error.message.contains("sk-")), (Code::ConfigInvalid, false));
    }
}
