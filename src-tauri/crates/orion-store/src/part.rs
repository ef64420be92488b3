//! What a session consists of, part by part, as it leaves one database and enters another. docs/export.md describes the same as a format.
//!
//! The parts of a turn follow it. Their order is always the same, so two exports of one session are equal. Deliberately not here: what
//! is stored for turns to come: kept approvals, who drives a turn, what a person took out of the session.

use orion_protocol::{CallId, ChangedLines, RequestId, SessionId, Sha256};
use serde::{Deserialize, Serialize};

/// A part of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Session(SessionPart),
    Fork(ForkPart),
    Turn(TurnPart),
    /// A row of the journal.
    Row(RowPart),
    Text(TextPart),
    Context(ContextPart),
    FormerContext(FormerContextPart),
    Call(CallPart),
    Write(WritePart),
    Rewind(RewindPart),
    RewoundFile(RewoundFilePart),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPart {
    pub session_id: SessionId,
    pub project_id: orion_protocol::ProjectId,
    /// Where the project's folder was, and its name.
    pub project_path: String,
    pub project_name: String,
    pub title: String,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    /// The turn that the next message would follow (T9).
    pub tip: Option<RequestId>,
}

/// Where a forked session comes from (T9). The other session is none of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkPart {
    /// The turn that it was made from, the phase of it, from 1, and the tool phases begun by then.
    pub of: RequestId,
    pub phase: u32,
    pub step: u32,
    /// What stands before the first turn: a JSON list. Null where nothing does.
    pub sha256: Option<Sha256>,
    /// The turn that has a copy of the other turn's rows, where it is a part as well.
    pub request_id: Option<RequestId>,
    /// What that turn had cost by then, which the other session counts: in billionths of a dollar, and in tokens.
    pub cost: u64,
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnPart {
    pub request_id: RequestId,
    pub ordinal: u32,
    /// It has ended.
    pub over: bool,
    pub started_at_ms: i64,
    /// The turn that it follows, where that is a part as well.
    pub parent: Option<RequestId>,
    /// The last count of the model's tokens: JSON.
    pub gauge: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowPart {
    pub n: i64,
    /// That of an event; null for an input.
    pub seq: Option<u32>,
    pub at_ms: i64,
    /// JSON as it was recorded, to the byte.
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextPart {
    /// Grows with each text of the session. The setup of a turn says up to which it was given what was said.
    pub id: i64,
    /// False of a text that the turn was given.
    pub said: bool,
    pub sha256: Sha256,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextPart {
    /// The last text of the turn when the context was entered.
    pub entered: i64,
    pub sha256: Sha256,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormerContextPart {
    pub sha256: Sha256,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallPart {
    pub batch: u32,
    pub call_id: CallId,
    pub name: String,
    /// JSON.
    pub arguments: String,
    pub permission: String,
    /// Null of one that had not ended.
    pub status: Option<String>,
    pub sha256: Option<Sha256>,
    /// The row that says how it ended.
    pub ended: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WritePart {
    pub number: u32,
    pub path: String,
    pub operation: String,
    pub base_sha256: Option<Sha256>,
    pub sha256: Sha256,
    pub content_sha256: Sha256,
    pub stage: String,
    pub kept: Option<String>,
    pub leads_to: Option<String>,
    /// The rewind that took it back, and its file.
    pub rewind: Option<u32>,
    pub rewound_file: Option<u32>,
    /// Lines that it adds and removes, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<ChangedLines>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RewindPart {
    /// From 1 in the session.
    pub number: u32,
    pub at_ms: i64,
    pub conversation: bool,
    pub left_tip: Option<RequestId>,
    pub turns: u32,
    pub stage: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RewoundFilePart {
    /// That of the rewind above.
    pub rewind: u32,
    pub number: u32,
    pub path: String,
    pub from_sha256: Option<Sha256>,
    pub to_sha256: Option<Sha256>,
    pub stage: String,
    /// JSON.
    pub error: Option<String>,
}

impl Part {
    /// The bodies that it names.
    pub fn digests(&self) -> impl Iterator<Item = Sha256> {
        let named = match self {
            Self::Session(_) | Self::Turn(_) | Self::Row(_) | Self::Rewind(_) => [None; 3],
            Self::Text(TextPart { sha256, .. })
            | Self::Context(ContextPart { sha256, .. })
            | Self::FormerContext(FormerContextPart { sha256 }) => [Some(*sha256), None, None],
            Self::Fork(fork) => [fork.sha256, None, None],
            Self::Call(call) => [call.sha256, None, None],
            Self::Write(write) => [write.base_sha256, Some(write.sha256), Some(write.content_sha256)],
            Self::RewoundFile(file) => [file.from_sha256, file.to_sha256, None],
        };
        named.into_iter().flatten()
    }

    /// Changes the digests of the bodies that it names.
    pub fn rename(&mut self, new: impl Fn(Sha256) -> Sha256) {
        match self {
            Self::Session(_) | Self::Turn(_) | Self::Row(_) | Self::Rewind(_) => {}
            Self::Text(TextPart { sha256, .. })
            | Self::Context(ContextPart { sha256, .. })
            | Self::FormerContext(FormerContextPart { sha256 }) => *sha256 = new(*sha256),
            Self::Fork(fork) => fork.sha256 = fork.sha256.map(new),
            Self::Call(call) => call.sha256 = call.sha256.map(new),
            Self::Write(write) => {
                write.base_sha256 = write.base_sha256.map(&new);
                (write.sha256, write.content_sha256) = (new(write.sha256), new(write.content_sha256));
            }
            Self::RewoundFile(file) => {
                file.from_sha256 = file.from_sha256.map(&new);
                file.to_sha256 = file.to_sha256.map(new);
            }
        }
    }

    /// Whether the bodies that it names are contents of files, and of nothing else.
    #[must_use]
    pub fn is_of_files(&self) -> bool {
        matches!(self, Self::Write(_) | Self::RewoundFile(_))
    }
}
