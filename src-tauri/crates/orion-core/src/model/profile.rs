//! The differences between providers, as a turn and its requests depend on them.

use orion_protocol::{ModelTuning, ResultsAs, Sha256};
use serde::{Deserialize, Serialize};

/// The fate of the tools in a request in which none may be called: the forced final answer (P3), and the content of a file (W1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinalTools {
    /// They are left out, unless the conversation has calls.
    #[default]
    Withheld,
    /// They stay, so that the request begins like those before it, and are forbidden by the provider's own means (P12).
    Forbidden,
}

/// The provider as a turn must know it, fixed before the turn starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Profile {
    /// The form of results and of Orion's words (R1).
    #[serde(rename = "lateSystem")]
    pub results_as: ResultsAs,
    /// Tool messages are lost or refused: no request has any, whatever the route (P2).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_tool_messages: bool,
    /// The provider demands its reasoning back with the assistant's message, also where it is empty beside a call (P9).
    pub returns_reasoning: bool,
    /// Reasoning goes back where there is any: the server keeps it in its prompt (P9).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keeps_reasoning: bool,
    /// Journals that do not say it withheld the tools.
    pub final_tools: FinalTools,
    /// Finish reasons, unknown to Orion, that the person has accepted as a complete answer here (P10).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted_finish_reasons: Vec<String>,
    /// The tools do not reach the model, and the person is to be told so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untold_tools: bool,
    /// The prompt ends inside a thought, so that the answer begins in one (P9).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub begins_in_thought: bool,
    /// It takes images, as far as the person or Orion's table says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub takes_images: bool,
    /// A digest of the address and the model. What a provider meant for itself alone goes back only where this is the same (P9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Sha256>,
    /// The writing of its requests. None of the demo model, which is sent none, and in journals that do not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<Wire>,
}

impl Default for Profile {
    /// The designs' form, and nothing else that differs.
    fn default() -> Self {
        Self {
            results_as: ResultsAs::System,
            no_tool_messages: false,
            returns_reasoning: false,
            keeps_reasoning: false,
            final_tools: FinalTools::default(),
            accepted_finish_reasons: Vec::new(),
            untold_tools: false,
            begins_in_thought: false,
            takes_images: false,
            origin: None,
            wire: None,
        }
    }
}

impl Profile {
    /// Reasoning goes back to the provider.
    #[must_use]
    pub fn sends_reasoning(&self) -> bool {
        self.returns_reasoning || self.keeps_reasoning
    }

    /// Its model can be told to think or not.
    #[must_use]
    pub fn switches_thinking(&self) -> bool {
        self.wire.is_some_and(|wire| wire.thinking.is_some())
    }

    /// The part of this tuning that it is sent: no word on thinking where it has no field for one.
    #[must_use]
    pub fn tuned(&self, tuning: ModelTuning) -> ModelTuning {
        ModelTuning { thinking: tuning.thinking.filter(|_| self.switches_thinking()), ..tuning }
    }
}

/// The writing of requests to a provider, beside what follows from the rest of its [`Profile`]. A field that was added later is the default
/// in a journal that does not say it, so that its requests are written as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wire {
    /// `stream_options: { include_usage: true }` is understood.
    pub usage_option: bool,
    /// The name of the limit of an answer.
    pub limit: LimitName,
    /// The limit has another name than the provider is known for, since that one was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renamed_limit: bool,
    /// Ids of calls have nine letters and digits, whatever the model called them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub short_ids: bool,
    /// An assistant's message has one call at most: several become one message each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_call: bool,
    /// A message of the user cannot follow a tool message: an assistant's message stands between them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers_tools: bool,
    /// `tool_choice: "none"` is refused: calls are ignored where none may be made (P8).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_tool_choice: bool,
    /// `return_progress: true` is sent: the server is known to say then how far it has read the prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reading_progress: bool,
    /// The field that says whether its model is to think. None where it has none, where that is not known, and where it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingSwitch>,
}

/// The provider's own field that says whether its model is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingSwitch {
    /// `chat_template_kwargs: { enable_thinking: true }`
    TemplateArgument,
    /// `reasoning_effort`: `none`, or any other effort.
    Effort,
    /// `reasoning: { enabled: true }`, which has the effort, too.
    Reasoning,
    /// `thinking: { type: "enabled" }`
    Type,
}

/// The provider's own name of the most tokens that an answer may have (X2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    MaxTokens,
    MaxCompletionTokens,
}

impl LimitName {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}
