//! Answers to what Orion asks, in the window: arguments that a person changes, approvals that they keep (A1, A3, A7).

use std::fs;

use serde_json::json;
use support::webdriver::keys;
use support::{Desktop, Script, ScriptedModel};

use crate::scene::{ask, desktop, foxes};

/// A desktop whose settings ask about every read.
fn asking(model: &ScriptedModel) -> Desktop {
    let desktop = desktop(model);
    let file = desktop.config_dir().join("config.toml");
    let settings = fs::read_to_string(&file).unwrap() + "\n[tools.read_file]\npermission = \"ask\"\n";
    fs::write(file, settings).unwrap();
    desktop
}

#[tokio::test]
async fn a_call_waits_over_a_crash_and_runs_with_the_arguments_that_the_person_gives_it() {
    let model = Script::new()
        .turn(|t| t.text("I look.").call("read_file", json!({ "path": "src/lib.rs" })).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| {
                let told = ask.last_text();
                assert!(told.contains("Red, grey and arctic."), "{told}");
                assert!(told.contains("The user changed the arguments before the call ran."), "{told}");
                assert!(!told.contains("pub fn count"), "{told}");
            })
            .text("Three colours.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (asking(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Which colours are there?").await;
    window.reads("approval", "Read a file now? Your settings ask about this.").await;
    window.kill().await;

    // A7: nothing answered for the person.
    let window = desktop.open(None).await;
    window.reads("phase-bar", "Waiting for your approval").await;
    window.click("more-answers").await;
    window.click("edit").await;
    window.fill("argument-path", "../secret.md").await;
    window.click("run-edited").await;
    window.reads("answer-refused", "A path of these arguments leads out of the project.").await;
    window.screenshot("arguments-refused").await;
    window.fill("argument-path", "docs/colours.md").await;
    window.click("run-edited").await;
    window.reads("answer", "Three colours.").await;
    window.reads("state", "Answered").await;
    window.click("fold").await;
    window.click("tool-box-toggle").await;
    window.reads("tool-result", "Red, grey and arctic.").await;
    window.reads("proposed", "You changed the arguments.").await;
    window.screenshot("arguments-changed").await;
    window.quit().await;
    model.finish();
}

/// A message that writes a line more.
fn writes(script: Script, line: &'static str) -> Script {
    let begin = json!({ "intent": "One more.", "target_file": "docs/colours.md", "operation": "append" });
    script
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(move |t| t.text(&format!("{line}\nDONE")).end("stop"))
        .turn(|t| t.text("It is there.").end("stop"))
}

#[tokio::test]
async fn a_write_that_is_always_allowed_is_not_asked_about_until_that_is_taken_back() {
    let model = writes(writes(writes(Script::new(), "Blue."), "Green."), "Pink.").start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Add blue.").await;
    window.reads("phase-bar", "Waiting for your approval").await;
    window.click("more-answers").await;
    window.reads("keep", "write_plan_begin docs/colours.md").await;
    window.screenshot("more-answers").await;
    window.mouse_away("keep-project").await;
    window.reads("state", "Answered").await;
    let colours = || fs::read_to_string(folder.path().join("docs/colours.md")).unwrap();
    assert_eq!(colours(), "Red, grey and arctic.\nBlue.\n");

    ask(&window, "Add green.").await;
    window.until("the second file", async || Ok(colours().ends_with("Green.\n").then_some(()))).await;
    window.reads("state", "Answered").await;

    window.press(&[keys::CONTROL, ',']).await;
    window.click("settings-tab-permissions").await;
    window.reads("approvals", "write_plan_begin docs/colours.md").await;
    window.reads("approvals", "used just now").await;
    window.screenshot("kept-approvals").await;
    window.click("revoke").await;
    window.reads("approvals", "None.").await;
    window.press(&[keys::ESCAPE]).await;
    ask(&window, "Add pink.").await;
    window.reads("phase-bar", "Waiting for your approval").await;
    window.click("write-approve").await;
    window.reads("state", "Answered").await;
    assert_eq!(colours(), "Red, grey and arctic.\nBlue.\nGreen.\nPink.\n");
    window.quit().await;
    model.finish();
}
