//! Everything that a turn is given before it starts. Together with the inputs it determines all that follows (T5).

use orion_protocol::{
    Bounds, ContextEdit, Fact, Mode, Policy, Purpose, RequestId, Rewind, SentContent, SentFile, Sha256,
    ToolStatus, TurnChoices, TurnIds, TurnLimits,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::{Gauge, Item, Withheld};
use crate::mention;
use crate::model::{ModelNumbers, ModelTuning, Profile};
use crate::permission::Rules;
use crate::signature::digest;
use crate::tool::{ToolOutcome, ToolSet};

/// The version of the machine. A journal names the one that wrote it, and a later one is not resumed (T8). It changes only with a decision
/// record: when a journal that was recorded would come to other events, or when what is sent to a model changes in a turn under way.
/// 1: journals that do not name it (decision 0013). 2: pinned journals. 3: a conversation that remembers, within its room (decision 0015).
/// 4: what is asked again has a digest of its own (decision 0057). 5: pauses, bounds and
/// the room of a write session (decisions 0065, 0066).
pub const MACHINE: u32 = 5;

/// The edition of the rules on context that new turns keep (X2, X3). 0: journals that do not name one. 1: a provider's count of an answer is
/// taken too, and a message that fits nowhere cuts nothing (decision 0028).
pub const CONTEXT_EDITION: u32 = 1;

/// The fixed part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSetup {
    pub ids: TurnIds,
    /// The turn that this one follows (T9); none for the first of a session.
    #[serde(default)]
    pub parent: Option<RequestId>,
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
    #[serde(default)]
    pub numbers: ModelNumbers,
    /// What the person set of how the model is to answer. Nothing in the journals of an Orion that had no such setting.
    #[serde(default, skip_serializing_if = "ModelTuning::is_empty")]
    pub tuning: ModelTuning,
    /// The edition of the rules on context that the turn keeps.
    #[serde(default, skip_serializing_if = "is_first")]
    pub context_edition: u32,
    /// The last count of the model's tokens in this session (X2).
    #[serde(default)]
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
    /// What its calls may do (A1). None in journals of an Orion that judged a call by its tool's permission alone, and that asked again about a
    /// rejected call whose box had left the conversation (A6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Rules>,
    pub system: String,
    /// What has changed since the turn before, such as the mode or the project's instructions: the model is told before this turn's message
    /// (X1). Empty when nothing has.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changes: String,
    /// How the person went back to an earlier message since the turn before (A10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewound: Option<Rewind>,
    /// The first bytes of the requests are other ones than in the turn before (X1).
    #[serde(default)]
    pub begins_anew: bool,
    /// The history lacks an interrupted turn before it, whose journal could not be replayed (X1).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgets: bool,
    /// The session so far, oldest first (X1).
    pub history: Vec<Item>,
    /// The session has turns before the first one in `history`: too far back to be read.
    #[serde(default)]
    pub has_earlier: bool,
    /// What a person takes out of the history, or pins, before the message (X3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<ContextEdit>,
    /// The person wants the conversation cut to half before the message (X3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub makes_room: bool,
    /// What a person took out of the session, with this message or before: calls that would bring it back ask first (X6). A journal that does not
    /// say so was written by an Orion that ran them.
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
    /// The first line, and the last one, where lines were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// What it is, where it is not of the project: no tool read it, and `path` is its name. The body of an image is its content in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentContent>,
    /// All of a text that is not of the project, where the model is given less of it: a message that is sent once more brings all.
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
        if self.outcome.status != ToolStatus::Ok || self.sent.is_some() {
            return None;
        }
        let named = mention::named(&self.path);
        let lines = self.lines.map_or_else(String::new, |(first, last)| format!(":{first}-{last}"));
        Some(format!("{}{lines}", named.strip_prefix('@').unwrap_or(&named)))
    }

    /// As it is sent along once more, where it is not of the project.
    #[must_use]
    pub fn sent_file(&self) -> Option<SentFile> {
        let content = self.sent?;
        Some(SentFile {
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
        Bounds::within(&self.policy, &self.numbers, self.tools.caps())
    }

    #[must_use]
    pub fn purpose(&self) -> Purpose {
        if self.compacts.is_some() { Purpose::Compact } else { Purpose::Answer }
    }
}

/// For serde, which passes a reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_first(edition: &u32) -> bool {
    *edition == 0
}
