//! The trace of a turn in the real window: what took how long, and why (J2, J3).

use std::cell::RefCell;
use std::fs;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message as _;
use serde_json::json;
use support::webdriver::keys;
use support::{Collector, Desktop, Does, Gate, Got, Script, Window};

use crate::pictures::{both_sizes, picture};
use crate::scene::{KEY, Theme, ask, desktop, foxes, in_themes};

/// What the model writes.
const COLOURS: &str = "Red, grey, arctic and silver.\nDONE\n";

/// Three tools, a repeat that is refused, a call that is tried again, a write that waits for approval, and an answer that is stopped at the gate.
fn script(stopped: &Gate) -> Script {
    let read = json!({ "path": "src/lib.rs" });
    let plan =
        json!({ "intent": "Name the colours.", "target_file": "docs/colours.md", "operation": "overwrite" });
    Script::new()
        .turn(|t| t.text("I look around. ").call("list_files", json!({ "path": "." })).end("tool_calls"))
        .turn(|t| t.text("The library first. ").call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.call("read_file", read).end("tool_calls"))
        .turn(|t| t.call("search_files", json!({ "pattern": "Red" })).end("tool_calls"))
        .turn(|t| t.status(503).body("busy"))
        .turn(|t| t.text("Now I write. ").call("write_plan_begin", plan).end("tool_calls"))
        .turn(|t| t.text(COLOURS).end("stop"))
        .turn(|t| t.text("The colours are ").hold(stopped).text("in."))
}

/// The values of an attribute of all elements with this test id.
async fn all(window: &Window, testid: &str, attribute: &str) -> Vec<String> {
    let each = "return [...document.querySelectorAll(`[data-testid=${arguments[0]}]`)].map((it) => it.getAttribute(arguments[1]))";
    let values = window.script(each, json!([testid, attribute])).await;
    values.as_array().unwrap().iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// How wide the widest bar of a lane is, in pixels.
async fn widest(window: &Window, lane: &str) -> f64 {
    let widths = "return Math.max(...[...document.querySelectorAll(`[data-testid=timeline-bar][data-lane=${arguments[0]}]`)].map((it) => it.getBoundingClientRect().width))";
    window.script(widths, json!([lane])).await.as_f64().unwrap()
}

/// Beside the conversation, and over it where the window is narrow.
async fn in_panel_and_drawer(window: &Window, state: &str, theme: &str) {
    picture(window, &format!("{state}-{theme}-1280")).await;
    window.resize(800, 600).await;
    window.gone("timeline").await;
    window.click("side-panel").await;
    window.see("timeline").await;
    picture(window, &format!("{state}-{theme}-800")).await;
    window.press(&[keys::ESCAPE]).await;
    window.gone("timeline").await;
    window.resize(1280, 800).await;
    window.see("timeline").await;
}

async fn traced(theme: fn(Desktop) -> Desktop, name: &str) {
    let stopped = Gate::new();
    let model = script(&stopped).start();
    let desktop = theme(desktop(&model));
    let file = desktop.config_dir().join("config.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{settings}\n[limits]\nmax_cycles = 8\n")).unwrap();
    let folder = foxes();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Name the colours, and tell me where they are.").await;
    window.reads("row", "silver").await;
    window.click("write-approve").await;
    stopped.reached().await;
    window.reads("answer", "The colours are").await;
    window.press(&[keys::ESCAPE]).await;
    window.reads("phase-bar", "Stopped").await;
    window.click("side-panel").await;
    window.see("timeline").await;

    // One row a tool call and a write, in the order they came, the repeat as a row that says so.
    let told = window.until("the rows of the turn", async || {
        let rows = all(&window, "timeline-row", "data-sort").await;
        Ok((rows.len() == 6).then_some(rows))
    });
    assert_eq!(told.await, ["tool", "tool", "refused", "tool", "tool", "write"]);
    let titles = all(&window, "timeline-row", "title").await.join("\n");
    for path in ["src/lib.rs", "docs/colours.md"] {
        assert!(titles.contains(path), "{titles}");
    }
    let marks = all(&window, "timeline-mark", "data-mark").await;
    for mark in ["refused", "retry", "stop"] {
        assert!(marks.iter().any(|it| it == mark), "{mark} of {marks:?}");
    }
    // What it came to is said in words.
    window.reads("spent", "of work").await;
    window.reads("spent", "waiting for you").await;
    window.reads("longest", "Longest:").await;
    in_panel_and_drawer(&window, "trace-step", name).await;

    let by_step = widest(&window, "answering").await;
    window.click("by-time").await;
    window
        .until("another scale", async || {
            Ok(((widest(&window, "answering").await - by_step).abs() > 1.0).then_some(()))
        })
        .await;
    in_panel_and_drawer(&window, "trace-time", name).await;

    // Over the whole window, and closer.
    window.click("trace-whole").await;
    window.see("trace-window").await;
    window.script("document.querySelector('[data-testid=timeline]').focus()", json!([])).await;
    let before = widest(&window, "answering").await;
    window.press(&['+']).await;
    window.press(&['+']).await;
    window.see("minimap").await;
    window
        .until("wider bars", async || Ok((widest(&window, "answering").await > before).then_some(())))
        .await;
    both_sizes(&window, "trace-closer", name).await;
    window.resize(1280, 800).await;
    window.press(&['0']).await;
    window.gone("minimap").await;
    // The details of a bar, by keyboard.
    window.press(&['j']).await;
    window.press(&[keys::ENTER]).await;
    window.see("inspector").await;
    both_sizes(&window, "trace-details", name).await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_turn_with_all_that_can_happen_is_read_at_a_glance() {
    in_themes(Theme::Light, traced).await;
}

#[tokio::test]
async fn the_figures_of_a_session_lead_to_its_turns() {
    let model = Script::new()
        .turn(|t| t.text("Seven.").usage(900, 20).end("stop"))
        .turn(|t| t.text("Still seven.").usage(1_200, 30).end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "Seven.").await;
    window.reads("state", "Answered").await;
    ask(&window, "And now?").await;
    window.reads("state", "Answered").await;
    window
        .until("both answers", async || {
            let answers = window
                .session
                .execute("return document.querySelectorAll('[data-testid=answer]').length", json!([]))
                .await?;
            Ok((answers == json!(2)).then_some(()))
        })
        .await;
    window.reads("state", "Answered").await;
    window.press(&[keys::CONTROL, 'k']).await;
    window.see("palette").await;
    for key in "Figures".chars() {
        window.press(&[key]).await;
    }
    window.press(&[keys::ENTER]).await;
    window.reads("figures-sum", "2 turns, 2 answered").await;
    let tokens = window.script("return [...document.querySelectorAll('[data-testid=figures-turn] [data-column=tokens]')].map((it) => it.textContent)", json!([])).await;
    assert_eq!(tokens, json!(["1,230", "920"]));
    window.script("document.querySelector('[data-testid=figures-turns]').focus()", json!([])).await;
    for key in [' ', 'j', ' ', 'c'] {
        window.press(&[key]).await;
    }
    window.reads("compared-words", "Both took the same steps.").await;
    window.quit().await;
    model.finish();
}

// J2, J3
#[tokio::test]
async fn the_trace_of_each_turn_leaves_the_window_for_the_collector_that_the_environment_names() {
    let collector = Collector::start(Does::Takes);
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({ "path": "src/lib.rs" })).end("tool_calls"))
        .turn(|t| t.text("Seven.").end("stop"))
        .turn(|t| t.text("Still seven.").end("stop"))
        .start();
    let desktop = desktop(&model).with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.base());
    let folder = foxes();
    let window = desktop.open(Some(&folder.path())).await;
    let got: RefCell<Vec<Got>> = RefCell::default();
    let traces = async |count: usize| {
        window
            .until("the trace of the turn", async || {
                got.borrow_mut().extend(collector.got());
                Ok((got.borrow().len() >= count).then_some(()))
            })
            .await;
    };
    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "Seven.").await;
    traces(1).await;
    window.reads("state", "Answered").await;
    ask(&window, "Sure?").await;
    traces(2).await;
    window.quit().await;
    got.borrow_mut().extend(collector.got());
    let got = got.into_inner();
    assert_eq!(got.iter().map(|got| got.path.as_str()).collect::<Vec<_>>(), ["/v1/traces"; 2]);
    let names = got.iter().map(|got| {
        let trace = ExportTraceServiceRequest::decode(got.body.as_slice()).unwrap();
        let scopes = trace.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
        scopes.flat_map(|scope| scope.spans.iter().map(|span| span.name.clone())).collect::<Vec<_>>()
    });
    for (names, calls) in names.zip([2, 1]) {
        assert_eq!(names.first().map(String::as_str), Some("invoke_agent orion"), "{names:?}");
        assert_eq!(names.iter().filter(|name| *name == "chat fox-1").count(), calls, "{names:?}");
    }
    for secret in [KEY, "How many foxes", "Seven."] {
        let found =
            got.iter().any(|got| got.body.windows(secret.len()).any(|part| part == secret.as_bytes()));
        assert!(!found, "{secret}");
    }
    model.finish();
}
