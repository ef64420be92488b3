//! What leaves the window: links, and files that other programs show.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ProjectId;

/// What another program shows, at a person's wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum External {
    /// An address of `http`, `https` or `mailto`: in the browser or the mail program.
    Link { address: String },
    /// A file or folder of a project: in the file manager.
    FileManager { project_id: ProjectId, path: String },
    /// A text file of a project: in the person's editor, at a line counted from 1.
    Editor { project_id: ProjectId, path: String, line: Option<u32> },
}
