//! Model endpoints over real sockets: what goes out, what comes back, and every way it can fail (issue 2, point 4).

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use orion_core::model::{ArgumentsDelta, Message, ModelDelta, ModelRequest, ToolCallDelta};
use orion_engine::endpoint::{Connector, ModelEndpoint, ModelEvent};
use orion_protocol::{Code, Endpoint, EndpointPreset, ErrorInfo, KeySource, Usage};
use orion_providers::answer::{Ending, read};
use orion_providers::{Host, Providers, Tuning};
use support::{Chunking, Framing, Script, ScriptedModel, Turn, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const KEY: &str = "sk-secret-0123456789";
/// A short answer, as gzip makes it.
const GZIPPED: &str = "H4sIAAAAAAACA0tJLEm0UqhWSs7Iz0xOLVayiq5WysxLSa1QsjLQUUpJzSlJVLICSufnlaTmlShZKRUXlqamVqWmKNXWxtZycaUQpb9WRyktMy+zOCO+KDWxOD8PZE5JfoESkhHRLv5+rrFcXADNn3qLkQAAAA==";

/// Pauses of a millisecond where users wait for seconds; silence still counts in seconds, so that no machine is too slow.
fn quick() -> Tuning {
    Tuning { backoff: Duration::from_millis(1), ..Tuning::default() }
}

/// For servers that never answer.
fn impatient() -> Tuning {
    let soon = Duration::from_millis(100);
    Tuning { first_byte: soon, idle: soon, after_finish: soon, ..quick() }
}

fn connect(base_url: &str, key: Option<&str>, tuning: Tuning) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
    let endpoint = Endpoint {
        name: "test".into(),
        base_url: Some(base_url.into()),
        model: "m".into(),
        key: KeySource::Memory,
    };
    Providers::new(tuning).connect(&endpoint, key.map(Into::into))
}

fn question() -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        messages: vec![Message::User { text: "Hello?".into() }],
        tools: Arc::new([]),
    }
}

async fn events_of(base_url: &str, tuning: Tuning) -> Vec<ModelEvent> {
    let endpoint = connect(base_url, Some(KEY), tuning).unwrap();
    within("the end of the call", endpoint.stream(question()).collect()).await
}

/// What one call of a model that gives these answers comes to.
async fn events(tuning: Tuning, turns: impl IntoIterator<Item = Turn>) -> Vec<ModelEvent> {
    let model = script(turns);
    let events = events_of(&model.base_url(), tuning).await;
    model.finish();
    events
}

fn script(turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    turns.into_iter().fold(Script::new(), |script, turn| script.turn(|_| turn)).start()
}

fn turn() -> Turn {
    Turn::default()
}

fn deltas(deltas: impl Into<Vec<ModelDelta>>) -> ModelEvent {
    ModelEvent::Deltas(deltas.into())
}

fn text(text: &str) -> ModelEvent {
    deltas([ModelDelta::Text { text: text.into() }])
}

fn finish(reason: &str) -> ModelEvent {
    deltas([ModelDelta::Finish { reason: reason.into() }])
}

/// An event without the words of its error, which have tests of their own: code, retryable, what the provider asked for.
#[derive(Debug, PartialEq)]
enum Seen {
    Event(ModelEvent),
    Retrying(u32, u64, Code),
    Failed(Code),
}

fn seen(events: Vec<ModelEvent>) -> Vec<Seen> {
    let seen = |event| match event {
        ModelEvent::Retrying { attempt, delay_ms, cause } => Seen::Retrying(attempt, delay_ms, cause.code),
        ModelEvent::Failed(error) => Seen::Failed(error.code),
        other => Seen::Event(other),
    };
    events.into_iter().map(seen).collect()
}

fn error(events: &[ModelEvent]) -> &ErrorInfo {
    match events.last() {
        Some(ModelEvent::Failed(error)) => error,
        other => panic!("no failure but {other:?}"),
    }
}

#[tokio::test]
async fn an_answer_streams_piece_by_piece_with_reasoning_calls_and_usage() {
    let call = |delta| ModelDelta::ToolCall { delta: ToolCallDelta { index: Some(0), ..delta } };
    let answer = turn()
        .comment("keep-alive")
        .reasoning("Hm. ")
        .text("Añ")
        .call("read_file", serde_json::json!({"path": "a"}))
        .usage(7, 5)
        .end("tool_calls")
        .chunking(Chunking::EveryByte)
        .expect(|ask| {
            assert_eq!(ask.header("authorization"), Some("Bearer sk-secret-0123456789"));
            assert_eq!(
                ask.body,
                serde_json::json!({"model": "m", "stream": true, "stream_options": {"include_usage": true},
                    "messages": [{"role": "user", "content": "Hello?"}]})
            );
        });
    let usage = Usage { prompt_tokens: Some(7), completion_tokens: Some(5), ..Usage::default() };
    let expected = vec![
        deltas([ModelDelta::Reasoning { text: "Hm. ".into() }]),
        text("Añ"),
        deltas([call(ToolCallDelta {
            id: Some("call_1".into()),
            name: Some("read_file".into()),
            arguments: Some(ArgumentsDelta::Fragment(r#"{"path":"a"}"#.into())),
            ..ToolCallDelta::default()
        })]),
        deltas([ModelDelta::Usage { usage }]),
        finish("tool_calls"),
        ModelEvent::Ended,
    ];
    assert_eq!(events(quick(), [answer]).await, expected);
}

#[tokio::test]
async fn events_of_several_lines_two_ends_and_no_last_blank_line_are_read() {
    let odd = "event: message\r\ndata: {\"choices\":[{\"delta\":\r\ndata: {\"content\":\"a\"}}]}\r\n\r\n\
        event: ping\ndata: hello\n\ndata\n\ndata: [DONE]\n\ndata: [DONE]\n\n";
    assert_eq!(events(quick(), [turn().raw(odd)]).await, vec![text("a"), ModelEvent::Ended]);
    let unterminated = r#"data: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"#;
    let expected = vec![
        deltas([ModelDelta::Text { text: "b".into() }, ModelDelta::Finish { reason: "stop".into() }]),
        ModelEvent::Ended,
    ];
    assert_eq!(events(quick(), [turn().raw(unterminated)]).await, expected);
}

#[tokio::test]
async fn bytes_that_are_no_utf_8_become_the_replacement_character() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xffb\"}}]}\n\ndata: [DONE]\n\n";
    assert_eq!(events(quick(), [turn().raw(*body)]).await, vec![text("a\u{fffd}b"), ModelEvent::Ended]);
}

#[tokio::test]
async fn a_whole_answer_in_json_from_a_server_that_does_not_stream_is_an_answer() {
    let body = r#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}]}"#;
    let expected = vec![
        deltas([ModelDelta::Text { text: "all".into() }, ModelDelta::Finish { reason: "stop".into() }]),
        ModelEvent::Ended,
    ];
    let answer = turn().header("content-type", "application/json").body(format!("\n {body}"));
    assert_eq!(events(quick(), [answer]).await, expected);
}

#[tokio::test]
async fn gzip_is_unpacked() {
    let body = BASE64_STANDARD.decode(GZIPPED).unwrap();
    let answer = turn().header("content-encoding", "gzip").raw(body).chunking(Chunking::EveryByte);
    assert_eq!(events(quick(), [answer]).await, vec![text("squeezed"), finish("stop"), ModelEvent::Ended]);
}

#[tokio::test]
async fn a_wrong_key_is_said_once_and_never_shown() {
    let body =
        format!(r#"{{"error":{{"message":"Incorrect API key: {KEY}\u001b[2J","code":"invalid_api_key"}}}}"#);
    let events = events(quick(), [turn().status(401).body(body)]).await;
    assert_eq!(events.len(), 1);
    let error = error(&events);
    assert_eq!((error.code, error.retryable), (Code::Authentication, false));
    assert_eq!(error.detail.as_deref(), Some("Incorrect API key: [key]\u{fffd}[2J"));
    assert_eq!(error.action.as_deref(), Some("Check the key in the settings, or set another one."));
    assert!(
        error.message.starts_with("127.0.0.1:") && error.message.ends_with(" refused the key (status 401).")
    );
}

#[tokio::test]
async fn failures_have_codes_by_status_and_by_the_fields_of_their_body() {
    let code = async |status: u16, body: &str| {
        let tuning = Tuning { attempts: 1, ..quick() };
        error(&events(tuning, [turn().status(status).body(body)]).await).code
    };
    let context =
        r#"{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}"#;
    assert_eq!(code(400, context).await, Code::ContextTooLong);
    assert_eq!(code(400, r#"{"error":{"type":"exceed_context_size_error"}}"#).await, Code::ContextTooLong);
    assert_eq!(code(400, r#"{"error":{"message":"context length exceeded"}}"#).await, Code::BadRequest);
    assert_eq!(code(413, "").await, Code::ContextTooLong);
    assert_eq!(code(403, "<html>").await, Code::Authentication);
    assert_eq!(code(402, r#"{"error":{"message":"Insufficient Balance"}}"#).await, Code::RateLimited);
    assert_eq!(code(404, r#"{"error":{"type":"api_error","message":"m"}}"#).await, Code::ModelUnknown);
    assert_eq!(code(404, "404 page not found").await, Code::BadRequest);
    assert_eq!(code(422, r#"{"detail":[{"msg":"m"}]}"#).await, Code::BadRequest);
    assert_eq!(code(429, "").await, Code::RateLimited);
    for status in [500, 502, 503, 504, 529] {
        assert_eq!((status, code(status, "").await), (status, Code::Overloaded));
    }
}

#[tokio::test]
async fn a_bad_request_carries_the_providers_own_words() {
    let body = r#"{"error":{"message":"temperature must be below 2","type":"invalid_request_error"}}"#;
    let events = events(quick(), [turn().status(400).body(body)]).await;
    assert_eq!(error(&events).detail.as_deref(), Some("temperature must be below 2"));
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_the_provider_asks() {
    let limited = turn().status(429).header("retry-after", "1").body("{}");
    let model = script([limited, turn().text("a").end("stop")]);
    let expected = vec![
        Seen::Retrying(2, 1_000, Code::RateLimited),
        Seen::Event(text("a")),
        Seen::Event(finish("stop")),
        Seen::Event(ModelEvent::Ended),
    ];
    assert_eq!(seen(events_of(&model.base_url(), quick()).await), expected);
    let [first, second] = &model.requests()[..] else { panic!("not two requests") };
    assert!(second.at - first.at >= Duration::from_secs(1), "{:?}", second.at - first.at);
    model.finish();
}

#[tokio::test]
async fn a_rate_limit_that_lasts_too_long_is_told_instead() {
    let events = events(quick(), [turn().status(429).header("retry-after", "31").body("{}")]).await;
    assert_eq!(events.len(), 1);
    assert_eq!((error(&events).code, error(&events).retry_after_s), (Code::RateLimited, Some(31)));
    assert_eq!(error(&events).action.as_deref(), Some("Wait 31 s, then try again."));
}

#[tokio::test]
async fn a_failing_server_is_tried_three_times_with_growing_pauses() {
    let failing = || turn().status(500).body("oh");
    let expected = vec![
        Seen::Retrying(2, 1, Code::Overloaded),
        Seen::Retrying(3, 2, Code::Overloaded),
        Seen::Failed(Code::Overloaded),
    ];
    assert_eq!(seen(events(quick(), [failing(), failing(), failing()]).await), expected);
}

#[tokio::test]
async fn no_server_is_a_failed_connection_that_says_what_to_do() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let events = events_of(&format!("http://{free}/v1"), quick()).await;
    let (error, events) = (error(&events).clone(), seen(events));
    assert_eq!(
        events,
        vec![
            Seen::Retrying(2, 1, Code::Connection),
            Seen::Retrying(3, 2, Code::Connection),
            Seen::Failed(Code::Connection)
        ]
    );
    assert_eq!(error.message, format!("Nothing answers at {free}."));
    assert_eq!(error.action.as_deref(), Some("Start the model server, or check the base URL."));
}

#[tokio::test]
async fn a_server_without_tls_gets_nothing_over_https() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}/v1", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut hello = [0; 1];
        socket.read_exact(&mut hello).await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        // The first byte of a TLS handshake, not of a request.
        assert_eq!(hello, [22]);
    });
    let events = events_of(&base_url, Tuning { attempts: 1, ..quick() }).await;
    assert_eq!(error(&events).code, Code::Connection);
    assert!(
        error(&events).message.starts_with("No secure connection to 127.0.0.1:"),
        "{}",
        error(&events).message
    );
    server.await.unwrap();
}

#[tokio::test]
async fn a_hanging_server_times_out_before_and_in_the_answer_and_what_came_stays() {
    assert_eq!(seen(events(impatient(), [turn().hang()]).await), vec![Seen::Failed(Code::IdleTimeout)]);
    let events = seen(events(impatient(), [turn().text("a").hang()]).await);
    assert_eq!(events, vec![Seen::Event(text("a")), Seen::Failed(Code::IdleTimeout)]);
}

#[tokio::test]
async fn a_server_that_hangs_after_the_answer_is_not_waited_for() {
    let done = vec![text("a"), finish("stop"), ModelEvent::Ended];
    let before = Instant::now();
    assert_eq!(events(quick(), [turn().text("a").end("stop").hang()]).await, done);
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
    let no_done = turn().text("a").event(serde_json::json!({"choices": [{"finish_reason": "stop"}]})).hang();
    assert_eq!(events(impatient(), [no_done]).await, done);
}

#[tokio::test]
async fn a_cut_in_the_middle_is_told_and_never_tried_again() {
    let cut = || turn().text("a").text("b");
    let first = turn().text("a").rendered().len();
    let expected = vec![Seen::Event(text("a")), Seen::Failed(Code::CutOff)];
    for framing in [Framing::Chunked, Framing::Length, Framing::UntilClose] {
        for at in [first, first + 20] {
            let events = seen(events(quick(), [cut().framing(framing).cut_after(at)]).await);
            assert_eq!(
                (framing, at, events),
                (framing, at, vec![Seen::Event(text("a")), Seen::Failed(Code::CutOff)])
            );
        }
    }
    assert_eq!(seen(events(quick(), [cut().reset_after(first)]).await), expected);
}

#[tokio::test]
async fn a_connection_that_ends_before_the_first_byte_is_tried_again() {
    let answers = [turn().text("a").cut_after(0), turn().text("a").end("stop")];
    let expected = vec![
        Seen::Retrying(2, 1, Code::CutOff),
        Seen::Event(text("a")),
        Seen::Event(finish("stop")),
        Seen::Event(ModelEvent::Ended),
    ];
    assert_eq!(seen(events(quick(), answers).await), expected);
}

#[tokio::test]
async fn a_clean_end_without_finish_reason_is_an_end() {
    // P10
    for framing in [Framing::Chunked, Framing::Length] {
        let events = events(quick(), [turn().text("a").framing(framing)]).await;
        assert_eq!((framing, events), (framing, vec![text("a"), ModelEvent::Ended]));
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_an_answer_is_an_error() {
    // P10
    let body = serde_json::json!({"error": {"code": 502, "message": format!("Upstream down {KEY}")}});
    let events = events(quick(), [turn().text("a").event(body).text("never read")]).await;
    assert_eq!(error(&events).detail.as_deref(), Some("Upstream down [key]"));
    assert_eq!(seen(events), vec![Seen::Event(text("a")), Seen::Failed(Code::Overloaded)]);
    let named = turn().raw("event: error\ndata: the model crashed\n\n");
    let events = self::events(quick(), [named]).await;
    assert_eq!(error(&events).detail.as_deref(), Some("the model crashed"));
}

#[tokio::test]
async fn what_is_no_answer_is_malformed() {
    let page = turn().header("content-type", "text/html").body("\n<!doctype html><title>Sign in</title>");
    let page = events(quick(), [page]).await;
    assert_eq!(
        (error(&page).code, error(&page).message.ends_with("answered with a web page.")),
        (Code::Malformed, true)
    );
    for body in ["data: hello\n\n", "hello", "", "{\"status\":\"ok\"}", ": only a comment\n\n"] {
        let events = seen(events(quick(), [turn().body(body)]).await);
        assert_eq!((body, events), (body, vec![Seen::Failed(Code::Malformed)]));
    }
}

#[tokio::test]
async fn a_redirect_is_refused_and_takes_neither_key_nor_prompt_along() {
    let elsewhere = Script::new().start();
    let target = format!("{}/chat/completions", elsewhere.base_url());
    for status in [301, 302, 307, 308] {
        let events = events(quick(), [turn().status(status).header("location", &target).body("")]).await;
        assert_eq!(events.len(), 1);
        assert_eq!(
            (error(&events).code, error(&events).detail.as_deref()),
            (Code::Connection, Some("127.0.0.1"))
        );
    }
    assert!(elsewhere.requests().is_empty());
    elsewhere.finish();
}

#[tokio::test]
async fn dropping_the_stream_drops_the_connection() {
    // P4, A4
    let model = script([turn().text("a").hang()]);
    let mut answer = connect(&model.base_url(), None, quick()).unwrap().stream(question());
    assert_eq!(within("the first piece", answer.next()).await, Some(text("a")));
    drop(answer);
    model.dropped(1).await;
    model.finish();
}

#[tokio::test]
async fn one_line_and_one_response_can_only_be_so_long() {
    let after = async |pieces: Vec<Bytes>| {
        let body = stream::iter(pieces.into_iter().map(Ok::<_, std::convert::Infallible>));
        seen(read(body, Ending::Marked, Host::default(), Tuning::default()).collect().await)
    };
    let piece = Bytes::from_static(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n");
    let million = Bytes::from(vec![b'x'; 1 << 20]);
    let mut endless_line = vec![piece.clone()];
    endless_line.extend(vec![million; 9]);
    let expected = vec![Seen::Event(text("a")), Seen::Failed(Code::ResponseTooLarge)];
    assert_eq!(after(endless_line).await, expected);
    let comment = Bytes::from([b":".repeat(1 << 20), b"\n\n".to_vec()].concat());
    let mut endless_comments = vec![piece.clone()];
    endless_comments.extend(vec![comment.clone(); 65]);
    assert_eq!(after(endless_comments).await, expected);
    let lines = Bytes::from(b"data: x\r\n".repeat(1 << 17));
    let mut endless_event = vec![piece.clone()];
    endless_event.extend(vec![lines; 10]);
    assert_eq!(after(endless_event).await, expected);
    let mut long_but_well = vec![piece];
    long_but_well.extend(vec![comment; 60]);
    assert_eq!(after(long_but_well).await, vec![Seen::Event(text("a")), Seen::Event(ModelEvent::Ended)]);
}

#[tokio::test]
async fn models_are_listed_and_local_servers_that_list_some_are_found() {
    let model = Script::new().models(["text-embed-1", "chat-1"]).start();
    let silent = Script::new().start();
    let listed = connect(&model.base_url(), None, quick()).unwrap();
    let names: Vec<String> = listed.models().await.unwrap().into_iter().map(|model| model.id).collect();
    assert_eq!(names, ["text-embed-1", "chat-1"]);
    let preset = |name: &str, base_url: String| EndpointPreset {
        name: name.into(),
        label: name.into(),
        base_url,
        key_variable: None,
        model: None,
        local: true,
    };
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let asked = vec![
        preset("none", format!("http://{free}/v1")),
        preset("found", model.base_url().replace("127.0.0.1", "localhost")),
    ];
    let found = Providers::new(quick()).answering(asked).await;
    let expected = EndpointPreset { model: Some("chat-1".into()), ..preset("found", model.base_url()) };
    assert_eq!(found, vec![expected]);
    model.finish();
    silent.finish();
}

#[tokio::test]
async fn the_key_stays_out_of_what_can_be_printed() {
    let endpoint = connect("http://127.0.0.1:1/v1", Some(KEY), quick()).unwrap();
    assert!(!format!("{endpoint:?}").contains("sk-secret"), "{endpoint:?}");
}

#[tokio::test]
async fn the_demo_model_is_labelled_and_calls_a_tool_first() {
    let demo = Endpoint { name: "demo".into(), base_url: None, model: String::new(), key: KeySource::None };
    let demo = Providers::new(Tuning { demo_pace: Duration::ZERO, ..quick() }).connect(&demo, None).unwrap();
    assert_eq!((demo.name(), demo.model()), ("demo", "demo (scripted)"));
    let events: Vec<ModelEvent> = demo.stream(question()).collect().await;
    let mut said = String::new();
    for event in &events {
        if let ModelEvent::Deltas(deltas) = event {
            said.extend(deltas.iter().filter_map(|delta| match delta {
                ModelDelta::Text { text } => Some(text.as_str()),
                _ => None,
            }));
        }
    }
    // Without tools there is nothing to call, so it says that and who it is.
    assert!(said.starts_with("No tools are on offer, so I looked at nothing."), "{said}");
    assert!(said.contains("demo model: it is scripted and runs offline"), "{said}");
    assert_eq!(events[events.len() - 2..], [finish("stop"), ModelEvent::Ended]);
}
