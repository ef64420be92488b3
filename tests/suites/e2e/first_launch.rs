//! From an empty home to the first answer.

use std::fs;
use std::path::Path;

use support::webdriver::keys;
use support::{Desktop, Script};

use crate::scene::{KEY, ask, foxes};

#[tokio::test]
async fn a_newcomer_connects_a_model_opens_a_folder_and_gets_an_answer() {
    let model = Script::new()
        .models(["fox-1", "fox-2"])
        .turn(|t| t.text("Seven foxes.").usage(40, 3).end("stop"))
        .start();
    let (desktop, folder) = (Desktop::start(), foxes());
    let window = desktop.open(None).await;

    window.see("welcome").await;
    // Who thinks better of it is where they were.
    window.click("open-folder").await;
    window.dismiss("Open a folder").await;
    window.click("open-folder").await;
    window.pick("Open a folder", &folder.path()).await;
    window.reads("project-item", "foxes").await;
    assert_eq!(window.texts("project-item").await.unwrap().len(), 1);

    window.click("elsewhere").await;
    window.fill("base-url", &model.base_url()).await;
    window.fill("api-key", KEY).await;
    window.click("test-connection").await;
    window.reads("model-list", "2 models").await;
    window.fill("model-name", "fox-1").await;
    window.click("save-endpoint").await;
    window.reads("connected", "Connected").await;
    window.press(&[keys::ESCAPE]).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "Seven foxes.").await;
    window.reads("state", "Answered").await;

    let request = model.request(1).await;
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.body["model"], "fox-1");
    assert_eq!(request.conversation().last(), Some(&("user", "How many foxes are there?")));
    window.quit().await;
    // The key was typed into the page, and is in no file that Orion or the webview wrote.
    assert_eq!(files_with(&desktop.data_dir().join(".."), KEY.as_bytes()), Vec::<String>::new());
    model.finish();
}

#[tokio::test]
async fn the_tour_plays_a_loop_a_write_a_rewind_and_a_request_on_real_turns_in_a_sample_folder() {
    let desktop = Desktop::start();
    let window = desktop.open(None).await;
    window.click("take-tour").await;
    window.reads("tour", "No model can go in circles").await;
    // It answers from what is really in the folder.
    window.reads("answer", "Broad bean").await;
    window.click("tour-next").await;
    window.reads("tour", "approves the first one").await;
    window.screenshot("tour").await;
    window.reads("tour", "One change is in the file").await;
    window.click("tour-next").await;
    window.reads("tour", "as they were before").await;
    window.see("rewind-undo").await;
    window.click("tour-next").await;
    window.gone("tour").await;
    window.press(&[keys::ESCAPE]).await;
    window.reads("tour", "Now with your files").await;
    window.quit().await;
}

/// The files below a folder that contain these bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(files_with(&path, bytes));
        } else if fs::read(&path).is_ok_and(|content| content.windows(bytes.len()).any(|part| part == bytes))
        {
            found.push(path.display().to_string());
        }
    }
    found
}
