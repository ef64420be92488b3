//! What the window keeps from one start to the next, and what a person expects of every window: its menu, its search, and a clipboard
//! that other programs have too.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use support::webdriver::keys;
use support::{Script, Window};

use crate::pictures::picture;
use crate::scene::{ask, desktop, foxes};

/// Waits until the page has this many CSS pixels in its width.
async fn wide(window: &Window, pixels: u64) {
    window
        .until(&format!("a page {pixels} wide"), async || {
            let width = window.session.execute("return innerWidth", json!([])).await?;
            Ok((width == pixels).then_some(()))
        })
        .await;
}

#[tokio::test]
async fn its_size_its_place_and_its_zoom_are_those_of_last_time() {
    let model = Script::new().start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    window.resize(1000, 700).await;
    desktop.move_to("Orion", (120, 90));
    // 110 %, then 125 %.
    window.press(&[keys::CONTROL, '+']).await;
    wide(&window, 909).await;
    window.press(&[keys::CONTROL, '+']).await;
    wide(&window, 800).await;
    picture(&window, "zoomed").await;
    window.quit().await;
    let mode = fs::metadata(desktop.data_dir().join("window.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    wide(&window, 800).await;
    assert_eq!(desktop.place("Orion"), (120, 90));
    window.press(&[keys::CONTROL, '-']).await;
    wide(&window, 909).await;
    window.press(&[keys::CONTROL, '0']).await;
    wide(&window, 1000).await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_right_click_brings_its_own_menu_a_copy_reaches_other_programs_and_a_word_is_found() {
    const ANSWER: &str = "**Seven** foxes, of which `three` are red.";
    let model = Script::new().turn(|t| t.text(ANSWER).end("stop")).start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes?").await;
    window.reads("state", "Answered").await;
    let windows = desktop.titles();

    let answer = window.see("answer").await;
    window.session.right_click(&answer).await.unwrap();
    window.reads("context-menu", "Look up in the trace").await;
    // The menu of the web view would be a window of its own.
    assert_eq!(desktop.titles(), windows);
    picture(&window, "context-menu").await;
    window.press(&[keys::ESCAPE]).await;
    window.gone("context-menu").await;
    window.click("copy-answer").await;
    window.click("composer").await;
    desktop.paste("Orion");
    let written = || async {
        let value = "return document.querySelector(\"[data-testid='composer']\").value";
        Ok((window.session.execute(value, json!([])).await? == ANSWER).then_some(()))
    };
    window.until("the answer to be pasted as Markdown", written).await;

    window.press(&[keys::CONTROL, 'f']).await;
    window.fill("find-text", "foxes").await;
    window.reads("find-place", "1 of 2").await;
    picture(&window, "found").await;
    window.quit().await;
    model.finish();
}
