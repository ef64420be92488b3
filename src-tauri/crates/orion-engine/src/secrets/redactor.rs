//! Takes known secrets out of text on its way to a log, a journal or a person.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use orion_protocol::ErrorInfo;
use secrecy::{ExposeSecret, SecretString};

/// What stands in a secret's place.
pub(super) const REDACTED: &str = "[redacted]";

/// The shortest text that is taken for a secret: shorter ones (such as `none` or `ollama`, which local servers take for a
/// key) would make holes in ordinary text and keep nothing safe.
const MIN_BYTES: usize = 8;

/// The secrets that were used in this process. Clones share them.
#[derive(Clone, Default)]
pub struct Redactor(Arc<RwLock<Vec<SecretString>>>);

impl Redactor {
    /// Hides this secret from now on.
    pub fn hide(&self, secret: &SecretString) {
        let text = secret.expose_secret();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if text.len() < MIN_BYTES || known.iter().any(|old| old.expose_secret() == text) {
            return;
        }
        known.push(secret.clone());
        // The longest first: one may be a part of another.
        known.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
    }

    /// The text without the secrets; borrowed when there are none in it.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().fold(Cow::Borrowed(text), |text, secret| match text.contains(secret.expose_secret()) {
            true => Cow::Owned(text.replace(secret.expose_secret(), REDACTED)),
            false => text,
        })
    }

    /// The error without the secrets: providers like to quote a wrong key in their answer.
    #[must_use]
    pub fn redact_error(&self, mut error: ErrorInfo) -> ErrorInfo {
        error.message = self.redact(&error.message).into_owned();
        error.detail = error.detail.map(|detail| self.redact(&detail).into_owned());
        error
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}
