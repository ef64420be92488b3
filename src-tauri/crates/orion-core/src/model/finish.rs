//! What a provider means by its finish reason (P10).
//!
//! One table, since servers that share an interface do not share its words: gateways pass on what another provider said,
//! and local servers have words of their own. Not here: what a turn does about it (`turn`).

use orion_protocol::{Code, ErrorInfo};

/// What a finish reason says of the response that it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The response is whole: its text ended by itself, or in tool calls.
    Complete,
    /// The output limit or the context window cut it.
    Length,
    /// The provider withheld the rest of it.
    ContentFilter,
    /// It broke off. The code is that of the failure.
    Failed(Code),
    /// Orion does not know the reason, so it may mean any of these.
    Unknown,
}

use FinishReason::{Complete, ContentFilter, Failed, Length};

/// How much of a reason an error shows, in characters: 200. No documented one has more than a few words.
const SHOWN: usize = 200;

/// Every reason that a provider or a server documents. docs/providers.md names the sources, by provider.
const TABLE: &[(&str, FinishReason)] = &[
    // OpenAI, and nearly everyone.
    ("stop", Complete),
    ("tool_calls", Complete),
    ("function_call", Complete),
    ("length", Length),
    ("content_filter", ContentFilter),
    // OpenAI's Responses, which gateways pass on.
    ("completed", Complete),
    ("incomplete", Length),
    ("max_output_tokens", Length),
    ("failed", Failed(Code::Overloaded)),
    // The AI SDK's spelling.
    ("tool-calls", Complete),
    ("content-filter", ContentFilter),
    // Anthropic; Zhipu for the window.
    ("end_turn", Complete),
    ("stop_sequence", Complete),
    ("tool_use", Complete),
    ("max_tokens", Length),
    ("model_context_window_exceeded", Length),
    ("pause_turn", Length),
    ("compaction", Length),
    ("refusal", ContentFilter),
    // Mistral.
    ("model_length", Length),
    // DeepSeek.
    ("insufficient_system_resource", Failed(Code::Overloaded)),
    ("aborted", Failed(Code::CutOff)),
    // Zhipu.
    ("sensitive", ContentFilter),
    ("network_error", Failed(Code::Overloaded)),
    // Moonshot.
    ("engine_overloaded", Failed(Code::Overloaded)),
    // Together, TGI, and what grew from them.
    ("eos", Complete),
    ("eos_token", Complete),
    // Cohere.
    ("complete", Complete),
    ("tool_call", Complete),
    ("error_limit", Length),
    ("error_toxic", ContentFilter),
    ("user_cancel", Failed(Code::CutOff)),
    ("timeout", Failed(Code::Overloaded)),
    // Gemini. `MALFORMED_FUNCTION_CALL` and similar reasons mean that what the model said was thrown away.
    ("safety", ContentFilter),
    ("recitation", ContentFilter),
    ("language", ContentFilter),
    ("blocklist", ContentFilter),
    ("prohibited_content", ContentFilter),
    ("spii", ContentFilter),
    ("model_armor", ContentFilter),
    ("image_safety", ContentFilter),
    ("image_prohibited_content", ContentFilter),
    ("image_recitation", ContentFilter),
    ("malformed_function_call", Failed(Code::Malformed)),
    ("malformed_response", Failed(Code::Malformed)),
    ("unexpected_tool_call", Failed(Code::Malformed)),
    ("too_many_tool_calls", Failed(Code::Malformed)),
    ("missing_thought_signature", Failed(Code::BadRequest)),
    // Bedrock.
    ("guardrail_intervened", ContentFilter),
    ("content_filtered", ContentFilter),
    ("malformed_model_output", Failed(Code::Malformed)),
    ("malformed_tool_use", Failed(Code::Malformed)),
    // OpenRouter, Together, Cohere, vLLM: the model failed in the middle.
    ("error", Failed(Code::Overloaded)),
    // vLLM and SGLang: the server ended it, for example because it was shut down.
    ("abort", Failed(Code::CutOff)),
    // vLLM: the server found the model repeating itself.
    ("repetition", Length),
    // Ollama: the model was unloaded from memory.
    ("unload", Failed(Code::CutOff)),
    // LM Studio (`LLMPredictionStopReason`): what its own interface and its SDKs say.
    ("eosFound", Complete),
    ("stopStringFound", Complete),
    ("toolCalls", Complete),
    ("maxPredictedTokensReached", Length),
    ("contextLengthReached", Length),
    ("userStopped", Failed(Code::CutOff)),
    ("modelUnloaded", Failed(Code::CutOff)),
    // watsonx: the answer took longer than it allows, or more tokens.
    ("time_limit", Length),
    ("token_limit", Length),
    // Gateways.
    ("cancelled", Failed(Code::CutOff)),
    ("canceled", Failed(Code::CutOff)),
];

impl FinishReason {
    /// Every reason that is known, with its meaning.
    pub fn documented() -> impl Iterator<Item = (&'static str, Self)> {
        TABLE.iter().copied()
    }

    /// Reads a reason, without regard to case. `accepted` are the reasons that a person has accepted as a complete
    /// answer of this endpoint. A reason that the table knows keeps its meaning.
    #[must_use]
    pub fn of(reason: &str, accepted: &[String]) -> Self {
        let reason = reason.trim();
        match Self::known(reason).or_else(|| Self::filtered(reason)) {
            Some(meaning) => meaning,
            None if accepted.iter().any(|accepted| accepted.eq_ignore_ascii_case(reason)) => Complete,
            None => Self::Unknown,
        }
    }

    fn known(reason: &str) -> Option<Self> {
        TABLE.iter().find(|(known, _)| known.eq_ignore_ascii_case(reason)).map(|(_, meaning)| *meaning)
    }

    /// Gemini's OpenAI interface puts a filter before the reason: `content_filter: RECITATION`,
    /// `function_call_filter: MALFORMED_FUNCTION_CALL`. A reason that says more than the filter counts; no reason after a
    /// filter is a whole answer.
    fn filtered(reason: &str) -> Option<Self> {
        let (filter, cause) = reason.split_once(':')?;
        let is = |name: &str| filter.trim().eq_ignore_ascii_case(name);
        let filter = if is("content_filter") {
            ContentFilter
        } else if is("function_call_filter") {
            Failed(Code::Malformed)
        } else {
            return None;
        };
        Some(Self::known(cause.trim()).filter(|cause| *cause != Complete).unwrap_or(filter))
    }

    /// Keeps the first reason of a response, unless a later one says that it broke off (P10).
    pub fn keep(kept: &mut Option<String>, next: String) {
        let broke_off = |reason: &str| matches!(Self::of(reason, &[]), Failed(_));
        if kept.as_deref().is_none_or(|kept| !broke_off(kept) && broke_off(&next)) {
            *kept = Some(next);
        }
    }

    /// The error that a reason stands for, where it does.
    #[must_use]
    pub fn error(self, reason: &str) -> Option<ErrorInfo> {
        let Failed(code) = self else { return None };
        let reason: String = reason.chars().take(SHOWN).collect();
        let message = format!("The provider broke off the answer: “{reason}”.");
        let error = ErrorInfo::new(code, message, "Send the message again, or choose another endpoint.");
        // The same request may succeed later, unless the provider cannot use the request itself.
        Some(if code == Code::BadRequest { error } else { error.retryable() })
    }
}
