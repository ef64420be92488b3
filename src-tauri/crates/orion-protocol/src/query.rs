//! The queries of the window. What it hears without asking is in `update`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    CallId, ChangesOf, CheckCommand, DraftOf, FiguresOf, KeyInput, ProjectId, RequestId, SessionId,
    SessionPlace, Sha256, TurnOptions, TurnPlace,
};

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
    /// The turns that led to this one; before the first turn of a fork they are those of the session that it was made from, as long as that is
    /// there (T9). At most as many, and as large, as those of a session.
    Ancestors {
        request_id: RequestId,
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
    /// What happened after they were over to those of these turns that are still there. The first 200 are looked at.
    Aftermath {
        request_ids: Vec<RequestId>,
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
    /// The kept output of a command, or none: it is not kept any more.
    CommandOutput {
        request_id: RequestId,
        tool_call_id: CallId,
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
    /// The text of a row that this digest names, from this character of its line on, at most 20,000 characters.
    RowRest {
        request_id: RequestId,
        write: u32,
        digest: Sha256,
        #[ts(type = "number")]
        row: u64,
        #[ts(type = "number")]
        from: u64,
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
    /// The home that commands of a project have in the place of the person's (C2).
    CommandHome {
        project_id: ProjectId,
    },
    /// The checks of a project, and those that its files propose. Files are read, and nothing is run.
    Checks {
        project_id: ProjectId,
    },
    /// The script behind a command that may become a check.
    CheckScript {
        project_id: ProjectId,
        command: CheckCommand,
    },
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
    /// The way in which a model of an endpoint is spoken to, and the reasons.
    Spoken {
        endpoint: String,
        /// Null for the model that turns use.
        model: Option<String>,
        /// The server is asked first what it can say of the model.
        asks: bool,
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
    AttachmentPicture {
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
    /// The model servers that answer on this computer's usual ports, and the providers whose key is in the environment. Nothing is sent to those.
    Discover,
    /// The report of this computer: what Orion needs, and what is wrong. Endpoints are asked for their models.
    Doctor,
}
