//! Everything that a turn is given before it starts. Together with the inputs it determines all that follows (T5).

use orion_protocol::{
    Attachment, AttachmentContent, Bounds, Channel, Check, CheckStatus, ContextEdit, Fact, Mode, Policy,
    Purpose, RequestId, Rewind, Sha256, ToolCaps, ToolStatus, TurnChoices, TurnIds, TurnLimits,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{Gauge, Item, Withheld};
use crate::mention;
use crate::model::{ModelNumbers, ModelTuning, Profile};
use crate::permission::Rules;
use crate::signature::digest;
use crate::tool::{ToolOutcome, ToolSet};

use super::flags::{Flag, Flags};

/// The place that a turn was begun in (J5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BegunIn {
    pub channel: Channel,
    pub project_name: String,
}

/// The fixed part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSetup {
    pub ids: TurnIds,
    /// The turn that this one follows (T9); none for the first of a session.
    pub parent: Option<RequestId>,
    /// The rules that the turn keeps to its end (T8).
    pub flags: Flags,
    /// Milliseconds since the Unix epoch.
    pub at_ms: i64,
    pub policy: Policy,
    /// The budgets that a person chose for this turn alone (X7). They are in the policy already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<TurnLimits>,
    /// Their other choices for it, which are in force already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<TurnChoices>,
    pub mode: Mode,
    pub profile: Profile,
    pub numbers: ModelNumbers,
    /// The answers that the person set for the model: how freely, with how much thought.
    #[serde(default, skip_serializing_if = "ModelTuning::is_empty")]
    pub tuning: ModelTuning,
    /// The last count of the model's tokens in this session (X2).
    pub gauge: Gauge,
    /// The endpoint's name.
    pub endpoint: String,
    pub model: String,
    /// The project's folder, absolute: an absolute path below it is made relative (D1).
    pub project_root: String,
    /// Fences the boxes of this turn (R1); random, at least 64 bits.
    pub nonce: String,
    /// The tools on offer, already those of the mode (A1).
    pub tools: ToolSet,
    /// The permissions of its calls (A1).
    pub rules: Rules,
    pub system: String,
    /// What has changed since the turn before, such as the mode or the project's instructions: the model is told before this turn's message
    /// (X1). Empty when nothing has.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changes: String,
    /// How the person went back to an earlier message since the turn before (A10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewound: Option<Rewind>,
    /// The first bytes of the requests are other ones than in the turn before (X1).
    pub begins_anew: bool,
    /// The history lacks an interrupted turn before it, whose journal could not be replayed (X1).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgets: bool,
    /// The session so far, oldest first (X1).
    pub history: Vec<Item>,
    /// The session has turns before the first one in `history`: too far back to be read.
    pub has_earlier: bool,
    /// What a person takes out of the history, or pins, before the message (X3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<ContextEdit>,
    /// The person wants the conversation cut to half before the message (X3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub makes_room: bool,
    /// The things that a person took out of the session, with this message or before: calls that would bring it back ask first (X6).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// It is paused before its first model call (A2), as a fork is that goes on from the beginning of a turn (T9).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_paused: bool,
    /// What the person wrote. Empty where the turn compacts the conversation.
    pub text: String,
    /// Files and folders that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attached>,
    /// What was done in the session so far, where the turn is to compact the conversation (X4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacts: Option<Vec<Fact>>,
    /// The checks that run by themselves after it (V1), in the person's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<TurnCheck>,
    /// The place that it was begun in, for its report (J5). None in turns of a version that did not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_in: Option<BegunIn>,
    /// A failed check may be repaired (V2).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repairs: bool,
}

/// A check as the person accepted it before the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnCheck {
    pub check: Check,
    /// Its command as a shell takes it.
    pub line: String,
    /// The digest of the line and of the script behind it.
    pub script_sha256: Sha256,
    /// The status of its last run before the turn; none where it never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<CheckStatus>,
}

impl TurnCheck {
    /// It ran before the turn, so a failure can be told from one that was there.
    pub(super) fn has_result(&self) -> bool {
        matches!(self.last, Some(CheckStatus::Passed | CheckStatus::Failed | CheckStatus::TimedOut))
    }
}

/// A file or folder that came with a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// The tool that read it.
    pub tool: String,
    pub arguments: Map<String, Value>,
    /// The path, as a person sees it.
    pub path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_folder: bool,
    /// The first line, and the last one, where lines were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// What it is, where it is not of the project: no tool read it, and `path` is its name. The body of an image is its content in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<AttachmentContent>,
    /// All of a text that is not of the project, where the model is given less of it: a message that is sent once more has all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncut: Option<Uncut>,
    pub outcome: ToolOutcome,
}

/// A text that is kept beside the journal. It is here only until the turn has begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uncut {
    pub sha256: Sha256,
    #[serde(skip)]
    pub body: String,
}

impl Attached {
    /// As it is written to send it along once more. None where it could not be read.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        if self.outcome.status != ToolStatus::Ok || self.content.is_some() {
            return None;
        }
        let named = mention::named(&self.path);
        let lines = self.lines.map_or_else(String::new, |(first, last)| format!(":{first}-{last}"));
        Some(format!("{}{lines}", named.strip_prefix('@').unwrap_or(&named)))
    }

    /// As it is sent along once more, where it is not of the project.
    #[must_use]
    pub fn attachment(&self) -> Option<Attachment> {
        let content = self.content?;
        Some(Attachment {
            name: self.path.clone(),
            sha256: self.uncut.as_ref().map_or_else(|| digest(&self.outcome.body), |uncut| uncut.sha256),
            bytes: self.outcome.bytes,
            content,
        })
    }
}

impl TurnSetup {
    /// The most this turn can cost (T4).
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let reuses = (!self.flags.has(Flag::ReuseReads)).then_some(0);
        let seconds = self.checks_in_force().iter().map(|of| of.check.timeout_s).reduce(u32::saturating_add);
        let caps =
            ToolCaps { reuses, check_seconds: seconds, repairs: self.may_repair(), ..self.tools.caps() };
        Bounds::within(&self.policy, &self.numbers, caps)
    }

    /// The checks that this turn may run. In plan mode nothing runs.
    #[must_use]
    pub fn checks_in_force(&self) -> &[TurnCheck] {
        let runs =
            self.flags.has(Flag::RunsChecks) && self.mode == Mode::Act && self.purpose() == Purpose::Answer;
        if runs { &self.checks } else { &[] }
    }

    /// A failed check of it can be repaired.
    #[must_use]
    pub fn may_repair(&self) -> bool {
        self.repairs && !self.checks_in_force().is_empty() && self.tools.write_opener().is_some()
    }

    /// Reads that the boxes of earlier calls may answer (X6).
    #[must_use]
    pub fn max_reuses(&self) -> u32 {
        if self.flags.has(Flag::ReuseReads) { self.policy.max_cycles } else { 0 }
    }

    #[must_use]
    pub fn purpose(&self) -> Purpose {
        if self.compacts.is_some() { Purpose::Compact } else { Purpose::Answer }
    }
}
