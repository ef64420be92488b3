//! A key and the server that it was given for. The key goes to no other server, whatever the settings say later.
//!
//! In the keychain both are one entry, such as `https://api.deepseek.com sk-…`, so that nothing in a file can move a key to another
//! server. No key has a space in it. An entry without one is bound to its endpoint's server when it is first used: an earlier Orion
//! kept it, or a person put it there, for the address that the settings had then. Asking for it again would protect it only from a
//! change of the address between then and now.

use orion_protocol::{Code, ErrorInfo};
use secrecy::{ExposeSecret, SecretString};

use crate::config::BaseUrl;

/// A key and its server.
#[derive(Debug, Clone)]
pub(super) struct BoundKey {
    origin: String,
    key: SecretString,
}

impl BoundKey {
    pub(super) fn new(address: &BaseUrl, key: SecretString) -> Self {
        Self { origin: address.origin(), key }
    }

    /// The form in which the keychain holds it.
    pub(super) fn entry(&self) -> SecretString {
        format!("{} {}", self.origin, self.key.expose_secret()).into()
    }

    /// Reads what the keychain holds; none for a key without a server.
    pub(super) fn read(entry: &SecretString) -> Option<Self> {
        let (origin, key) = entry.expose_secret().split_once(' ')?;
        let address = BaseUrl::new(origin)?;
        Some(Self::new(&address, key.into()))
    }

    pub(super) fn is_for(&self, address: &BaseUrl) -> bool {
        self.origin == address.origin()
    }

    /// The key, for a request to this address of the endpoint.
    ///
    /// # Errors
    /// `authentication` where the key was given for another server.
    pub(super) fn for_request(self, endpoint: &str, address: &BaseUrl) -> Result<SecretString, ErrorInfo> {
        if self.is_for(address) {
            return Ok(self.key);
        }
        Err(ErrorInfo::new(
            Code::Authentication,
            format!(
                "The key of {endpoint} was given for {}, so it is not sent to {}.",
                self.origin,
                address.origin()
            ),
            "Enter the key again in the settings of this endpoint, or correct its base_url in config.toml.",
        ))
    }
}
