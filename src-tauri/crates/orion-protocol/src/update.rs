//! What the window hears without asking.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    DroppedFiles, Envelope, ErrorInfo, Project, ProjectId, ProjectSettings, Queue, RequestId, Session,
    SessionId, Settings, TraceSpan, WatchState,
};

/// What the window hears as it happens, in batches, over one channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Update {
    Event {
        envelope: Envelope,
    },
    /// A span began or changed; the same `spanId` replaces the earlier one.
    Span {
        span: TraceSpan,
    },
    Project {
        project: Project,
    },
    ProjectForgotten {
        project_id: ProjectId,
    },
    /// The person opened this folder from outside the window.
    ProjectShown {
        project_id: ProjectId,
    },
    /// The person asked for this from outside the window.
    Asked {
        act: DesktopAction,
    },
    /// The person dropped these on the window.
    Dropped {
        dropped: DroppedFiles,
    },
    Session {
        session: Session,
    },
    SessionDeleted {
        session_id: SessionId,
    },
    /// What waits to be sent in a session has changed (A9).
    Queue {
        session_id: SessionId,
        queue: Queue,
    },
    /// The next message of the session follows this turn, or none (T9).
    TipMoved {
        session_id: SessionId,
        tip: Option<RequestId>,
    },
    Settings {
        settings: Box<Settings>,
    },
    /// The checks of a project have changed, or one of them begins or ends: ask for them again.
    Checks {
        project_id: ProjectId,
    },
    /// Output of a check that runs because the person asked for it, as it comes.
    CheckOutput {
        project_id: ProjectId,
        name: String,
        text: String,
    },
    /// A turn begins in the project with these settings.
    ProjectSettings {
        settings: ProjectSettings,
    },
    /// Files of the project changed on disk.
    FilesChanged {
        project_id: ProjectId,
        watch: WatchState,
    },
    /// The receiver missed updates: it was too slow, or another process has changed something. Ask for the state again.
    Lagged,
    /// Something went wrong outside any turn.
    Problem {
        error: ErrorInfo,
    },
}

/// An action of the desktop's menu, for the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum DesktopAction {
    NewChat,
    /// The dialog that picks a folder.
    OpenFolder,
}
