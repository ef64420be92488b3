//! Keys of model endpoints: where they are looked up, kept and hidden.
//!
//! A key is looked for in the environment variable named on the command line or in the settings, then in the system's
//! keychain, then in memory. Orion keeps keys in the keychain, or, where there is none, in memory for as long as it runs;
//! never in a file. A key that Orion keeps goes only to the server that it was given for. A variable is not bound to a
//! server, since it is named in the same table as the address. Deliberately not here: what a key opens.

mod arguments;
mod bound;
mod keychain;
mod redactor;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use orion_protocol::{Code, ErrorInfo, KeySource};
use secrecy::{ExposeSecret, SecretString};

use crate::config::{BaseUrl, EndpointConfig, Environment};

pub use arguments::hide_in_usage;
use bound::BoundKey;
pub use keychain::{Keychain, OpenStore};
pub use redactor::Redactor;
pub(crate) use redactor::starred;

/// All keys of one process.
#[derive(Debug)]
pub struct KeyStore {
    environment: Environment,
    keychain: Keychain,
    memory: Mutex<HashMap<String, BoundKey>>,
    redactor: Redactor,
}

impl KeyStore {
    /// Opens nothing. The keychain is first used when somebody asks for a key that is in it.
    #[must_use]
    pub fn new(environment: Environment, keychain: Keychain, redactor: Redactor) -> Self {
        Self { environment, keychain, memory: Mutex::default(), redactor }
    }

    /// Where the key of an endpoint will come from, found without opening the keychain.
    #[must_use]
    pub fn source(&self, name: &str, endpoint: &EndpointConfig) -> KeySource {
        if let Some(variable) = self.variable(endpoint) {
            KeySource::Environment(variable.to_owned())
        } else if endpoint.keychain {
            KeySource::Keychain
        } else if self.memory().get(name).is_some_and(|key| key.is_for(&endpoint.base_url)) {
            KeySource::Memory
        } else if let Some(variable) = &endpoint.key_variable {
            KeySource::Unset(variable.to_string())
        } else if endpoint.key_not_kept {
            KeySource::Lost
        } else {
            KeySource::None
        }
    }

    /// The key of an endpoint; none when none is set. From here on the [`Redactor`] knows it.
    ///
    /// # Errors
    /// `authentication` for what cannot be a key and for a key that was given for another server, `keychain_unavailable`.
    pub async fn key(
        &self,
        name: &str,
        endpoint: &EndpointConfig,
    ) -> Result<Option<SecretString>, ErrorInfo> {
        self.found(name, endpoint, true).await
    }

    /// Like [`KeyStore::key`], and binds no key that is in the keychain without a server: a look changes nothing.
    ///
    /// # Errors
    /// Those of [`KeyStore::key`].
    pub async fn key_as_it_is(
        &self,
        name: &str,
        endpoint: &EndpointConfig,
    ) -> Result<Option<SecretString>, ErrorInfo> {
        self.found(name, endpoint, false).await
    }

    async fn found(
        &self,
        name: &str,
        endpoint: &EndpointConfig,
        binds: bool,
    ) -> Result<Option<SecretString>, ErrorInfo> {
        let from_environment = self
            .variable(endpoint)
            .and_then(|variable| self.environment.get(variable))
            .map(SecretString::from);
        let key = match from_environment {
            Some(key) => Some(key),
            None => match self.kept(name, endpoint, binds).await? {
                Some(key) => Some(key.for_request(name, &endpoint.base_url)?),
                None => None,
            },
        };
        if let Some(key) = &key {
            check(key)?;
            self.redactor.hide(key);
        }
        Ok(key)
    }

    /// The key that Orion keeps for an endpoint, whatever server it was given for.
    async fn kept(
        &self,
        name: &str,
        endpoint: &EndpointConfig,
        binds: bool,
    ) -> Result<Option<BoundKey>, ErrorInfo> {
        let remembered = || self.memory().get(name).cloned();
        if !endpoint.keychain {
            return Ok(remembered());
        }
        match (self.keychain.get(name).await, remembered()) {
            (Ok(Some(entry)), _) => match BoundKey::read(&entry) {
                Some(key) => Ok(Some(key)),
                None => {
                    check(&entry)?;
                    let key = BoundKey::new(&endpoint.base_url, entry);
                    if binds {
                        self.keychain.set(name, key.entry()).await?;
                    }
                    Ok(Some(key))
                }
            },
            (Ok(None) | Err(_), Some(key)) => Ok(Some(key)),
            (Ok(None), None) => Ok(None),
            (Err(error), None) => Err(error),
        }
    }

    /// Keeps a key for the server of this address: in the keychain, or in memory where there is no keychain. Returns
    /// which of the two.
    ///
    /// # Errors
    /// `authentication` for what cannot be a key.
    pub async fn keep(
        &self,
        name: &str,
        address: &BaseUrl,
        key: SecretString,
    ) -> Result<KeySource, ErrorInfo> {
        check(&key)?;
        self.redactor.hide(&key);
        let key = BoundKey::new(address, key);
        let kept = self.keychain.set(name, key.entry()).await;
        if kept.is_ok() {
            self.memory().remove(name);
            return Ok(KeySource::Keychain);
        }
        self.memory().insert(name.to_owned(), key);
        Ok(KeySource::Memory)
    }

    /// Forgets the key of an endpoint, in the keychain too when it is there.
    pub async fn forget(&self, name: &str, in_keychain: bool) -> Result<(), ErrorInfo> {
        self.memory().remove(name);
        if in_keychain { self.keychain.delete(name).await } else { Ok(()) }
    }

    /// True when the system has a keychain. It is opened to find out, so ask after the window is up.
    pub async fn has_keychain(&self) -> bool {
        self.keychain.is_there().await
    }

    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The endpoint's variable, when it is set.
    fn variable<'e>(&self, endpoint: &'e EndpointConfig) -> Option<&'e str> {
        endpoint
            .key_variable
            .as_ref()
            .map(|variable| variable.as_str())
            .filter(|variable| self.environment.get(variable).is_some())
    }

    fn memory(&self) -> MutexGuard<'_, HashMap<String, BoundKey>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A key goes into an HTTP header. A character that is not visible ASCII comes from a mistake in copying.
fn check(key: &SecretString) -> Result<(), ErrorInfo> {
    let text = key.expose_secret();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    Err(ErrorInfo::new(
        Code::Authentication,
        "The key is empty or holds spaces, line ends or other characters that no key has.",
        "Copy the key again, without anything around it.",
    ))
}
