//! A file as a person sees it written: it grows, is looked at, changed, approved, and undone (W2, W6, W7).

use std::fs;

use serde_json::{Value, json};
use support::webdriver::keys;
use support::{Gate, Script, Window};

use crate::scene::{ask, desktop, foxes};

/// Leaves the composer, so that single keys belong to the difference.
async fn look_at_difference(window: &Window) {
    let focus = "document.querySelector(\"[data-testid='diff-pane']\").focus()";
    window.script(focus, json!([])).await;
}

/// How many changes are shown.
async fn changes(window: &Window, count: usize) {
    let css = "return document.querySelectorAll(\"[data-testid='hunk']\").length";
    window
        .until(&format!("{count} changes to be shown"), async || {
            let found = window.session.execute(css, json!([])).await?;
            Ok((found == json!(count)).then_some(()))
        })
        .await;
}

fn begin(path: &str) -> Value {
    json!({"intent": "Name the colours.", "target_file": path, "operation": "overwrite"})
}

#[tokio::test]
async fn a_file_grows_is_changed_by_hand_approved_in_part_and_undone() {
    let old: String = (1..=40).map(|number| format!("fox {number}\n")).collect();
    let new = old.replace("fox 3\n", "fox three\n").replace("fox 37\n", "fox thirty-seven\n");
    let half = new.find("fox 20").unwrap();
    let (first, second) = (new[..half].to_owned(), new[half..].to_owned());
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("I rewrite the list.").call("write_plan_begin", begin("list.txt")).end("tool_calls"))
        .turn(|t| t.text(&first).hold(&gate).text(&second).text("DONE\n").end("stop"))
        .turn(|t| {
            t.expect(|ask| {
                assert!(ask.last_text().contains("The user rejected hunks 1"), "{}", ask.last_text())
            })
            .text("The list is as you wanted it.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let file = folder.path().join("list.txt");
    fs::write(&file, &old).unwrap();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Write the numbers as words.").await;

    // W2: it grows, and nothing of it is in the chat.
    gate.reached().await;
    window.reads("phase-bar", "Writing list.txt").await;
    window.reads("live", "fox 18").await;
    assert_eq!(window.texts("answer").await.unwrap().concat().trim_end(), "I rewrite the list.");
    window.screenshot("write-streaming").await;
    gate.open();

    // W6: the preview opens by itself.
    changes(&window, 2).await;
    window.reads("phase-bar", "Waiting for your approval").await;
    window.reads("row", "fox thirty-seven").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), old, "nothing is written before it is approved");
    window.screenshot("write-preview").await;

    // A line is edited …
    window.click("edit").await;
    window.see("editor").await;
    let edit = "const e = document.querySelector(\"[data-testid='editor']\");
        e.value = e.value.replace('fox thirty-seven', 'fox 37, the red one');
        e.dispatchEvent(new Event('input', { bubbles: true }));";
    window.script(edit, json!([])).await;
    window.click("use-text").await;
    window.reads("row", "fox 37, the red one").await;
    changes(&window, 2).await;

    // … one change is rejected, and the rest is approved by the keyboard.
    look_at_difference(&window).await;
    window.press(&['x']).await;
    window.reads("where", "1 change rejected").await;
    window.screenshot("write-rejected").await;
    window.takes_presses("write-approve").await;
    window.press(&[keys::CONTROL, keys::ENTER]).await;
    window.reads("answer", "The list is as you wanted it.").await;
    window.reads("state", "Answered").await;
    // W8
    assert_eq!(fs::read_to_string(&file).unwrap(), old.replace("fox 37\n", "fox 37, the red one\n"));

    // W7
    window.click("undo").await;
    window
        .until("the old file to be back", async || {
            Ok((fs::read_to_string(&file).unwrap() == old).then_some(()))
        })
        .await;
    window.screenshot("write-undone").await;
    window.quit().await;
    model.finish();
}

// W7: the window is closed while it waits, and opened again.
#[tokio::test]
async fn a_preview_is_there_again_after_a_crash() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("docs/colours.md")).end("tool_calls"))
        .turn(|t| t.text("Red, grey, arctic and silver.\nDONE").end("stop"))
        .turn(|t| t.text("Silver is in.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let file = folder.path().join("docs/colours.md");
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Add silver.").await;
    changes(&window, 1).await;
    window.kill().await;

    let window = desktop.open(None).await;
    // The session that was open is open again.
    changes(&window, 1).await;
    window.reads("phase-bar", "Waiting for your approval").await;
    window.click("write-approve").await;
    window.reads("answer", "Silver is in.").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "Red, grey, arctic and silver.\n");
    window.quit().await;
    model.finish();
}
