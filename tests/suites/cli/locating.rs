//! A project's folder that was moved: its sessions go on where it is now.

use serde_json::{Value, json};
use support::{Folder, Script};

use super::{Desk, json as parsed, ran};

fn titles_in(desk: &Desk, folder: &str) -> Vec<Value> {
    let listed = parsed(&ran(&mut desk.orion(&["sessions", "--json", "--project", folder])).stdout);
    listed.as_array().unwrap().iter().map(|session| session["title"].clone()).collect()
}

#[test]
fn the_sessions_of_a_folder_that_was_moved_go_on_where_it_is_now() {
    let model = Script::new().turn(|t| t.text("Seven.").end("stop")).start();
    let (desk, room) = (Desk::new(), Folder::with([("old/notes.txt", "foxes\n"), ("other/a.txt", "a\n")]));
    let at = |name: &str| room.path().join(name).to_str().unwrap().to_owned();
    let (old, new, other) = (at("old"), at("new"), at("other"));
    assert_eq!(ran(&mut desk.run(&model, &["--project", &old, "How many foxes?"])).code, Some(0));
    std::fs::rename(&old, &new).unwrap();
    assert_eq!(titles_in(&desk, &new), [] as [Value; 0]);

    let unknown = ran(&mut desk.orion(&["sessions", "locate", &other, &new]));
    let said = format!("orion: No session was made in {other}.\n{old} is missing.\n");
    assert_eq!((unknown.code, unknown.stderr), (Some(1), said));

    let located = ran(&mut desk.orion(&["sessions", "locate", &old, &new]));
    let said = format!("Its sessions go on in {new}.\n");
    assert_eq!((located.code, located.stderr), (Some(0), said));
    assert_eq!(titles_in(&desk, &new), [json!("How many foxes?")]);

    // Back again, from where it is: the folder of the command is the new one where none is named.
    std::fs::rename(&new, &old).unwrap();
    let back = ran(desk.orion(&["sessions", "locate", &new, "--json"]).current_dir(&old));
    assert_eq!((back.code, &parsed(&back.stdout)["path"]), (Some(0), &json!(old)), "{}", back.stderr);
    model.finish();
}
