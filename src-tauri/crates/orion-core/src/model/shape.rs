//! The shapes of a request: what an endpoint may refuse in one, each with what is sent in its place.

use orion_protocol::ResultsAs;
use serde::{Deserialize, Serialize};

use super::{Message, ModelRequest, Profile};
use crate::tool::ToolSet;

/// Something of a request that not every endpoint takes. The order is that in which they are suspected: those that come into a turn last, first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// `tool_choice: "none"` (P12). In its place, no word of it, and no tools unless the conversation has calls.
    #[serde(rename = "tools")]
    ForbiddenTools,
    /// A call without the reasoning before it. In its place, reasoning beside calls, even if it is empty (P9).
    NoReasoning,
    /// A field of reasoning. In its place, none (P9).
    Reasoning,
    /// Calls and tool messages (R1). In their place, boxes in messages of the user.
    ToolMessages,
    /// A system message that is not the first (R1). In its place, a message of the user.
    LateSystem,
    /// How much a model is to think. In its place, nothing.
    Effort,
    /// How freely a model chooses its words. In its place, nothing.
    Temperature,
    /// `stream_options`. In its place, nothing: the endpoint may report its usage unasked.
    UsageOption,
    /// The name of the limit of an answer (X2). In its place, the other name.
    LimitName,
    /// The limit of an answer (X2). In its place, none.
    Limit,
}

impl Shape {
    /// Each, in the order in which they are suspected.
    pub const ALL: [Self; 10] = [
        Self::ForbiddenTools,
        Self::NoReasoning,
        Self::Reasoning,
        Self::ToolMessages,
        Self::LateSystem,
        Self::Effort,
        Self::Temperature,
        Self::UsageOption,
        Self::LimitName,
        Self::Limit,
    ];

    /// Whether a request to a provider with this profile has it.
    #[must_use]
    pub fn is_in(self, request: &ModelRequest, profile: &Profile) -> bool {
        let wire = profile.wire;
        let later = request.messages.iter().skip(1);
        let late = || later.clone().any(|message| matches!(message, Message::System { .. }));
        match self {
            Self::ForbiddenTools => {
                let forbids = request.forbids_tools && !request.tools.is_empty();
                forbids && wire.is_none_or(|wire| !wire.no_tool_choice)
            }
            Self::NoReasoning => {
                !profile.returns_reasoning
                    && !profile.no_tool_messages
                    && request.messages.iter().any(makes_calls)
            }
            Self::Reasoning => {
                let reasons = |message: &Message| match message {
                    Message::Assistant { reasoning, .. } => {
                        reasoning.as_ref().is_some_and(|reasoning| reasoning.is_for(profile.origin))
                    }
                    _ => false,
                };
                let demanded = profile.returns_reasoning && request.messages.iter().any(makes_calls);
                demanded || (profile.sends_reasoning() && request.messages.iter().any(reasons))
            }
            Self::ToolMessages => !profile.no_tool_messages && request.has_calls(),
            Self::LateSystem => profile.results_as == ResultsAs::System && late(),
            Self::Effort => request.tuning.reasoning_effort.is_some(),
            Self::Temperature => request.tuning.temperature.is_some(),
            Self::UsageOption => wire.is_some_and(|wire| wire.usage_option),
            Self::LimitName | Self::Limit => request.max_output_tokens.is_some(),
        }
    }

    /// Puts into a request, and the profile by which it is written, what is sent in the place of this.
    pub fn change(self, request: &mut ModelRequest, profile: &mut Profile) {
        self.change_profile(profile);
        match self {
            Self::ForbiddenTools if !request.has_calls() => request.tools = ToolSet::empty(),
            Self::Effort => request.tuning.reasoning_effort = None,
            Self::Temperature => request.tuning.temperature = None,
            Self::Limit => request.max_output_tokens = None,
            _ => {}
        }
    }

    /// The same for a turn that begins: all of its requests are written by this profile.
    pub fn change_profile(self, profile: &mut Profile) {
        match self {
            Self::NoReasoning => profile.returns_reasoning = true,
            Self::Reasoning => (profile.returns_reasoning, profile.keeps_reasoning) = (false, false),
            Self::ToolMessages => {
                (profile.results_as, profile.no_tool_messages) = (ResultsAs::User, true);
            }
            Self::LateSystem => profile.results_as = ResultsAs::User,
            Self::ForbiddenTools | Self::UsageOption | Self::LimitName => {
                let Some(wire) = &mut profile.wire else { return };
                match self {
                    Self::UsageOption => wire.usage_option = false,
                    Self::LimitName => wire.limit = wire.limit.other(),
                    _ => wire.no_tool_choice = true,
                }
            }
            Self::Effort | Self::Temperature | Self::Limit => {}
        }
    }

    /// The shapes that a field of a request belongs to, as an error names it: a path whose parts are joined by dots, or its last part.
    #[must_use]
    pub fn of_field(path: &str) -> Vec<Self> {
        let named = |name: &str| -> &[Self] {
            match name {
                "stream_options" | "include_usage" => &[Self::UsageOption],
                "max_tokens" | "max_completion_tokens" => &[Self::LimitName, Self::Limit],
                "temperature" => &[Self::Temperature],
                "reasoning_effort" => &[Self::Effort],
                "tool_choice" => &[Self::ForbiddenTools],
                "reasoning_content" | "reasoning" | "reasoning_details" => {
                    &[Self::Reasoning, Self::NoReasoning]
                }
                "tool_calls" | "tool_call_id" => &[Self::ToolMessages],
                _ => &[],
            }
        };
        path.split(['.', '[', ']']).map(named).find(|shapes| !shapes.is_empty()).unwrap_or_default().to_vec()
    }
}

fn makes_calls(message: &Message) -> bool {
    matches!(message, Message::Assistant { tool_calls, .. } if !tool_calls.is_empty())
}
