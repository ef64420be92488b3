//! The clients that docs/http.md shows, as it shows them, through a turn with a tool, a repeat, pauses, a write and its approval.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use reqwest::Method;
use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel};

use super::Bed;
use crate::source_rules::root;

/// The block of this language in the page.
fn shown(language: &str) -> String {
    let page = fs::read_to_string(root().join("docs/http.md")).unwrap();
    let begins = format!("```{language}\n");
    let mut blocks = page.split(&begins).skip(1);
    let block = blocks.next().and_then(|rest| rest.split("\n```").next()).unwrap().to_owned();
    assert!(blocks.next().is_none(), "each block of {language} is to be run here");
    block
}

/// A turn in which the model reads a file, repeats the call, and corrects the file.
fn correcting() -> ScriptedModel {
    let read = || json!({ "path": "notes.txt" });
    let begin = json!({ "intent": "As you asked.", "target_file": "notes.txt", "operation": "overwrite" });
    Script::new()
        .turn(|t| t.text("I look. ").call("read_file", read()).end("tool_calls"))
        .turn(|t| t.call("read_file", read()).end("tool_calls"))
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
        .turn(|t| t.text("It is done: grüße.").end("stop"))
        .start()
}

/// Runs a client on a server of its own. What it printed.
fn ran(bed: &Bed, program: &str, file: &Path, variable: (&str, &Path)) -> String {
    let mut child = Command::new(program)
        .arg(file)
        .env("TOKEN", &bed.token)
        .env(variable.0, variable.1)
        .env_remove("HTTPS_PROXY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The person says yes.
    child.stdin.take().unwrap().write_all(b"y\ny\ny\ny\ny\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// H4: one `done`, with the answer of the report to the byte.
async fn is_whole(bed: &Bed, printed: &str) {
    let dones: Vec<Value> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("done: "))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(dones.len(), 1, "{printed}");
    assert_eq!(dones[0]["fullContent"], "I look. \n\nIt is done: grüße.");
    let turn = format!("/api/v1/turns/{}", dones[0]["requestId"].as_str().unwrap());
    let report = bed.get(&turn).await["report"].clone();
    assert_eq!(dones[0]["fullContent"], report["answer"]);
    assert_eq!(dones[0]["report"], report);
    assert_eq!((&report["duplicatesRefused"], &report["channel"]), (&json!(1), &json!("http")));
    assert_eq!(report["summary"], "Answered: 2 tool runs, 1 file written.");
    assert_eq!((&report["exitCode"], report["projectName"].is_string()), (&json!(0), true));
    assert_eq!(bed.project.read("notes.txt"), b"The answer is 43.\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_in_python_runs_a_turn_to_its_done() {
    // H3, H4, A2, A3
    let model = correcting();
    let bed = Bed::new(&model);
    let script = shown("python").replace("http://127.0.0.1:6746", &bed.address);
    let folder = Folder::with([("client.py", script.as_str())]);
    let clients = root().join("target/http-clients");
    let printed = ran(&bed, "python3", &folder.path().join("client.py"), ("PYTHONPATH", &clients));
    is_whole(&bed, &printed).await;
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_in_javascript_runs_a_turn_to_its_done() {
    // H3, H4, A3
    let model = correcting();
    let bed = Bed::new(&model);
    let script = shown("js").replace("http://127.0.0.1:6746", &bed.address);
    let folder = Folder::with([("client.mjs", script.as_str())]);
    let modules = root().join("ui/node_modules");
    std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).unwrap();
    let printed = ran(&bed, "node", &folder.path().join("client.mjs"), ("HOME", &folder.path()));
    is_whole(&bed, &printed).await;
    model.finish();
}

#[tokio::test]
async fn a_client_that_knows_the_designs_alone_gets_the_whole_turn_from_the_routes_of_the_designs() {
    // H4, A2, A3
    let model = correcting();
    let bed = Bed::new(&model);
    let path = "/api/chat/messages_two_stage";
    let message = json!({ "external_id": "m-1", "sender": "ann", "content": "Correct it.", "metadata": { "pauseAfterTool": true } });
    let mut stream = bed.stream(path, &message).await;
    let (mut text, mut dones) = (String::new(), Vec::new());
    while let Some((_, event)) = stream.next().await {
        text += event["chunk"].as_str().unwrap_or_default();
        if event["status"] == "waiting" {
            let request = &event["requestId"];
            let turn = format!("/api/v1/turns/{}", request.as_str().unwrap());
            let pending = bed.get(&turn).await["pending"].clone();
            if pending["of"]["type"] == "pause" {
                // The third route of the designs: it goes on, and streams the rest to somebody else too.
                let resume = json!({ "requestId": request, "toolBatchId": event["toolBatchId"] });
                drop(bed.stream("/api/chat/messages_two_stage/resume", &resume).await);
            } else {
                let reply =
                    json!({ "digest": pending["digest"], "reply": { "type": "allow", "keep": null } });
                assert!(bed.post(&format!("{turn}/reply"), &reply).await.status().is_success());
            }
        }
        if event["done"] == true {
            dones.push(event);
        }
    }
    assert_eq!((dones.len(), text.as_str()), (1, "I look. It is done: grüße."));
    assert_eq!(dones[0]["fullContent"], dones[0]["report"]["answer"]);
    let listed = bed.ask(Method::GET, "/api/v1/sessions").send().await.unwrap();
    assert_eq!(listed.json::<Value>().await.unwrap()["sessions"].as_array().map(Vec::len), Some(1));
    model.finish();
}
