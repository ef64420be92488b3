//! What goes to a model and what comes back, in no provider's wire format.

use orion_protocol::Usage;
pub use orion_protocol::{ModelNumbers, ModelTuning, Prices, ResultsAs, Shape};
use serde::{Deserialize, Serialize};

use crate::image::Image;
use crate::tool::ToolSet;

mod finish;
mod profile;
mod reasoning;
pub mod shape;

pub use finish::FinishReason;
pub use profile::{FinalTools, LimitName, Profile, ThinkingSwitch, Wire};
pub use reasoning::{Details, MAX_REASONING, Opaque, Reasoning, ReasoningField};

/// One message of a conversation, as a provider is given it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Message {
    System {
        text: String,
    },
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    Assistant {
        text: String,
        reasoning: Option<Reasoning>,
        tool_calls: Vec<CallMade>,
    },
    /// The provider's own tool result (unified, or a box lowered to role `tool`).
    Tool {
        call_id: String,
        name: String,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

/// A tool call in an assistant's message. `arguments` is JSON text of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallMade {
    pub id: String,
    pub name: String,
    pub arguments: String,
    /// Fields of the provider's own, which go back with the call as they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Opaque>,
}

impl CallMade {
    /// Bytes that it has in a request, beside its name.
    fn weight(&self) -> usize {
        self.arguments.len() + self.extra.as_ref().map_or(0, |extra| extra.json.len())
    }
}

/// One call of a model. Shared, never cloned per chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub model: String,
    pub messages: Vec<Message>,
    /// Empty when tools are withheld (P3).
    pub tools: ToolSet,
    /// The tools are in the request for the sake of the provider's cache, and none may be called (P12).
    pub forbids_tools: bool,
    /// The most tokens that the answer may have (X2). None leaves it to the endpoint.
    pub max_output_tokens: Option<u32>,
    /// What the person set of how the model is to answer.
    pub tuning: ModelTuning,
}

impl ModelRequest {
    /// Calls of tools, or their results as tool messages, are in it.
    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.messages.iter().any(Message::is_of_calls)
    }

    /// The bytes of all texts in it, to estimate tokens where a provider says none.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        let messages: usize = self.messages.iter().map(Message::text_bytes).sum();
        messages + self.tools.iter().map(|tool| tool.name.len() + tool.description.len()).sum::<usize>()
    }

    /// The bytes of all that is in it, the descriptions of its tools included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let messages: usize = self.messages.iter().map(Message::text_bytes).sum();
        messages as u64 + self.tools.bytes()
    }
}

impl Message {
    /// What a person wrote.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), images: Vec::new() }
    }

    /// Its images; none in most.
    #[must_use]
    pub fn images(&self) -> &[Image] {
        match self {
            Self::User { images, .. } | Self::Tool { images, .. } => images,
            Self::System { .. } | Self::Assistant { .. } => &[],
        }
    }

    pub fn images_mut(&mut self) -> &mut [Image] {
        match self {
            Self::User { images, .. } | Self::Tool { images, .. } => images,
            Self::System { .. } | Self::Assistant { .. } => &mut [],
        }
    }

    /// For a model that takes no images: what it is told is in their place.
    pub fn without_images(&mut self, told: &str) {
        if let Self::User { text, images } | Self::Tool { text, images, .. } = self
            && !images.is_empty()
        {
            images.clear();
            text.push_str(told);
        }
    }

    /// The bytes that it weighs in a request: those of its texts, of the reasoning that goes back with it (P9), and as many as its images stand for.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::System { text } => text.len(),
            Self::User { text, images } | Self::Tool { text, images, .. } => {
                text.len() + images.iter().map(Image::weight).sum::<usize>()
            }
            Self::Assistant { text, reasoning, tool_calls } => {
                let calls: usize = tool_calls.iter().map(CallMade::weight).sum();
                text.len() + reasoning.as_ref().map_or(0, Reasoning::weight) + calls
            }
        }
    }

    /// Its reasoning weighs in a request where it goes back to this provider (P9).
    pub fn weighs_for(&mut self, profile: &Profile) {
        if let Self::Assistant { reasoning: Some(reasoning), .. } = self {
            reasoning.goes_back = profile.sends_reasoning() && reasoning.is_for(profile.origin);
        }
    }

    /// It makes calls, or is the result of one in the provider's own form.
    #[must_use]
    pub fn is_of_calls(&self) -> bool {
        match self {
            Self::Assistant { tool_calls, .. } => !tool_calls.is_empty(),
            Self::Tool { .. } => true,
            Self::System { .. } | Self::User { .. } => false,
        }
    }
}

/// One piece of a streamed answer. A provider hands over all pieces of one stream event together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ModelDelta {
    Text {
        text: String,
    },
    Reasoning {
        text: String,
    },
    /// The field that the reasoning of this response comes in, before the first of it.
    ReasoningField {
        field: ReasoningField,
    },
    /// A list of reasoning in the provider's own shape, as JSON text. What can be read of it came as [`ModelDelta::Reasoning`].
    ReasoningDetails {
        json: String,
    },
    ToolCall {
        delta: ToolCallDelta,
    },
    /// The finish reason, verbatim: evidence, not truth (P10).
    Finish {
        reason: String,
    },
    /// The last one counts (P9).
    Usage {
        usage: Usage,
    },
}

/// A fragment of a tool call. Any part may be missing, late, repeated or empty (P9); empty strings count as missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolCallDelta {
    pub index: Option<u32>,
    pub id: Option<String>,
    pub name: Option<String>,
    pub arguments: Option<ArgumentsDelta>,
    /// Fields of the provider's own, as JSON text of an object. The last ones count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

/// Arguments come as text fragments to append, or as one JSON value instead of a string (P9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentsDelta {
    /// To append to what came before.
    Fragment(String),
    /// A whole value, as JSON text: it replaces what came before.
    Whole(String),
}

impl ArgumentsDelta {
    /// Bytes of its JSON text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Fragment(text) | Self::Whole(text) => text.len(),
        }
    }
}
