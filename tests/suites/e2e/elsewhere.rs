//! What a person opens in other programs, and files that they look at in the window.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Folder, Script, Window};

use crate::scene::{ask, desktop, foxes, invoke};

/// A program that writes down what it was asked to open, a line each.
fn noting(folder: &Path, name: &str) -> PathBuf {
    let (program, notes) = (folder.join(name), folder.join(format!("{name}.txt")));
    fs::write(&program, format!("#!/bin/sh\necho \"$*\" >> '{}'\n", notes.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&notes, "").unwrap();
    notes
}

/// Waits until the program was asked for as much.
async fn noted(window: &Window, notes: &Path, expected: &[&str]) {
    let look = async || {
        let text = fs::read_to_string(notes).unwrap();
        Ok((text.lines().count() >= expected.len()).then_some(text))
    };
    let text = window.until("what another program was asked to open", look).await;
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_person_opens_links_and_files_and_the_page_alone_opens_nothing() {
    let programs = Folder::empty();
    let browser = noting(&programs.path(), "xdg-open");
    let editor = noting(&programs.path(), "fox-edit");
    let model = Script::new()
        .turn(|t| t.text("It is in `src/lib.rs:2`, as [the book](https://doc.rust-lang.org/book/) says, not in `src/none.rs`.").end("stop"))
        .start();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap_or_default());
    let desktop = desktop(&model)
        .with("PATH", &path)
        .with("VISUAL", &format!("{} {{file}} at {{line}}", programs.path().join("fox-edit").display()));
    let folder = foxes();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Where is it?").await;
    window.reads("answer", "It is in").await;

    // A click that the page made, and an address that a page asks for by itself.
    window.script("document.querySelector('[data-testid=link]').click(); return null", json!([])).await;
    window.press_anywhere().await;
    let file = invoke(&window, "submit", open("file:///etc/passwd")).await;
    let message = file["rejected"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("Orion opens addresses of http, https and mailto only"), "{file}");
    window.mouse("link").await;
    noted(&window, &browser, &["https://doc.rust-lang.org/book/"]).await;

    window.click("path").await;
    window.reads("viewed-lines", "pub fn count() -> u32 {").await;
    window.screenshot("viewer").await;
    window.mouse("edit-file").await;
    let lib = folder.path().join("src/lib.rs");
    noted(&window, &editor, &[&format!("{} at 2", lib.display())]).await;
    // Without a file manager on the bus, the folder opens.
    window.mouse("reveal").await;
    let src = fs::canonicalize(folder.path().join("src")).unwrap();
    noted(&window, &browser, &["https://doc.rust-lang.org/book/", &src.display().to_string()]).await;
    window.quit().await;
    model.finish();
}

fn open(address: &str) -> Value {
    json!({ "op": { "type": "open_external", "what": { "type": "link", "address": address } } })
}
