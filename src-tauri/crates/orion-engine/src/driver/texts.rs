//! The texts that a journal names by digest (T8). They are kept once, as JSON, and a text is accepted only if it
//! still has its digest.

use orion_core::signature::digest;
use orion_protocol::{Code, ErrorInfo, Sha256};
use orion_store::{Store, StoreError};
use serde::Serialize;

pub(super) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Value { detail: error.to_string() })
}

/// A text by its digest.
///
/// # Errors
/// [`altered`] when it is gone, or is another text now.
pub(super) async fn text(store: &Store, sha256: Sha256) -> Result<String, ErrorInfo> {
    match store.text(sha256).await {
        Ok(text) if digest(&text) == sha256 => Ok(text),
        Ok(_) | Err(StoreError::BodyUnknown(_) | StoreError::Value { .. }) => Err(altered(sha256)),
        Err(error) => Err(error.into()),
    }
}

/// What to do about a turn that cannot be replayed, whether it has ended or not.
const WHAT_TO_DO: &str =
    "If it is waiting, stop it or reject what it proposes. To ask once more, send the message again.";

/// The error of a row that this version does not understand.
pub(super) fn unreadable(error: serde_json::Error) -> ErrorInfo {
    let message = "This turn was written by another version of Orion, in a form that this one does not read.";
    ErrorInfo::new(Code::OtherVersion, message, WHAT_TO_DO).with_detail(error.to_string())
}

/// The error of a row that is not what was recorded.
pub(super) fn altered_row() -> ErrorInfo {
    let message = "What was recorded of this turn was changed afterwards. It cannot be replayed or resumed.";
    ErrorInfo::new(Code::OtherVersion, message, WHAT_TO_DO)
}

/// The error of a text that is not the one that the journal names.
pub(super) fn altered(sha256: Sha256) -> ErrorInfo {
    let message = "A text of this turn was changed after it was recorded. It cannot be replayed or resumed.";
    ErrorInfo::new(Code::OtherVersion, message, WHAT_TO_DO).with_detail(format!("SHA-256 {sha256}"))
}
