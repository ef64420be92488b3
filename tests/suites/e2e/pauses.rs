//! A turn that pauses, in the window: what the model is given is what the person left of the result (A2, A7).

use std::fs;

use serde_json::json;
use support::Script;

use crate::scene::{ask, desktop, foxes};

#[tokio::test]
async fn a_result_is_redacted_over_a_crash_and_the_next_request_has_the_redacted_text_alone() {
    let model = Script::new()
        .turn(|t| t.text("I look.").call("read_file", json!({ "path": "docs/colours.md" })).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| {
                let told = ask.body.to_string();
                assert!(told.contains("Red and two more."), "{told}");
                assert!(told.contains("The user edited this result before you were given it."), "{told}");
                assert!(!told.contains("arctic"), "{told}");
            })
            .text("Three colours.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let file = desktop.config_dir().join("config.toml");
    let settings = format!("pause_after_tool = true\n{}", fs::read_to_string(&file).unwrap());
    fs::write(file, settings).unwrap();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Which colours are there?").await;
    window.reads("phase-bar", "Paused: look at the result").await;
    window.reads("tool-result", "Red, grey and arctic.").await;
    window.screenshot("paused").await;
    window.kill().await;

    // A7: nothing resumed it for the person.
    let window = desktop.open(None).await;
    window.reads("phase-bar", "Paused: look at the result").await;
    window.reads("tool-result", "Red, grey and arctic.").await;
    window.click("edit-result").await;
    window.fill("result-text", "Red and two more.").await;
    window.screenshot("redacting").await;
    window.click("pause-resume").await;
    window.reads("answer", "Three colours.").await;
    window.reads("state", "Answered").await;
    window.click("fold").await;
    window.click("tool-box-toggle").await;
    window.reads("edited-result", "You edited it").await;
    window.quit().await;
    model.finish();
}
