//! What fills the model's room, what it was sent, and going on with a fresh budget (X2, X7).

use std::fs;
use std::io::Write;

use serde_json::json;
use support::Script;
use support::webdriver::keys;

use crate::scene::{ask, desktop, foxes};

#[tokio::test]
async fn the_room_is_shown_the_request_is_read_and_one_key_continues_with_what_was_read() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({ "path": "src/lib.rs" })).end("tool_calls"))
        .turn(|t| {
            t.text("I still need the colours.")
                .call("read_file", json!({ "path": "docs/colours.md" }))
                .usage(1_500, 20)
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| {
                let said = ask.conversation();
                assert!(said.iter().any(|(_, text)| text.contains("The foxes seen so far.")), "{said:?}");
                assert_eq!(said.last(), Some(&("user", "Continue.")));
            })
            .text("Seven, of three colours.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let settings = fs::File::options().append(true).open(desktop.config_dir().join("config.toml"));
    settings.unwrap().write_all(b"\n[limits]\nmax_cycles = 1\n").unwrap();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("phase-bar", "Not finished").await;
    window.reads("phase-bar", "all 1 step used").await;
    window.reads("continue", "Continue").await;

    // X2: the meter, and what fills the room.
    window.click("context-meter").await;
    window.reads("context-part", "Orion's own words").await;
    window.reads("context-part", "How many foxes are there?").await;
    let unfold = "[...document.querySelectorAll(\"[data-testid='context-part'] button[aria-expanded]\")].at(-1).click()";
    window.script(unfold, json!([])).await;
    window.reads("context-box", "read_file src/lib.rs").await;
    window.screenshot("context").await;
    window.press(&[keys::ESCAPE]).await;
    window.gone("context-part").await;

    // What was sent, from the row of the call.
    window.click("side-panel").await;
    window.click("as-list").await;
    window.see("trace-row").await;
    let open = "document.querySelectorAll(\"[data-testid='trace-row'][data-kind='model_call']\")[1].click()";
    window.script(open, json!([])).await;
    window.click("sent").await;
    window.reads("sent-message", "The foxes seen so far.").await;
    window.screenshot("sent").await;
    window.press(&[keys::ESCAPE]).await;
    window.gone("sent-dialog").await;

    // X7
    window.press(&[keys::CONTROL, 'e']).await;
    window.reads("answer", "Seven, of three colours.").await;
    window.reads("state", "Answered").await;
    window.quit().await;
    model.finish();
}
