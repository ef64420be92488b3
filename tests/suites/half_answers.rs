//! P10 on the wire: no half answer is told as whole. Each place in which a provider may put an error, and each finish reason
//! that one documents, over a real socket through the engine, in both routes, however the bytes are cut.

mod reasons;

use std::sync::atomic::{AtomicUsize, Ordering};

use orion_protocol::{Code, NoticeCode, Route, StopReason, TurnEvent, TurnOptions, TurnReport, TurnStatus};
use serde_json::{Value, json};
use support::{Chunking, Folder, Script, Turn, within};

use crate::driver_desk::{Desk, Told, new_session, to_end};

/// Random cuttings of each stream.
fn cuttings() -> u64 {
    orion_thorough::cases(3, 20) as u64
}

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
        ("a message", choice(json!({"message": {"error": overloaded}}))),
        ("a list of errors", event(json!({"errors": [overloaded]}))),
        (
            "a list of errors, beside choices",
            event(json!({"errors": [overloaded], "choices": [{"delta": {}}]})),
        ),
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
        ("Cohere's `message` at the top", event(json!({"message": "internal server error", "id": "r"}))),
        (
            "`code` and `message` beside no choices",
            event(json!({"choices": null, "code": 503, "message": "busy"})),
        ),
        (
            "beside a call",
            event(json!({"choices": [{"error": overloaded, "delta": {"tool_calls": [
                {"index": 0, "id": "c", "function": {"name": "list_files", "arguments": "{\"path\":\".\"}"}}]}}]})),
        ),
        (
            "the event of the finish reason",
            half().event(json!({"choices": [{"finish_reason": "stop"}], "error": overloaded})),
        ),
        (
            "after a finish reason of half an answer",
            half()
                .event(json!({"choices": [{"finish_reason": "length"}]}))
                .event(json!({"error": overloaded})),
        ),
    ];
    // Words alone say nothing of a load.
    let in_words = [
        "the top, as text",
        "a field `error` that is text",
        "an event named `error` without data",
        "x_groq",
        "Cohere's `message` at the top",
    ];
    let code = |name: &str| if in_words.contains(&name) { Code::Malformed } else { Code::Overloaded };
    let places = places.into_iter().map(|(name, answer)| (name, answer, code(name)));
    let places = places.chain(places_of_codes());
    places.map(|(name, answer, code)| (name.to_owned(), answer, failed(code))).collect()
}

/// Places whose error can only be told by a code that stands apart from it.
fn places_of_codes() -> Vec<(&'static str, Turn, Code)> {
    let event = |data: Value| clean_end(half().event(data));
    let raw = json!({"error": {"message": "busy", "code": "rate_limit_exceeded"}}).to_string();
    vec![
        (
            "DashScope's `code` and `message`",
            event(json!({"code": "Throttling.RateQuota", "message": "Too many.", "request_id": "r"})),
            Code::RateLimited,
        ),
        (
            "Mistral's `object: error`",
            event(
                json!({"object": "error", "message": "No.", "type": "invalid_request_error", "code": null}),
            ),
            Code::BadRequest,
        ),
        (
            "Cerebras' `status_code` beside the error",
            event(json!({"error": {"message": "Too many."}, "status_code": 429})),
            Code::RateLimited,
        ),
        (
            "OpenRouter's `metadata.raw`",
            event(json!({"error": {"message": "Provider returned error", "metadata": {"raw": raw}}})),
            Code::RateLimited,
        ),
        (
            "OpenRouter's `metadata.raw` in a choice",
            event(
                json!({"choices": [{"error": {"message": "Provider returned error", "metadata": {"raw": raw}}}]}),
            ),
            Code::RateLimited,
        ),
        (
            "xAI's `code` beside the sentence",
            event(json!({"error": "Too many.", "code": "Some resource has been exhausted"})),
            Code::RateLimited,
        ),
        (
            "TGI's `error_type` beside the sentence",
            event(json!({"error": "No.", "error_type": "validation"})),
            Code::BadRequest,
        ),
        (
            "Zhipu's code of four digits",
            event(json!({"error": {"code": "1302", "message": "Too many."}})),
            Code::RateLimited,
        ),
    ]
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

/// Whatever may follow the finish reason of a complete answer.
fn after_the_end() -> Vec<(String, Turn, Came)> {
    let after = [
        "data: {\"error\":{\"code\":503}}\n\n",
        "event: error\ndata: gone\n\n",
        "error: gone\n\n",
        "data: [done]\n\n",
        "data: }\n\n",
    ];
    let finished = || half().event(json!({"choices": [{"finish_reason": "stop"}]}));
    after.map(|after| (after.to_owned(), finished().raw(after), ended(StopReason::Answered))).into()
}

#[tokio::test]
async fn what_follows_the_finish_reason_of_a_complete_answer_fails_nothing() {
    play(after_the_end(), cuttings()).await;
}

#[tokio::test]
async fn an_end_after_lines_that_are_no_part_of_the_format_is_no_clean_end() {
    play(stray_lines(), cuttings()).await;
}

#[tokio::test]
async fn an_error_is_an_error_wherever_it_stands_in_a_stream() {
    play(places(), cuttings()).await;
}

fn ending(reasons: Vec<(&'static str, Came)>) -> Vec<(String, Turn, Came)> {
    reasons.into_iter().map(|(reason, came)| (reason.to_owned(), half().end(reason), came)).collect()
}

#[tokio::test]
async fn a_finish_reason_of_a_failure_gives_no_answer_and_keeps_the_text() {
    play(ending(reasons::once_answers()), cuttings()).await;
}

#[tokio::test]
async fn each_documented_finish_reason_is_read_as_its_provider_means_it() {
    play(ending(reasons::others()), cuttings()).await;
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
        // Words alone say nothing of a load.
        let code = if number == 5 { Code::Malformed } else { Code::Overloaded };
        assert_eq!((number, came(&told.report)), (number, failed(code)));
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
    let busy = "{\"error\":{\"code\":503}}";
    let first: Vec<(Turn, bool)> = vec![
        (Turn::default().raw(busy), true),
        (Turn::default().raw(format!("{busy}\n\n")).text("More.").end("stop"), true),
        (Turn::default().raw(format!("\n{busy}\ndata: [DONE]\n\n")), true),
        (Turn::default().raw("{\n  \"error\": {\n    \"code\": 503\n  }\n}\n\ndata: [DONE]\n\n"), true),
        (Turn::default().raw("{\"error\":{\"code\":400}}\n\ndata: [DONE]\n\n"), false),
        (Turn::default().raw(format!("{{\"status\":\"queued\"}}\n\n{busy}\n\n")), true),
        (
            Turn::default()
                .event(json!({"choices": null, "code": 503, "message": "busy"}))
                .raw("data: [DONE]\n\n"),
            true,
        ),
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
    let whole = || Turn::default().text("Whole.").end("stop");
    let answers = first.iter().flat_map(|(answer, again)| {
        (0..cuttings()).flat_map(move |seed| {
            let answer = answer.clone().chunking(Chunking::Random(seed));
            std::iter::once(answer).chain(again.then(whole))
        })
    });
    let answers: Vec<Turn> = answers.collect();
    let next = AtomicUsize::new(0);
    let model =
        Script::new().forever(move |_, _| answers[next.fetch_add(1, Ordering::SeqCst)].clone()).start();
    let desk = Desk::with(&model).await;
    for (number, (_, again)) in first.iter().enumerate() {
        for cutting in 0..cuttings() {
            let route = if cutting % 2 == 0 { Route::TwoStage } else { Route::Unified };
            let report = ask(&desk, route).await.report;
            let came = (report.status, report.answer.as_str(), report.retries);
            let expected = match again {
                true => (TurnStatus::Completed, "Whole.", 1),
                false => (TurnStatus::Failed, "", 0),
            };
            assert_eq!((number, cutting, came), (number, cutting, expected));
        }
    }
    model.finish();
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
