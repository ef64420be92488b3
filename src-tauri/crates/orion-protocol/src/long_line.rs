//! Lines of a difference that are too long for a row: which they are, and the rest of their text. What is approved was seen (W6), so a person
//! can ask for all of a line.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Mark;

/// A changed line of which its row has the beginning only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CutRow {
    /// Its place among the rows of the whole difference, from 0.
    #[ts(type = "number")]
    pub row: u64,
    /// Characters that the row does not have.
    #[ts(type = "number")]
    pub cut: u64,
}

/// A further stretch of the line of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RowRest {
    /// At most 20,000 characters.
    pub text: String,
    /// Characters of the line behind this stretch.
    #[ts(type = "number")]
    pub cut: u64,
    /// As in a row, counted from the beginning of this stretch.
    pub marks: Vec<Mark>,
}
