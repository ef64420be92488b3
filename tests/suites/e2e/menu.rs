//! What a desktop starts the window with: the actions of its menu, and no display.

use std::process::Command;

use support::{Desktop, Script};

use crate::scene::{ask, desktop, foxes};

fn start(desktop: &Desktop, action: &str) {
    let started = desktop.command("orion-desktop").arg(action).output().unwrap();
    assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
}

#[tokio::test]
async fn the_desktops_menu_opens_a_folder_and_begins_a_chat_in_the_one_window() {
    let model = Script::new().turn(|t| t.text("Seven foxes.").end("stop")).start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open_with(&["--open-folder".to_owned()]).await;
    window.pick("Open a folder", &folder.path()).await;
    window.reads("project-item", "foxes").await;
    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "Seven foxes.").await;
    window.reads("state", "Answered").await;

    start(&desktop, "--new-chat");
    window.gone("answer").await;
    start(&desktop, "--open-folder");
    window.dismiss("Open a folder").await;
    assert_eq!(window.texts("project-item").await.unwrap().len(), 1);
    window.quit().await;
    model.finish();
}

#[test]
fn without_a_display_one_sentence_names_the_way_that_needs_none() {
    let desktop = Desktop::start();
    let ended = |command: &mut Command| {
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let said = "Error: there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY lead to none): start orion-desktop in a desktop \
                session, or use `orion chat` here\n";
    let mut none = desktop.command("orion-desktop");
    assert_eq!(ended(none.env_remove("DISPLAY")), (Some(1), said.to_owned()));
    let mut gone = desktop.command("orion-desktop");
    assert_eq!(ended(gone.env("DISPLAY", ":7654")), (Some(1), said.to_owned()));
    // Who only asks for help needs none.
    let mut help = desktop.command("orion-desktop");
    assert_eq!(ended(help.arg("--help").env_remove("DISPLAY")), (Some(0), String::new()));
}
