//! Large files that git tracks and a command changed: undone to the byte where they were clean, named where not, and nothing that a repository configures
//! runs outside of a box for it (C6, W7).
//!
//! They need `git`, the package `bubblewrap` and the program `orion-sandbox` beside `orion`, and fail where one is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use support::{Script, binary};

use super::{Desk, json as parsed, ran};

/// Bytes of each file at least: more than is copied before a command.
const SIZE: usize = 3 << 20;

/// Removes one and writes others.
const LINE: &str = "rm removed.bin; printf x >> clean.bin; printf x >> dirty.bin; printf x >> untracked.bin; \
                    printf Z | dd of=inside.bin seek=2000000 bs=1 conv=notrunc status=none";

const FILES: [&str; 5] = ["clean.bin", "dirty.bin", "inside.bin", "removed.bin", "untracked.bin"];

fn content(name: &str) -> Vec<u8> {
    let lines = (0..SIZE / 10).map(|number| format!("{name} {number}\n"));
    lines.collect::<String>().into_bytes()
}

fn git(desk: &Desk, arguments: &[&str]) {
    let folder = desk.project.path();
    let mut git = Command::new("git");
    git.args(arguments)
        .current_dir(&folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let ran = git.env("GIT_CEILING_DIRECTORIES", &folder).output().expect("git is installed");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn at(desk: &Desk, name: &str) -> PathBuf {
    desk.project.path().join(name)
}

/// A repository with large files: tracked ones, one that changed since, and one that git does not know.
fn repository() -> Desk {
    let _ = binary("orion-sandbox");
    let desk = Desk::new();
    for name in FILES {
        fs::write(at(&desk, name), content(name)).unwrap();
    }
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "--", "clean.bin", "dirty.bin", "inside.bin", "removed.bin"]);
    fs::write(at(&desk, "dirty.bin"), content("other")).unwrap();
    desk
}

/// A turn in which the command runs, its id, that of its session, and what is told of each changed file.
fn changed(desk: &Desk) -> (String, String, Value) {
    let model = Script::new()
        .turn(|t| t.call("run_command", json!({"command": LINE})).end("tool_calls"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["--allow-commands", "--events", "Build."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    let events: Vec<Value> = told.stdout.lines().map(parsed).collect();
    let result = events.iter().find(|it| it["event"]["type"] == "tool_result").unwrap();
    let changed = result["event"]["command"]["changed"].clone();
    let id = |name: &str| events[0][name].as_str().unwrap().to_owned();
    (id("requestId"), id("sessionId"), changed)
}

fn is(desk: &Desk, name: &str, expected: &[u8]) -> bool {
    fs::read(at(desk, name)).is_ok_and(|found| found == expected)
}

// C6, W7
#[test]
fn large_files_that_git_has_are_undone_to_the_byte_and_the_others_are_named() {
    let desk = repository();
    let (request, session, changed) = changed(&desk);
    let kept: Vec<Value> =
        changed.as_array().unwrap().iter().map(|it| json!([it["path"], it["kept"]])).collect();
    let too_large = "it is or was larger than 1 MiB";
    let expected = json!([
        ["clean.bin", null],
        ["dirty.bin", too_large],
        ["inside.bin", null],
        ["removed.bin", null],
        ["untracked.bin", too_large],
    ]);
    assert_eq!(json!(kept), expected);
    let difference = desk.orion(&["diff", &session]).output().unwrap();
    let difference = String::from_utf8_lossy(&difference.stdout).into_owned();
    for name in ["clean.bin", "inside.bin"] {
        assert!(difference.contains(&format!("+++ b/{name}")), "{name}");
    }
    assert!(difference.contains("--- a/removed.bin\n+++ /dev/null"));

    let told = ran(&mut desk.orion(&["undo", &request]));
    assert_eq!(told.code, Some(1), "some cannot be undone: {}", told.stderr);
    for name in ["clean.bin", "inside.bin", "removed.bin"] {
        assert!(told.stderr.contains(&format!("undid {name}\n")), "{name}: {}", told.stderr);
        assert!(is(&desk, name, &content(name)), "{name} is as it was");
    }
    for (name, before) in [("dirty.bin", "other"), ("untracked.bin", "untracked.bin")] {
        let named = format!("What a command changed of {name} cannot be undone: {too_large}.");
        assert!(told.stderr.contains(&named), "{}", told.stderr);
        assert!(is(&desk, name, &[&content(before)[..], b"x"].concat()), "{name} stays");
    }
}

/// A program that leaves a mark where no box can write.
fn planted(desk: &Desk, mark: &Path) -> String {
    let program = at(desk, "planted.sh");
    fs::write(&program, format!("#!/bin/sh\necho ran >> '{}'\ncat\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}

// C2, C6
#[test]
fn nothing_that_a_repository_configures_runs_outside_of_a_box() {
    let desk = repository();
    let mark = desk.home.path().join("mark");
    let planted = planted(&desk, &mark);
    for name in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.hooksPath",
        "core.gitProxy",
        "core.askPass",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "credential.helper",
        "uploadpack.packObjectsHook",
    ] {
        git(&desk, &["config", name, &planted]);
    }
    for (name, value) in [
        ("alias.cat-file", format!("!{planted}")),
        ("alias.ls-files", format!("!{planted}")),
        ("remote.origin.url", "ssh://nobody@127.0.0.1/x".to_owned()),
        ("remote.origin.promisor", "true".to_owned()),
        ("remote.origin.partialclonefilter", "blob:none".to_owned()),
        ("extensions.partialclone", "origin".to_owned()),
    ] {
        git(&desk, &["config", name, &value]);
    }
    // One content is not there, so that git would fetch it.
    let objects = at(&desk, ".git/objects");
    let largest =
        fs::read_dir(&objects).unwrap().flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    fs::remove_file(largest.map(|file| file.unwrap().path()).min().unwrap()).unwrap();
    fs::write(at(&desk, ".git/info/attributes"), "*.bin diff=x\n").unwrap();
    let (request, session, changed) = changed(&desk);
    let unkept = changed.as_array().unwrap().iter().filter(|it| it["kept"].is_null()).count();
    assert!((2..=3).contains(&unkept), "git was asked: {changed}");
    desk.orion(&["diff", &session]).output().unwrap();
    let told = ran(&mut desk.orion(&["undo", &request]));
    assert!(told.stderr.contains("undid "), "{}", told.stderr);
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap_or_default());
    // The mark is made where git itself runs here.
    let status = Command::new("git").args(["status"]).current_dir(desk.project.path()).output().unwrap();
    assert!(mark.exists(), "{status:?}");
}
