//! Approvals of calls and writes: who asks for them, and those that a person keeps (A1, A3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{ApprovalId, ProjectId, RequestId, SessionId, Signature};

/// Whose word decides that a call is asked about (A1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum AskedBy {
    /// Nobody's: the tool asks unless it is told otherwise. A person can keep an approval of such a call.
    Default,
    /// The rules of the user.
    User,
    /// The rules of the project's file.
    Project,
    /// Orion itself, whatever the settings say.
    Always,
    /// Orion itself, since the model wrote the call into its text: text may be meant for a reader.
    Leaked,
}

/// How long a person keeps an approval (A1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum KeptFor {
    /// For the session that it was given in.
    Session,
    /// For every session in the project's folder.
    Project,
}

/// An approval that a person has kept: a call that the pattern matches runs unasked where Orion would ask by default (A1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct KeptRule {
    pub approval_id: ApprovalId,
    pub kept_for: KeptFor,
    pub tool: String,
    /// A glob over the path that a call names, or over its arguments as JSON. For commands: the first words of simple commands as a line has them,
    /// `**` for every command, or a glob that names the arguments of one call (C3).
    pub pattern: String,
}

/// A call with the arguments that a person gave it (A3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EditedCall {
    #[ts(type = "unknown")]
    pub arguments: Value,
    /// Of the call with these arguments.
    pub signature: Signature,
}

/// A call as a model made it, where what runs was read otherwise (P9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MadeCall {
    pub name: String,
    #[ts(type = "unknown")]
    pub arguments: Value,
}

/// An approval that a person keeps, with where it holds and when it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct KeptApproval {
    #[serde(flatten)]
    pub rule: KeptRule,
    /// The exact line that it allows where a sandbox holds files alone, with its folder; none for any other rule (C3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub line: Option<String>,
    pub project_id: ProjectId,
    /// The project's folder.
    pub path: String,
    /// The session that it holds in, with its title; null where it holds in the whole project.
    pub session_id: Option<SessionId>,
    pub session_title: Option<String>,
    /// The turn that it was given in.
    pub request_id: RequestId,
    #[ts(type = "number")]
    pub created_at_ms: i64,
    /// Null where no call has needed it.
    #[ts(type = "number | null")]
    pub used_at_ms: Option<i64>,
}
