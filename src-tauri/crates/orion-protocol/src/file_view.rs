//! A file of a project as a person reads it in the window.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Lines of a text file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FileView {
    /// Project-relative, with `/`.
    pub path: String,
    /// Of the file.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Lines of the file.
    #[ts(type = "number")]
    pub total: u64,
    /// The lines that were asked for, without their ends; those past the end of the file are missing.
    pub lines: Vec<String>,
}
