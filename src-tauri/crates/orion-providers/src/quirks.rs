//! One table of the differences between endpoints that share an interface.
//!
//! A rule applies when the host ends with its host part, or when the model's name contains its model part (a model
//! keeps its chat template wherever it is served). For each quirk the first rule that mentions it counts. Not here:
//! acting on a quirk ([`crate::request`], and R1 in `orion-core`).

use orion_core::model::{FinalTools, LateSystem, LimitName, Profile, Wire};

/// What a request must look like for an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quirks {
    pub(crate) profile: Profile,
    pub(crate) wire: Wire,
    /// Its list of models may say their windows.
    pub(crate) lists_windows: bool,
}

#[derive(Debug, Clone, Copy)]
enum On {
    /// The host is this name or one below it.
    Host(&'static str),
    /// The model's name holds this, in any case.
    Model(&'static str),
}

#[derive(Debug, Clone, Copy)]
enum Rule {
    /// A system message that is not the first is refused, lost or moved to the front. It is sent as a message of the
    /// user (R1).
    NoLateSystem,
    /// The model's reasoning must be sent back with its message (P9).
    ReturnsReasoning,
    /// `stream_options` is refused; usage comes without being asked for.
    NoUsageOption,
    /// `tool_choice: "none"` is obeyed and leaves the tools in the prompt, whose beginning stays in a cache (P12, decision 0022).
    ForbidsTools,
    /// `max_tokens` is deprecated, and refused for reasoning models: the limit is called `max_completion_tokens`.
    CompletionLimit,
    /// The list of models says no windows, so it is not asked for.
    ListsNoWindows,
}

/// Each rule with its source.
const TABLE: &[(On, Rule)] = &[
    // api-docs.deepseek.com/guides/thinking_mode: after a tool call, 400 without `reasoning_content`.
    (On::Host("deepseek.com"), Rule::ReturnsReasoning),
    // platform.moonshot.ai, "Use the Kimi thinking model": keep `reasoning_content` in the messages.
    (On::Host("moonshot.ai"), Rule::ReturnsReasoning),
    (On::Host("moonshot.cn"), Rule::ReturnsReasoning),
    // Their references of `GET /models` show an id and an owner alone.
    (On::Host("openai.com"), Rule::ListsNoWindows),
    (On::Host("openai.azure.com"), Rule::ListsNoWindows),
    (On::Host("deepseek.com"), Rule::ListsNoWindows),
    (On::Host("anthropic.com"), Rule::ListsNoWindows),
    (On::Host("googleapis.com"), Rule::ListsNoWindows),
    // platform.openai.com, Chat Completions: `max_tokens` is deprecated; reasoning models refuse it with the code `unsupported_parameter`.
    (On::Host("openai.com"), Rule::CompletionLimit),
    // learn.microsoft.com, Azure OpenAI reasoning models: they take `max_completion_tokens` alone.
    (On::Host("openai.azure.com"), Rule::CompletionLimit),
    // platform.openai.com, Chat Completions: `none` means that the model calls no tool; Prompt caching: the list of tools is part of the prefix.
    (On::Host("openai.com"), Rule::ForbidsTools),
    (On::Host("openai.azure.com"), Rule::ForbidsTools),
    // api-docs.deepseek.com, Create chat completion, Context caching. Thinking mode refuses the choices that force a call, and takes `none`
    // (tickernelz/opencode-mem#253, osaurus-ai/osaurus#1940).
    (On::Host("deepseek.com"), Rule::ForbidsTools),
    // console.groq.com, Tool use, Prompt caching: tool definitions are part of the prefix.
    (On::Host("groq.com"), Rule::ForbidsTools),
    // openai/openai-agents-python#442, avante.nvim#2347: 422 `extra_forbidden` for `stream_options.include_usage`.
    (On::Host("mistral.ai"), Rule::NoUsageOption),
    // charmbracelet/crush#279: "After the optional system message, conversation roles must alternate".
    (On::Host("mistral.ai"), Rule::NoLateSystem),
    (On::Model("mistral"), Rule::NoLateSystem),
    (On::Model("ministral"), Rule::NoLateSystem),
    (On::Model("mixtral"), Rule::NoLateSystem),
    (On::Model("magistral"), Rule::NoLateSystem),
    (On::Model("devstral"), Rule::NoLateSystem),
    (On::Model("codestral"), Rule::NoLateSystem),
    // platform.claude.com, OpenAI SDK compatibility: system messages are hoisted and joined at the beginning.
    (On::Host("anthropic.com"), Rule::NoLateSystem),
    (On::Model("claude"), Rule::NoLateSystem),
    // microsoft/autogen#6117, pipecat-ai/pipecat#3362: of several system messages only the last one counts.
    (On::Host("googleapis.com"), Rule::NoLateSystem),
    (On::Model("gemini"), Rule::NoLateSystem),
    // Gemma's chat template: "Conversation roles must alternate user/assistant".
    (On::Model("gemma"), Rule::NoLateSystem),
    // ggml-org/llama.cpp#20733, #27367: "System message must be at the beginning." from Qwen 3.5 on.
    (On::Model("qwen3.5"), Rule::NoLateSystem),
    (On::Model("qwen3.6"), Rule::NoLateSystem),
    (On::Model("qwen3.7"), Rule::NoLateSystem),
    (On::Model("qwen3.8"), Rule::NoLateSystem),
    // api.minimax.io: a system message stands at the beginning alone.
    (On::Host("minimax.io"), Rule::NoLateSystem),
    (On::Host("perplexity.ai"), Rule::NoLateSystem),
];

impl Quirks {
    pub(crate) fn of(host: &str, model: &str) -> Self {
        let (host, model) = (host.to_ascii_lowercase(), model.to_ascii_lowercase());
        let mut quirks = Self {
            profile: Profile::default(),
            wire: Wire { usage_option: true, limit: LimitName::MaxTokens },
            lists_windows: true,
        };
        for (on, rule) in TABLE {
            let applies = match on {
                On::Host(name) => {
                    host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                }
                On::Model(part) => model.contains(part),
            };
            match (applies, rule) {
                (false, _) => {}
                (true, Rule::NoLateSystem) => quirks.profile.late_system = LateSystem::User,
                (true, Rule::ReturnsReasoning) => quirks.profile.returns_reasoning = true,
                (true, Rule::NoUsageOption) => quirks.wire.usage_option = false,
                (true, Rule::ListsNoWindows) => quirks.lists_windows = false,
                (true, Rule::ForbidsTools) => quirks.profile.final_tools = FinalTools::Forbidden,
                (true, Rule::CompletionLimit) => quirks.wire.limit = LimitName::MaxCompletionTokens,
            }
        }
        quirks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str, model: &str) -> (LateSystem, bool, bool) {
        let quirks = Quirks::of(host, model);
        (quirks.profile.late_system, quirks.profile.returns_reasoning, quirks.wire.usage_option)
    }

    #[test]
    fn hosts_and_models_get_what_the_table_says_and_others_the_shared_interface() {
        assert_eq!(of("api.deepseek.com", "deepseek-chat"), (LateSystem::System, true, true));
        assert_eq!(of("api.mistral.ai", "mistral-large"), (LateSystem::User, false, false));
        assert_eq!(of("openrouter.ai", "anthropic/Claude-Sonnet"), (LateSystem::User, false, true));
        assert_eq!(of("localhost", "Qwen3.5-9B-GGUF"), (LateSystem::User, false, true));
        assert_eq!(of("127.0.0.1", "m"), (LateSystem::System, false, true));
        assert_eq!(of("notdeepseek.com", "m"), (LateSystem::System, false, true));
        assert_eq!(of("deepseek.com.example", "m"), (LateSystem::System, false, true));
    }

    // P12
    #[test]
    fn tools_are_forbidden_only_where_that_is_known_to_be_obeyed_and_cheaper() {
        let tools = |host| Quirks::of(host, "m").profile.final_tools;
        for host in ["api.openai.com", "api.deepseek.com", "api.groq.com"] {
            assert_eq!((host, tools(host)), (host, FinalTools::Forbidden));
        }
        for host in ["localhost", "api.anthropic.com", "openrouter.ai"] {
            assert_eq!((host, tools(host)), (host, FinalTools::Withheld));
        }
    }

    // X2: by the provider's own name, which follows from the host: others take OpenAI's models under the shared name.
    #[test]
    fn the_limit_of_an_answer_has_the_providers_own_name() {
        let limit = |host, model| Quirks::of(host, model).wire.limit;
        assert_eq!(limit("api.openai.com", "o3"), LimitName::MaxCompletionTokens);
        assert_eq!(limit("me.openai.azure.com", "gpt-5"), LimitName::MaxCompletionTokens);
        for host in ["api.deepseek.com", "openrouter.ai", "notopenai.com", "localhost"] {
            assert_eq!((host, limit(host, "openai/o3")), (host, LimitName::MaxTokens));
        }
    }
}
