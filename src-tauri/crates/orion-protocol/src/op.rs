//! The operations that a person can ask for. One command carries them all: `submit(Op)`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    ApprovalId, Attachment, CallId, ChangesOf, Check, CheckRun, Comparison, ContextEdit, DraftOf,
    DroppedFiles, ErrorInfo, ExportFormat, ExportedFile, External, KeyInput, ModelChange, ModelSizes,
    PauseRequest, Project, ProjectId, QueuedId, QueuedMessage, Reply, RequestId, Rewind, Route, Session,
    SessionId, SettingsChange, Sha256, ToolSettings, TurnOptions, Undone, WriteRevision,
};

/// The message of *Continue*: the person goes on with a fresh budget and says nothing more (X7).
pub const CONTINUE: &str = "Continue.";

/// Adds or replaces the endpoint of this name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EndpointChange {
    pub name: String,
    pub base_url: String,
    pub model: String,
    /// A new key, on its way to the keychain. Null keeps the one that is there.
    pub api_key: Option<KeyInput>,
    /// The environment variable to take the key from instead.
    pub key_variable: Option<String>,
    /// The person has confirmed that messages go to another computer over plain HTTP, where they can be read on their
    /// way.
    pub allow_http: bool,
    /// Tokens of the window of its models; null leaves it to the endpoint, or to Orion's table (X2).
    #[serde(default)]
    pub window: Option<u32>,
    /// The most tokens that its models can answer with; null where the person did not say.
    #[serde(default)]
    pub max_output_tokens: Option<u32>,
    /// Its models that have sizes of their own, all of them.
    #[serde(default)]
    pub models: BTreeMap<String, ModelSizes>,
    /// Use it for new turns from now on.
    pub make_default: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Op {
    /// Opens a folder, or finds the project that has it. Null: the person picks one in a dialog.
    OpenProject {
        path: Option<String>,
    },
    /// Says where the folder of a project is now: it was moved or renamed. Null: the person picks it in a dialog.
    LocateProject {
        project_id: ProjectId,
        path: Option<String>,
    },
    /// Makes the sample folder of the tour, or puts it in order, and opens it.
    OpenSample,
    /// Removes a project and its sessions from Orion; its files stay.
    ForgetProject {
        project_id: ProjectId,
    },
    NewSession {
        project_id: ProjectId,
    },
    RenameSession {
        session_id: SessionId,
        title: String,
    },
    DeleteSession {
        session_id: SessionId,
    },
    /// Keeps what is being written in the place of what was kept; an empty text removes it.
    SaveDraft {
        of: DraftOf,
        text: String,
    },
    /// Attaches a file to the message that is being written there: text, or an image.
    AttachFile {
        of: DraftOf,
        name: String,
        /// The file in base64.
        data: String,
    },
    /// Attaches a file that the person dropped on the window, or pasted ([`DroppedFiles`]).
    AttachDropped {
        of: DraftOf,
        number: u32,
    },
    /// What the person pastes just now, where the web view does not hand files to the page. Only the window's shell knows.
    Paste,
    /// Takes a file out of the message that is being written there.
    RemoveAttachment {
        of: DraftOf,
        sha256: Sha256,
    },
    /// Keeps a session at the top of its project, or no more. One that is pinned leaves the archive.
    PinSession {
        session_id: SessionId,
        pinned: bool,
    },
    /// Archives a session, or unarchives it. One that is archived is pinned no more.
    ArchiveSession {
        session_id: SessionId,
        archived: bool,
    },
    StartTurn {
        session_id: SessionId,
        text: String,
        options: TurnOptions,
    },
    /// Sends a message once the turn that runs has ended (A9).
    QueueMessage {
        session_id: SessionId,
        text: String,
        options: TurnOptions,
    },
    /// Gives a message to the turn that runs: the model reads it before its next answer (A9).
    Steer {
        request_id: RequestId,
        text: String,
    },
    /// Puts another text in the place of a message that waits.
    EditQueued {
        queued_id: QueuedId,
        text: String,
    },
    /// Moves a message that waits to this place among the others, counted from 0.
    MoveQueued {
        queued_id: QueuedId,
        to: u32,
    },
    RemoveQueued {
        queued_id: QueuedId,
    },
    /// Sends a message that waits now: the turn that runs is stopped first. The others go on after it.
    SendQueued {
        queued_id: QueuedId,
    },
    /// Lets a queue that is held go on: at once, or after the turn that runs.
    ReleaseQueue {
        session_id: SessionId,
    },
    /// Empties the queue of a session, and returns what was in it.
    TakeQueue {
        session_id: SessionId,
    },
    /// Makes a session that begins with a turn as far as one of its phases, and can go on from there with what is left of its budget (T9).
    Fork {
        request_id: RequestId,
        /// From 1 in the order of `phase_started`; null for the last one that can be forked.
        phase: Option<u32>,
    },
    /// Makes a session for each of these routes, in which the message of a turn can be sent once more with the context that it had (T9).
    Compare {
        request_id: RequestId,
        routes: Vec<Route>,
        /// The most bytes of a copy of the project that is made for each route, to work in with all tools. Null: no copy, and tools that
        /// read alone.
        #[serde(default)]
        #[ts(type = "number | null")]
        copy_at_most: Option<u64>,
    },
    /// Removes the copy of a project that a session of a comparison worked in.
    RemoveCopy {
        session_id: SessionId,
    },
    /// Goes on with the branch that begins with this turn, as far as it had come (T9).
    SwitchBranch {
        request_id: RequestId,
    },
    /// Keeps with the session what its next message takes out of the conversation or pins, in the place of what was kept (X3).
    EditContext {
        session_id: SessionId,
        edits: Vec<ContextEdit>,
    },
    /// Compacts the conversation of a session, in a turn of its own (X4).
    Compact {
        session_id: SessionId,
        options: TurnOptions,
    },
    /// Undoes the compaction that this turn made: later turns are given what it stands for (X4).
    UndoCompaction {
        request_id: RequestId,
    },
    /// Puts a person's text in the place of the summary in the entry of a compaction (X4). Its facts stay.
    EditEntry {
        request_id: RequestId,
        summary: String,
    },
    /// Ends the turn at once (A4).
    StopTurn {
        request_id: RequestId,
    },
    /// Asks a running turn to pause (A2).
    PauseTurn {
        request_id: RequestId,
        pause: PauseRequest,
    },
    /// Tries the model call of a turn again at once, instead of after its pause (`retrying`).
    RetryNow {
        request_id: RequestId,
    },
    /// Answers what a turn waits for: exactly the thing with this digest (A3, A7).
    Reply {
        request_id: RequestId,
        digest: Sha256,
        reply: Reply,
    },
    /// Revokes an approval that the person keeps (A1).
    RevokeApproval {
        approval_id: ApprovalId,
    },
    /// Changes the proposal; a new proposal follows.
    ReviseWrite {
        request_id: RequestId,
        digest: Sha256,
        revision: WriteRevision,
    },
    /// Undoes the writes of a turn, or one of them, newest first (W7).
    UndoWrite {
        request_id: RequestId,
        write: Option<u32>,
    },
    /// Removes a file that a command made and that can run code later, as long as it is as the command left it (C2).
    RemoveNew {
        request_id: RequestId,
        tool_call_id: CallId,
        path: String,
    },
    /// Undoes what a turn or a session wrote, newest first: all of it, or to one file (W7).
    UndoChanges {
        of: ChangesOf,
        path: Option<String>,
    },
    /// Goes back to the message of this turn (A10): the conversation, the files as the preview with this digest showed them, or both.
    Rewind {
        request_id: RequestId,
        conversation: bool,
        files: Option<Sha256>,
    },
    /// Undoes the last rewind to the message of this turn (A10).
    UndoRewind {
        request_id: RequestId,
    },
    /// Resumes a turn whose process ended (A5, W7).
    ResumeTurn {
        request_id: RequestId,
    },
    /// Writes a session, or a turn with those that it follows, to a file. Null: the person picks one in a dialog.
    Export {
        of: ChangesOf,
        path: Option<String>,
        format: ExportFormat,
        /// The contents of written files go with it.
        files: bool,
        /// A file that is there may be replaced.
        replaces: bool,
    },
    /// Opens an exported session, to be read and replayed. Null: the person picks the file in a dialog.
    Import {
        path: Option<String>,
    },
    /// Only the window can; the engine answers `usage`.
    OpenExternal {
        what: External,
    },
    SaveEndpoint {
        change: EndpointChange,
    },
    /// Accepts a finish reason that Orion does not know as a complete answer of this endpoint, from the next turn on
    /// (P10).
    AcceptFinishReason {
        endpoint: String,
        reason: String,
    },
    RemoveEndpoint {
        name: String,
    },
    SaveSettings {
        change: SettingsChange,
    },
    /// Takes these settings out of the user's file, so that the layer below counts again. Each is named as the file does, such as
    /// `limits.max_cycles`.
    ResetSettings {
        keys: Vec<String>,
    },
    /// Sets what holds for a model of an endpoint, or for all of them.
    SaveModel {
        change: ModelChange,
    },
    /// Forgets what was learned of a model of an endpoint: it is learned anew.
    ForgetLearned {
        endpoint: String,
        model: String,
    },
    /// Accepts a finish reason no more (P10).
    ForgetFinishReason {
        endpoint: String,
        reason: String,
    },
    /// Keeps the person's own instructions for a project, or for all of them.
    SaveInstructions {
        project_id: Option<ProjectId>,
        text: String,
    },
    /// Sets what a tool may do: all of it, as it is given (A1).
    SaveTool {
        tool: ToolSettings,
    },
    /// Adds a check to a project, or puts it in the place of the one that is named `was` (V1): with the script behind its line as the person has
    /// seen it. In a full sandbox it runs once, where it has no result with this script yet.
    SaveCheck {
        project_id: ProjectId,
        check: Check,
        #[serde(default)]
        was: Option<String>,
        /// The digest of the script that was seen ([`crate::CheckScript`]).
        script: Sha256,
    },
    RemoveCheck {
        project_id: ProjectId,
        name: String,
    },
    /// Runs these checks one after the other, because the person asked for it; all that are on where none is named.
    RunChecks {
        project_id: ProjectId,
        names: Vec<String>,
    },
    /// Ends the checks that run because the person asked for it.
    StopChecks {
        project_id: ProjectId,
    },
    /// The proposals of a project have been offered, so they are not offered again.
    OfferedChecks {
        project_id: ProjectId,
    },
    /// Removes what commands of a project have put into the home that they have in the place of the person's (C2). Refused with `turn_active`
    /// while a turn of the project is at work.
    ClearCommandHome {
        project_id: ProjectId,
    },
}

/// The result of an [`Op`], once it is durable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Outcome {
    Done,
    /// A session was deleted, or a project was removed. If bytes of it are still on the disk: why, and when they will
    /// be gone.
    Deleted {
        remains: Option<ErrorInfo>,
    },
    /// The person closed the dialog without choosing.
    Cancelled,
    Project {
        project: Project,
    },
    Session {
        session: Session,
    },
    Turn {
        request_id: RequestId,
    },
    /// The new session, and its turn, which can be resumed.
    Forked {
        session: Session,
        request_id: RequestId,
    },
    Compared {
        comparison: Comparison,
    },
    Undone {
        writes: Vec<Undone>,
    },
    Rewound {
        rewind: Rewind,
    },
    /// The file is attached.
    AttachedFile {
        file: Attachment,
    },
    /// What was pasted.
    Dropped {
        dropped: DroppedFiles,
    },
    /// The message waits.
    Queued {
        queued_id: QueuedId,
    },
    /// These messages wait no more.
    Taken {
        messages: Vec<QueuedMessage>,
    },
    Exported {
        file: ExportedFile,
    },
    /// These checks ran, or did not for a reason. Empty where a check was saved and not run.
    Checked {
        runs: Vec<CheckRun>,
    },
}
