//! `kill -9` in the middle of undoing what a command changed, with strace between the program and the kernel: each file is whole, and the undo can be done
//! again (W7, C6).

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;
use support::{Script, binary};

use super::writes_killed::traced;
use super::{Desk, json as parsed, ran};

/// Files of each kind: more than are killed at.
const EACH: usize = 4;

const LINE: &str =
    "for n in 0 1 2 3; do echo new > changed$n.txt; rm removed$n.txt; echo new > made$n.txt; done";

type Files = BTreeMap<String, Vec<u8>>;

fn files(desk: &Desk) -> Files {
    let names = fs::read_dir(desk.project.path()).unwrap().map(|entry| entry.unwrap());
    let names = names.filter(|entry| entry.file_type().unwrap().is_file());
    names.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

// W7
#[test]
fn an_undo_that_is_killed_leaves_each_file_whole_and_can_be_done_again() {
    let _ = binary("orion-sandbox");
    let desk = Desk::new();
    for number in 0..EACH {
        for name in ["changed", "removed"] {
            desk.project.write(format!("{name}{number}.txt"), format!("old {name} {number}\n"));
        }
    }
    let old = files(&desk);
    let model = Script::new()
        .turn(|t| t.call("run_command", json!({"command": LINE})).end("tool_calls"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["--allow-commands", "--events", "Build."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    let request = parsed(told.stdout.lines().next().unwrap())["requestId"].as_str().unwrap().to_owned();
    let new = files(&desk);
    assert_eq!((old.len(), new.len()), (2 * EACH + 1, 2 * EACH + 1));

    let mut undone = Vec::new();
    for at in [
        "renameat2:signal=KILL:when=1",
        "unlinkat:signal=KILL:when=1",
        "renameat2:signal=KILL:when=2",
        "unlinkat:signal=KILL:when=2",
        "renameat2:signal=KILL:when=3",
    ] {
        let killed = ran(&mut traced(&desk.orion(&["undo", &request]), at));
        assert_eq!(killed.code, None, "{at} killed it: {}", killed.stderr);
        let now = files(&desk);
        // A file in the making is beside them until the next start.
        for (name, content) in now.iter().filter(|(name, _)| !name.starts_with(".orion-")) {
            assert!([old.get(name), new.get(name)].contains(&Some(content)), "{at} {name}: {content:?}");
        }
        for name in old.keys().filter(|name| new.contains_key(*name)) {
            assert!(now.contains_key(name), "{at} {name} is gone");
        }
        undone.push(old.iter().filter(|(name, content)| now.get(*name) == Some(content)).count());
    }
    assert!(undone.is_sorted() && undone.last() > undone.first(), "each goes on with the others: {undone:?}");
    let told = ran(&mut desk.orion(&["undo", &request]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(files(&desk), old, "nothing is left beside them, too");
}
