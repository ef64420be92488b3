//! Finds the shapes of a request that its endpoint may refuse, and changes them.

use orion_protocol::{ResultsAs, Shape};

use super::{Message, ModelRequest, Profile};
use crate::tool::ToolSet;

/// A request to a provider with this profile has it.
#[must_use]
pub fn is_in(shape: Shape, request: &ModelRequest, profile: &Profile) -> bool {
    let wire = profile.wire;
    let later = request.messages.iter().skip(1);
    let late = || later.clone().any(|message| matches!(message, Message::System { .. }));
    match shape {
        Shape::ForbiddenTools => {
            let forbids = request.forbids_tools && !request.tools.is_empty();
            forbids && wire.is_none_or(|wire| !wire.no_tool_choice)
        }
        Shape::NoReasoning => {
            !profile.returns_reasoning
                && !profile.no_tool_messages
                && request.messages.iter().any(makes_calls)
        }
        Shape::Reasoning => {
            let reasons = |message: &Message| match message {
                Message::Assistant { reasoning, .. } => {
                    reasoning.as_ref().is_some_and(|reasoning| reasoning.is_for(profile.origin))
                }
                _ => false,
            };
            let demanded = profile.returns_reasoning && request.messages.iter().any(makes_calls);
            demanded || (profile.sends_reasoning() && request.messages.iter().any(reasons))
        }
        Shape::ToolMessages => !profile.no_tool_messages && request.has_calls(),
        Shape::LateSystem => profile.results_as == ResultsAs::System && late(),
        Shape::Thinking => profile.tuned(request.tuning).thinking.is_some(),
        Shape::Effort => profile.tuned(request.tuning).effort().is_some(),
        Shape::Temperature => request.tuning.temperature.is_some(),
        Shape::UsageOption => wire.is_some_and(|wire| wire.usage_option),
        Shape::ReadingProgress => wire.is_some_and(|wire| wire.reading_progress),
        Shape::LimitName => {
            request.max_output_tokens.is_some() && wire.is_some_and(|wire| !wire.renamed_limit)
        }
        Shape::Limit => request.max_output_tokens.is_some(),
    }
}

/// Puts into a request, and the profile by which it is written, what is sent in the place of this.
pub fn change(shape: Shape, request: &mut ModelRequest, profile: &mut Profile) {
    change_profile(shape, profile);
    match shape {
        Shape::ForbiddenTools if !request.has_calls() => request.tools = ToolSet::empty(),
        Shape::Thinking => request.tuning.thinking = None,
        Shape::Effort => request.tuning.reasoning_effort = None,
        Shape::Temperature => request.tuning.temperature = None,
        Shape::Limit => request.max_output_tokens = None,
        _ => {}
    }
}

/// The same for a turn that begins: all of its requests are written by this profile.
pub fn change_profile(shape: Shape, profile: &mut Profile) {
    match shape {
        Shape::NoReasoning => profile.returns_reasoning = true,
        Shape::Reasoning => (profile.returns_reasoning, profile.keeps_reasoning) = (false, false),
        Shape::ToolMessages => {
            profile.no_tool_messages = true;
            if profile.results_as == ResultsAs::Tool {
                profile.results_as = ResultsAs::User;
            }
        }
        Shape::LateSystem => profile.results_as = ResultsAs::User,
        Shape::ForbiddenTools
        | Shape::Thinking
        | Shape::UsageOption
        | Shape::ReadingProgress
        | Shape::LimitName => {
            let Some(wire) = &mut profile.wire else { return };
            match shape {
                Shape::Thinking => wire.thinking = None,
                Shape::UsageOption => wire.usage_option = false,
                Shape::ReadingProgress => wire.reading_progress = false,
                Shape::LimitName if !wire.renamed_limit => {
                    (wire.limit, wire.renamed_limit) = (wire.limit.other(), true);
                }
                Shape::LimitName => {}
                _ => wire.no_tool_choice = true,
            }
        }
        Shape::Effort | Shape::Temperature | Shape::Limit => {}
    }
}

fn makes_calls(message: &Message) -> bool {
    matches!(message, Message::Assistant { tool_calls, .. } if !tool_calls.is_empty())
}
