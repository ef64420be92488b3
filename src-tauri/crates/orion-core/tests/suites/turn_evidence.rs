//! How a turn treats a provider's words, which are evidence and not the truth: failures, finish reasons, ids, usage,
//! time.

use crate::common::{Played, call, finish, found, limited, piece, setup, text, two_stage, usage};
use insta::{assert_json_snapshot, assert_snapshot};
use orion_core::model::{ModelDelta, Profile, ResultsAs};
use orion_core::tool::ToolOutcome;
use orion_core::turn::{Done, Input, JobId, ModelInput};
use orion_protocol::{Code, ErrorInfo, NoticeCode, Policy, Route, StopReason, TurnEvent, Usage};

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
    played.input(Input::Done {
        job: JobId(1),
        done: Done::Tool { outcome: found("again").into(), duration_ms: 1 },
    });
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
    for reason in ["length", "model_length", "MAX_TOKENS", "model_context_window_exceeded"] {
        assert_eq!(
            (reason, ends(vec![text("a"), finish(reason)])),
            (reason, (Some(StopReason::Length), cut()))
        );
    }
    assert_eq!(
        ends(vec![text("a"), finish("max_tokens"), finish("stop")]),
        (Some(StopReason::Length), cut())
    );
    assert_eq!(ends(vec![text("a"), finish("stop"), finish("length")]), (Some(StopReason::Answered), vec![]));
    for reason in ["tool_calls", "eos", "end_turn", "COMPLETE", "eos_token", "stop_sequence"] {
        let answered = (Some(StopReason::Answered), vec![]);
        assert_eq!((reason, ends(vec![text("a"), finish(reason)])), (reason, answered));
    }
    assert_eq!(ends(vec![text("a")]), (Some(StopReason::Answered), vec![]));
    for reason in ["content_filter", "SAFETY", "sensitive"] {
        let filtered = vec!["The provider's content filter ended the answer.".to_owned()];
        assert_eq!(
            (reason, ends(vec![finish(reason)])),
            (reason, (Some(StopReason::ContentFilter), filtered))
        );
    }
    // P7: it is asked once more.
    assert_eq!(
        ends(vec![text(""), finish("stop")]),
        (None, vec!["Asked once more: no answer came.".to_owned()])
    );
    let unknown = "The answer may not be complete: the provider ended it with the unknown reason “Ran_Dry”.";
    assert_eq!(
        ends(vec![text("a"), finish("Ran_Dry")]),
        (Some(StopReason::Unknown), vec![unknown.to_owned()])
    );
    for reasons in [&["error"][..], &["stop", "network_error"], &["insufficient_system_resource"]] {
        let said = [text("a")].into_iter().chain(reasons.iter().map(|reason| finish(reason))).collect();
        assert_eq!((reasons, ends(said)), (reasons, (Some(StopReason::Error), vec![])));
    }
}

#[test]
fn an_unknown_reason_is_whole_where_a_person_accepted_it_and_a_failure_never() {
    // P10
    let ends = |reason: &str| {
        let accepted = vec!["ran_dry".to_owned(), "error".to_owned()];
        let profile = Profile { accepted_finish_reasons: accepted, ..Profile::default() };
        let mut played = Played::start(orion_core::turn::TurnSetup { profile, ..setup(Policy::two_stage()) });
        played.model(ModelInput::Deltas { deltas: vec![text("a"), finish(reason)] }).ends();
        played.events().find_map(TurnEvent::terminal).map(|report| report.stop_reason)
    };
    assert_eq!(
        [ends("Ran_Dry"), ends("ran_out"), ends("error")],
        [Some(StopReason::Answered), Some(StopReason::Unknown), Some(StopReason::Error)]
    );
}

#[test]
fn of_a_response_that_broke_off_no_call_runs() {
    // P10
    for route in [Route::TwoStage, Route::Unified] {
        for broke_off in [vec![finish("error")], vec![finish("stop"), finish("abort")]] {
            let mut played = Played::start(setup(limited(route, 3, 1, 3)));
            let calls = [call(0, "c1", "read", "{\"path\":\"a\"}"), call(1, "c2", "read", "{}")];
            let deltas = [text("So far ")].into_iter().chain(calls).chain(broke_off).collect();
            played.model(ModelInput::Deltas { deltas }).ends();
            let report = played.events().find_map(TurnEvent::terminal).unwrap();
            assert_eq!((report.stop_reason, report.tool_runs, report.cycles), (StopReason::Error, 0, 0));
            assert_eq!(report.answer, "So far ");
        }
    }
}

#[test]
fn a_call_over_the_cap_of_a_response_is_reported_by_name() {
    // P4
    let mut played = Played::start(setup(limited(Route::Unified, 3, 32, 3)));
    let calls: Vec<ModelDelta> = (0..34)
        .map(|number| {
            let name = if number < 32 { "read" } else { "never" };
            call(number, &format!("c{number}"), name, &format!("{{\"path\":\"{number}\"}}"))
        })
        .collect();
    played.model(ModelInput::Deltas { deltas: calls }).ends();
    let blocked = played.events().find_map(|event| match event {
        TurnEvent::CallsBlocked { names, .. } => Some(names.clone()),
        _ => None,
    });
    assert_eq!(blocked, Some(vec!["never".to_owned(), "never".to_owned()]));
    for _ in 0..32 {
        played.tool(found("x"));
    }
    let told = played.messages().iter().any(|message| {
        matches!(message, orion_core::model::Message::System { text } if text.starts_with("Not run: never, never."))
    });
    assert!(told, "the model is told");
}

#[test]
fn boxes_are_lowered_to_the_role_the_provider_takes() {
    // R1, P9
    let mut requests = Vec::new();
    for results_as in [ResultsAs::System, ResultsAs::User, ResultsAs::Tool] {
        let profile = Profile { results_as, returns_reasoning: true, ..Profile::default() };
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
        requests.push((results_as, played.messages()[2..].to_vec()));
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

#[test]
fn a_notice_about_an_ignore_file_is_shown_once_in_a_turn() {
    let mut played = two_stage();
    let noticed = |notices: &[&str]| ToolOutcome {
        notices: notices.iter().map(|&notice| notice.to_owned()).collect(),
        ..found("x")
    };
    played.says([call(0, "a", "read", "{\"path\":\"a\"}")]).tool(noticed(&["a is too large."]));
    let second = noticed(&["a is too large.", "b is too large."]);
    played.says([call(0, "b", "read", "{\"path\":\"b\"}")]).tool(second);
    let told = played.events().filter_map(|event| match event {
        TurnEvent::Notice { code: NoticeCode::IgnoreFile, message } => Some(message.as_str()),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), ["a is too large.", "b is too large."]);
}
