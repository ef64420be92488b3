//! What a person gave to the window where the web view does not hand it to the page (0058).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Files and folders that a person dropped or pasted. The page is told no path.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DroppedFiles {
    pub files: Vec<DroppedFile>,
    /// The names of folders, which no message can have.
    pub folders: Vec<String>,
}

/// A file that can be attached to a message by its number, until many others were dropped after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DroppedFile {
    pub number: u32,
    pub name: String,
}
