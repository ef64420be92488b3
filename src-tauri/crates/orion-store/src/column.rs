//! Values as columns have them: digests, enums by their name on the wire, and counted lines.

use orion_protocol::{ChangedLines, Sha256};
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

/// Lines that were counted; none where either number is not known.
pub(crate) fn lines_of(added: Option<i64>, removed: Option<i64>) -> Result<Option<ChangedLines>, StoreError> {
    let number = |column: i64| u64::try_from(column).map_err(StoreError::value);
    let lines = |(added, removed)| Ok(ChangedLines { added: number(added)?, removed: number(removed)? });
    added.zip(removed).map(lines).transpose()
}

/// The columns of counted lines, as [`lines_of`] reads them.
pub(crate) fn line_columns(lines: Option<ChangedLines>) -> Result<(Option<i64>, Option<i64>), StoreError> {
    let column = |number: Option<u64>| number.map(i64::try_from).transpose().map_err(StoreError::value);
    Ok((column(lines.map(|it| it.added))?, column(lines.map(|it| it.removed))?))
}
