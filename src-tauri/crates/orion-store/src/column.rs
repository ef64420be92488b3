//! Values that are stored as text in a column: digests, and enums by their name on the wire.

use orion_protocol::Sha256;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

pub(crate) fn digest(text: &str) -> Result<Sha256, StoreError> {
    text.parse().map_err(StoreError::value)
}

/// The word that a plain enum is on the wire.
pub(crate) fn to_word<T: Serialize>(value: &T) -> Result<String, StoreError> {
    match serde_json::to_value(value).map_err(StoreError::value)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(StoreError::value(other)),
    }
}

pub(crate) fn from_word<T: DeserializeOwned>(word: String) -> Result<T, StoreError> {
    serde_json::from_value(serde_json::Value::String(word)).map_err(StoreError::value)
}
