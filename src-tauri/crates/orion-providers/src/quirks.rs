//! One table of the differences between endpoints that share an interface.
//!
//! A rule applies when the host ends with its host part, or when the model's name contains its model part (a model
//! keeps its chat template wherever it is served). For each quirk the first rule that mentions it counts. Not here:
//! acting on a quirk ([`crate::request`], and R1 in `orion-core`).

use orion_core::model::{FinalTools, LimitName, Profile, ResultsAs, ThinkingSwitch, Wire};

/// What a request must look like for an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quirks {
    pub(crate) profile: Profile,
    pub(crate) wire: Wire,
    /// Its list of models may say their windows.
    pub(crate) lists_windows: bool,
    /// A rule names the form of its results.
    pub(crate) in_table: bool,
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
    /// The form of results (R1). Where no rule names one, they are messages of the user, which all but two of 70 templates print where they belong.
    Results(ResultsAs),
    /// An assistant's message has one call at most.
    OneCall,
    /// A message of the user cannot follow a tool message.
    AnswersTools,
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
    /// The model can be told to think or not, by this field. Of a server that is no hosted service, that is in [`crate::thinking`].
    Thinking(ThinkingSwitch),
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
    // api-docs.deepseek.com/guides/thinking_mode, "Thinking Mode Toggle".
    (On::Host("deepseek.com"), Rule::Thinking(ThinkingSwitch::Type)),
    // openrouter.ai/docs/use-cases/reasoning-tokens, "Controlling Reasoning Tokens".
    (On::Host("openrouter.ai"), Rule::Thinking(ThinkingSwitch::Reasoning)),
    // The designs' form: their models know late system messages. Open templates lose, move or refuse them.
    (On::Host("openai.com"), Rule::Results(ResultsAs::System)),
    (On::Host("openai.azure.com"), Rule::Results(ResultsAs::System)),
    // Mistral Nemo's template moves its tool messages, and Mixtral's has none.
    (On::Model("mistral-nemo"), Rule::Results(ResultsAs::User)),
    (On::Model("mixtral"), Rule::Results(ResultsAs::User)),
    // These models were trained on tool messages, and call again what they read in other ones.
    (On::Host("deepseek.com"), Rule::Results(ResultsAs::Tool)),
    (On::Model("deepseek"), Rule::Results(ResultsAs::Tool)),
    (On::Host("mistral.ai"), Rule::Results(ResultsAs::Tool)),
    (On::Model("mistral"), Rule::Results(ResultsAs::Tool)),
    (On::Model("ministral"), Rule::Results(ResultsAs::Tool)),
    (On::Model("magistral"), Rule::Results(ResultsAs::Tool)),
    (On::Model("devstral"), Rule::Results(ResultsAs::Tool)),
    (On::Model("codestral"), Rule::Results(ResultsAs::Tool)),
    (On::Model("gpt-oss"), Rule::Results(ResultsAs::Tool)),
    (On::Model("llama-3"), Rule::Results(ResultsAs::Tool)),
    (On::Model("llama3"), Rule::Results(ResultsAs::Tool)),
    (On::Model("llama-4"), Rule::Results(ResultsAs::Tool)),
    (On::Model("llama4"), Rule::Results(ResultsAs::Tool)),
    // Llama's chat template: "This model only supports single tool-calls at once!"
    (On::Model("llama-3"), Rule::OneCall),
    (On::Model("llama3"), Rule::OneCall),
    // mistral-common, validator: after tool messages only an assistant's may follow.
    (On::Host("mistral.ai"), Rule::AnswersTools),
    (On::Model("mistral"), Rule::AnswersTools),
    (On::Model("ministral"), Rule::AnswersTools),
    (On::Model("magistral"), Rule::AnswersTools),
    (On::Model("devstral"), Rule::AnswersTools),
    (On::Model("codestral"), Rule::AnswersTools),
];

/// The shared interface, with nothing that differs.
pub(crate) const PLAIN: Wire = Wire {
    usage_option: true,
    limit: LimitName::MaxTokens,
    renamed_limit: false,
    short_ids: true,
    one_call: false,
    answers_tools: false,
    no_tool_choice: false,
    thinking: None,
    reading_progress: false,
};

impl Quirks {
    pub(crate) fn of(host: &str, model: &str) -> Self {
        let (host, model) = (host.to_ascii_lowercase(), model.to_ascii_lowercase());
        let mut quirks =
            Self { profile: Profile::default(), wire: PLAIN, lists_windows: true, in_table: false };
        let mut results = None;
        for (on, rule) in TABLE {
            let applies = match on {
                On::Host(name) => {
                    host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                }
                On::Model(part) => model.contains(part),
            };
            match (applies, rule) {
                (false, _) => {}
                (true, Rule::Results(form)) => results = results.or(Some(*form)),
                (true, Rule::OneCall) => quirks.wire.one_call = true,
                (true, Rule::AnswersTools) => quirks.wire.answers_tools = true,
                (true, Rule::ReturnsReasoning) => quirks.profile.returns_reasoning = true,
                (true, Rule::NoUsageOption) => quirks.wire.usage_option = false,
                (true, Rule::ListsNoWindows) => quirks.lists_windows = false,
                (true, Rule::ForbidsTools) => quirks.profile.final_tools = FinalTools::Forbidden,
                (true, Rule::CompletionLimit) => quirks.wire.limit = LimitName::MaxCompletionTokens,
                (true, Rule::Thinking(field)) => quirks.wire.thinking = quirks.wire.thinking.or(Some(*field)),
            }
        }
        quirks.in_table = results.is_some();
        quirks.profile.results_as = results.unwrap_or(ResultsAs::User);
        quirks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str, model: &str) -> (ResultsAs, bool, bool) {
        let quirks = Quirks::of(host, model);
        (quirks.profile.results_as, quirks.profile.returns_reasoning, quirks.wire.usage_option)
    }

    #[test]
    fn hosts_and_models_get_what_the_table_says_and_others_the_shared_interface() {
        assert_eq!(of("api.deepseek.com", "deepseek-chat"), (ResultsAs::Tool, true, true));
        assert_eq!(of("api.mistral.ai", "mistral-large"), (ResultsAs::Tool, false, false));
        assert_eq!(of("api.mistral.ai", "open-mistral-nemo"), (ResultsAs::User, false, false));
        assert_eq!(of("localhost", "mixtral:8x7b"), (ResultsAs::User, false, true));
        assert_eq!(of("me.openai.azure.com", "gpt-5"), (ResultsAs::System, false, true));
        assert_eq!(of("api.groq.com", "meta-llama/Llama-3.3-70b"), (ResultsAs::Tool, false, true));
        assert_eq!(of("localhost", "llama-2-7b"), (ResultsAs::User, false, true));
        assert_eq!(of("openrouter.ai", "anthropic/Claude-Sonnet"), (ResultsAs::User, false, true));
        assert_eq!(of("localhost", "Qwen3.5-9B-GGUF"), (ResultsAs::User, false, true));
        assert_eq!(of("127.0.0.1", "m"), (ResultsAs::User, false, true));
        assert_eq!(of("notdeepseek.com", "m"), (ResultsAs::User, false, true));
        assert_eq!(of("deepseek.com.example", "m"), (ResultsAs::User, false, true));
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
