//! What the window needs when it opens.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ProjectId, RequestId, Session, Settings};

/// Everything the window needs when it opens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct AppState {
    pub version: String,
    pub projects: Vec<Project>,
    /// The 200 with the latest activity, of all projects, without those that are apart.
    pub sessions: Vec<Session>,
    /// Those that a person pinned or archived, however old they are: the 1,000 with the latest activity.
    pub apart: Vec<Session>,
    /// Projects that have more of them: [`Query::Sessions`].
    pub older: Vec<ProjectId>,
    pub settings: Settings,
    /// Turns that run now.
    pub running: Vec<RequestId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Project {
    pub project_id: ProjectId,
    /// The folder's last component.
    pub name: String,
    pub path: String,
    #[ts(type = "number")]
    pub opened_at_ms: i64,
    /// False when the folder was gone or could not be read when it was last looked at.
    pub available: bool,
}
