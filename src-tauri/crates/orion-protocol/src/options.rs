//! What a person chooses for one turn.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Attachment, ContextEdit, Mode, RequestId, Route, TurnLimits};

/// Choices for one turn; what is null comes from the project's and the user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct TurnOptions {
    pub mode: Option<Mode>,
    pub route: Option<Route>,
    /// An endpoint's name.
    pub endpoint: Option<String>,
    pub model: Option<String>,
    /// Tokens of the model's window (X2).
    pub window: Option<u32>,
    pub limits: TurnLimits,
    /// The turn pauses after each of its tool phases (A2).
    pub pause_after_tool: Option<bool>,
    /// Commands run in the sandbox without asking, in this turn alone (C1). Where the sandbox is not full, each is asked about all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub allow_commands: bool,
    /// The person's checks run after it (V1), or do not; null where the settings decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub checks: Option<bool>,
    /// What is taken out of the conversation, or pinned, before this message (X3).
    pub edits: Vec<ContextEdit>,
    /// Cuts the conversation to half before the message, whatever fills it now (X3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub make_room: bool,
    /// Files and folders that the message names with `@` come with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub mentions: bool,
    /// Further files and folders of the project that come with it, each written as after an `@`. One that cannot be read is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub attach: Vec<String>,
    /// Attachments that are not of the project, as [`crate::Op::AttachFile`] took them in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub attachments: Vec<Attachment>,
    /// The turn of the session in whose place this one comes (T9): both follow the same turn, and the session goes on with this one. Null where
    /// it follows the session's tip.
    pub instead_of: Option<RequestId>,
}

/// What a person chose for a session's turns beside their limits, for those that continue it; what is null is left to the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct TurnChoices {
    pub mode: Option<Mode>,
    pub route: Option<Route>,
    /// An endpoint's name.
    pub endpoint: Option<String>,
    pub model: Option<String>,
    pub pause_after_tool: Option<bool>,
}

impl TurnChoices {
    /// Those of a turn; none where the settings decide everything.
    #[must_use]
    pub fn of(options: &TurnOptions) -> Option<Self> {
        let TurnOptions { mode, route, endpoint, model, pause_after_tool, .. } = options.clone();
        Some(Self { mode, route, endpoint, model, pause_after_tool })
            .filter(|choices| *choices != Self::default())
    }
}
