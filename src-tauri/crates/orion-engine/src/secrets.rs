//! Keys of model endpoints: where they are looked for, kept and hidden.
//!
//! A key is looked for in the environment variable named on the command line or in the settings, then in the system's
//! keychain, then in memory. It is kept in the keychain, or where there is none in memory for as long as Orion runs; never
//! in a file. Deliberately not here: what a key opens.

mod arguments;
mod keychain;
mod redactor;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use orion_protocol::{Code, ErrorInfo, KeySource};
use secrecy::{ExposeSecret, SecretString};

use crate::config::{EndpointConfig, Environment};

pub use arguments::hide_in_usage;
pub use keychain::{Keychain, OpenStore};
pub use redactor::Redactor;

/// All keys of one process.
#[derive(Debug)]
pub struct KeyStore {
    environment: Environment,
    keychain: Keychain,
    memory: Mutex<HashMap<String, SecretString>>,
    redactor: Redactor,
}

impl KeyStore {
    /// Opens nothing: the keychain is first touched when a key is asked for that is in it.
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
        } else if self.memory().contains_key(name) {
            KeySource::Memory
        } else {
            KeySource::None
        }
    }

    /// The key of an endpoint; null when none is set. From here on the [`Redactor`] knows it.
    pub async fn key(
        &self,
        name: &str,
        endpoint: &EndpointConfig,
    ) -> Result<Option<SecretString>, ErrorInfo> {
        let from_environment = self
            .variable(endpoint)
            .and_then(|variable| self.environment.get(variable))
            .map(SecretString::from);
        let remembered = || self.memory().get(name).cloned();
        let key = match from_environment {
            Some(key) => Some(key),
            None if endpoint.keychain => match (self.keychain.get(name).await, remembered()) {
                (Ok(Some(key)), _) | (Ok(None) | Err(_), Some(key)) => Some(key),
                (Ok(None), None) => None,
                (Err(error), None) => return Err(error),
            },
            None => remembered(),
        };
        if let Some(key) = &key {
            check(key)?;
            self.redactor.hide(key);
        }
        Ok(key)
    }

    /// Keeps a key in the keychain, or in memory where there is no keychain. The answer says which.
    pub async fn keep(&self, name: &str, key: SecretString) -> Result<KeySource, ErrorInfo> {
        check(&key)?;
        self.redactor.hide(&key);
        let kept = self.keychain.set(name, key.clone()).await;
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

    fn memory(&self) -> MutexGuard<'_, HashMap<String, SecretString>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A key goes into an HTTP header: anything but visible ASCII in it is a slip of the clipboard.
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
