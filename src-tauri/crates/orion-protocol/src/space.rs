//! The space that sessions and commands take in the data folder.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ProjectId;

/// How much space the sessions of a project take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ProjectSpace {
    pub project_id: ProjectId,
    #[ts(type = "number")]
    pub bytes: u64,
}

/// How much space sessions take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Space {
    /// The largest first; a project whose sessions have no turn is not among them.
    pub projects: Vec<ProjectSpace>,
    /// Bytes of the whole database on the disk.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// The folder that commands of a project have as their home, in the place of the person's (C2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandHome {
    pub path: String,
    /// Bytes, as they were after the last command; 0 where there is none yet.
    #[ts(type = "number")]
    pub bytes: u64,
}
