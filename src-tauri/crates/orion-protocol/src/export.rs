//! A session, or a turn, as a file.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What an export is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ExportFormat {
    /// Everything that another Orion needs to show and to replay it.
    Orion,
    /// The conversation, for people.
    Markdown,
    /// The same as one page.
    Html,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ExportedFile {
    pub path: String,
    #[ts(type = "number")]
    pub bytes: u64,
    /// Turns from which secrets were taken. They cannot be replayed from the file.
    pub redacted: u32,
    /// Endpoints whose key could not be read, so that nothing could be searched for it.
    pub keys_not_read: Vec<String>,
}
