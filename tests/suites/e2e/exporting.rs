//! A session leaves one window as a file and comes into another, through the system's dialogs.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use support::{Desktop, Folder, Script, Window};

use crate::scene::{ask, desktop, foxes, invoke};

/// Chooses what the menu of the session says.
async fn choose(window: &Window, action: &str) {
    let open = "document.querySelector('[data-testid=session-item] .item-menu').focus()";
    window.script(open, json!([])).await;
    window.press(&[support::webdriver::keys::ENTER]).await;
    let pick = "const item = [...document.querySelectorAll('[role=menuitem]')].find((it) => it.textContent.startsWith(arguments[0]));
        item?.click(); return item !== undefined";
    window
        .until(&format!("{action} to be there"), async || {
            let found = window.session.execute(pick, json!([action])).await?;
            Ok((found == json!(true)).then_some(()))
        })
        .await;
}

// T5, T8
#[tokio::test]
async fn a_session_is_saved_in_one_window_and_read_and_replayed_in_another() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "README.md"})).end("tool_calls"))
        .turn(|t| t.text("It counts **foxes**.").end("stop"))
        .start();
    let (here, folder, files) = (desktop(&model), foxes(), Folder::empty());
    let window = here.open(Some(&folder.path())).await;
    ask(&window, "What is it?").await;
    window.reads("answer", "It counts foxes.").await;
    choose(&window, "Export").await;
    window.click("export-save").await;
    // The end of the name is there already.
    window.pick("Export", &files.path().join("talk")).await;
    window.reads("exported", "Saved as").await;
    let file = fs::read_dir(files.path()).unwrap().next().unwrap().unwrap().path();
    window.screenshot("exported").await;
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The page cannot name a file itself.
    let op = json!({"op": {"type": "import", "path": file}});
    assert_eq!(invoke(&window, "submit", op).await["rejected"]["code"], "usage");
    window.quit().await;
    model.finish();

    let (there, other) = (Desktop::start(), foxes());
    let window = there.open(Some(&other.path())).await;
    window.click("open-export").await;
    window.pick("Open an exported session", &file).await;
    window.reads("answer", "It counts foxes.").await;
    window.reads("read-only", "Opened from a file.").await;
    window.click("side-panel").await;
    window.see("replay").await;
    let replay = "document.querySelector('[data-testid=replay] button').click()";
    window.script(replay, json!([])).await;
    window.reads("replay", "are the same as when the turn ran.").await;
    let problems = window
        .script("return document.querySelector('[aria-label=Problems]')?.innerText ?? ''", json!([]))
        .await;
    assert_eq!(problems, "", "a project without a folder has none");
    window.screenshot("imported").await;
    window.quit().await;
}
