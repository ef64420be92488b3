//! What a turn makes of a provider's words, which are evidence and not the truth: failures, finish reasons, ids, usage, time.

use crate::common::{Played, call, finish, found, limited, piece, setup, text, two_stage, usage};
use insta::{assert_json_snapshot, assert_snapshot};
use orion_core::model::{LateSystem, ModelDelta, Profile};
use orion_core::turn::{Input, ModelInput};
use orion_protocol::{CallId, Code, ErrorInfo, Policy, Route, StopReason, TurnEvent, Usage};
#[test]
fn a_failed_call_ends_the_turn_and_keeps_what_was_streamed() {
    let mut played = two_stage();
    let error = ErrorInfo::new(Code::CutOff, "The connection ended.", "Send it again.").retryable();
    let cause = ErrorInfo::new(Code::Overloaded, "Busy.", "").retryable();
    played
        .model(ModelInput::Retrying { attempt: 2, delay_ms: 500, cause })
        .says([text("So far ")])
        .model(ModelInput::Failed { error });
    assert_snapshot!(played.lines);
}

#[test]
fn what_an_earlier_call_still_says_changes_nothing() {
    // P4
    let mut played = two_stage();
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]).tool(found("alpha"));
    let before = played.lines.clone();
    played.input(Input::Model { call: 1, event: ModelInput::Deltas { deltas: vec![text("late")] } });
    played.input(Input::Model { call: 1, event: ModelInput::Ended });
    played.input(Input::Tool { call_id: CallId("c1".to_owned()), outcome: found("again"), duration_ms: 1 });
    assert_eq!(played.lines, before);
}

#[test]
fn a_chunk_says_where_it_begins_and_one_without_text_is_not_shown() {
    // E1
    let reasoning = |text: &str| ModelDelta::Reasoning { text: text.to_owned() };
    let mut played = two_stage();
    played.says([text("é"), text(""), reasoning("hm"), reasoning(""), text("a"), reasoning(", so")]);
    let chunks: Vec<_> = played.events().filter(|event| !event.is_durable()).cloned().collect();
    let expected = [
        TurnEvent::TextChunk { offset: 0, text: "é".to_owned() },
        TurnEvent::ReasoningChunk { offset: 0, text: "hm".to_owned() },
        TurnEvent::TextChunk { offset: 2, text: "a".to_owned() },
        TurnEvent::ReasoningChunk { offset: 2, text: ", so".to_owned() },
    ];
    assert_eq!(chunks, expected);
}

#[test]
fn finish_reasons_are_evidence() {
    // P10
    let ends = |deltas: Vec<ModelDelta>| {
        let mut played = two_stage();
        played.model(ModelInput::Deltas { deltas }).ends();
        let notices: Vec<String> = played
            .events()
            .filter_map(|event| match event {
                TurnEvent::Notice { message, .. } => Some(message.clone()),
                _ => None,
            })
            .collect();
        let report = played.events().find_map(TurnEvent::terminal).map(|report| report.stop_reason);
        (report, notices)
    };
    let cut = || vec!["The answer was cut off at the model's output limit.".to_owned()];
    assert_eq!(ends(vec![text("a"), finish("length")]), (Some(StopReason::Length), cut()));
    assert_eq!(ends(vec![text("a"), finish("model_length")]), (Some(StopReason::Length), cut()));
    assert_eq!(
        ends(vec![text("a"), finish("max_tokens"), finish("stop")]),
        (Some(StopReason::Length), cut())
    );
    assert_eq!(ends(vec![text("a"), finish("stop"), finish("length")]), (Some(StopReason::Answered), vec![]));
    assert_eq!(ends(vec![text("a"), finish("tool_calls")]), (Some(StopReason::Answered), vec![]));
    assert_eq!(ends(vec![text("a")]), (Some(StopReason::Answered), vec![]));
    assert_eq!(
        ends(vec![finish("content_filter")]),
        (Some(StopReason::ContentFilter), vec!["The provider's content filter ended the answer.".to_owned()]),
    );
    assert_eq!(
        ends(vec![text(""), finish("stop")]),
        (Some(StopReason::Answered), vec!["The model sent no text.".to_owned()])
    );
}

#[test]
fn boxes_are_lowered_to_the_role_the_provider_takes() {
    // R1, P9
    let mut requests = Vec::new();
    for late_system in [LateSystem::System, LateSystem::User, LateSystem::Tool] {
        let profile = Profile { late_system, returns_reasoning: true };
        let mut played = Played::start(orion_core::turn::TurnSetup {
            profile,
            ..setup(limited(Route::TwoStage, 1, 1, 3))
        });
        played
            .says([
                ModelDelta::Reasoning { text: "hm".to_owned() },
                call(0, "c1", "read", "{\"path\":\"a\"}"),
            ])
            .tool(found("alpha"));
        requests.push((late_system, played.messages()[2..].to_vec()));
    }
    assert_json_snapshot!(requests);
}

#[test]
fn ids_of_calls_are_unique_in_a_turn() {
    let mut played = Played::start(setup(limited(Route::TwoStage, 2, 8, 3)));
    let long = "x".repeat(65);
    let most = "y".repeat(64);
    played.answers([
        call(0, "call_3", "read", "{\"path\":\"1\"}"),
        piece(Some(1), None, Some("read"), Some("{\"path\":\"2\"}")),
        call(2, &long, "read", "{\"path\":\"3\"}"),
        call(3, &most, "read", "{\"path\":\"4\"}"),
        call(4, "a b", "read", "{\"path\":\"5\"}"),
    ]);
    for _ in 0..5 {
        played.tool(found("x"));
    }
    played.answers([call(0, "call_3", "read", "{\"path\":\"9\"}")]);
    let ids: Vec<_> = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::ToolCall { tool_call_id, .. } => Some(tool_call_id.0.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["call_3", "call_2", "call_4", most.as_str(), "call_5", "call_6"]);
}

#[test]
fn usage_is_the_providers_word_or_an_estimate_that_says_so() {
    // P9, J5
    let mut played = Played::start(setup(Policy::two_stage()));
    played
        .says([text("12345678"), call(0, "c1", "read", "{\"path\":\"a\"}")])
        .tool(found("alpha"))
        .answers([text("ok"), usage(1, 1), usage(50, 7)]);
    let report = played.events().find_map(TurnEvent::terminal).unwrap();
    // The cut call: SYSTEM 6 + question 13 + 4 tools (4 + 10, 3 + 9, 5 + 11, 16 + 22) bytes in, 8 + 12 bytes out, at 4 bytes a token.
    let expected = Usage {
        prompt_tokens: Some((6 + 13 + 80) / 4 + 50),
        completion_tokens: Some(20 / 4 + 7),
        reasoning_tokens: Some(1),
        cached_tokens: None,
        estimated: true,
    };
    assert_eq!(report.usage, expected);

    let mut played = Played::start(setup(Policy::two_stage()));
    played.model(ModelInput::Failed { error: ErrorInfo::new(Code::Connection, "No.", "") });
    assert_eq!(played.events().find_map(TurnEvent::terminal).unwrap().usage, Usage::default());
}

#[test]
fn a_clock_that_goes_back_stands_still() {
    let mut played = two_stage();
    let effects = played.turn.step(-5, Input::Stop);
    let at: Vec<i64> = effects
        .iter()
        .filter_map(|effect| match effect {
            orion_core::turn::Effect::Emit(envelope) => Some(envelope.at_ms),
            _ => None,
        })
        .collect();
    assert_eq!(at, [1_000, 1_000]);
}
