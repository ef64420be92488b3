//! Several processes on one data folder: the command line beside the window, and a second start of the window (A5).

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Desktop, Folder, Script};

use crate::scene::{Foxes, desktop, foxes};

/// How long it may take until the window shows what another process has done: it looks once a second, and a busy machine is slow to show it.
const SEEN_WITHIN: Duration = Duration::from_secs(10);

/// The texts of the page's title bar and of its sidebar.
const SHOWN: &str = "return [document.querySelector('header')?.textContent ?? '',
    [...document.querySelectorAll(\"[data-testid='project-item']\")].map((item) => item.textContent)]";

fn ran(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The command line, in the folder that the window shows.
fn orion(desktop: &Desktop, folder: &Foxes, arguments: &[&str]) -> Output {
    ran(desktop.command("orion").current_dir(folder.path()).args(arguments))
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn what_the_command_line_does_is_soon_seen_in_the_window() {
    let model = Script::new()
        .turn(|t| t.text("Seven foxes.").end("stop"))
        .turn(|t| t.text("Still seven.").end("stop"))
        .turn(|t| t.text("Nine hares.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    let orion = |arguments: &[&str]| orion(&desktop, &folder, arguments);

    let first = report(&orion(&["run", "--json", "How many foxes are there?"]));
    let session = first["sessionId"].as_str().unwrap();
    let ended = Instant::now();
    window.reads("session-item", "How many foxes are there?").await;
    assert!(ended.elapsed() < SEEN_WITHIN, "{:?}", ended.elapsed());

    // A further turn of a session that the window shows.
    window.click("session-item").await;
    window.reads("answer", "Seven foxes.").await;
    let second = report(&orion(&["run", "--json", "--session", session, "And now?"]));
    let ended = Instant::now();
    window.reads("answer", "Still seven.").await;
    assert!(ended.elapsed() < SEEN_WITHIN, "{:?}", ended.elapsed());

    // A10: it goes back to the message before.
    orion(&["rewind", second["requestId"].as_str().unwrap(), "--conversation"]);
    let answers = "return [...document.querySelectorAll(\"[data-testid='answer']\")].map((answer) => answer.textContent.trim())";
    window
        .until("the turn to have left the chat", async || {
            let shown = window.session.execute(answers, json!([])).await?;
            Ok((shown == json!(["Seven foxes."])).then_some(()))
        })
        .await;

    // A session that is deleted is left, and another one stays.
    orion(&["run", "How many hares?"]);
    window.reads("session-item", "How many hares?").await;
    orion(&["sessions", "delete", session]);
    window.gone("answer").await;
    let items = window.script(
        "return [...document.querySelectorAll(\"[data-testid='session-item']\")].map((item) => item.textContent.trim())",
        json!([]),
    );
    assert_eq!(items.await.as_array().unwrap().len(), 1);
    window.quit().await;
    model.finish();
}

// W7, A10
#[tokio::test]
async fn what_the_command_line_undoes_and_brings_again_is_soon_seen_in_the_window() {
    let begin = json!({"intent": "As asked.", "target_file": "docs/colours.md", "operation": "overwrite"});
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("Silver.\nDONE").end("stop"))
        .turn(|t| t.text("It is silver now.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    let orion = |arguments: &[&str]| orion(&desktop, &folder, arguments);
    let wrote = orion(&["run", "--json", "--approve-writes", "Only silver."]);
    let report = report(&wrote);
    let request = report["requestId"].as_str().unwrap();
    window.click("session-item").await;
    window.see("undo").await;

    orion(&["rewind", request, "--files"]);
    window.gone("undo").await;
    window.reads("write-box", "undone").await;
    window.screenshot("write-undone-elsewhere").await;
    orion(&["rewind", request, "--undo"]);
    window.see("undo").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_second_start_shows_the_first_window_with_the_folder_that_it_names() {
    let model = Script::new().start();
    let (desktop, folder) = (desktop(&model), foxes());
    let hares = Folder::with([("hares/README.md", "# Hares\n")]);
    let window = desktop.open(Some(&folder.path())).await;
    window.reads("project-item", "foxes").await;

    let mut second = desktop.command("orion-desktop");
    ran(second.arg("--project").arg(hares.path().join("hares")));
    window.reads("project-item", "hares").await;
    let title = window.until("the title to name the folder", async || {
        let shown = window.session.execute(SHOWN, json!([])).await?;
        Ok(shown[0].as_str().filter(|title| title.contains("hares")).map(str::to_owned))
    });
    title.await;

    // A folder that is not there is told in the window.
    ran(desktop.command("orion-desktop").arg("--project").arg(hares.path().join("gone")));
    window.reads("error-card", "gone").await;
    assert!(
        fs::read_dir(desktop.data_dir().join("running")).unwrap().count() == 1,
        "one process has the data open"
    );
    window.quit().await;
    model.finish();
}
