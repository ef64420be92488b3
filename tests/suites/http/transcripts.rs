//! The commands that docs/http.md shows do what it says of them.

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::Script;

use super::Bed;
use crate::source_rules::root;

/// The blocks of commands in the page.
fn shown() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/http.md")).unwrap();
    let blocks = page.split("```sh\n").skip(1).map(|block| block.split("\n```").next().unwrap().to_owned());
    blocks.collect()
}

// It needs `curl`.
#[cfg(unix)]
#[tokio::test]
async fn the_commands_of_the_page_stream_a_turn_to_its_done() {
    // H4
    let model = Script::new().turn(|t| t.text("The answer ").text("is 42.").end("stop")).start();
    let bed = Bed::new(&model);
    let shown = shown();
    let commands: Vec<&String> = shown.iter().filter(|block| block.contains("curl ")).collect();
    assert_eq!(commands.len(), 1, "each is to be run here");
    let command = commands[0].replace("http://127.0.0.1:6746", &bed.address);
    assert!(command.contains(&bed.address), "{command}");
    let ran = Command::new("sh").args(["-c", &command]).env("TOKEN", &bed.token).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let told = String::from_utf8(ran.stdout).unwrap();
    let events: Vec<Value> = told
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let chunks: String = events.iter().filter_map(|event| event["chunk"].as_str()).collect();
    let last = events.last().unwrap();
    assert_eq!((&last["done"], last["fullContent"].as_str()), (&Value::Bool(true), Some(chunks.as_str())));
    model.finish();
}
