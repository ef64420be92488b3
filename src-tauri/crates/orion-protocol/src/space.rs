//! The data folder: the space that sessions take in it, and how far opening it has come.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ProjectId;

/// Why opening takes longer than a moment: the database of an earlier version is being converted, which happens once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Preparing {
    /// So many of so many bytes are in their new place. The first half of the work shows no progress.
    Converting {
        #[ts(type = "number")]
        bytes: u64,
        #[ts(type = "number")]
        written: u64,
    },
    /// Another Orion is converting it.
    Waiting,
    Done,
}

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
