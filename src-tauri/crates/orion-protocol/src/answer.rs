//! The answers to the queries of the window. Those that are types of their own stand beside what they are about.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    Aftermath, AppState, Attachment, CallId, ChangedFile, CheckScript, CommandHome, CommandOutput,
    ContextView, CopySize, DiffRow, DoctorReport, EndpointPreset, EntryView, Envelope, Figures,
    FileDifference, FileEntry, FileView, FindPage, FolderFound, Instructions, KeptApproval, ModelInfo,
    NamedFile, Permission, PictureView, ProjectChecks, ProjectSettings, Prompt, Queue, RawResponse, Replay,
    RequestId, Rewind, RewindPreview, RowRest, SearchPage, SentRequest, Session, Space, Spoken, Suggestion,
    ToolInfo, TraceSpan, TurnPage, WatchState, WriteView,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
#[allow(clippy::large_enum_variant, reason = "an answer is made once, and sent at once")]
pub enum Answer {
    State { state: AppState },
    Session { page: TurnPage },
    Ancestors { page: TurnPage },
    Sessions { sessions: Vec<Session>, more: bool },
    Search { page: SearchPage },
    Find { page: FindPage },
    Queue { queue: Queue },
    Events { envelopes: Vec<Envelope> },
    Aftermath { turns: BTreeMap<RequestId, Aftermath> },
    Context { view: ContextView },
    CopySize { size: CopySize },
    Trace { spans: Vec<TraceSpan> },
    Figures { figures: Figures },
    Replay { replay: Replay },
    Sent { request: SentRequest },
    SentBody { body: String },
    CommandOutput { output: Option<CommandOutput> },
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
    RowRest { rest: RowRest },
    WriteText { text: String },
    Files { files: Vec<FileEntry>, truncated: bool, watch: WatchState },
    FindFiles { files: Vec<FileEntry>, more: bool, partial: bool },
    Mentions { files: Vec<NamedFile> },
    FileLines { file: FileView },
    Picture { picture: PictureView },
    Paths { files: Vec<Option<String>> },
    Suggestions { suggestions: Vec<Suggestion>, found: FolderFound },
    Approvals { approvals: Vec<KeptApproval> },
    Space { space: Space },
    CommandHome { home: CommandHome },
    Checks { checks: ProjectChecks },
    CheckScript { script: CheckScript },
    ProjectSettings { settings: ProjectSettings },
    Tools { tools: Vec<ToolInfo> },
    Instructions { instructions: Instructions },
    Models { models: Vec<ModelInfo> },
    Spoken { spoken: Box<Spoken> },
    Discovered { found: Vec<EndpointPreset> },
    Doctor { report: DoctorReport },
    Draft { text: Option<String>, files: Vec<Attachment> },
    Messages { messages: Vec<String> },
    Prompts { prompts: Vec<Prompt>, problems: Vec<String> },
    Prompt { text: String },
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
