//! The events of a turn (E1, E2).

mod questions;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    AttachedFile, BatchId, Bounds, CallId, CallReason, CheckRun, CommandRun, CutBox, CutCause, CutTurns,
    Entry, ErrorInfo, Given, MadeCall, Mode, ModelTuning, NoticeCode, PendingOf, Phase, PhaseCause, Policy,
    ProjectId, Purpose, RequestId, RewoundFile, SessionId, Sha256, Signature, ToolStatus, TurnChoices,
    TurnLimits, TurnReport, Usage, WindowInForce, WriteFault, WriteOperation, WriteProposal, WriteStatus,
};

/// `v` of every [`Envelope`]. Grows when an event or a field is removed or changed (E3).
pub const PROTOCOL_VERSION: u32 = 1;

/// One event on its way to the journal, the window or standard output (E1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Envelope {
    pub v: u32,
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// From 1, grows by 1 per durable event (T2). A chunk carries that of the last durable event.
    pub seq: u32,
    /// Milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at_ms: i64,
    pub phase: Phase,
    pub tool_batch_id: Option<BatchId>,
    pub event: TurnEvent,
}

/// The part of a prompt that a server has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PromptProgress {
    /// Tokens of the prompt. Null where the server does not say it; so are the next two.
    pub total: Option<u32>,
    /// Those of them that it had kept from earlier prompts.
    pub cached: Option<u32>,
    /// Those that are read, with the kept ones.
    pub processed: Option<u32>,
    /// Since the request went out.
    #[ts(type = "number")]
    pub elapsed_ms: u64,
    /// The time that is left, by the pace so far, or by the last prompts of this server. Null where nobody knows.
    #[ts(type = "number | null")]
    pub left_ms: Option<u64>,
}

/// One thing that happened in a turn (E2). All but the two chunks, `prompt_progress`, `tool_output`, `check_output` and
/// `write_progress` are durable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum TurnEvent {
    TurnStarted {
        policy: Policy,
        bounds: Bounds,
        mode: Mode,
        model: String,
        /// The endpoint's name.
        endpoint: String,
        /// What the person wrote.
        text: String,
        /// The names of the tools on offer.
        tools: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        window: Option<WindowInForce>,
        /// How the model is asked to answer, where the person set it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        tuning: Option<ModelTuning>,
        /// The budgets that a person chose for this turn, for those that continue it (X7); none where the settings decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        chosen: Option<TurnLimits>,
        /// What else the person chose for it; none where the settings decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        choices: Option<TurnChoices>,
        /// Left out where it is to answer.
        #[serde(default, skip_serializing_if = "Purpose::answers")]
        #[ts(optional, as = "Option<_>")]
        purpose: Purpose,
    },
    /// Files and folders came with the message: the model is given them after it, each as a box (R1).
    Attached {
        files: Vec<AttachedFile>,
    },
    PhaseStarted {
        /// Tool phases begun so far.
        cycle: u32,
        /// In an action phase: the number of its model call, from 1.
        model_call: Option<u32>,
        /// In a write session: its number in the turn. The model call is then one of its prompts (W2, T4).
        write: Option<u32>,
        /// True for the forced final answer, in which no tool may be called (P3).
        is_final: bool,
    },
    PhaseEnded {
        #[ts(type = "number")]
        duration_ms: u64,
        cause: PhaseCause,
        /// What the provider gave as finish reason, verbatim (P10).
        finish_reason: Option<String>,
        usage: Option<Usage>,
        /// From the request to the first byte of the answer, in an action phase.
        #[ts(type = "number | null")]
        first_chunk_ms: Option<u64>,
    },
    /// The part of the prompt that the model's server has read, or the time that it is likely to take. Not durable: it is only shown, and the next one counts.
    PromptProgress(PromptProgress),
    TextChunk {
        /// Bytes of answer text of this turn before this chunk.
        #[ts(type = "number")]
        offset: u64,
        text: String,
    },
    ReasoningChunk {
        /// Bytes of reasoning text of this turn before this chunk.
        #[ts(type = "number")]
        offset: u64,
        text: String,
    },
    ToolCall {
        tool_call_id: CallId,
        name: String,
        #[ts(type = "unknown")]
        arguments: serde_json::Value,
        signature: Signature,
        /// The call as the model made it, where Orion read it otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        made: Option<MadeCall>,
        /// The model wrote it into its text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<_>")]
        leaked: bool,
    },
    /// Output of a tool while it runs. Not durable, and not all of it is shown: a gap is seen by the offset (E1).
    ToolOutput {
        tool_call_id: CallId,
        /// Bytes of output before this piece.
        #[ts(type = "number")]
        offset: u64,
        text: String,
    },
    ToolResult {
        tool_call_id: CallId,
        status: ToolStatus,
        /// One line for a person, such as `212 lines`.
        summary: String,
        /// Size of the result before it was cut.
        #[ts(type = "number")]
        bytes: u64,
        /// True when the model sees less than there is (R3).
        truncated: bool,
        /// SHA-256 of its body; null where there is none.
        sha256: Option<Sha256>,
        #[ts(type = "number")]
        duration_ms: u64,
        error: Option<ErrorInfo>,
        /// The command that the call ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        command: Option<Box<CommandRun>>,
    },
    CallsBlocked {
        blocked_signatures: Vec<Signature>,
        /// The tool names, in the same order, and then those of calls that never became complete.
        names: Vec<String>,
        reason: CallReason,
    },
    DuplicateRefused {
        tool_call_id: CallId,
        name: String,
        #[ts(type = "unknown")]
        arguments: serde_json::Value,
        signature: Signature,
        /// The call whose box already holds the answer (D2).
        original: CallId,
        /// How many were refused so far, and how many the turn allows.
        count: u32,
        limit: u32,
    },
    /// A read of a file that has not changed was answered with the box of an earlier call: no tool ran (X6).
    CallReused {
        tool_call_id: CallId,
        name: String,
        #[ts(type = "unknown")]
        arguments: serde_json::Value,
        signature: Signature,
        /// The turn whose box holds the answer.
        original_request_id: RequestId,
        /// The call of that box.
        original: CallId,
        /// How many were answered so in this turn, and how many it allows.
        count: u32,
        limit: u32,
    },
    Notice {
        code: NoticeCode,
        message: String,
    },
    /// Since the turn before, the person went back to the message of this turn (A10).
    Rewound {
        turn: RequestId,
        conversation: bool,
        /// 100 at most.
        files: Vec<RewoundFile>,
    },
    /// Something left the conversation, or its first bytes changed (X1, X3). Tokens are by Orion's own count.
    ContextCut {
        cause: CutCause,
        #[ts(type = "number")]
        tokens_before: u64,
        #[ts(type = "number")]
        tokens_after: u64,
        /// What a request may have.
        #[ts(type = "number")]
        room: u64,
        /// Results whose body left. Their call, status and size stayed.
        boxes: Vec<CutBox>,
        /// Messages that left whole, by their turns.
        turns: Vec<CutTurns>,
        /// Turns before these were too far back to be read at all.
        earlier: bool,
        /// Messages of which a person has set or taken off a pin.
        pins: u32,
    },
    /// An entry stands in the place of the conversation so far (X4). Tokens are by Orion's own count.
    Compacted {
        #[ts(type = "number")]
        tokens_before: u64,
        #[ts(type = "number")]
        tokens_after: u64,
        /// Turns whose messages it stands for.
        turns: u32,
        entry: Box<Entry>,
    },
    Retrying {
        /// The attempt that comes next, from 2.
        attempt: u32,
        #[ts(type = "number")]
        delay_ms: u64,
        cause: ErrorInfo,
    },
    /// The turn asks a person, and waits for the reply (A7).
    Asked {
        /// SHA-256 of the exact thing that is asked about. A reply names it (A3).
        digest: Sha256,
        of: PendingOf,
    },
    /// The question has its answer: of a person, or of an approval that was kept, for which nobody was asked.
    Answered {
        digest: Sha256,
        given: Given,
    },
    /// The end of a question without an answer: the tool that asked waits for it no more.
    Withdrawn {
        digest: Sha256,
    },
    /// A person changed when the turn is to pause.
    PauseRequested {
        /// After each tool phase.
        after_tools: bool,
        /// Once, before the next model call.
        next: bool,
    },
    /// Another process goes on with the turn (A5).
    Resumed,
    /// A person wrote this while the turn ran. The model is given it with the next call for an answer (A9).
    Steered {
        text: String,
    },
    /// The turn makes no further call: so many of the last steered messages are the first in the queue now (A9).
    Queued {
        messages: u32,
    },
    /// A write session is open: what the model says now is content (W2).
    WriteStarted {
        /// The session's number in the turn, from 1.
        write: u32,
        tool_call_id: CallId,
        path: String,
        operation: WriteOperation,
        intent: String,
    },
    /// Content as it arrives. Not durable, like the two chunks (J1). What may still turn out to be the end line is held back (W3).
    WriteProgress {
        write: u32,
        /// Bytes of content before this piece.
        #[ts(type = "number")]
        offset: u64,
        text: String,
        /// Lines and bytes so far, this piece included.
        #[ts(type = "number")]
        lines: u64,
        #[ts(type = "number")]
        bytes: u64,
    },
    /// The content, or a block of it, is to be corrected by the model (W5).
    WriteFaults {
        write: u32,
        /// From 1.
        round: u32,
        faults: Vec<WriteFault>,
        /// How many there are beyond the list.
        #[ts(type = "number")]
        more: u64,
    },
    /// The preview is there, or a new one; the person is asked to approve its digest (W6, A3).
    WriteReady {
        write: u32,
        proposal: Box<WriteProposal>,
    },
    /// The session has ended.
    WriteDone {
        write: u32,
        path: String,
        status: WriteStatus,
        /// What the file holds now; null when nothing was written.
        sha256: Option<Sha256>,
        #[ts(type = "number | null")]
        bytes: Option<u64>,
        /// Hunks that the person rejected, by their numbers in the last proposal.
        rejected_hunks: Vec<u32>,
        /// True when the person changed the content before approving it.
        revised: bool,
        error: Option<ErrorInfo>,
    },
    /// A check of the person begins (V1).
    CheckStarted {
        name: String,
        /// Its command as a shell takes it.
        command: String,
        /// From 1; 2 after the repair (V2).
        attempt: u32,
    },
    /// Output of a check while it runs. Not durable, like that of a tool.
    CheckOutput {
        name: String,
        /// Bytes of output before this piece.
        #[ts(type = "number")]
        offset: u64,
        text: String,
    },
    /// The end of a check, or the reason for which it did not run.
    CheckEnded {
        attempt: u32,
        /// It had failed in its last run before the turn.
        failed_before: bool,
        run: Box<CheckRun>,
    },
    /// The process died while the turn ran (A5).
    Interrupted,
    Completed {
        report: Box<TurnReport>,
    },
    Stopped {
        report: Box<TurnReport>,
    },
    Failed {
        report: Box<TurnReport>,
    },
    /// A type this reader does not know (E3).
    #[serde(other)]
    Unknown,
}

impl TurnEvent {
    /// Chunks and progress are not durable: they carry the `seq` of the last event that is (E1).
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.chunk().is_none() && !matches!(self, Self::PromptProgress(_))
    }

    /// The text of a chunk.
    #[must_use]
    pub fn chunk(&self) -> Option<&str> {
        match self {
            Self::TextChunk { text, .. }
            | Self::ReasoningChunk { text, .. }
            | Self::ToolOutput { text, .. }
            | Self::CheckOutput { text, .. }
            | Self::WriteProgress { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Appends the text of `next` when both are chunks and `next` begins exactly where this one ends. Otherwise
    /// nothing changes, and the result is false. Where chunks are cut means nothing (T5).
    pub fn join(&mut self, next: &Self) -> bool {
        let goes_on = |offset: u64, text: &str, at: u64| offset + text.len() as u64 == at;
        match (self, next) {
            (Self::TextChunk { offset, text }, Self::TextChunk { offset: at, text: more })
            | (Self::ReasoningChunk { offset, text }, Self::ReasoningChunk { offset: at, text: more })
                if goes_on(*offset, text, *at) =>
            {
                text.push_str(more);
            }
            (
                Self::ToolOutput { tool_call_id, offset, text },
                Self::ToolOutput { tool_call_id: of, offset: at, text: more },
            ) if tool_call_id == of && goes_on(*offset, text, *at) => text.push_str(more),
            (
                Self::CheckOutput { name, offset, text },
                Self::CheckOutput { name: of, offset: at, text: more },
            ) if name == of && goes_on(*offset, text, *at) => text.push_str(more),
            (
                Self::WriteProgress { write, offset, text, lines, bytes },
                Self::WriteProgress { write: of, offset: at, text: more, lines: to_line, bytes: to_byte },
            ) if write == of && goes_on(*offset, text, *at) => {
                text.push_str(more);
                (*lines, *bytes) = (*to_line, *to_byte);
            }
            _ => return false,
        }
        true
    }

    /// The report, when this event ends its turn (T3).
    #[must_use]
    pub fn terminal(&self) -> Option<&TurnReport> {
        match self {
            Self::Completed { report } | Self::Stopped { report } | Self::Failed { report } => Some(report),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
