//! The names that tools for model calls agree on: the semantic conventions for generative AI of OpenTelemetry.
//!
//! They are from version 0.1.0 of the repository `semantic-conventions-genai`. The crate of conventions has older ones, so they stand here.
//! What they have no name for begins with [`OWN`].

/// The version of the conventions that these names are from.
pub(crate) const VERSION: &str = "0.1.0";

/// What the names of Orion's own attributes begin with.
pub(crate) const OWN: &str = "orion.";

pub(crate) const OPERATION_NAME: &str = "gen_ai.operation.name";
pub(crate) const PROVIDER_NAME: &str = "gen_ai.provider.name";
pub(crate) const AGENT_NAME: &str = "gen_ai.agent.name";
pub(crate) const AGENT_VERSION: &str = "gen_ai.agent.version";
pub(crate) const CONVERSATION_ID: &str = "gen_ai.conversation.id";
pub(crate) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(crate) const REQUEST_STREAM: &str = "gen_ai.request.stream";
pub(crate) const REQUEST_TEMPERATURE: &str = "gen_ai.request.temperature";
pub(crate) const RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(crate) const RESPONSE_TIME_TO_FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
pub(crate) const USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(crate) const USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(crate) const USAGE_CACHE_READ_INPUT_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(crate) const USAGE_REASONING_OUTPUT_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";
pub(crate) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(crate) const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
pub(crate) const TOOL_CALL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(crate) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(crate) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
/// Of the general conventions.
pub(crate) const ERROR_TYPE: &str = "error.type";

/// Values of [`OPERATION_NAME`]: a turn, a model call, a tool call that ran.
pub(crate) const INVOKE_AGENT: &str = "invoke_agent";
pub(crate) const CHAT: &str = "chat";
pub(crate) const EXECUTE_TOOL: &str = "execute_tool";

/// The value of [`TOOL_TYPE`] for tools that run where the agent does.
pub(crate) const FUNCTION: &str = "function";

/// The value of [`ERROR_TYPE`] where nothing is known of an error.
pub(crate) const OTHER: &str = "_OTHER";

/// The providers that the conventions have a name for.
const PROVIDERS: [&str; 16] = [
    "anthropic",
    "aws.bedrock",
    "azure.ai.inference",
    "azure.ai.openai",
    "cohere",
    "deepseek",
    "gcp.gemini",
    "gcp.gen_ai",
    "gcp.vertex_ai",
    "groq",
    "ibm.watsonx.ai",
    "mistral_ai",
    "moonshot_ai",
    "openai",
    "perplexity",
    "x_ai",
];

/// The provider behind an endpoint, by the endpoint's name. Orion speaks the protocol of one of them with all others, which is what the
/// conventions ask for there.
pub(crate) fn provider(endpoint: &str) -> &'static str {
    let same = |name: &&&str| {
        let bare = |text: &str| text.replace(['_', '.', '-'], "").to_ascii_lowercase();
        let (name, endpoint) = (bare(name), bare(endpoint));
        endpoint == name || format!("{endpoint}ai") == name
    };
    PROVIDERS.iter().find(same).map_or("openai", |name| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_this_version() {
        assert_eq!(VERSION, "0.1.0");
        let names = [
            (OPERATION_NAME, "gen_ai.operation.name"),
            (PROVIDER_NAME, "gen_ai.provider.name"),
            (AGENT_NAME, "gen_ai.agent.name"),
            (AGENT_VERSION, "gen_ai.agent.version"),
            (CONVERSATION_ID, "gen_ai.conversation.id"),
            (REQUEST_MODEL, "gen_ai.request.model"),
            (REQUEST_STREAM, "gen_ai.request.stream"),
            (REQUEST_TEMPERATURE, "gen_ai.request.temperature"),
            (RESPONSE_FINISH_REASONS, "gen_ai.response.finish_reasons"),
            (RESPONSE_TIME_TO_FIRST_CHUNK, "gen_ai.response.time_to_first_chunk"),
            (USAGE_INPUT_TOKENS, "gen_ai.usage.input_tokens"),
            (USAGE_OUTPUT_TOKENS, "gen_ai.usage.output_tokens"),
            (USAGE_CACHE_READ_INPUT_TOKENS, "gen_ai.usage.cache_read.input_tokens"),
            (USAGE_REASONING_OUTPUT_TOKENS, "gen_ai.usage.reasoning.output_tokens"),
            (TOOL_NAME, "gen_ai.tool.name"),
            (TOOL_TYPE, "gen_ai.tool.type"),
            (TOOL_CALL_ID, "gen_ai.tool.call.id"),
            (TOOL_CALL_ARGUMENTS, "gen_ai.tool.call.arguments"),
            (INPUT_MESSAGES, "gen_ai.input.messages"),
            (OUTPUT_MESSAGES, "gen_ai.output.messages"),
            (ERROR_TYPE, "error.type"),
        ];
        assert!(names.iter().all(|(said, meant)| said == meant), "{names:?}");
        assert_eq!([INVOKE_AGENT, CHAT, EXECUTE_TOOL], ["invoke_agent", "chat", "execute_tool"]);
    }

    #[test]
    fn an_endpoint_named_after_a_provider_is_that_provider_and_any_other_speaks_openai() {
        let providers =
            ["DeepSeek", "mistral", "x-ai", "groq", "openai", "local", "openrouter", ""].map(provider);
        assert_eq!(
            providers,
            ["deepseek", "mistral_ai", "x_ai", "groq", "openai", "openai", "openai", "openai"]
        );
    }
}
