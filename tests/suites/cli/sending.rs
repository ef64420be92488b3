//! Traces that are sent to a collector (J2, J3).

mod otlp;
#[cfg(target_os = "linux")]
mod rotel;

use std::fs;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentelemetry_proto::tonic::trace::v1::Span;
use otlp::{said, spans, spans_of, trace};
use serde_json::{Value, json};
use support::{Collector, Does, Script, ScriptedModel};

use super::forking::forked;
use super::{Desk, Ran, json as parsed, ran};

const KEY: &str = "canary-0123456789/abcdef+xyz";

/// What only the collector asks for.
const OTHER_KEY: &str = "other-9876543210/fedcba+zyx";

fn reader() -> ScriptedModel {
    Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.status(503).body("{}"))
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42 it is.").end("stop"))
        .start()
}

fn to(command: &mut Command, collector: &Collector) -> Ran {
    ran(command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.base()))
}

/// A turn whose trace is sent, by its id.
fn read(desk: &Desk, collector: &Collector, variables: &[(&str, &str)]) -> String {
    let model = reader();
    let mut command = desk.run(&model, &["--json", "What is it?"]);
    let ended = to(command.envs(variables.iter().copied()), collector);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    model.finish();
    parsed(&ended.stdout)["requestId"].as_str().unwrap().to_owned()
}

fn told(desk: &Desk, request: &str) -> Vec<Value> {
    let printed = ran(&mut desk.orion(&["trace", request, "--jsonl"])).stdout;
    printed.lines().map(parsed).collect()
}

fn id(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn named<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("{name} in {spans:#?}"))
}

// J2
#[test]
fn a_turn_that_has_ended_is_sent_with_the_ids_parents_and_times_of_its_journal() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let request = read(&desk, &collector, &[("OTEL_SERVICE_NAME", "desk")]);
    let got = collector.got();
    assert_eq!(got.iter().map(|got| got.path.as_str()).collect::<Vec<_>>(), ["/v1/traces"]);
    let trace = trace(&got[0]);
    let resource = trace.resource_spans[0].resource.clone().unwrap();
    assert_eq!(said(&resource.attributes, "service.name").as_deref(), Some("desk"));
    let (sent, told) = (spans(&trace), told(&desk, &request));
    assert_eq!(sent.len(), told.len());
    for (sent, told) in sent.iter().zip(&told) {
        assert_eq!(id(&sent.trace_id), request.replace('-', ""));
        let parent = told["parentId"].as_u64().map(|parent| parent as usize - 1);
        let parent = parent.map(|parent| told_id(&spans(&trace), parent)).unwrap_or_default();
        assert_eq!(id(&sent.parent_span_id), parent, "{told}");
        let times = [&told["startMs"], &told["endMs"]].map(|ms| ms.as_u64().unwrap() * 1_000_000);
        assert_eq!([sent.start_time_unix_nano, sent.end_time_unix_nano], times);
        assert_eq!(said(&sent.attributes, "orion.kind").as_deref(), told["kind"].as_str());
        assert_eq!(said(&sent.attributes, "orion.request_id").as_deref(), Some(request.as_str()));
    }
    let ids: std::collections::BTreeSet<_> = sent.iter().map(|span| span.span_id.clone()).collect();
    assert_eq!((ids.len(), sent[0].span_id.len()), (sent.len(), 8));
}

fn told_id(spans: &[Span], place: usize) -> String {
    id(&spans[place].span_id)
}

#[test]
fn spans_have_the_names_that_tools_for_model_calls_know() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    read(&desk, &collector, &[]);
    let sent = spans_of(&collector);
    let has = |span: &Span, expected: &[(&str, &str)]| {
        for (name, value) in expected {
            assert_eq!(said(&span.attributes, name).as_deref(), Some(*value), "{name} of {}", span.name);
        }
    };
    let turn = named(&sent, "invoke_agent orion");
    has(
        turn,
        &[
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.agent.name", "orion"),
            ("gen_ai.request.model", "scripted"),
            ("gen_ai.provider.name", "openai"),
            ("orion.stop_reason", "answered"),
            ("orion.model_calls", "3"),
        ],
    );
    assert!(said(&turn.attributes, "gen_ai.usage.input_tokens").is_some(), "{turn:?}");
    let chats: Vec<_> = sent.iter().filter(|span| span.name == "chat scripted").collect();
    assert_eq!(chats.len(), 3);
    has(
        chats[2],
        &[("gen_ai.operation.name", "chat"), ("gen_ai.response.finish_reasons", "stop"), ("orion.call", "3")],
    );
    assert_eq!(chats[2].kind, 3, "a client");
    assert!(said(&chats[2].attributes, "gen_ai.response.time_to_first_chunk").is_some());
    let parts: Vec<_> = chats[1].events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(
        parts,
        ["connecting", "backoff", "connecting", "first_token", "arguments"]
            .map(|kind| format!("orion.{kind}"))
    );
    let call = named(&sent, "execute_tool read_file");
    has(
        call,
        &[("gen_ai.tool.name", "read_file"), ("gen_ai.tool.type", "function"), ("orion.path", "notes.txt")],
    );
    let retry = named(&sent, "error");
    has(retry, &[("error.type", "overloaded"), ("orion.attempt", "2")]);
    assert_eq!(retry.status.as_ref().unwrap().code, 2, "an error");
    let refused = named(&sent, "duplicate_tool_call");
    has(refused, &[("orion.status", "refused")]);
}

#[test]
fn a_temperature_that_a_setting_names_is_told_of_the_turn_and_of_each_model_call() {
    let (model, collector) = (reader(), Collector::start(Does::Takes));
    let address = model.base_url();
    let desk = Desk::with_settings(&format!(
        "default_endpoint = 'e'\n[endpoints.e]\nbase_url = '{address}'\nmodel = 'scripted'\ntemperature = 0.3\n"
    ));
    let ended = to(&mut desk.orion(&["run", "What is it?"]), &collector);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    model.finish();
    for span in spans_of(&collector) {
        let warm = matches!(span.name.as_str(), "invoke_agent orion" | "chat scripted").then_some("0.3");
        assert_eq!(said(&span.attributes, "gen_ai.request.temperature").as_deref(), warm, "{}", span.name);
    }
}

#[test]
fn a_turn_that_is_sent_again_in_either_form_is_the_same_trace() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let request = read(&desk, &collector, &[]);
    let first = spans_of(&collector);
    for protocol in ["http/protobuf", "http/json"] {
        let mut command = desk.orion(&["trace", &request, "--otlp", &collector.base()]);
        let sent = ran(command.env("OTEL_EXPORTER_OTLP_PROTOCOL", protocol));
        assert_eq!((sent.code, sent.stdout.as_str()), (Some(0), ""), "{}", sent.stderr);
        let got = collector.got();
        assert_eq!(got[0].head.contains("application/json"), protocol == "http/json");
        assert_eq!(spans(&trace(&got[0])), first, "{protocol}");
    }
}

#[test]
fn a_turn_that_another_program_begins_belongs_to_its_trace_also_when_it_is_sent_again() {
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let parent = format!("00-{trace}-{span}-01");
    let request = read(&desk, &collector, &[("TRACEPARENT", &parent)]);
    let first = spans_of(&collector);
    assert!(first.iter().all(|span| id(&span.trace_id) == trace));
    assert_eq!(id(&first[0].parent_span_id), span);
    ran(&mut desk.orion(&["trace", &request, "--otlp", &collector.base()]));
    assert_eq!(spans_of(&collector), first);
    super::replays(&desk, &request);

    // What is no parent is as none.
    let request = read(&desk, &collector, &[("TRACEPARENT", "00-0-0-00")]);
    assert_eq!(id(&spans_of(&collector)[0].trace_id), request.replace('-', ""));
}

// T9
#[test]
fn a_fork_points_to_the_turn_that_it_was_made_from() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let request = read(&desk, &collector, &[]);
    let turn = spans_of(&collector)[0].clone();
    let (_, fork) = forked(&desk, &[&request, "--phase", "1"]);
    let model = Script::new().turn(|t| t.text("Again.").end("stop")).start();
    let mut resume = desk.orion(&["resume", &fork, "--base-url", &model.base_url()]);
    let ended = to(&mut resume, &collector);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    model.finish();
    let sent = spans_of(&collector);
    let links: Vec<_> =
        sent[0].links.iter().map(|link| (link.trace_id.clone(), link.span_id.clone())).collect();
    assert!(links.contains(&(turn.trace_id, turn.span_id)), "{:?}", sent[0]);
    assert_eq!(said(&sent[0].links[0].attributes, "orion.link").as_deref(), Some("fork"));
}

#[test]
fn nothing_is_sent_unless_a_collector_is_named_and_nothing_while_it_is_switched_off() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let base = collector.base();
    let named = ("OTEL_EXPORTER_OTLP_ENDPOINT", base.as_str());
    for variables in [&[("OTEL_SERVICE_NAME", "x")][..], &[named, ("OTEL_SDK_DISABLED", "true")]] {
        let model = Script::new().turn(|t| t.text("Hi.").end("stop")).start();
        let ended = ran(desk.run(&model, &["Hi"]).envs(variables.iter().copied()));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        model.finish();
    }
    assert_eq!(collector.got().len(), 0);
}

// J3
#[test]
fn over_plain_http_to_another_computer_nothing_is_sent_until_that_is_confirmed() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    // The proxy is the collector: what is sent anywhere over plain HTTP gets there.
    let proxy = ("http_proxy", collector.base());
    let other = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example:4318");
    let model = reader();
    let ended = ran(desk.run(&model, &["--json", "What is it?"]).envs([other]).env(proxy.0, &proxy.1));
    model.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let refused = "orion: Traces to collector.example would travel unencrypted, so none is sent.\n";
    assert!(ended.stderr.contains(refused), "{}", ended.stderr);
    let request = parsed(&ended.stdout)["requestId"].as_str().unwrap().to_owned();
    let by_hand = |more: &[&str], insecure: &str| {
        let mut command = desk.orion(&["trace", &request, "--otlp", other.1]);
        command.args(more).env(proxy.0, &proxy.1).env("OTEL_EXPORTER_OTLP_INSECURE", insecure);
        ran(&mut command)
    };
    let told = by_hand(&[], "false");
    assert_eq!((told.code, told.stderr.starts_with(refused)), (Some(1), true), "{}", told.stderr);
    assert!(collector.got().is_empty());
    for (more, insecure) in [(&["--allow-http"][..], ""), (&[], "true")] {
        let told = by_hand(more, insecure);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        let got = collector.got();
        assert_eq!(got.len(), 1);
        assert!(got[0].path.ends_with("/v1/traces"), "{}", got[0].path);
    }
}

#[test]
fn a_collector_that_refuses_hangs_or_is_not_there_changes_nothing_of_a_turn() {
    let nowhere = "http://127.0.0.1:9".to_owned();
    let hangs = Collector::start(Does::Hangs);
    for base in [Collector::start(Does::Refuses(401)).base(), hangs.base(), nowhere] {
        let (desk, model) = (Desk::new(), Script::new().turn(|t| t.text("Hi.").end("stop")).start());
        // A turn that waited for the collector would take an hour.
        let mut command = desk.run(&model, &["Hi"]);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &base).env("OTEL_EXPORTER_OTLP_TIMEOUT", "3600000");
        let ended = ran(&mut command);
        model.finish();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Hi.\n"), "{base}: {}", ended.stderr);
    }
    assert_eq!(hangs.got().len(), 1);
}

#[test]
fn what_went_wrong_is_said_to_who_sends_a_trace_by_hand() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let request = read(&desk, &collector, &[]);
    let send = |base: &str, variable: (&str, &str)| {
        ran(desk.orion(&["trace", &request, "--otlp", base]).env(variable.0, variable.1))
    };
    let none = ("OTEL_SERVICE_NAME", "x");
    let (refuses, hangs) = (Collector::start(Does::Refuses(401)), Collector::start(Does::Hangs));
    for (base, variable, words) in [
        (
            refuses.base(),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=hunter2-secret"),
            "refused the trace (HTTP 401)",
        ),
        (hangs.base(), ("OTEL_EXPORTER_OTLP_TIMEOUT", "300"), "did not answer in time"),
        ("http://127.0.0.1:9".to_owned(), none, "cannot be reached"),
        ("collector".to_owned(), none, "is not an address"),
        ("http://me:hunter2@127.0.0.1".to_owned(), none, "has a name or a password in it"),
        (collector.base(), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "not one that Orion speaks"),
        (collector.base(), ("OTEL_SDK_DISABLED", "true"), "Nothing is sent"),
    ] {
        let said = send(&base, variable);
        assert!(said.code != Some(0) && said.stdout.is_empty(), "{base} {said:?}");
        assert!(said.stderr.contains(words) && !said.stderr.contains("hunter2"), "{}", said.stderr);
    }
    assert_eq!(collector.got().len(), 1, "the turn itself");
}

#[test]
fn what_was_said_is_sent_only_when_the_person_says_so() {
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    read(&desk, &collector, &[]);
    let sent = format!("{:?}", spans_of(&collector));
    for text in ["What is it?", "42 it is.", "gen_ai.input.messages", "gen_ai.tool.call.arguments"] {
        assert!(!sent.contains(text), "{text} in {sent}");
    }
    read(&desk, &collector, &[("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")]);
    let sent = spans_of(&collector);
    let text = |name: &str| said(&sent[0].attributes, name).unwrap();
    assert_eq!(
        parsed(&text("gen_ai.input.messages")),
        json!([{"role": "user", "parts": [{"type": "text", "content": "What is it?"}]}])
    );
    assert!(text("gen_ai.output.messages").contains("42 it is."));
    let call = named(&sent, "execute_tool read_file");
    assert_eq!(
        said(&call.attributes, "gen_ai.tool.call.arguments").as_deref(),
        Some(r#"{"max_lines":400,"path":"notes.txt","start_column":1,"start_line":1}"#)
    );
}

// J3
#[test]
fn a_key_is_in_no_trace_in_whatever_writing() {
    let percent = |key: &str| key.replace('/', "%2F").replace('+', "%2B");
    let writings = [KEY, OTHER_KEY].map(|key| [key.to_owned(), STANDARD.encode(key), percent(key)]).concat();
    let echo = writings.join(" ");
    let model = Script::new()
        .turn(|t| {
            t.call("read_file", json!({"path": "notes.txt", "api_key": KEY, "deep": {"password": echo}}))
                .end("tool_calls")
        })
        .turn(|t| t.status(503).body(format!(r#"{{"error":{{"message":"busy {echo}"}}}}"#)))
        .turn(|t| t.text(&format!("It is {echo}.")).end("stop"))
        .start();
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let mut command = desk.run(&model, &["--json", "--api-key-env", "WORK_KEY", &format!("Use {echo}")]);
    command
        .env("WORK_KEY", KEY)
        .env("OTEL_EXPORTER_OTLP_HEADERS", format!("authorization=Bearer%20{}", percent(OTHER_KEY)))
        .env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    let ended = to(&mut command, &collector);
    model.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let got = collector.got();
    assert!(
        got[0].head.contains(&format!("authorization: bearer {OTHER_KEY}")),
        "the collector gets what it asks for"
    );
    let body = String::from_utf8_lossy(&got[0].body).into_owned();
    for writing in &writings {
        assert!(!body.contains(writing.as_str()), "{writing} in {body}");
    }
    assert!(body.contains("[redacted]"), "{body}");

    let report = parsed(&ended.stdout);
    let request = report["requestId"].as_str().unwrap();
    let page = desk.home.path().join("turn.html");
    for form in [&["--jsonl"][..], &["--tree"], &["--json"], &["--html", page.to_str().unwrap()]] {
        let traced = ran(&mut desk.orion(&[&["trace", request], form].concat()));
        assert_eq!(traced.code, Some(0), "{form:?}: {}", traced.stderr);
        let told = match form {
            ["--html", file] => fs::read_to_string(file).unwrap(),
            _ => traced.stdout,
        };
        assert!(told.contains("read_file"), "{form:?}: {told}");
        for writing in &writings {
            assert!(!told.contains(writing.as_str()), "{writing} in {form:?}: {told}");
        }
    }
}

// J3
#[test]
fn hostile_texts_are_bounded_and_steer_nobody() {
    // An answer that long is cut by the bounds of the turn, which ends with it (T7).
    let long: String = (0..1_500_000).map(|number| number.to_string()).collect();
    let path = "<script>\u{202e}\u{0}\u{1b}[31m";
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": path})).end("tool_calls"))
        .turn(|t| t.call("<b>\u{202e}no tool</b>", json!({"path": long})).end("tool_calls"))
        .start();
    let (desk, collector) = (Desk::new(), Collector::start(Does::Takes));
    let mut command = desk.run(&model, &["Read it."]);
    let content = ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    to(command.env(content.0, content.1), &collector);
    let got = collector.got();
    assert!(got[0].body.len() < 100_000, "{} bytes", got[0].body.len());
    let sent = spans(&trace(&got[0]));
    let texts = sent.iter().flat_map(|span| {
        let said = span.attributes.iter().filter_map(|attribute| said(&span.attributes, &attribute.key));
        let told = [span.name.clone(), span.status.clone().unwrap_or_default().message];
        said.chain(told)
    });
    let texts: Vec<_> = texts.collect();
    assert!(texts.iter().any(|text| text.starts_with("<script><U+202E><U+0000><U+001B>")), "{texts:?}");
    let steers = |c: char| c == '\u{202e}' || c.is_control() && c != '\n';
    assert!(!texts.iter().any(|text| text.contains(steers)), "{texts:?}");
}
