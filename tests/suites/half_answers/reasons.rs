//! Finish reasons with what a turn comes to that ends with one of them, by who documents them.

use orion_core::model::FinishReason;
use orion_protocol::{Code, StopReason};

use super::{Came, ended, failed};

/// The ones that were once told as answers.
pub(super) fn once_answers() -> Vec<(&'static str, Came)> {
    let broke_off = || failed(Code::Overloaded);
    vec![
        ("error", broke_off()),
        ("insufficient_system_resource", broke_off()),
        ("network_error", broke_off()),
        ("model_context_window_exceeded", ended(StopReason::Length)),
        ("sensitive", ended(StopReason::ContentFilter)),
        ("MAX_TOKENS", ended(StopReason::Length)),
        ("SAFETY", ended(StopReason::ContentFilter)),
    ]
}

/// All others.
pub(super) fn others() -> Vec<(&'static str, Came)> {
    let mut reasons = Vec::new();
    let mut each = |list: &[&'static str], came: Came| {
        reasons.extend(list.iter().map(|reason| (*reason, came.clone())));
    };
    // OpenAI, Anthropic, Mistral, Together, TGI, Cohere, Gemini, the AI SDK, LM Studio.
    each(
        &[
            "stop",
            "tool_calls",
            "function_call",
            "completed",
            "end_turn",
            "stop_sequence",
            "tool_use",
            "eos",
            "eos_token",
            "COMPLETE",
            "TOOL_CALL",
            "STOP",
            "tool-calls",
            "Stop",
            "eosFound",
            "stopStringFound",
            "toolCalls",
        ],
        ended(StopReason::Answered),
    );
    each(
        &[
            "length",
            "Length",
            "model_length",
            "max_tokens",
            "max_output_tokens",
            "incomplete",
            "ERROR_LIMIT",
            "repetition",
            "pause_turn",
            "compaction",
            "maxPredictedTokensReached",
            "contextLengthReached",
            "time_limit",
            "token_limit",
        ],
        ended(StopReason::Length),
    );
    each(
        &[
            "content_filter",
            "content-filter",
            "refusal",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "MODEL_ARMOR",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
            "ERROR_TOXIC",
            "guardrail_intervened",
            "content_filtered",
            "content_filter: RECITATION",
            "content_filter: PROHIBITED_CONTENT",
        ],
        ended(StopReason::ContentFilter),
    );
    each(&["ERROR", "failed", "engine_overloaded", "TIMEOUT"], failed(Code::Overloaded));
    each(
        &[
            "abort",
            "aborted",
            "cancelled",
            "canceled",
            "USER_CANCEL",
            "unload",
            "userStopped",
            "modelUnloaded",
        ],
        failed(Code::CutOff),
    );
    each(
        &[
            "MALFORMED_FUNCTION_CALL",
            "MALFORMED_RESPONSE",
            "UNEXPECTED_TOOL_CALL",
            "TOO_MANY_TOOL_CALLS",
            "malformed_model_output",
            "malformed_tool_use",
            "function_call_filter: MALFORMED_FUNCTION_CALL",
            "function_call_filter: UNEXPECTED_TOOL_CALL",
        ],
        failed(Code::Malformed),
    );
    each(&["MISSING_THOUGHT_SIGNATURE"], failed(Code::BadRequest));
    each(
        &["OTHER", "FINISH_REASON_UNSPECIFIED", "NO_IMAGE", "escalation", "done", "unknown"],
        ended(StopReason::Unknown),
    );
    reasons
}

#[test]
fn each_reason_that_the_table_knows_is_streamed() {
    let streamed: Vec<&str> = once_answers().into_iter().chain(others()).map(|(reason, _)| reason).collect();
    for (reason, _) in FinishReason::documented() {
        assert!(streamed.iter().any(|streamed| streamed.eq_ignore_ascii_case(reason)), "{reason}");
    }
}
