//! The shapes of a request: what an endpoint may refuse in one, each with what is sent in its place.
//!
//! Deliberately not here: whether a request has one, and changing it (`orion-core`).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Something of a request that not every endpoint takes. The order is that in which they are suspected: those that come into a turn last, first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Shape {
    /// `tool_choice: "none"` (P12). In its place, no word of it, and no tools unless the conversation has calls.
    #[serde(alias = "tools")]
    ForbiddenTools,
    /// A call without the reasoning before it. In its place, reasoning beside calls, even if it is empty (P9).
    NoReasoning,
    /// A field of reasoning. In its place, none (P9).
    Reasoning,
    /// Calls and tool messages (R1). In their place, boxes in messages of the user.
    ToolMessages,
    /// A system message that is not the first (R1). In its place, a message of the user.
    LateSystem,
    /// The word on thinking, by the provider's own field. In its place, nothing.
    Thinking,
    /// A reasoning effort. In its place, nothing.
    Effort,
    /// A temperature. In its place, nothing.
    Temperature,
    /// `stream_options`. In its place, nothing: the endpoint may report its usage unasked.
    UsageOption,
    /// `return_progress`: how far the prompt has been read. In its place, nothing.
    ReadingProgress,
    /// The name of the limit of an answer (X2). In its place, the other name.
    LimitName,
    /// The limit of an answer (X2). In its place, none.
    Limit,
}

impl Shape {
    /// Each, in the order in which they are suspected.
    pub const ALL: [Self; 12] = [
        Self::ForbiddenTools,
        Self::NoReasoning,
        Self::Reasoning,
        Self::ToolMessages,
        Self::LateSystem,
        Self::Thinking,
        Self::Effort,
        Self::Temperature,
        Self::UsageOption,
        Self::ReadingProgress,
        Self::LimitName,
        Self::Limit,
    ];

    /// The shapes that a field of a request belongs to, as an error names it: a path whose parts are joined by dots, or its last part.
    #[must_use]
    pub fn of_field(path: &str) -> Vec<Self> {
        let named = |name: &str| -> &[Self] {
            match name {
                "stream_options" | "include_usage" => &[Self::UsageOption],
                "return_progress" => &[Self::ReadingProgress],
                "max_tokens" | "max_completion_tokens" => &[Self::LimitName, Self::Limit],
                "temperature" => &[Self::Temperature],
                "chat_template_kwargs" | "enable_thinking" | "thinking" => &[Self::Thinking],
                "reasoning_effort" => &[Self::Effort, Self::Thinking],
                "tool_choice" => &[Self::ForbiddenTools],
                "reasoning_content" | "reasoning_details" => &[Self::Reasoning, Self::NoReasoning],
                // A field of a message, or OpenRouter's of the request.
                "reasoning" => &[Self::Reasoning, Self::Thinking, Self::NoReasoning],
                "tool_calls" | "tool_call_id" => &[Self::ToolMessages],
                _ => &[],
            }
        };
        path.split(['.', '[', ']']).map(named).find(|shapes| !shapes.is_empty()).unwrap_or_default().to_vec()
    }
}
