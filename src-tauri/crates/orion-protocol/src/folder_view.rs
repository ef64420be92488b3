//! What is shown of a project's folder.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FileEntry {
    /// Project-relative, with `/`.
    pub path: String,
    pub directory: bool,
    #[ts(type = "number | null")]
    pub bytes: Option<u64>,
}

/// A first message made from the real folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Suggestion {
    pub text: String,
}

/// The findings of a short look at a folder, for a person who has just opened it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FolderFound {
    pub files: u32,
    /// There are more: the look has an end.
    pub more: bool,
    /// Its file for agents, project-relative.
    pub agents: Option<String>,
    /// It is the top of a repository of git.
    pub git: bool,
}

/// How the open project's files are watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "state", content = "reason")]
#[ts(export)]
pub enum WatchState {
    Starting,
    Watching,
    /// The platform's limit was reached; folders are looked at every few seconds instead.
    Polling(String),
    Off(String),
}
