//! Twelve endpoints by their published rules, each as strict as it says (X1, X2, P9, P12, R1): a session with a tool, a write and a compaction ends answered in
//! both routes, and what was refused in one call is never sent again, in this process and the next.
//!
//! Each refuses in words that are drawn anew for each refusal, so nothing can be read out of them (J4).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{Folder, Request, Script, ScriptedModel, Turn};

use super::{Desk, ran};

/// Something that an endpoint does not take: its name, the status, and the field of its error that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fault {
    name: &'static str,
    status: u16,
    param: Option<&'static str>,
    loc: Option<&'static str>,
}

const fn unnamed(name: &'static str) -> Fault {
    Fault { name, status: 400, param: None, loc: None }
}

struct Strict {
    host: &'static str,
    /// Its family says the form of results where the endpoint does not.
    model: &'static str,
    settings: &'static str,
    refuses: fn(&Value) -> Option<Fault>,
}

fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

fn calls(body: &Value) -> impl Iterator<Item = &Value> {
    messages(body).iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
}

fn roles(body: &Value) -> Vec<&str> {
    messages(body).iter().map(|message| message["role"].as_str().unwrap_or_default()).collect()
}

fn has(body: &Value, field: &str) -> bool {
    body.get(field).is_some()
}

fn late_system(body: &Value) -> bool {
    roles(body).iter().skip(1).any(|role| *role == "system")
}

/// After the system message, user and assistant alternate; a tool message follows an assistant's or another one, and an assistant's follows it.
fn out_of_order(body: &Value) -> bool {
    let roles = roles(body);
    let pairs = roles.get(1..).unwrap_or_default().windows(2);
    let mut pairs = pairs.map(|pair| (pair[0], pair[1]));
    late_system(body)
        || roles.last() == Some(&"assistant")
        || pairs.any(|pair| {
            matches!(pair, ("user", "user" | "tool") | ("tool", "user") | ("assistant", "assistant"))
        })
}

const ENDPOINTS: [Strict; 12] = [
    Strict {
        host: "OpenAI, a reasoning model",
        model: "gpt-x",
        settings: "results_as = 'system'\ntemperature = 0.3\n",
        refuses: |body| match () {
            () if has(body, "max_tokens") => {
                Some(Fault { param: Some("max_tokens"), ..unnamed("the name of the limit") })
            }
            () if has(body, "temperature") => {
                Some(Fault { param: Some("temperature"), ..unnamed("the temperature") })
            }
            () => None,
        },
    },
    Strict {
        host: "Mistral",
        model: "mistral-x",
        settings: "",
        refuses: |body| match () {
            () if has(body, "stream_options") => {
                Some(Fault { status: 422, loc: Some("stream_options"), ..unnamed("the usage option") })
            }
            () if out_of_order(body) => Some(unnamed("the order of roles")),
            () if calls(body).any(|call| call["id"].as_str().is_none_or(|id| id.len() != 9)) => {
                Some(unnamed("an id"))
            }
            () => None,
        },
    },
    Strict {
        host: "DeepSeek behind a gateway",
        model: "deepseek-x",
        settings: "",
        refuses: |body| {
            let bare = |message: &&Value| {
                message["tool_calls"].is_array() && message["reasoning_content"] != json!("Hm.")
            };
            messages(body).iter().find(bare).map(|_| unnamed("a call without its reasoning"))
        },
    },
    Strict {
        host: "Gemini behind a relay",
        model: "gemini-x",
        settings: "results_as = 'tool'\n",
        refuses: |body| {
            let bare = |call: &Value| call["extra_content"]["google"]["thought_signature"] != json!("SIGNED");
            calls(body).any(bare).then(|| unnamed("a call without its signature"))
        },
    },
    Strict {
        host: "Bedrock behind LiteLLM",
        model: "claude-x",
        settings: "results_as = 'tool'\n",
        refuses: |body| {
            (calls(body).next().is_some() && !has(body, "tools"))
                .then(|| unnamed("calls without their tools"))
        },
    },
    Strict {
        host: "Databricks",
        model: "dbrx-x",
        settings: "",
        refuses: |body| has(body, "stream_options").then(|| unnamed("the usage option")),
    },
    Strict {
        host: "Cerebras",
        model: "gpt-oss-x",
        settings: "",
        refuses: |body| has(body, "tool_choice").then(|| unnamed("forbidden tools")),
    },
    Strict {
        host: "vLLM with a short answer",
        model: "qwen-x",
        settings: "",
        refuses: |body| (body["max_tokens"].as_u64() > Some(4_096)).then(|| unnamed("the limit")),
    },
    Strict {
        host: "llama.cpp with a template without tool messages",
        model: "llama-3-x",
        settings: "",
        refuses: |body| {
            roles(body).contains(&"tool").then(|| Fault { status: 500, ..unnamed("a tool message") })
        },
    },
    Strict {
        host: "Anthropic's compatible interface",
        model: "claude-x",
        settings: "",
        refuses: |body| {
            (late_system(body) || roles(body).last() == Some(&"assistant"))
                .then(|| unnamed("the order of roles"))
        },
    },
    Strict {
        host: "a template with one system message",
        model: "m",
        settings: "results_as = 'user'\nreasoning_effort = 'high'\n",
        refuses: |body| match () {
            () if late_system(body) => Some(unnamed("a late system message")),
            () if has(body, "reasoning_effort") => Some(Fault { status: 422, ..unnamed("the effort") }),
            () => None,
        },
    },
    Strict {
        host: "Moonshot",
        model: "kimi-x",
        settings: "temperature = 1.9\n",
        refuses: |body| match () {
            () if body["temperature"].as_f64() > Some(1.0) => Some(unnamed("the temperature")),
            () if body["tools"].as_array().into_iter().flatten().any(untyped) => Some(unnamed("a schema")),
            () => None,
        },
    },
];

fn untyped(tool: &Value) -> bool {
    let properties = tool["function"]["parameters"]["properties"].as_object().into_iter().flatten();
    properties.map(|(_, property)| &property["type"]).any(|kind| !kind.is_string())
}

/// What an endpoint has seen.
#[derive(Debug, Default)]
struct Seen {
    /// Answers so far.
    answered: usize,
    refusals: usize,
    /// The faults of each call that was refused: a new one begins after an answer.
    refused: Vec<(usize, &'static str)>,
}

/// Words that say nothing.
fn words(number: usize) -> String {
    const ANY: [&str; 7] = ["amber", "quill", "the", "not", "meadow", "invalid", "seven"];
    (0..5).map(|at| ANY[(number * 5 + at * 3) % ANY.len()]).collect::<Vec<_>>().join(" ")
}

fn refusal(fault: Fault, number: usize) -> Turn {
    let mut error =
        json!({ "message": words(number), "type": "invalid_request_error", "param": fault.param });
    if fault.status == 500 {
        error = json!({ "code": 500, "message": words(number), "type": "server_error" });
    }
    let body = match fault.loc {
        Some(loc) => json!({ "detail": [{ "loc": ["body", loc], "msg": words(number), "type": "extra" }] }),
        None => json!({ "error": error }),
    };
    Turn::default().status(fault.status).body(body.to_string())
}

/// What its model says, in the order of the session.
fn answer(number: usize) -> Turn {
    let call = |name: &str, arguments: Value| {
        let call = json!({ "index": 0, "id": format!("toolu_{number}-of/a long id"), "type": "function",
            "function": { "name": name, "arguments": arguments.to_string() },
            "extra_content": { "google": { "thought_signature": "SIGNED" } } });
        Turn::default()
            .reasoning("Hm.")
            .text("I look. ")
            .delta(json!({ "tool_calls": [call] }))
            .end("tool_calls")
    };
    match number {
        0 => call("read_file", json!({ "path": "long.txt" })),
        1 => call(
            "write_plan_begin",
            json!({ "intent": "As asked.", "target_file": "n.txt", "operation": "create" }),
        ),
        2 => Turn::default().text("one\nDONE\n").end("stop"),
        4 => call("read_file", json!({ "path": "notes.txt" })),
        _ => Turn::default().text("So it is.").end("stop"),
    }
}

fn endpoint(strict: &Strict, seen: Arc<Mutex<Seen>>) -> ScriptedModel {
    let refuses = strict.refuses;
    Script::new()
        .forever(move |_, request: &Request| {
            let mut seen = seen.lock().unwrap();
            if let Some(fault) = refuses(&request.body) {
                let place = (seen.answered, fault.name);
                if !seen.refused.contains(&place) {
                    seen.refused.push(place);
                }
                seen.refusals += 1;
                return refusal(fault, seen.refusals);
            }
            seen.answered += 1;
            answer(seen.answered - 1)
        })
        .start()
}

/// A session of two turns and a compaction, each in a process of its own.
fn session(strict: &Strict, route: &str) {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let model = endpoint(strict, seen.clone());
    let settings = format!(
        "default_endpoint = 'strict'\n[endpoints.strict]\nbase_url = '{}'\nmodel = '{}'\n{}",
        model.base_url(),
        strict.model,
        strict.settings
    );
    let long = "a line of words\n".repeat(200);
    let desk = Desk {
        project: Folder::with([("long.txt", &*long), ("notes.txt", "The answer is 42.\n")]),
        ..Desk::with_settings(&settings)
    };
    let orion = |arguments: &[&str]| ran(desk.orion(arguments).env_remove("ORION_RESULTS_AS"));
    let run = ["run", "--json", "--route", route, "--approve-writes"];
    let mut asked = Vec::new();
    for more in [&["Read and write."][..], &["--continue", "And again?"]] {
        let ran = orion(&[&run[..], more].concat());
        assert_eq!(ran.code, Some(0), "{} {route}: {} {:?}", strict.host, ran.stderr, seen.lock().unwrap());
        asked.push(serde_json::from_str::<Value>(&ran.stdout).unwrap());
    }
    let session = asked[0]["sessionId"].as_str().unwrap().to_owned();
    let compacted = orion(&["compact", &session]);
    assert_eq!(compacted.code, Some(0), "{} {route}: {}", strict.host, compacted.stderr);
    assert_eq!(desk.project.read("n.txt"), b"one\n");
    let seen = seen.lock().unwrap();
    for (at, (place, name)) in seen.refused.iter().enumerate() {
        let before = seen.refused.iter().take(at).find(|(earlier, same)| same == name && earlier != place);
        assert_eq!(before, None, "{} {route}: {name} was sent again: {:?}", strict.host, seen.refused);
    }
    assert_eq!(seen.answered, 7, "{} {route}", strict.host);
}

#[test]
fn every_endpoint_ends_a_session_answered_by_the_two_stage_route() {
    ENDPOINTS.iter().for_each(|strict| session(strict, "two-stage"));
}

#[test]
fn every_endpoint_ends_a_session_answered_by_the_unified_route() {
    ENDPOINTS.iter().for_each(|strict| session(strict, "unified"));
}
