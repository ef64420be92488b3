//! Files from elsewhere that are pasted, dropped and picked, as the system gives them to the window (0056), and folders that are dropped.

use std::fs;

use serde_json::json;
use support::{Desktop, Folder, Script};

use crate::pictures::picture;
use crate::scene::{ask, desktop, foxes};

const PICTURE: &[u8] = include_bytes!("../../../src-tauri/icons/32x32.png");

/// Keeps whether the page shows that what is dragged over it can be dropped.
const WATCH_CUE: &str = "
    window.cue_ = false;
    const look = () => (window.cue_ ||= document.querySelector('[data-testid=drop-cue]') !== null);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });";

/// A desktop whose model takes images.
fn seeing(model: &support::ScriptedModel) -> Desktop {
    let desktop = desktop(model);
    let file = desktop.config_dir().join("config.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{settings}takes_images = true\n")).unwrap();
    desktop
}

#[tokio::test]
async fn what_is_pasted_dropped_and_picked_goes_to_the_model() {
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let said = ask.body.to_string();
                for part in ["data:image/png;base64,", "Dropped foxes.", "Copied foxes.", "Picked foxes."] {
                    assert!(said.contains(part), "{part} is not in {said}");
                }
            })
            .text("Four foxes.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (seeing(&model), foxes());
    let elsewhere = Folder::with([
        ("dropped.txt", "Dropped foxes.\n"),
        ("copied.txt", "Copied foxes.\n"),
        ("picked.txt", "Picked foxes.\n"),
    ]);
    let window = desktop.open(Some(&folder.path())).await;

    desktop.copy_image(PICTURE);
    window.click("composer").await;
    desktop.paste("Orion");
    window.reads("attachments", "image.png").await;
    window.script(WATCH_CUE, json!([])).await;
    assert!(desktop.drop_files("Orion", &[elsewhere.path().join("dropped.txt")]).await);
    window.reads("attachments", "dropped.txt").await;
    assert_eq!(window.script("return window.cue_", json!([])).await, true);
    window.gone("drop-cue").await;
    desktop.copy_files(&[elsewhere.path().join("copied.txt")]);
    desktop.paste("Orion");
    window.reads("attachments", "copied.txt").await;
    // Not its path as well.
    assert_eq!(
        window.script("return document.querySelector(\"[data-testid='composer']\").value", json!([])).await,
        ""
    );
    window.choose("add-files", &elsewhere.path().join("picked.txt")).await;
    window.reads("attachments", "picked.txt").await;
    picture(&window, "added-files").await;

    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "Four foxes.").await;
    picture(&window, "added-files-sent").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_folder_that_is_dropped_opens_before_and_beside_another_one() {
    let model = Script::new().start();
    let desktop = desktop(&model);
    let (first, second) = (foxes(), Folder::with([("badgers/README.md", "# Badgers\n")]));
    let window = desktop.open(None).await;
    window.see("open-folder").await;
    assert!(desktop.drop_files("Orion", &[first.path()]).await);
    window.reads("project-item", "foxes").await;
    window.see("composer").await;
    assert!(desktop.drop_files("Orion", &[second.path().join("badgers")]).await);
    window.reads("project-item", "badgers").await;
    assert_eq!(window.texts("project-item").await.unwrap().len(), 2);
    // Its files are those of the folder that was dropped.
    window.write("composer", "@READ").await;
    window.reads("at-list", "README.md").await;
    window.quit().await;
    model.finish();
}
