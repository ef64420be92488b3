//! Content that was probably not meant for its file is not written without a person's eyes (W9): whoever allowed writes beforehand.

use serde_json::Value;
use support::{Request, Script};

use super::writes::{begin, on_disk};
use super::{Desk, Ran, json as parsed, ran};

/// A file of sixty lines.
fn old() -> String {
    (0..20).map(|at| format!("def f{at}():\n    return {at}\n\n")).collect()
}

const PLACEHOLDER: &str = "def f0():\n    return 100\n\n# ... die anderen bleiben, wie sie sind ...\nDONE";

/// A turn that overwrites `m.py` with these messages, one after the other.
fn overwritten(desk: &Desk, arguments: &[&str], messages: &[&'static str], answers: bool) -> Ran {
    desk.project.write("m.py", old());
    let mut script =
        Script::new().turn(|t| t.call("write_plan_begin", begin("m.py", "overwrite")).end("tool_calls"));
    for message in messages {
        script = script.turn(|t| t.text(message).end("stop"));
    }
    if answers {
        script = script.turn(|t| t.text("It is written.").end("stop"));
    }
    let model = script.start();
    let told = ran(&mut desk.run(&model, &[&["--json"], arguments, &["Change it."]].concat()));
    model.finish();
    told
}

fn waits(told: &Ran, desk: &Desk) -> Value {
    assert_eq!(told.code, Some(3), "{}{}", told.stdout, told.stderr);
    assert_eq!(on_disk(desk, "m.py"), old());
    parsed(&told.stdout)
}

#[test]
fn a_short_line_in_the_place_of_many_is_asked_about_once_and_then_held() {
    // W9: the word of the command line, a permission of the person's, and both ways to leave it as it is.
    let allowing = "[tools.write_plan_begin]\npermission = 'allow'\n";
    for (settings, arguments) in [("", &["--approve-writes"][..]), (allowing, &[])] {
        for again in ["DONE", PLACEHOLDER] {
            let desk = Desk::with_settings(settings);
            let report = waits(&overwritten(&desk, arguments, &[PLACEHOLDER, again], false), &desk);
            assert!(report["stopReason"] == "approval", "{report}");
            let diff = ran(&mut desk.orion(&["diff", report["requestId"].as_str().unwrap()]));
            assert!(diff.stdout.contains("+# ... die anderen"), "{}", diff.stdout);
        }
    }
}

#[test]
fn a_model_that_sends_what_was_left_out_is_not_held() {
    let told = |ask: &Request| {
        let told = ask.last_text();
        assert!(told.contains("this line stands where"), "{told}");
        assert!(told.contains("If the content is meant to be as it is, send only the end line."), "{told}");
    };
    let desk = Desk::new();
    desk.project.write("m.py", old());
    let whole = old().replace("return 0", "return 100");
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("m.py", "overwrite")).end("tool_calls"))
        .turn(|t| t.text(PLACEHOLDER).end("stop"))
        .turn(|t| t.expect(told).text(&format!("{whole}DONE")).end("stop"))
        .turn(|t| t.text("It is written.").end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "Change it."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(on_disk(&desk, "m.py"), whole);
    model.finish();
}

#[test]
fn most_of_a_file_goes_only_after_a_person_has_seen_it() {
    // The model is not asked: a file may well become shorter.
    let desk = Desk::new();
    let report =
        waits(&overwritten(&desk, &["--approve-writes"], &["def f0():\n    return 0\nDONE"], false), &desk);
    let request = report["requestId"].as_str().unwrap();
    let model = Script::new().turn(|t| t.text("It is short now.").end("stop")).start();
    let approve = |more: &[&str]| {
        let base_url = model.base_url();
        ran(&mut desk.orion(&[&["approve", request, "--base-url", &base_url], more].concat()))
    };
    let refused = approve(&[]);
    assert!(refused.stderr.contains("--despite-faults"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("58 of the 60 lines of the file go"),
        "{}{}",
        refused.stdout,
        refused.stderr
    );
    assert_eq!(on_disk(&desk, "m.py"), old());
    assert_eq!(approve(&["--despite-faults"]).code, Some(0));
    assert_eq!(on_disk(&desk, "m.py"), "def f0():\n    return 0\n");
    model.finish();
}

#[test]
fn what_can_be_taken_out_is_held_too() {
    for content in
        ["<think>\nHm.\n</think>\nx = 1\nDONE", "好的，下面是文件内容：\n\n```python\nx = 1\n```\nDONE"]
    {
        let desk = Desk::new();
        let model = Script::new()
            .turn(|t| t.call("write_plan_begin", begin("n.py", "create")).end("tool_calls"))
            .turn(move |t| t.text(content).end("stop"))
            .start();
        let told = ran(&mut desk.run(&model, &["--approve-writes", "Write it."]));
        assert_eq!(told.code, Some(3), "{}", told.stderr);
        assert!(told.stderr.contains("Perhaps not meant for the file, at line 1"), "{}", told.stderr);
        assert!(!desk.project.path().join("n.py").exists());
        model.finish();
    }
}

#[test]
fn characters_that_a_file_has_may_come_again() {
    // W5
    let desk = Desk::new();
    desk.project.write("m.c", "int a;\n\u{c}\nint b;\n\u{85}\n");
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("m.c", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("int c;\n\u{c}\nint b;\n\u{85}\nDONE").end("stop"))
        .turn(|t| t.text("It is written.").end("stop"))
        .start();
    assert_eq!(ran(&mut desk.run(&model, &["--approve-writes", "Change it."])).code, Some(0));
    assert_eq!(on_disk(&desk, "m.c"), "int c;\n\u{c}\nint b;\n\u{85}\n");
    model.finish();
}
