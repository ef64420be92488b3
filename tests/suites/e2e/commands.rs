//! Commands in the window, run for real in the sandbox of this computer: asked about, shown while they run, stopped, and let out (A1, A4, C1, C3).

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::json;
use support::{Desktop, Script, ScriptedModel, Window, binary, with_argument};

use crate::pictures::both_sizes;
use crate::scene::{Theme, ask, desktop, foxes, in_themes};

/// A desktop with the program that holds commands.
fn holding(model: &ScriptedModel) -> Desktop {
    // It is looked for beside the program of the window.
    let _ = binary("orion-sandbox");
    desktop(model)
}

/// Presses a button that goes when it was pressed. A question moves when the bar below it gets a second row, and a press may miss it.
pub(crate) async fn press(window: &Window, part: &str) {
    window.takes_presses(part).await;
    let css = format!("[data-testid='{part}']");
    window
        .until(&format!("{part} to be pressed"), async || {
            let Some(button) = window.session.find_all(&css).await?.into_iter().next() else {
                return Ok(Some(()));
            };
            window.session.click(&button).await.map(|()| None)
        })
        .await;
}

fn runs(script: Script, line: &str) -> Script {
    let arguments = json!({ "command": line, "reason": "To see whether it builds" });
    script.turn(move |t| t.text("I run it.").call("run_command", arguments).end("tool_calls"))
}

fn hears(script: Script, told: &'static str, answer: &'static str) -> Script {
    script.turn(move |t| {
        t.expect(move |ask| assert!(ask.last_text().contains(told), "{}", ask.last_text()))
            .text(answer)
            .end("stop")
    })
}

#[tokio::test]
async fn a_command_is_asked_about_shows_its_output_while_it_runs_and_says_how_it_ended() {
    in_themes(Theme::Light, async |theme, name| {
        // It goes on once this test has seen its output, and leaves a file that runs later.
        let line =
            "echo building; until [ -e go ]; do sleep 0.05; done; echo built > .npmrc; echo built; exit 3";
        let script = hears(runs(Script::new(), line), "exit code 3", "It fails.");
        let model = hears(runs(script, "echo again"), "again", "It said so again.").start();
        let (desktop, folder) = (theme(holding(&model)), foxes());
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Does it build?").await;
        window.reads("command-line", line).await;
        window.reads("level", "Sandbox: full").await;
        window.reads("phase-bar", "Waiting for your approval").await;
        both_sizes(&window, "command-asked", name).await;
        press(&window, "approve").await;
        window.reads("live-output", "building").await;
        both_sizes(&window, "command-runs", name).await;
        fs::write(folder.path().join("go"), "").unwrap();
        window.reads("answer", "It fails.").await;
        window.reads("state", "Answered").await;
        // What failed stays in view.
        window.click("tool-box-toggle").await;
        window.reads("command-end", "Exit code 3").await;
        window.reads("held", "Sandbox: full").await;
        window.reads("run-later", ".npmrc").await;
        both_sizes(&window, "command-ran", name).await;
        // C2: what is new can be removed.
        let made = folder.path().join(".npmrc");
        assert_eq!(fs::read_to_string(&made).unwrap(), "built\n");
        press(&window, "remove-new").await;
        window.reads("run-later", "Removed").await;
        assert!(!made.exists());

        // C1: every command in the sandbox, for this session.
        ask(&window, "Again?").await;
        window.reads("command-line", "echo again").await;
        window.mouse_away("keep-session").await;
        window.reads("answer", "It said so again.").await;
        window.quit().await;
        model.finish();
    })
    .await;
}

// A1, C1
#[tokio::test]
async fn the_person_clicks_the_word_where_a_rule_ends_and_what_begins_so_runs_unasked() {
    in_themes(Theme::Light, async |theme, name| {
        let script = hears(runs(Script::new(), "echo again once"), "again once", "It said so.");
        let script = hears(runs(script, "cd . && echo again twice"), "again twice", "It said so again.");
        let model = runs(script, "echo other").start();
        let (desktop, folder) = (theme(holding(&model)), foxes());
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Does it say so?").await;
        window.reads("kept-rule", "echo again once …").await;
        // The question stands by then, so the click does not miss.
        window.takes_presses("keep-words-session").await;
        window.click("word-0-1").await;
        window.reads("kept-rule", "echo again …").await;
        both_sizes(&window, "command-words", name).await;
        window.mouse_away("keep-words-session").await;
        window.reads("answer", "It said so.").await;
        ask(&window, "Again?").await;
        window.reads("answer", "It said so again.").await;
        // What begins otherwise is asked about.
        ask(&window, "And otherwise?").await;
        window.reads("command-line", "echo other").await;
        window.quit().await;
        model.finish();
    })
    .await;
}

#[tokio::test]
async fn a_command_is_stopped_and_nothing_of_it_is_left() {
    // A number that no process of another test has.
    let left = format!("6543.{}", std::process::id());
    let line = format!("echo ready; (setsid sleep {left} &); sleep {left}");
    let model = runs(Script::new(), &line).start();
    let (desktop, folder) = (holding(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Does it build?").await;
    press(&window, "approve").await;
    window.reads("live-output", "ready").await;
    press(&window, "command-stop").await;
    window.reads("state", "Stopped").await;
    // C6
    window.click("tool-box-toggle").await;
    window.reads("command-end", "Stopped").await;
    // C5
    let (since, mut tick) = (Instant::now(), tokio::time::interval(Duration::from_millis(20)));
    while !with_argument(&left).is_empty() {
        assert!(since.elapsed() < Duration::from_secs(3), "{:?} are left", with_argument(&left));
        tick.tick().await;
    }
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn without_a_sandbox_the_question_says_so_and_each_command_asks() {
    in_themes(Theme::Dark, async |theme, name| {
        let script = hears(runs(Script::new(), "echo unheld"), "without a sandbox", "It ran.");
        let model = hears(runs(script, "echo unheld too"), "not allow", "Then not.").start();
        let (desktop, folder) = (theme(holding(&model)), foxes());
        // A repository elsewhere is not held (C2).
        symlink(desktop.data_dir(), folder.path().join(".git")).unwrap();
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Does it build?").await;
        window.reads("level", "No sandbox").await;
        window.reads("gaps", "Nothing holds this command").await;
        both_sizes(&window, "command-none", name).await;
        press(&window, "approve").await;
        window.reads("answer", "It ran.").await;
        ask(&window, "And now?").await;
        window.reads("command-line", "echo unheld too").await;
        press(&window, "refuse").await;
        window.reads("answer", "Then not.").await;
        window.quit().await;
        model.finish();
    })
    .await;
}

#[tokio::test]
async fn a_person_has_one_command_run_outside_the_sandbox() {
    let model =
        hears(runs(Script::new(), "git init -q . && git add ."), "outside the sandbox", "Added.").start();
    let (desktop, folder) = (holding(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Add everything.").await;
    window.reads("level", "Sandbox: full").await;
    window.mouse_away("allow-outside").await;
    window.reads("answer", "Added.").await;
    window.reads("state", "Answered").await;
    assert!(folder.path().join(".git/index").exists());
    window.click("fold").await;
    window.click("tool-box-toggle").await;
    window.reads("held", "Outside the sandbox").await;
    window.screenshot("command-outside").await;
    window.quit().await;
    model.finish();
}
