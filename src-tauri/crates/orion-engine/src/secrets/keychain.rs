//! The operating system's keychain, off the runtime's threads.
//!
//! Its calls block for as long as a person thinks about a prompt. So each runs on a thread of its own, which nobody
//! waits for at exit. Where there is no keychain (a server, a container), opening it fails at once and cleanly.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use keyring_core::{CredentialStore, Entry, Error};
use orion_protocol::{Code, ErrorInfo};
use secrecy::{ExposeSecret, SecretString};

/// The service that Orion's entries are under; the user of an entry is the endpoint's name.
const SERVICE: &str = "orion";

/// How long a call may take: a minute for a person to unlock the keychain.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long to find out whether there is a keychain at all. No person is asked for that: a session bus answers within
/// milliseconds, and a window waits for it.
const GLANCE: Duration = Duration::from_millis(500);

/// Opens the store that holds the entries.
pub type OpenStore = fn() -> keyring_core::Result<Arc<CredentialStore>>;

/// The keychain, opened at its first use.
#[derive(Clone)]
pub struct Keychain {
    open: OpenStore,
    /// Never dropped: dropping a store closes its session-bus connection and waits for that, which no thread of the
    /// runtime may do. The system closes the connection when the process ends.
    store: Arc<Mutex<Option<&'static CredentialStore>>>,
}

impl Keychain {
    /// The keychain of this system.
    #[must_use]
    pub fn of_system() -> Self {
        Self::with(open_system)
    }

    /// A keychain in another store.
    #[must_use]
    pub fn with(open: OpenStore) -> Self {
        Self { open, store: Arc::default() }
    }

    pub(super) async fn get(&self, name: &str) -> Result<Option<SecretString>, ErrorInfo> {
        self.entry(name, |entry| match entry.get_password() {
            Ok(key) => Ok(Some(SecretString::from(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    pub(super) async fn set(&self, name: &str, key: SecretString) -> Result<(), ErrorInfo> {
        self.entry(name, move |entry| entry.set_password(key.expose_secret())).await
    }

    pub(super) async fn delete(&self, name: &str) -> Result<(), ErrorInfo> {
        self.entry(name, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
        .await
    }

    pub(super) async fn is_there(&self) -> bool {
        self.off_thread(GLANCE, |keychain| keychain.opened().map(|_| ())).await.is_ok()
    }

    async fn entry<T: Send + 'static>(
        &self,
        name: &str,
        act: impl FnOnce(Entry) -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<T, ErrorInfo> {
        let name = name.to_owned();
        self.off_thread(PATIENCE, move |keychain| act(keychain.opened()?.build(SERVICE, &name, None)?)).await
    }

    async fn off_thread<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce(&Self) -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<T, ErrorInfo> {
        let (done, result) = tokio::sync::oneshot::channel();
        let keychain = self.clone();
        let spawned = std::thread::Builder::new().name("keychain".to_owned()).spawn(move || {
            // Nobody receives this if the wait was cancelled.
            _ = done.send(work(&keychain));
        });
        if let Err(error) = spawned {
            return Err(unavailable(error.to_string()));
        }
        match tokio::time::timeout(patience, result).await {
            Ok(Ok(Ok(value))) => Ok(value),
            Ok(Ok(Err(error))) => Err(unavailable(said(&error))),
            Ok(Err(_)) => Err(unavailable("the keychain's library failed")),
            Err(_) => Err(unavailable(format!("no answer within {} ms", patience.as_millis()))),
        }
    }

    /// The store; one that could not be opened is tried again next time.
    fn opened(&self) -> keyring_core::Result<&'static CredentialStore> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = *store {
            return Ok(store);
        }
        let opened: &'static CredentialStore = &**Box::leak(Box::new((self.open)()?));
        *store = Some(opened);
        Ok(opened)
    }
}

impl fmt::Debug for Keychain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keychain")
    }
}

/// What the keychain said. Of an entry that is not text the bytes are left out: they are a secret.
fn said(error: &Error) -> String {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "the entry is not text".to_owned(),
        other => other.to_string(),
    }
}

fn unavailable(detail: impl Into<String>) -> ErrorInfo {
    ErrorInfo::new(
        Code::KeychainUnavailable,
        "The system's keychain cannot be used.",
        "Put the key into an environment variable and name it in the endpoint's settings.",
    )
    .with_detail(detail)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn open_system() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn open_system() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn open_system() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}
