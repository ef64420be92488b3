//! The queries of the window. What it hears without asking is in `update`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    CallId, ChangedFile, ChangesOf, ContextView, CopySize, DiffRow, DraftOf, EndpointPreset, EntryView,
    Envelope, Figures, FiguresOf, FileDifference, FileView, FindPage, ForkedFrom, Instructions, KeptApproval,
    KeyInput, ModelInfo, NamedFile, Permission, PictureView, ProjectId, ProjectSettings, Prompt, Queue,
    RawResponse, Replay, RequestId, Rewind, RewindPreview, SearchPage, SentFile, SentRequest, Session,
    SessionId, SessionPlace, Settings, Sha256, Space, ToolInfo, TraceSpan, TurnOptions, WriteView,
};

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TurnState {
    Running,
    /// No process runs it; it waits for a person to approve a write.
    Waiting,
    Interrupted,
    /// The turn waits or was interrupted, and another version of Orion wrote it. It can be read, rejected and
    /// stopped, but not resumed (T8).
    OtherVersion,
    Over,
}

/// One turn of a session: its events in order, text coalesced into few chunks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnView {
    pub request_id: RequestId,
    pub state: TurnState,
    /// Events this version does not know are left as they were stored (E3).
    pub envelopes: Vec<Envelope>,
    /// Numbers of its writes that were undone, in order; no event reports that (W7).
    pub undone: Vec<u32>,
    /// All turns that follow the same turn as this one, itself among them, in the order they began (T9).
    pub branches: Vec<RequestId>,
    /// The compaction that it made was undone; no event reports that (X4).
    pub compaction_undone: bool,
    /// Where its session was forked from, in the first turn of a fork (T9).
    pub forked_from: Option<ForkedFrom>,
}

/// Where in a session a page of turns lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum TurnPlace {
    /// At the session's tip.
    Newest,
    /// Right before this turn.
    Before { request_id: RequestId },
    /// Right after this turn.
    After { request_id: RequestId },
    /// This turn and those after it.
    From { request_id: RequestId },
}

/// Turns of a session that follow one another, on the path from its first turn to its tip (T9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnPage {
    pub turns: Vec<TurnView>,
    /// The path has turns before these. In an empty page: before its place.
    pub earlier: bool,
    /// The path has turns after these. In an empty page: after its place.
    pub later: bool,
    /// The path does not lead through the place that was asked for: these are the turns at its end.
    pub anew: bool,
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
pub struct FileEntry {
    /// Project-relative, with `/`.
    pub path: String,
    pub directory: bool,
    #[ts(type = "number | null")]
    pub bytes: Option<u64>,
}

/// A tool call's arguments and its result as the model saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct StoredCall {
    pub tool_call_id: CallId,
    pub name: String,
    #[ts(type = "unknown")]
    pub arguments: serde_json::Value,
    pub permission: Permission,
    /// The box's body; null while the tool runs.
    pub result: Option<String>,
}

/// A first message made from the real folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Suggestion {
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Query {
    State,
    /// Turns of a session at a place: at most `turns` of them (50 at most), and at most 256 KiB of recorded events unless a
    /// single turn has more.
    Session {
        session_id: SessionId,
        place: TurnPlace,
        turns: u32,
    },
    /// Sessions of a project after this place, or from the newest on; 200 at most, and whether there are more. Those that are pinned or
    /// archived are not among them.
    Sessions {
        project_id: ProjectId,
        after: Option<SessionPlace>,
    },
    /// Where all of these words stand in all sessions, the last one as the beginning of a word: at most `limit` (100 at most), after the page
    /// that ended there.
    Search {
        text: String,
        #[ts(type = "number | null")]
        after: Option<i64>,
        limit: u32,
    },
    /// Where this text stands in the turns of a session's path, from the first or this one on, whatever the case of its letters.
    Find {
        session_id: SessionId,
        text: String,
        from: Option<RequestId>,
    },
    /// The messages of a session that wait to be sent (A9).
    Queue {
        session_id: SessionId,
    },
    /// The events of a turn after this `seq`, with the text since: fills a gap (T6).
    Events {
        request_id: RequestId,
        after_seq: u32,
    },
    /// What fills the model's room in a session, and what its next message would cut, with these options (X2, X3).
    Context {
        session_id: SessionId,
        options: TurnOptions,
    },
    /// How large a copy of the project of a turn would be.
    CopySize {
        request_id: RequestId,
    },
    Trace {
        request_id: RequestId,
    },
    /// What turns came to, one by one and in groups (J5): those that began at `since_ms` or later, in milliseconds since the Unix epoch.
    Figures {
        of: FiguresOf,
        #[ts(type = "number | null")]
        since_ms: Option<i64>,
    },
    /// Runs a recorded turn through its machine again, and compares (T5). No model is called and no tool runs.
    Replay {
        request_id: RequestId,
    },
    /// What a model was sent in this call of a turn, counted from 1; its messages from `from` on, 100 or 256 KiB at most.
    Sent {
        request_id: RequestId,
        call: u32,
        from: u32,
    },
    /// The body of the request of this call, as it was sent: JSON on one line.
    SentBody {
        request_id: RequestId,
        call: u32,
    },
    /// What came back in this call of a turn, counted from 1. The answer is null where nothing of it is kept.
    RawResponse {
        request_id: RequestId,
        call: u32,
    },
    ToolCall {
        request_id: RequestId,
        tool_call_id: CallId,
    },
    /// The entry of the compaction that a turn made, as it is now (X4).
    Entry {
        request_id: RequestId,
    },
    /// A write session of a turn.
    Write {
        request_id: RequestId,
        write: u32,
    },
    /// Every file that a turn or a session wrote, as far as it was not undone.
    Changes {
        of: ChangesOf,
    },
    /// The difference of one of them, before the first write and after the last.
    Change {
        of: ChangesOf,
        path: String,
    },
    /// Rows of the difference that this digest names, from row `from`, at most `count` (5,000 at most).
    ChangeRows {
        of: ChangesOf,
        path: String,
        digest: Sha256,
        #[ts(type = "number")]
        from: u64,
        count: u32,
    },
    /// What going back to the message of this turn would change (A10).
    Rewind {
        request_id: RequestId,
    },
    /// The last rewind of a session, as long as no message has followed it and it was not undone.
    LastRewind {
        session_id: SessionId,
    },
    /// Rows of the difference that this digest names, from row `from`, at most `count` (5,000 at most).
    WriteRows {
        request_id: RequestId,
        write: u32,
        digest: Sha256,
        #[ts(type = "number")]
        from: u64,
        count: u32,
    },
    /// The whole proposed file, for editing; refused beyond 4 MiB.
    WriteText {
        request_id: RequestId,
        write: u32,
        /// With these changes alone, by their numbers; null for all.
        #[serde(default)]
        hunks: Option<Vec<u32>>,
    },
    /// Names that contain `filter`, at most `limit` (1,000 at most).
    Files {
        project_id: ProjectId,
        filter: String,
        limit: u32,
    },
    /// Files and folders whose path fits what someone types, the best first, at most `limit` (100 at most). What `.gitignore` hides and
    /// `.orionignore` closes is not among them. The answer is `partial` while the names of a large folder are still being read, and where it has
    /// more than are kept: what is not in it may be there all the same.
    FindFiles {
        project_id: ProjectId,
        filter: String,
        limit: u32,
    },
    /// What a message names with `@`, as it would come with the message now.
    Mentions {
        project_id: ProjectId,
        text: String,
    },
    /// Lines of a text file from line `from` on, counted from 1: at most `count` of them (2,000 at most), each cut after 4,000 bytes.
    FileLines {
        project_id: ProjectId,
        path: String,
        #[ts(type = "number")]
        from: u64,
        count: u32,
    },
    /// A picture of the project: PNG, JPEG, GIF or WebP, of 8 MiB and 24 million pixels at most.
    Picture {
        project_id: ProjectId,
        path: String,
    },
    /// Which of these, 200 at most, are files that can be looked at: for each, what the project calls it, or null.
    Paths {
        project_id: ProjectId,
        paths: Vec<String>,
    },
    Suggestions {
        project_id: ProjectId,
    },
    /// The approvals that the person keeps, the newest first (A1).
    Approvals,
    /// How much space the sessions of each project take.
    Space,
    /// Reads the project's settings file again.
    ProjectSettings {
        project_id: ProjectId,
    },
    Tools {
        project_id: Option<ProjectId>,
    },
    /// What a model is told beside Orion's own words: the project's instructions as they would be sent, and the person's.
    Instructions {
        project_id: Option<ProjectId>,
    },
    /// The models of an endpoint that is set up.
    Models {
        endpoint: String,
    },
    /// Tries an endpoint that is not set up yet; the key is used once and forgotten.
    Probe {
        base_url: String,
        api_key: Option<KeyInput>,
        /// Where no key is given: the environment variable to take it from.
        #[serde(default)]
        key_variable: Option<String>,
        /// Where no key is given: the endpoint whose key is tried, if it was given for the same server.
        #[serde(default)]
        endpoint: Option<String>,
        /// As in [`crate::EndpointChange::allow_http`].
        allow_http: bool,
    },
    /// What was being written, when Orion ended.
    Draft {
        of: DraftOf,
    },
    /// An image that was sent with a message, or is in one that is being written.
    SentPicture {
        name: String,
        sha256: Sha256,
    },
    /// The last messages of the person in a project, the newest first: at most `limit` (500 at most), and 1 MiB.
    Messages {
        project_id: ProjectId,
        limit: u32,
    },
    /// The prompts that the person keeps in files, and in words which files are none, and why.
    Prompts,
    /// The text of one of them, with `arguments` in it.
    Prompt {
        name: String,
        arguments: String,
    },
    /// The model servers that answer on this computer's usual ports.
    Discover,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
#[allow(clippy::large_enum_variant, reason = "an answer is made once, and sent at once")]
pub enum Answer {
    State { state: AppState },
    Session { page: TurnPage },
    Sessions { sessions: Vec<Session>, more: bool },
    Search { page: SearchPage },
    Find { page: FindPage },
    Queue { queue: Queue },
    Events { envelopes: Vec<Envelope> },
    Context { view: ContextView },
    CopySize { size: CopySize },
    Trace { spans: Vec<TraceSpan> },
    Figures { figures: Figures },
    Replay { replay: Replay },
    Sent { request: SentRequest },
    SentBody { body: String },
    RawResponse { response: Option<RawResponse> },
    ToolCall { call: StoredCall },
    Entry { view: Box<EntryView> },
    Write { view: Box<WriteView> },
    Changes { files: Vec<ChangedFile> },
    Change { difference: FileDifference },
    ChangeRows { rows: Vec<DiffRow> },
    Rewind { preview: RewindPreview },
    LastRewind { rewind: Option<Rewind> },
    WriteRows { rows: Vec<DiffRow> },
    WriteText { text: String },
    Files { files: Vec<FileEntry>, truncated: bool, watch: WatchState },
    FindFiles { files: Vec<FileEntry>, more: bool, partial: bool },
    Mentions { files: Vec<NamedFile> },
    FileLines { file: FileView },
    Picture { picture: PictureView },
    Paths { files: Vec<Option<String>> },
    Suggestions { suggestions: Vec<Suggestion> },
    Approvals { approvals: Vec<KeptApproval> },
    Space { space: Space },
    ProjectSettings { settings: ProjectSettings },
    Tools { tools: Vec<ToolInfo> },
    Instructions { instructions: Instructions },
    Models { models: Vec<ModelInfo> },
    Discovered { found: Vec<EndpointPreset> },
    Draft { text: Option<String>, files: Vec<SentFile> },
    Messages { messages: Vec<String> },
    Prompts { prompts: Vec<Prompt>, problems: Vec<String> },
    Prompt { text: String },
}
