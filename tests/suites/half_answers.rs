//! P10 on the wire: no half answer is told as whole. Each place in which a provider may put an error, and each finish reason
//! that one documents, over a real socket through the engine, in both routes, however the bytes are cut.

use std::sync::atomic::{AtomicUsize, Ordering};

use orion_protocol::{Code, NoticeCode, Route, StopReason, TurnEvent, TurnOptions, TurnReport, TurnStatus};
use serde_json::{Value, json};
use support::{Chunking, Folder, Script, Turn, within};

use crate::driver_desk::{Desk, Told, new_session, to_end};

/// Random cuttings of each stream.
const CUTTINGS: u64 = 20;
const SO_FAR: &str = "Half of it 🦊 ";

/// What a turn came to: how it ended, by what error, and what was kept.
type Came = (TurnStatus, StopReason, Option<Code>, String);

fn came(report: &TurnReport) -> Came {
    let code = report.error.as_ref().map(|error| error.code);
    (report.status, report.stop_reason, code, report.answer.clone())
}

fn failed(code: Code) -> Came {
    (TurnStatus::Failed, StopReason::Error, Some(code), SO_FAR.into())
}

fn ended(reason: StopReason) -> Came {
    (TurnStatus::Completed, reason, None, SO_FAR.into())
}

/// Plays each answer, as often as there are cuttings, in both routes; says what each turn came to.
async fn play(cases: Vec<(String, Turn, Came)>, cuttings: u64) {
    let answers: Vec<Turn> = cases
        .iter()
        .flat_map(|(_, answer, _)| {
            (0..cuttings * 2).map(|seed| answer.clone().chunking(Chunking::Random(seed)))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let model =
        Script::new().forever(move |_, _| answers[next.fetch_add(1, Ordering::SeqCst)].clone()).start();
    let desk = Desk::with(&model).await;
    for (name, _, expected) in &cases {
        for cutting in 0..cuttings * 2 {
            let route = if cutting % 2 == 0 { Route::TwoStage } else { Route::Unified };
            let told = ask(&desk, route).await;
            assert_eq!((name, route, cutting, came(&told.report)), (name, route, cutting, expected.clone()));
            assert_eq!(told.report.tool_runs, 0, "{name}: a call of an answer that broke off ran");
        }
    }
    model.finish();
}

async fn ask(desk: &Desk, route: Route) -> Told {
    let session = new_session(&desk.engine, &desk.project).await;
    let options = TurnOptions { route: Some(route), ..TurnOptions::default() };
    let turn = desk.engine.run_turn(session.session_id, "Well?".into(), options).await.unwrap();
    desk.read(turn).await
}

fn half() -> Turn {
    Turn::default().text(SO_FAR)
}

fn clean_end(turn: Turn) -> Turn {
    turn.end("stop")
}

/// Every place in which an error was seen or is documented, in a stream that ends cleanly after it.
fn places() -> Vec<(String, Turn, Came)> {
    let overloaded = json!({"code": 503, "message": "try later"});
    let event = |data: Value| clean_end(half().event(data));
    let choice = |choice: Value| event(json!({"choices": [choice]}));
    let raw = |lines: &str| clean_end(half().raw(lines));
    let places = [
        ("a field `error` in a block of its own", raw("error: {\"code\":503,\"message\":\"try later\"}\n\n")),
        (
            "a field `error` among others",
            raw("id: 1\nerror: {\"error\":{\"code\":503}}\ndata: {\"choices\":[]}\n\n"),
        ),
        ("a field `error` with CR LF", raw("error:{\"code\":503}\r\n\r\n")),
        ("a field `error` that is text", raw("error: the engine died\n\n")),
        ("a field `Error`", raw("Error: {\"code\":\"server_error\"}\n\n")),
        ("a bare line of JSON", raw("{\"error\":{\"code\":503,\"message\":\"try later\"}}\n\n")),
        ("bare JSON in several lines", raw("{\n  \"error\": {\n    \"code\": 503\n  }\n}\n\n")),
        ("a field of another name", raw("failure: {\"error\":{\"code\":503}}\n\n")),
        ("an event named `error`", raw("event: error\ndata: {\"code\":503}\n\n")),
        ("an event named `error` without data", raw("event: error\n\n")),
        ("the top of a payload", event(json!({"error": overloaded}))),
        ("the top, as text", event(json!({"error": "try later"}))),
        ("the top, beside choices", event(json!({"error": overloaded, "choices": [{"delta": {}}]}))),
        ("a list of one", event(json!([{"error": overloaded}]))),
        ("a choice", choice(json!({"index": 0, "delta": {}, "error": overloaded}))),
        ("another choice", choice(json!({"index": 1, "error": overloaded}))),
        ("a delta", choice(json!({"delta": {"error": overloaded}}))),
        (
            "x_groq",
            event(json!({"choices": [{"delta": {}}], "x_groq": {"id": "r", "error": "over capacity"}})),
        ),
        (
            "another vendor's object",
            event(json!({"choices": [], "nvext": {"worker": {"error": overloaded}}})),
        ),
        (
            "base_resp",
            event(json!({"choices": [], "base_resp": {"status_code": 1013, "status_msg": "busy"}})),
        ),
        (
            "beside a call",
            event(json!({"choices": [{"error": overloaded, "delta": {"tool_calls": [
                {"index": 0, "id": "c", "function": {"name": "list_files", "arguments": "{\"path\":\".\"}"}}]}}]})),
        ),
        (
            "after the finish reason",
            half()
                .delta(json!({}))
                .event(json!({"choices": [{"finish_reason": "stop"}]}))
                .event(json!({"error": overloaded})),
        ),
    ];
    places.into_iter().map(|(name, answer)| (name.to_owned(), answer, failed(Code::Overloaded))).collect()
}

/// Lines of text that tell nobody's error, in a stream that ends cleanly after them.
fn stray_lines() -> Vec<(String, Turn, Came)> {
    // The proxy of a hosted server says this when the server closed its connection.
    let line = "upstream error: read ECONNRESET\n";
    vec![
        ("without a finish reason".to_owned(), half().raw(line), failed(Code::CutOff)),
        ("before a finish reason".to_owned(), half().raw(line).end("stop"), ended(StopReason::Answered)),
        ("a comment".to_owned(), half().raw(": OPENROUTER PROCESSING\n\n"), ended(StopReason::Answered)),
        ("nothing".to_owned(), half(), ended(StopReason::Answered)),
    ]
}

#[tokio::test]
async fn an_end_after_lines_that_are_no_part_of_the_format_is_no_clean_end() {
    play(stray_lines(), CUTTINGS).await;
}

#[tokio::test]
async fn an_error_is_an_error_wherever_it_stands_in_a_stream() {
    play(places(), CUTTINGS).await;
}

/// Reasons with what a turn comes to that ends with one of them, by who documents them.
fn reasons() -> Vec<(&'static str, Came)> {
    let broke_off = || failed(Code::Overloaded);
    vec![
        // The ones that were once told as answers.
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
fn other_reasons() -> Vec<(&'static str, Came)> {
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
        &["abort", "aborted", "cancelled", "USER_CANCEL", "unload", "userStopped", "modelUnloaded"],
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

fn ending(reasons: Vec<(&'static str, Came)>) -> Vec<(String, Turn, Came)> {
    reasons.into_iter().map(|(reason, came)| (reason.to_owned(), half().end(reason), came)).collect()
}

#[tokio::test]
async fn a_finish_reason_of_a_failure_gives_no_answer_and_keeps_the_text() {
    play(ending(reasons()), CUTTINGS).await;
}

#[tokio::test]
async fn each_documented_finish_reason_is_read_as_its_provider_means_it() {
    play(ending(other_reasons()), 1).await;
}

#[tokio::test]
async fn no_call_runs_of_a_response_that_ended_in_an_error() {
    // In two stages the first complete call ends the response, so that its error is never read (P4).
    let called =
        || half().call("list_files", json!({"path": "."})).call("read_file", json!({"path": "a.txt"}));
    let endings = [
        called().end("error"),
        called().end("NETWORK_ERROR"),
        clean_end(called().event(json!({"error": {"code": 503}}))),
        clean_end(called().raw("error: {\"code\":503}\n\n")),
        clean_end(called().event(json!({"choices": [{"error": {"code": 503}}]}))),
        clean_end(called().event(json!({"x_groq": {"error": "over capacity"}, "choices": []}))),
    ];
    for (number, answer) in endings.into_iter().enumerate() {
        let model = Script::new().turn(|_| answer).start();
        let desk = Desk::with(&model).await;
        let told = ask(&desk, Route::Unified).await;
        assert_eq!((number, came(&told.report)), (number, failed(Code::Overloaded)));
        assert_eq!((told.report.tool_runs, told.report.tool_calls.len()), (0, 0), "{number}");
        model.finish();
    }
    // In one event with its error, the call does not end the response.
    let at_once = json!({"choices": [{"finish_reason": "error", "delta": {"content": SO_FAR, "tool_calls": [
        {"index": 0, "id": "c", "function": {"name": "list_files", "arguments": "{\"path\":\".\"}"}}]}}]});
    for route in [Route::TwoStage, Route::Unified] {
        let answer = at_once.clone();
        let model = Script::new().turn(|t| t.event(answer)).start();
        let desk = Desk::with(&model).await;
        let told = ask(&desk, route).await;
        assert_eq!((came(&told.report), told.report.tool_runs), (failed(Code::Overloaded), 0));
        model.finish();
    }
}

#[tokio::test]
async fn an_unknown_reason_is_shown_word_for_word() {
    let model = Script::new().turn(|t| t.text(SO_FAR).end("Ran_Dry")).start();
    let desk = Desk::with(&model).await;
    let told = ask(&desk, Route::TwoStage).await;
    let said = told.envelopes.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::Notice { code: NoticeCode::UnknownFinish, message } => Some(message.as_str()),
        _ => None,
    });
    let expected = "The answer may not be complete: the provider ended it with the unknown reason “Ran_Dry”.";
    assert_eq!(said, Some(expected));
    let verbatim = told.envelopes.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::PhaseEnded { finish_reason, .. } => finish_reason.clone(),
        _ => None,
    });
    assert_eq!(verbatim.as_deref(), Some("Ran_Dry"));
    model.finish();
}

#[tokio::test]
async fn an_error_first_in_a_stream_is_tried_again_where_its_status_would_be() {
    let first: Vec<(Turn, bool)> = vec![
        (Turn::default().event(json!({"error": {"code": 503}})), true),
        (Turn::default().event(json!({"error": {"code": 429, "message": "slow"}})), true),
        (Turn::default().comment("hold on").raw("error: {\"type\":\"overloaded_error\"}\n\n"), true),
        (
            Turn::default()
                .delta(json!({"role": "assistant", "content": ""}))
                .end("insufficient_system_resource"),
            true,
        ),
        (
            Turn::default().usage(1, 0).event(json!({"x_groq": {"error": "over capacity"}, "choices": []})),
            true,
        ),
        (Turn::default().event(json!({"error": {"code": 400, "message": "no"}})), false),
        (Turn::default().event(json!({"error": {"code": "invalid_api_key"}})), false),
        (
            Turn::default()
                .event(json!({"error": {"type": "invalid_request_error", "code": null, "message": "no"}})),
            false,
        ),
        (
            Turn::default().event(json!({"error": "Input validation error: no", "error_type": "validation"})),
            false,
        ),
        (Turn::default().event(json!({"error": "Model is overloaded", "error_type": "overloaded"})), true),
        (Turn::default().reasoning("Hm.").event(json!({"error": {"code": 503}})), false),
    ];
    for (number, (answer, again)) in first.into_iter().enumerate() {
        let script = Script::new().turn(|_| answer);
        let model = if again { script.turn(|t| t.text("Whole.").end("stop")) } else { script }.start();
        let desk = Desk::with(&model).await;
        let told = ask(&desk, Route::TwoStage).await;
        let (status, answer) = (told.report.status, told.report.answer.as_str());
        match again {
            true => assert_eq!((number, status, answer), (number, TurnStatus::Completed, "Whole.")),
            false => assert_eq!((number, status, answer), (number, TurnStatus::Failed, "")),
        }
        assert_eq!((number, told.report.retries), (number, u32::from(again)));
        model.finish();
    }
}

#[tokio::test]
async fn a_file_is_never_whole_by_a_reason_of_failure() {
    // P10, W3: an end line before a failure proves nothing, so that the model is asked to go on; one before a filter's end
    // cannot be trusted either, and the person sees what came.
    let begin = json!({"intent": "Say it.", "target_file": "new.txt", "operation": "create"});
    for (reason, said) in [
        ("error", "The provider broke off the answer: “error”. Orion asks the model to go on."),
        ("SAFETY", "The provider's content filter ended the content. What has come so far can be looked at."),
    ] {
        let opening = begin.clone();
        let script = Script::new()
            .turn(|t| t.call("write_plan_begin", opening).end("tool_calls"))
            .turn(|t| t.text("one\nDONE\n").end(reason));
        let model =
            if reason == "error" { script.turn(|t| t.text("DONE\n").end("stop")) } else { script }.start();
        let desk = Desk::at(&model.base_url(), Folder::empty()).await;
        let mut turn = desk.ask("Write it.").await;
        let (mut notices, mut ready) = (Vec::new(), false);
        while !ready {
            for envelope in within("the proposal", turn.next()).await.expect("the turn goes on") {
                match envelope.event {
                    TurnEvent::Notice { message, .. } => notices.push(message),
                    TurnEvent::WriteReady { .. } => ready = true,
                    _ => {}
                }
            }
        }
        assert_eq!((reason, notices), (reason, vec![said.to_owned()]));
        turn.stop();
        within("the end", to_end(turn)).await;
        assert!(!desk.folder.path().join("new.txt").exists());
        model.finish();
    }
}
