//! `orion check`: what a project proposes, accepting and running it, and that a script which changed does not run (V1).
//!
//! They need the packages `bubblewrap`, `make` and `strace`, and the program `orion-sandbox` beside `orion`, and fail where one is missing.

use std::process::Command;

use serde_json::json;
use support::{Folder, binary};

use super::{Desk, Ran, json as parsed, ran};

const PASSES: &str = "test:\n\t@echo tested; touch ran\n";
const FAILS: &str = "test:\n\t@echo broken; touch ran; exit 3\n";

fn desk(files: &[(&str, &str)]) -> Desk {
    // The helper is looked for beside the program.
    let _ = binary("orion-sandbox");
    Desk { home: Folder::with([("a", "of nobody here\n")]), project: Folder::with(files.iter().copied()) }
}

fn check(desk: &Desk, arguments: &[&str]) -> Ran {
    ran(&mut desk.orion(&[&["check"][..], arguments].concat()))
}

/// Accepts a check with the script that it has now, as a person does who has looked at it before.
pub(super) fn accept(desk: &Desk, name: &str, more: &[&str]) -> Ran {
    let shown = check(desk, &["--accept", name]);
    assert_eq!((shown.code, shown.stdout.as_str()), (Some(3), ""), "{}", shown.stderr);
    let script = shown.stderr.trim_end().rsplit(' ').next().unwrap().to_owned();
    check(desk, &[&["--accept", name, "--script", &script][..], more].concat())
}

/// The exit code, and standard output with the time taken out.
fn said(told: &Ran) -> (Option<i32>, String) {
    let is_time = |word: &&str| !(word.ends_with("s,") || word.parse::<f64>().is_ok());
    let line = |line: &str| line.split(' ').filter(is_time).collect::<Vec<_>>().join(" ") + "\n";
    (told.code, told.stdout.lines().map(line).collect())
}

fn has_run(desk: &Desk) -> bool {
    let ran = desk.project.path().join("ran");
    std::fs::remove_file(ran).is_ok()
}

// V1
#[test]
fn a_proposal_is_shown_and_runs_only_once_it_is_accepted() {
    let desk = desk(&[("Makefile", PASSES)]);
    let none = check(&desk, &[]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(5), ""), "{}", none.stderr);
    let proposed = check(&desk, &["--propose"]);
    let expected = "make-test (Makefile)\n  $ make test\n  Makefile\n    test:\n    \t@echo tested; touch ran\n  script ";
    assert_eq!(proposed.code, Some(0), "{}", proposed.stderr);
    assert!(proposed.stdout.starts_with(expected), "{}", proposed.stdout);
    let unaccepted = check(&desk, &["make-test"]);
    assert_eq!((unaccepted.code, unaccepted.stdout.as_str()), (Some(3), ""), "{}", unaccepted.stderr);
    assert!(!has_run(&desk));
    let accepted = accept(&desk, "make-test", &[]);
    let passed = (Some(0), "passed  make-test  exit code 0, in the sandbox\n".to_owned());
    assert_eq!(said(&accepted), passed, "{}", accepted.stderr);
    assert!(
        accepted.stderr.contains("$ make test") && accepted.stderr.contains("tested"),
        "{}",
        accepted.stderr
    );
    assert!(has_run(&desk), "accepting runs it once");
    let again = accept(&desk, "make-test", &[]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{}", again.stderr);
    assert!(!has_run(&desk), "it has a result");
    assert_eq!(said(&check(&desk, &["make-test"])), passed);
    assert_eq!(check(&desk, &["--propose"]).stdout, "");
    let runs = parsed(&check(&desk, &["--json"]).stdout);
    let of = |key: &str| runs[0]["command"][key].clone();
    assert_eq!(
        (runs[0]["status"].clone(), runs[0]["excerpt"].clone(), of("line"), of("level")),
        (json!("passed"), json!("tested"), json!("make test"), json!("full"))
    );
    assert!(check(&desk, &["--list"]).stdout.starts_with("on   make-test  make test  passed "));
    assert_eq!(check(&desk, &["--remove", "make-test"]).code, Some(0));
    assert_eq!(check(&desk, &[]).code, Some(5));
}

// V1
#[test]
fn a_script_that_changed_does_not_run_until_it_is_accepted_and_one_that_fails_says_so() {
    let desk = desk(&[("Makefile", PASSES)]);
    assert_eq!(accept(&desk, "make-test", &[]).code, Some(0));
    assert!(has_run(&desk));
    desk.project.write("Makefile", FAILS);
    let changed = check(&desk, &[]);
    let skipped =
        "skipped  make-test  its script changed: orion check --accept NAME shows it and accepts it\n";
    assert_eq!((changed.code, changed.stdout.as_str()), (Some(3), skipped), "{}", changed.stderr);
    assert!(!has_run(&desk));
    let accepted = accept(&desk, "make-test", &[]);
    let failed = (Some(1), "failed  make-test  exit code 2, in the sandbox\n".to_owned());
    // make says 2 of a recipe that failed.
    assert_eq!(said(&accepted), failed, "{}", accepted.stderr);
    assert!(accepted.stderr.contains("exit 3") && has_run(&desk), "{}", accepted.stderr);
    assert_eq!(said(&check(&desk, &[])), failed);
    // Back to what it was is another change.
    desk.project.write("Makefile", PASSES);
    assert_eq!(check(&desk, &[]).code, Some(3));
}

// V1, A3
#[test]
fn a_script_is_accepted_only_by_the_digest_of_what_was_seen() {
    let desk = desk(&[("Makefile", PASSES)]);
    let shown = check(&desk, &["--propose", "--json"]);
    let script = parsed(&shown.stdout)[0]["script"]["sha256"].as_str().unwrap().to_owned();
    desk.project.write("Makefile", FAILS);
    let stale = check(&desk, &["--accept", "make-test", "--script", &script]);
    assert_eq!((stale.code, stale.stdout.as_str()), (Some(1), ""), "{}", stale.stderr);
    assert!(stale.stderr.contains("has changed since it was shown"), "{}", stale.stderr);
    assert_eq!(check(&desk, &["--accept", "make-test"]).code, Some(3));
    assert_eq!((has_run(&desk), check(&desk, &["--list"]).stdout.as_str()), (false, ""));
    let alone = check(&desk, &["make-test", "--script", &script]);
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(2), ""), "{}", alone.stderr);
    assert_eq!(accept(&desk, "make-test", &[]).code, Some(1));
    assert!(has_run(&desk));
    // A new script of a check that is kept is shown as what differs.
    desk.project.write("Makefile", PASSES);
    let shown = check(&desk, &["--accept", "make-test"]);
    assert_eq!(shown.code, Some(3), "{}", shown.stderr);
    for line in ["--- Makefile", "-\t@echo broken; touch ran; exit 3", "+\t@echo tested; touch ran"] {
        assert!(shown.stderr.contains(line), "{line}: {}", shown.stderr);
    }
}

// V1, A3
#[test]
fn a_script_that_cannot_be_shown_whole_is_neither_proposed_nor_accepted() {
    let long = format!("{PASSES}# {}\n", "é".repeat(32 * 1024));
    let desk = desk(&[("Makefile", PASSES)]);
    assert_eq!(accept(&desk, "make-test", &[]).code, Some(0));
    assert!(has_run(&desk));
    desk.project.write("Makefile", &long);
    let refused = accept(&desk, "make-test", &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{}", refused.stderr);
    assert!(refused.stderr.contains("longer than the 64 KiB"), "{}", refused.stderr);
    assert_eq!((check(&desk, &[]).code, has_run(&desk)), (Some(3), false));
    assert_eq!(check(&desk, &["--remove", "make-test"]).code, Some(0));
    assert_eq!(check(&desk, &["--propose"]).stdout, "");
}

// V1, C2
#[test]
fn a_check_has_no_network_not_even_that_of_this_computer() {
    let listens = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listens.local_addr().unwrap().port();
    let line = format!("test:\n\t@bash -c 'echo > /dev/tcp/127.0.0.1/{port}' || exit 7\n");
    let desk = desk(&[("Makefile", &line)]);
    let accepted = accept(&desk, "make-test", &["--json"]);
    assert_eq!(accepted.code, Some(1), "{}", accepted.stderr);
    let runs = parsed(&accepted.stdout);
    assert!(runs[0]["excerpt"].as_str().unwrap().contains("Connection refused"), "{runs}");
    listens.set_nonblocking(true).unwrap();
    assert_eq!(listens.accept().map(|_| ()).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

// V1
#[test]
fn what_is_no_check_and_no_proposal_is_wrong_usage() {
    let desk =
        desk(&[("Makefile", PASSES), (".orion/config.toml", "checks = true\n[check]\nname = \"x\"\n")]);
    for arguments in [
        &["nothing"][..],
        &["--accept", "nothing"],
        &["--remove", "nothing"],
        &["--list", "--propose"],
        &["make-test", "--list"],
    ] {
        let told = check(&desk, arguments);
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", told.stderr);
    }
    assert_eq!(check(&desk, &["--list"]).stdout, "");
}

// V1
#[test]
fn opening_proposing_and_listing_start_no_process() {
    let hostile = "$(shell touch ran)\nX := $(shell touch ran)\ntest: $(shell touch ran)\n\ttouch ran\n";
    let package =
        r#"{ "scripts": { "preinstall": "touch ran", "test": "touch ran" }, "packageManager": "npm@10" }"#;
    let desk = desk(&[
        ("Makefile", hostile),
        ("package.json", package),
        (".npmrc", "node-options=--require ./ran.js\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\nbuild = \"build.rs\"\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-p ran\"\n"),
        ("go.mod", "module a\n"),
    ]);
    for arguments in [["check", "--propose"], ["check", "--list"], ["sessions", "--json"]] {
        let (told, begun) = traced(&desk, &desk.orion(&arguments));
        assert_eq!((told.code, begun.len()), (Some(0), 1), "{arguments:?}: {} {begun:?}", told.stderr);
    }
    assert!(!has_run(&desk));
}

/// The words of a program, and the programs that it began, itself among them.
pub(super) fn traced(desk: &Desk, orion: &Command) -> (Ran, Vec<String>) {
    let log = desk.home.path().join("calls");
    let mut traced = Command::new("strace");
    traced.args(["--follow-forks", "--quiet=all", "--trace=execve,execveat", "--output"]).arg(&log);
    traced.arg("--").arg(orion.get_program()).args(orion.get_args());
    traced.env_clear().envs(orion.get_envs().filter_map(|(name, value)| Some((name, value?))));
    traced.env("PATH", std::env::var_os("PATH").unwrap());
    let told = ran(traced.current_dir(desk.project.path()));
    let calls = std::fs::read_to_string(&log).unwrap();
    let begun = calls.lines().filter(|line| line.contains("execve")).map(str::to_owned).collect();
    (told, begun)
}
