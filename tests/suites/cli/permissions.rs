//! A1: rules for single calls, compared with what a real model could try on real files.

use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel};

use super::{Desk, json as parsed, ran};

/// A turn that reads these paths one after the other, and what it is told of each.
fn reads(paths: &'static [(&'static str, &'static str)]) -> ScriptedModel {
    let mut script = Script::new();
    let mut before: Option<&'static str> = None;
    for (path, told) in paths {
        script = script.turn(|t| {
            let t = match before {
                Some(told) => {
                    t.expect(move |ask| assert!(ask.last_text().contains(told), "{}", ask.last_text()))
                }
                None => t,
            };
            t.call("read_file", json!({ "path": path })).end("tool_calls")
        });
        before = Some(told);
    }
    let last = before.unwrap_or_default();
    let end = move |ask: &support::Request| assert!(ask.last_text().contains(last), "{}", ask.last_text());
    script.turn(|t| t.expect(end).text("That is all.").end("stop")).start()
}

fn desk(settings: &str, files: &[(&str, &str)]) -> Desk {
    let own = [("alpha.txt", "alpha\n"), ("beta.txt", "beta\n"), ("secret/key", "hunter2\n")];
    Desk {
        home: Folder::with([("config/config.toml", settings), ("a", "of nobody here\n")]),
        project: Folder::with(own.into_iter().chain(files.iter().copied())),
    }
}

fn statuses(report: &Value) -> Vec<&str> {
    report["toolCalls"].as_array().unwrap().iter().map(|call| call["status"].as_str().unwrap()).collect()
}

const CLOSED: &str = "The user's rules do not allow this call.";

#[test]
fn a_denied_path_is_denied_by_every_name_it_has() {
    let settings = "[limits]\nmax_cycles = 9\n[tools.read_file]\nrules = [{ match = 'secret/**', permission = 'deny' }]\n";
    let desk = desk(settings, &[]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("secret", desk.project.path().join("door")).unwrap();
    let paths: &[_] = &[
        ("alpha.txt", "alpha"),
        ("secret/key", CLOSED),
        ("./secret/key", "DUPLICATE_BLOCKED"),
        ("src/../secret//key", "DUPLICATE_BLOCKED"),
        #[cfg(unix)]
        ("door/key", "door/key leads to secret/key, which the rules do not allow."),
        ("beta.txt", "beta"),
    ];
    let model = reads(paths);
    let told = ran(&mut desk.run(&model, &["--json", "Read them."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let report = parsed(&told.stdout);
    let mut expected = vec!["ok", "denied", "duplicate", "duplicate", "ok"];
    if cfg!(unix) {
        expected.insert(4, "denied");
    }
    assert_eq!(statuses(&report), expected);
    model.finish();
}

#[cfg(unix)]
#[test]
fn a_denied_path_whose_name_is_shown_quoted_is_denied_too() {
    let settings = "[limits]\nmax_cycles = 9\n[tools.read_file]\nrules = [{ match = 'secret/**', permission = 'deny' }]\n";
    let desk = desk(settings, &[("secret/k\ty", "hunter2\n"), ("secret/\u{202e}a", "hunter2\n")]);
    std::os::unix::fs::symlink("secret/k\ty", desk.project.path().join("open")).unwrap();
    let paths: &[_] = &[
        (r#""secret/k\ty""#, CLOSED),
        // D1: the same call.
        ("secret/k\ty", "DUPLICATE_BLOCKED"),
        (r#""secret/\xe2\x80\xaea""#, CLOSED),
        ("open", r#"open leads to "secret/k\ty", which the rules do not allow."#),
        ("beta.txt", "beta"),
    ];
    let model = reads(paths);
    let told = ran(&mut desk.run(&model, &["--json", "Read them."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let expected = ["denied", "duplicate", "denied", "denied", "ok"];
    assert_eq!(statuses(&parsed(&told.stdout)), expected);
    model.finish();
}

#[test]
fn what_is_allowed_by_its_name_is_allowed_nowhere_else() {
    // Everything asks but `a*`: a question would end the command with exit code 3.
    let settings = "[limits]\nmax_cycles = 9\n[tools.read_file]\npermission = 'deny'\n\
                    rules = [{ match = 'a*', permission = 'allow' }]\n";
    let desk = desk(settings, &[]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("secret/key", desk.project.path().join("also")).unwrap();
    let paths: &[_] = &[
        ("alpha.txt", "alpha"),
        ("../a", CLOSED),
        ("alpha.txt/../beta.txt", CLOSED),
        ("secret/alpha", CLOSED),
        #[cfg(unix)]
        ("also", "also leads to secret/key, which the rules do not allow."),
    ];
    let model = reads(paths);
    let told = ran(&mut desk.run(&model, &["--json", "Read them."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let mut expected = vec!["ok", "denied", "denied", "denied"];
    if cfg!(unix) {
        expected.push("denied");
    }
    assert_eq!(statuses(&parsed(&told.stdout)), expected);
    model.finish();
}

#[cfg(unix)]
#[test]
fn a_link_to_what_is_asked_about_is_no_way_around_the_question() {
    let settings = "[tools.read_file]\nrules = [{ match = 'secret/**', permission = 'ask' }]\n";
    let desk = desk(settings, &[]);
    std::os::unix::fs::symlink("secret/key", desk.project.path().join("open")).unwrap();
    let model = reads(&[("open", "open leads to secret/key, which is asked about. Name that path instead.")]);
    let told = ran(&mut desk.run(&model, &["--json", "Read it."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(statuses(&parsed(&told.stdout)), ["denied"]);
    model.finish();
}

#[test]
fn a_project_that_brings_approvals_changes_nothing_and_is_reported() {
    let settings =
        "[tools.read_file]\npermission = 'deny'\nrules = [{ match = 'b*', permission = 'allow' }]\n";
    let of_project =
        "[approvals]\nread_file = 'always'\n[[tools.read_file.rules]]\nmatch = '**'\npermission = 'allow'\n";
    let desk = desk(settings, &[(".orion/config.toml", of_project)]);
    let model = reads(&[("alpha.txt", CLOSED), ("beta.txt", "beta")]);
    let told = ran(&mut desk.run(&model, &["--json", "Read them."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(statuses(&parsed(&told.stdout)), ["denied", "ok"]);
    for said in [
        "config.toml:1:2: `approvals` is not a setting.",
        "config.toml:5:1: `tools.read_file.rules[1].permission` changes nothing: a project's file cannot allow.",
    ] {
        assert!(told.stderr.contains(said), "{}", told.stderr);
    }
    model.finish();
}
