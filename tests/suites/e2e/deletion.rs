//! A session deleted in the window: what was said in it is nowhere in the data folder any more, the webview's own files included.

use std::fs;
use std::path::Path;

use serde_json::json;
use support::Script;

use crate::scene::{ask, desktop, foxes, invoke};

const CANARY: &str = "the canary sings at dawn";

/// The files below a folder that have a text in them.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(holding(&path, text));
        } else if kind.is_file() {
            // The webview makes and removes files as it likes.
            let bytes = fs::read(&path).unwrap_or_default();
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
            if has(text.as_bytes()) || has(&wide) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[tokio::test]
async fn what_was_said_in_a_deleted_session_is_in_no_file_of_the_window() {
    let model = Script::new().turn(|t| t.text(&format!("Indeed, {CANARY}.")).end("stop")).start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, &format!("Say that {CANARY}.")).await;
    window.reads("state", "Answered").await;
    assert!(!holding(&desktop.data_dir(), CANARY).is_empty());

    let state = invoke(&window, "query", json!({ "query": { "type": "state" } })).await;
    let session = &state["state"]["sessions"][0]["sessionId"];
    let reply =
        invoke(&window, "submit", json!({ "op": { "type": "delete_session", "sessionId": session } })).await;
    assert_eq!(reply, json!({ "type": "deleted", "remains": null }));
    assert_eq!(holding(&desktop.data_dir(), CANARY), [""; 0]);
    window.quit().await;
    assert_eq!(holding(&desktop.data_dir(), CANARY), [""; 0], "nor after it was closed");
    model.finish();
}
