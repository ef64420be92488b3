//! The checks of a project in the window: proposed, accepted, run after a turn that wrote, repaired once, and refused where their script changed (V1–V3).
//!
//! They need the packages `bubblewrap` and `make`.

use std::fs;

use serde_json::json;
use support::webdriver::keys;
use support::{Desktop, Script, ScriptedModel, Turn, Window, binary};

use crate::pictures::both_sizes;
use crate::scene::{Foxes, Theme, ask, desktop, foxes, in_themes};

/// It passes where the file says so.
const MAKEFILE: &str = "test:\n\t@echo looked; grep -q good value.txt\n";

fn project() -> Foxes {
    let folder = foxes();
    fs::write(folder.path().join("Makefile"), MAKEFILE).unwrap();
    fs::write(folder.path().join("value.txt"), "good\n").unwrap();
    folder
}

fn holding(model: &ScriptedModel) -> Desktop {
    // It is looked for beside the program of the window.
    let _ = binary("orion-sandbox");
    desktop(model)
}

fn opens(t: Turn) -> Turn {
    let begin = json!({"intent": "As you asked.", "target_file": "value.txt", "operation": "overwrite"});
    t.call("write_plan_begin", begin).end("tool_calls")
}

/// A model that writes this, and says something.
fn writes(script: Script, value: &'static str, said: &'static str) -> Script {
    let script = script.turn(opens).turn(move |t| t.text(&format!("{value}\nDONE")).end("stop"));
    script.turn(move |t| t.text(said).end("stop"))
}

/// Accepts what the project proposes, in the settings, where its script is seen.
async fn accept_proposal(window: &Window) {
    window.click("checks-look").await;
    window.reads("check-proposed", "make test").await;
    let opens = "document.querySelector(\"[data-testid='check-proposed'] summary\").click()";
    window.script(opens, json!([])).await;
    window.reads("check-script", "grep -q good value.txt").await;
    window.mouse_away("check-accept").await;
}

// V1, V2, V3
#[tokio::test]
async fn a_check_is_proposed_accepted_and_run_and_what_the_turn_broke_is_repaired() {
    in_themes(Theme::Dark, async |theme, name| {
        let script = writes(Script::new(), "good too", "It is good.");
        let script = writes(script, "bad", "It is better.");
        let repairs = |t: Turn| {
            opens(t.expect(|ask| {
                let told = ask.last_text();
                assert!(told.contains("Check make-test: make test\nstatus: exit code "), "{told}");
            }))
        };
        let model = script.turn(repairs).turn(|t| t.text("good again\nDONE").end("stop")).start();
        let (desktop, folder) = (theme(holding(&model)), project());
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Improve it.").await;
        window.click("write-approve").await;
        window.reads("answer", "It is good.").await;
        window.reads("checks-offered", "propose a check").await;
        both_sizes(&window, "checks-offered", name).await;
        accept_proposal(&window).await;
        // It has run once, so it is known that it was not red before.
        window.reads("check", "Passed").await;
        both_sizes(&window, "checks-accepted", name).await;
        window.press(&[keys::ESCAPE]).await;

        ask(&window, "Improve it more.").await;
        window.click("write-approve").await;
        window.reads("checks-line", "Checks failed: make-test · 0 of 1").await;
        window.click("write-approve").await;
        window.reads("checks-line", "Checks passed · 1 of 1").await;
        window.reads("repair", "make-test failed · changed value.txt · now the checks pass").await;
        window.reads("state", "Answered").await;
        both_sizes(&window, "checks-repaired", name).await;
        assert_eq!(fs::read_to_string(folder.path().join("value.txt")).unwrap(), "good again\n");
        window.quit().await;
        model.finish();
    })
    .await;
}

// V1, A3
#[tokio::test]
async fn a_script_that_changed_is_seen_and_accepted_below_the_answer() {
    in_themes(Theme::Light, async |theme, name| {
        let script = writes(Script::new(), "good too", "It is good.");
        let model = writes(script, "good still", "It is good still.").start();
        let (desktop, folder) = (theme(holding(&model)), project());
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Improve it.").await;
        window.click("write-approve").await;
        accept_proposal(&window).await;
        window.reads("check", "Passed").await;
        window.press(&[keys::ESCAPE]).await;
        fs::write(folder.path().join("Makefile"), "test:\n\t@touch ran; exit 3\n").unwrap();

        ask(&window, "Once more.").await;
        window.click("write-approve").await;
        window.reads("checks-line", "Checks skipped: make-test").await;
        assert!(!folder.path().join("ran").exists());
        window.click("checks-scripts").await;
        window.reads("check-changed", "touch ran; exit 3").await;
        both_sizes(&window, "checks-changed", name).await;
        window.mouse_away("check-accept").await;
        window.gone("check-changed").await;
        // Accepting runs it once.
        let ran = folder.path().join("ran");
        window.until("the check to have run", async || Ok(ran.exists().then_some(()))).await;
        window.quit().await;
        model.finish();
    })
    .await;
}

// V1
#[tokio::test]
async fn where_no_sandbox_holds_them_checks_run_only_when_the_person_presses() {
    let script = writes(Script::new(), "good too", "It is good.");
    let model = writes(script, "good still", "It is good still.").start();
    let (desktop, folder) = (desktop(&model).alone(), project());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Improve it.").await;
    window.click("write-approve").await;
    accept_proposal(&window).await;
    window.reads("check", "No result yet").await;
    window.press(&[keys::ESCAPE]).await;
    ask(&window, "Once more.").await;
    window.click("write-approve").await;
    window.reads("checks-line", "Checks skipped: make-test").await;
    window.reads("checks-again", "Run checks").await;
    window.click("checks-again").await;
    // Not even the program is there that would run it, and the line says so.
    window.reads("checks-line", "Run again: Checks skipped: make-test · it could not be started").await;
    window.quit().await;
    model.finish();
}
