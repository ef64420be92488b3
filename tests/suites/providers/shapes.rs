//! Shapes that are suspected (X2): when nothing is learned, and how many requests there are.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use futures_util::StreamExt;
use orion_core::model::{ModelRequest, Shape};
use orion_engine::endpoint::{Connector, ModelEvent, Patience};
use orion_engine::learned::{Learned, OfModel};
use orion_engine::received::Received;
use orion_protocol::{Bounds, Code};
use orion_providers::Providers;
use serde_json::json;
use support::{ScriptedModel, Turn, within};

use super::{Seen, at, question, quick, script, seen, text, turn};

fn hello() -> Turn {
    turn().text("Hello.").end("stop")
}

fn failing() -> Turn {
    turn()
        .status(500)
        .body(json!({ "error": { "code": 500, "message": "amber", "type": "server_error" } }).to_string())
}

fn refusing() -> Turn {
    turn().status(400).body(json!({ "error": { "message": "quill", "param": null } }).to_string())
}

async fn call(model: &ScriptedModel, learned: &OfModel, request: ModelRequest) -> Vec<Seen> {
    let endpoint = Providers::new(quick())
        .connect(&at(&model.base_url()), None, Patience::default(), learned.clone())
        .unwrap();
    let profile = endpoint.profile();
    seen(
        within("the end of the call", endpoint.stream(request, profile, Received::default()).collect()).await,
    )
}

fn answered() -> Vec<Seen> {
    [text("Hello."), super::finish("stop"), ModelEvent::Ended].map(Seen::Event).into()
}

#[tokio::test]
async fn a_failure_that_passes_teaches_nothing() {
    let (model, known) = (script([failing(), hello()]), Learned::default().of("here", "m"));
    let request = ModelRequest { messages: super::with_calls(), ..question() };
    assert_eq!(call(&model, &known, request).await, answered());
    let bodies: Vec<_> = model.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies[0], bodies[1], "the same request once more");
    assert!(known.facts().refused.is_empty() && known.facts().taken.contains(&Shape::ToolMessages));
    model.finish();
}

#[tokio::test]
async fn an_answer_that_begins_with_an_error_shows_nothing_of_the_request() {
    let error = || turn().event(json!({ "error": { "code": 400, "message": "meadow" } }));
    let (model, known) = (script([refusing(), error()]), Learned::default().of("here", "m"));
    let told = call(&model, &known, question()).await;
    assert_eq!(told, [Seen::Failed(Code::BadRequest)]);
    assert_eq!((known.facts().taken.len(), known.facts().refused.len()), (0, 0));
    model.finish();
}

// X2: an error that names the limit may mean its value.
#[tokio::test]
async fn a_limit_that_is_too_large_teaches_nothing_of_its_name() {
    let large = || {
        turn().status(400).body(json!({ "error": { "message": "amber", "param": "max_tokens" } }).to_string())
    };
    let (model, known) = (script([large(), large(), hello()]), Learned::default().of("here", "m"));
    let request = ModelRequest { max_output_tokens: Some(9_000), ..question() };
    let told = call(&model, &known, request).await;
    assert_eq!(told.first(), Some(&Seen::Event(ModelEvent::Changed(Shape::Limit))), "{told:?}");
    assert_eq!((known.facts().refused_limit, known.facts().refused.len()), (Some(9_000), 0));
    model.finish();
}

// T4
#[tokio::test]
async fn a_call_has_no_more_further_requests_than_its_bounds_say() {
    let most = 1 + Bounds::FURTHER_REQUESTS as usize;
    let (model, known) = (script((0..most).map(|_| refusing())), OfModel::default());
    let request = ModelRequest { messages: super::with_calls(), max_output_tokens: Some(9), ..question() };
    assert_eq!(call(&model, &known, request).await, [Seen::Failed(Code::BadRequest)]);
    assert_eq!(model.requests().len(), most);
    assert!(known.facts().refused.is_empty());
    model.finish();
}

#[tokio::test]
async fn a_request_that_no_shape_helps_is_tried_again_as_it_was_meant() {
    // The failure itself, confirmed; each shape of a template; all of them; and a last try after a pause.
    let turns = (0..5).map(|_| failing()).chain([hello()]);
    let (model, known) = (script(turns), Learned::default().of("here", "m"));
    let request = ModelRequest { messages: super::with_calls(), ..question() };
    let told = call(&model, &known, request).await;
    assert_eq!(told.first(), Some(&Seen::Retrying(2, 1, Code::Overloaded)), "{told:?}");
    let bodies: Vec<_> = model.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies.first(), bodies.last());
    assert!(known.facts().refused.is_empty(), "{:?}", known.facts());
    model.finish();
}

/// Reads a request; returns its body.
fn body_from(reader: &mut BufReader<TcpStream>) -> String {
    let mut length = 0;
    for line in reader.by_ref().lines() {
        let line = line.unwrap().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

// X2: a connection that breaks after a refusal takes the further tries along, not back to their beginning.
#[tokio::test]
async fn a_request_in_another_shape_whose_connection_breaks_is_sent_again_in_that_shape() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let answer = |mut stream: &TcpStream, status: &str, kind: &str, body: &str| {
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}", body.len());
            stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        };
        let refusal = json!({ "error": { "message": "amber", "param": "stream_options" } }).to_string();
        let (first, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(first.try_clone().unwrap());
        let mut bodies = vec![body_from(&mut reader)];
        answer(&first, "400 Bad Request", "application/json", &refusal);
        bodies.push(body_from(&mut reader));
        drop((first, reader));
        let (second, _) = listener.accept().unwrap();
        bodies.push(body_from(&mut BufReader::new(second.try_clone().unwrap())));
        let data = [r#"{"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}"#, "[DONE]"];
        answer(
            &second,
            "200 OK",
            "text/event-stream",
            &data.map(|data| format!("data: {data}\n\n")).concat(),
        );
        bodies
    });
    let endpoint = Providers::new(quick())
        .connect(&at(&base), None, Patience::default(), Learned::default().of("here", "m"))
        .unwrap();
    let profile = endpoint.profile();
    let events = endpoint.stream(question(), profile, Received::default()).collect();
    let told = seen(within("the end of the call", events).await);
    let begins =
        [Seen::Retrying(2, 1, Code::Connection), Seen::Event(ModelEvent::Changed(Shape::UsageOption))];
    assert!(told.starts_with(&begins) && told.ends_with(&[Seen::Event(ModelEvent::Ended)]), "{told:?}");
    let bodies = server.join().unwrap();
    assert!(bodies[0].contains("stream_options") && !bodies[1].contains("stream_options"), "{bodies:?}");
    assert_eq!(bodies[1], bodies[2], "what the server has refused is not sent again");
}
