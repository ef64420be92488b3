//! Model endpoints over real sockets: what goes out and what comes back. How they fail is in [`faults`].

mod faults;
mod forbidden;
mod limits;
mod probe;
mod reading;
mod shapes;
mod thinking;
mod window;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::StreamExt;
use orion_core::model::{
    ArgumentsDelta, CallMade, Message, ModelDelta, ModelRequest, ModelTuning, Profile, ReasoningField, Shape,
    ToolCallDelta,
};
use orion_core::tool::ToolSet;
use orion_engine::endpoint::{Connector, ModelEndpoint, ModelEvent, Patience};
use orion_engine::learned::OfModel;
use orion_engine::received::Received;
use orion_protocol::{Code, Endpoint, EndpointPreset, ErrorInfo, KeySource, Usage};
use orion_providers::{Providers, Tuning};
use support::{Chunking, Framing, Script, ScriptedModel, Turn, within};

const KEY: &str = "sk-secret-0123456789";
/// A short answer, as gzip makes it.
const GZIPPED: &str = "H4sIAAAAAAACA0tJLEm0UqhWSs7Iz0xOLVayiq5WysxLSa1QsjLQUUpJzSlJVLICSufnlaTmlShZKRUXlqamVqWmKNXWxtZycaUQpb9WRyktMy+zOCO+KDWxOD8PZE5JfoESkhHRLv5+rrFcXADNn3qLkQAAAA==";

/// The first piece of it without its end.
const GZIPPED_PIECE: &str = "H4sIAAAAAAACA0tJLEm0UqhWSs7Iz0xOLVayiq5WysxLSa1QsjLQUUpJzSlJVLICSufnlaTmlShZKRUXlqamVqWmKNXWxtZycQEAasEx/0AAAAA=";

/// The patience with servers that are scripted to be silent.
const SOON: Duration = Duration::from_secs(2);

/// Pauses of 1 and 2 milliseconds where users wait for a minute; silence still counts in seconds, so that no machine is too slow.
fn quick() -> Tuning {
    Tuning {
        backoff: Duration::from_millis(1),
        retry_for: Some(Duration::from_millis(3)),
        ..Tuning::default()
    }
}

fn at(base_url: &str) -> Endpoint {
    Endpoint {
        name: "test".into(),
        base_url: Some(base_url.into()),
        model: "m".into(),
        key: KeySource::Memory,
        accepted_finish_reasons: Vec::new(),
        allow_http: false,
        window: None,
        max_output_tokens: None,
        models: std::collections::BTreeMap::new(),
        tuning: ModelTuning::default(),
        takes_images: None,
        results_as: None,
    }
}

fn connect(base_url: &str, key: Option<&str>, tuning: Tuning) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
    Providers::new(tuning).connect(&at(base_url), key.map(Into::into), Patience::default(), taken())
}

/// A question after which a tool was called.
fn with_calls() -> Vec<Message> {
    let call = CallMade { id: "c".into(), name: "read".into(), arguments: "{}".into(), extra: None };
    let called = Message::Assistant { text: "I look.".into(), reasoning: None, tool_calls: vec![call] };
    let found =
        Message::Tool { call_id: "c".into(), name: "read".into(), text: "alpha".into(), images: Vec::new() };
    vec![Message::user("Hello?"), called, found]
}

/// A model that has taken every shape of a request, so that a refusal is shown at once.
fn taken() -> OfModel {
    let known = OfModel::default();
    known.note(|facts| facts.took_shapes(Shape::ALL, Some(u32::MAX)));
    known
}

fn question() -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        messages: vec![Message::user("Hello?")],
        tools: ToolSet::empty(),
        forbids_tools: false,
        max_output_tokens: None,
        tuning: ModelTuning::default(),
    }
}

/// What a call comes to, without the news that its server has begun to answer.
async fn events_of(base_url: &str, tuning: Tuning) -> Vec<ModelEvent> {
    let endpoint = connect(base_url, Some(KEY), tuning).unwrap();
    let mut events: Vec<_> = within(
        "the end of the call",
        endpoint.stream(question(), endpoint.profile(), Received::default()).collect(),
    )
    .await;
    events.retain(|event| *event != ModelEvent::Connected);
    events
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
    events.into_iter().filter(|event| *event != ModelEvent::Connected).map(seen).collect()
}

fn error(events: &[ModelEvent]) -> &ErrorInfo {
    match events.last() {
        Some(ModelEvent::Failed(error)) => error,
        other => panic!("no failure but {other:?}"),
    }
}

// J2
#[tokio::test]
async fn each_try_says_when_its_server_has_begun_to_answer() {
    let model = script([
        turn().status(503),
        turn().raw("data: {\"error\":{\"code\":503,\"message\":\"busy\"}}\n\n"),
        turn().text("Hello.").end("stop"),
    ]);
    let endpoint = connect(&model.base_url(), Some(KEY), quick()).unwrap();
    let events: Vec<_> = within(
        "the end of the call",
        endpoint.stream(question(), endpoint.profile(), Received::default()).collect(),
    )
    .await;
    model.finish();
    let kinds: Vec<_> = events
        .iter()
        .map(|event| match event {
            ModelEvent::Connected => "connected",
            ModelEvent::Retrying { .. } => "retrying",
            ModelEvent::Deltas(_) => "deltas",
            ModelEvent::Ended => "ended",
            ModelEvent::Changed(_) | ModelEvent::Reading(_) | ModelEvent::Failed(_) => "other",
        })
        .collect();
    assert_eq!(kinds, ["retrying", "connected", "retrying", "connected", "deltas", "deltas", "ended"]);
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
        deltas([
            ModelDelta::ReasoningField { field: ReasoningField::ReasoningContent },
            ModelDelta::Reasoning { text: "Hm. ".into() },
        ]),
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
    let closed = turn().raw(format!("{body}\n\ndata: [DONE]\n\n"));
    assert_eq!(events(quick(), [closed]).await, expected);
    // The object marks its own end, and without a finish reason it is whole all the same.
    let bare = r#"{"choices":[{"message":{"content":"all"}}]}"#;
    let expected = vec![text("all"), ModelEvent::Ended];
    let pretty = turn().raw(bare.replace(':', ":\n\n")).framing(Framing::UntilClose);
    assert_eq!(events(quick(), [pretty]).await, expected);
}

#[tokio::test]
async fn a_json_object_before_something_else_is_not_the_whole_answer() {
    // P10
    let line = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let lines = turn().raw(format!("{line}\n{line}\n"));
    assert_eq!(seen(events(quick(), [lines]).await), [Seen::Event(text("a")), Seen::Failed(Code::CutOff)]);
    // Nothing of it was shown, so it is tried again.
    let cut = turn().raw(&line[..line.len() - 1]);
    let retried = seen(events(quick(), [cut, turn().raw(line)]).await);
    let expected =
        [Seen::Retrying(2, 1, Code::CutOff), Seen::Event(text("a")), Seen::Event(ModelEvent::Ended)];
    assert_eq!(retried, expected);
    let stream = turn().raw("{\"status\":\"queued\"}\n\n").text("a").end("stop");
    assert_eq!(events(quick(), [stream]).await, [text("a"), finish("stop"), ModelEvent::Ended]);
    let nothing = turn().raw("{\"status\":\"queued\"}\n\ndata: [DONE]\n\n");
    assert_eq!(seen(events(quick(), [nothing]).await), [Seen::Failed(Code::Malformed)]);
}

#[tokio::test]
async fn gzip_is_unpacked() {
    let body = BASE64_STANDARD.decode(GZIPPED).unwrap();
    let answer = turn().header("content-encoding", "gzip").raw(body).chunking(Chunking::EveryByte);
    assert_eq!(events(quick(), [answer]).await, vec![text("squeezed"), finish("stop"), ModelEvent::Ended]);
}

#[tokio::test]
async fn what_each_piece_is_packed_by_itself_is_unpacked_as_one() {
    let whole = BASE64_STANDARD.decode(GZIPPED).unwrap();
    let twice = [&BASE64_STANDARD.decode(GZIPPED_PIECE).unwrap()[..], &whole].concat();
    let answer = turn().header("content-encoding", "gzip").raw(twice);
    let said = vec![text("squeezed"), text("squeezed"), finish("stop"), ModelEvent::Ended];
    assert_eq!(events(quick(), [answer]).await, said);
}

#[tokio::test]
async fn a_server_that_hangs_after_the_answer_is_not_waited_for() {
    let done = vec![text("a"), finish("stop"), ModelEvent::Ended];
    let patient = Tuning { after_finish: Duration::from_secs(3_600), ..quick() };
    let answer = [turn().text("a").end("stop").hang()];
    assert_eq!(within("the end of the answer", events(patient, answer)).await, done);
    let no_done = turn().text("a").event(serde_json::json!({"choices": [{"finish_reason": "stop"}]})).hang();
    assert_eq!(events(Tuning { after_finish: SOON, ..quick() }, [no_done]).await, done);
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
async fn packed_or_not_a_clean_end_is_told_from_a_cut_by_the_framing() {
    // P10
    let packed = BASE64_STANDARD.decode(GZIPPED_PIECE).unwrap();
    let answer =
        |framing, body: &[u8]| turn().header("content-encoding", "gzip").raw(body.to_vec()).framing(framing);
    for framing in [Framing::Chunked, Framing::Length] {
        let events = events(quick(), [answer(framing, &packed)]).await;
        assert_eq!((framing, events), (framing, vec![text("squeezed"), ModelEvent::Ended]));
    }
    let short = &packed[..packed.len() - 9];
    let cut = [
        answer(Framing::UntilClose, &packed),
        answer(Framing::Length, short),
        answer(Framing::Chunked, short),
    ];
    for (case, answer) in cut.into_iter().enumerate() {
        let mut events = events(quick(), [answer]).await;
        let Some(ModelEvent::Failed(error)) = events.pop() else { panic!("{case}: {events:?}") };
        assert_eq!((case, error.code), (case, Code::CutOff));
    }
}

#[tokio::test]
async fn dropping_the_stream_drops_the_connection() {
    // P4, A4
    let model = script([turn().text("a").hang()]);
    let mut answer = connect(&model.base_url(), None, quick()).unwrap().stream(
        question(),
        Profile::default(),
        Received::default(),
    );
    assert_eq!(within("the headers", answer.next()).await, Some(ModelEvent::Connected));
    assert_eq!(within("the first piece", answer.next()).await, Some(text("a")));
    drop(answer);
    model.dropped(1).await;
    model.finish();
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
    let demo = Endpoint {
        name: "demo".into(),
        base_url: None,
        model: String::new(),
        key: KeySource::None,
        accepted_finish_reasons: vec![],
        allow_http: false,
        window: None,
        max_output_tokens: None,
        models: std::collections::BTreeMap::new(),
        tuning: ModelTuning::default(),
        takes_images: None,
        results_as: None,
    };
    let demo = Providers::new(Tuning { demo_pace: Duration::ZERO, ..quick() })
        .connect(&demo, None, Patience::default(), OfModel::default())
        .unwrap();
    assert_eq!((demo.name(), demo.model()), ("demo", "demo (scripted)"));
    let events: Vec<ModelEvent> =
        demo.stream(question(), Profile::default(), Received::default()).collect().await;
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
