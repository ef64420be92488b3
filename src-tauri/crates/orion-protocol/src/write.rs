//! Write sessions on the wire (W): a file on its way from the model through the preview to the disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, CutRow, DiffHunk, ErrorInfo, RequestId, Sha256};

/// What a write session does to its target (W1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum WriteOperation {
    /// A new file; refused when there is one.
    Create,
    /// The content takes the place of the whole file.
    Overwrite,
    /// The content goes behind the file's last line.
    Append,
    /// The content is search/replace blocks.
    Edit,
}

/// Where a write session stands (W2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum WriteState {
    AwaitingContent,
    AwaitingDoneOrMore,
    /// The content only repeats itself, and a person chooses what becomes of it (P11).
    AwaitingChoice,
    Finalizing,
    NeedsCorrections,
    AwaitingApproval,
    /// Approved, on its way to the disk.
    Writing,
    Done,
    Discarded,
}

/// How a write session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum WriteStatus {
    /// The file holds exactly what was approved (W8).
    Written,
    /// The person did not want it.
    Rejected,
    /// The content never became complete, or the turn ended first.
    Discarded,
    /// The disk refused it; the old file is there as it was.
    Failed,
    /// The disk failed after the rename, and the file cannot be read to tell which it is.
    Unknown,
}

/// What a person chooses for content that only repeats itself (P11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum RepeatsChoice {
    /// The file may repeat itself: the model is asked to go on, and is not cut off for this again in this file.
    GoOn,
    /// The first of the repeats stays, and what there is then is proposed as unfinished.
    KeepOne,
    /// Nothing is written.
    Discard,
}

/// What is wrong with content (W5), or with a block of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FaultKind {
    /// U+FFFD, which the target did not have.
    Replacement,
    /// NUL or a control character other than tab and line ends.
    Control,
    /// Markup of a tool call that leaked into the text.
    Markup,
    /// A character that cannot be written in the target's encoding.
    Unencodable,
    /// An edit without a block, or a block without its parts.
    BlockMalformed,
    /// A search text that is not in the file.
    BlockMissing,
    /// A search text that is in the file more than once.
    BlockAmbiguous,
    /// A search text that overlaps that of another block.
    BlockOverlaps,
    /// The model did not finish: the content may be half a file.
    Incomplete,
    /// The model's own thoughts (W9).
    Reasoning,
    /// A short line that stands for lines of the file (W9).
    Placeholder,
    /// A patch in the place of content (W9).
    Patch,
    /// The numbers that lines were shown with (W9).
    LineNumbers,
    /// A second file behind the first one (W9).
    SecondFile,
    /// A fence or a remark within the content: in an edit, or at a seam (W9).
    Fence,
    /// Text that comes once more after a seam (W9).
    Repeated,
    /// Nothing in the place of a text (W9).
    Empty,
    /// Most of a file goes (W9).
    Shrinks,
}

impl FaultKind {
    /// A doubt (W9): the content may be meant like this, as far as the content and the present file tell.
    #[must_use]
    pub fn is_doubt(self) -> bool {
        match self {
            Self::Reasoning
            | Self::Placeholder
            | Self::Patch
            | Self::LineNumbers
            | Self::SecondFile
            | Self::Fence
            | Self::Repeated
            | Self::Empty
            | Self::Shrinks => true,
            Self::Replacement
            | Self::Control
            | Self::Markup
            | Self::Unencodable
            | Self::BlockMalformed
            | Self::BlockMissing
            | Self::BlockAmbiguous
            | Self::BlockOverlaps
            | Self::Incomplete => false,
        }
    }

    /// Whether the model is asked about it. A file may well become shorter, and only a person knows whether it should.
    #[must_use]
    pub fn is_for_the_model(self) -> bool {
        self != Self::Shrinks
    }
}

/// One fault, for the model and the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WriteFault {
    pub kind: FaultKind,
    /// From 1, in the content.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What exactly it is, such as `U+0000` or the markup itself.
    pub what: String,
    /// The line around it, control characters escaped, cut to 200 characters; of a block, the nearest lines of the file.
    pub context: String,
}

/// Where one message of the model ended and the next went on (W4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Seam {
    /// Bytes of content before it.
    #[ts(type = "number")]
    pub offset: u64,
    /// The line it is in, from 1.
    pub line: u32,
    /// Bytes of the later message that repeated what was there, and were dropped.
    #[ts(type = "number")]
    pub dropped: u64,
}

/// A removal that the preview suggests. It is never done unless the person asks for it (W8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum RemovalKind {
    /// The model's own thoughts before the file.
    Reasoning,
    /// Text before the content, such as `Sure, here is the file:`.
    Preamble,
    /// A fence around the whole content.
    Fence,
    /// Text after the content.
    Postamble,
    /// A line that is nearly the end line.
    EndLine,
    /// Control characters and U+FFFD that are still there after the corrections.
    Characters,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Removal {
    pub kind: RemovalKind,
    /// The first line that it removes, from 1, in the content.
    pub line: u32,
    /// What would go, cut to 200 characters.
    pub text: String,
}

/// Why there is a preview, or another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ProposalCause {
    /// The model's content is complete.
    Content,
    /// The person changed it.
    Revised,
    /// The file changed on disk, so there is a new difference.
    FileChanged,
}

/// The exact thing that a person is asked about: these bytes in place of those (A3, W6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WriteProposal {
    /// SHA-256 over the path, its link's target, the operation, the present file and the new one. An approval names it.
    pub digest: Sha256,
    pub cause: ProposalCause,
    /// The path of the file where the one that was named leads there through links; null when it has none.
    pub leads_to: Option<String>,
    /// SHA-256 of the present file; null when there is no file.
    pub base_sha256: Option<Sha256>,
    /// SHA-256 of the file as it would be.
    pub sha256: Sha256,
    /// Size of the file as it would be.
    #[ts(type = "number")]
    pub bytes: u64,
    #[ts(type = "number")]
    pub lines: u64,
    /// Lines added and removed.
    #[ts(type = "number")]
    pub added: u64,
    #[ts(type = "number")]
    pub removed: u64,
    /// Lines of the present file; 0 when there is none, or when it is not text.
    #[ts(type = "number")]
    pub old_lines: u64,
    pub hunks: u32,
    /// Such as `UTF-8` or `UTF-16LE with BOM`.
    pub encoding: String,
    /// Line ends as they would be: `LF`, `CRLF`, `CR`, `mixed`, or `none`.
    pub line_ends: String,
    pub seams: Vec<Seam>,
    /// What is still wrong after the corrections: written only when the person says so (W5).
    pub faults: Vec<WriteFault>,
    /// How many there are beyond the list.
    #[ts(type = "number")]
    pub more_faults: u64,
    pub removals: Vec<Removal>,
    /// The reason why this always asks, if it does, whatever the permission: `a file that can run code later`.
    pub always_asks: Option<String>,
}

impl WriteProposal {
    /// Nothing speaks against it: it has no fault, nothing that the preview offers to remove, and the file is not one that always asks
    /// (A1, W5, W9).
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
            && self.more_faults == 0
            && self.removals.is_empty()
            && self.always_asks.is_none()
    }

    /// Whether it may be written without a person's eyes, where a permission, a kept rule or a word given in advance allows that. Over
    /// a file that changed since the content was made for it, or with changes of a person, it may not (W6, W9, A3).
    #[must_use]
    pub fn may_go_unseen(&self) -> bool {
        self.is_clean() && self.cause == ProposalCause::Content
    }
}

/// A change of a proposal before it is approved; each leads to a new proposal with a digest of its own (A3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum WriteRevision {
    /// The whole file as the person edited it, with `\n` line ends.
    Text { text: String },
    /// Takes these out.
    Remove { removals: Vec<RemovalKind> },
    /// Compares again, with the present file.
    Refresh,
}

/// A write session as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WriteView {
    pub request_id: RequestId,
    /// The session's number in its turn, from 1.
    pub write: u32,
    pub tool_call_id: CallId,
    pub path: String,
    pub operation: WriteOperation,
    pub intent: String,
    pub state: WriteState,
    /// The last 64 KiB of the content so far, while it streams; empty afterwards.
    pub tail: String,
    /// Bytes of content before `tail`.
    #[ts(type = "number")]
    pub tail_offset: u64,
    pub proposal: Option<WriteProposal>,
    /// The difference of the proposal; empty without one.
    pub hunks: Vec<DiffHunk>,
    /// Rows of the whole difference, unchanged lines included.
    #[ts(type = "number")]
    pub rows: u64,
    /// The size of the file that the proposal replaces, if that file is not text and so has no rows. Null if it is
    /// text, or if there is none.
    #[ts(type = "number | null")]
    pub replaced_bytes: Option<u64>,
    /// Changed rows whose line is cut (`DiffRow::cut`), the first 500 of them.
    pub cut_rows: Vec<CutRow>,
    /// How many there are beyond these.
    #[ts(type = "number")]
    pub more_cut_rows: u64,
    /// True when the file on disk is not the one that the proposal was made against.
    pub changed_on_disk: bool,
    /// True when the write can be undone: the file still holds what was written (W7).
    pub undoable: bool,
    /// True when it was undone.
    pub undone: bool,
}

/// A write that was undone, or could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Undone {
    pub request_id: RequestId,
    /// The number of the write in its turn; null for the change of a command.
    pub write: Option<u32>,
    pub path: String,
    /// Why it could not; null when it was.
    pub error: Option<ErrorInfo>,
}
