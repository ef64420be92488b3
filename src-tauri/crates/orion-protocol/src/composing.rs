//! What a message is made from before it is sent: drafts, and prompts that the person keeps in files.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ProjectId, SessionId};

/// Where a draft is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum DraftOf {
    Session {
        session_id: SessionId,
    },
    /// The message that would begin a session of this project.
    Project {
        project_id: ProjectId,
    },
}

/// A message that the person keeps in a file of their own, to send it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Prompt {
    /// The name of its file without `.md`: lower-case letters, digits and hyphens.
    pub name: String,
    /// One line.
    pub description: String,
    /// Its text has a place for what is written after its name.
    pub takes_arguments: bool,
}
