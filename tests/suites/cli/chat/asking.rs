//! What a turn asks at a prompt, and each answer to it (A1, A2, A3, A6, A8).

use std::fs;

use serde_json::json;
use support::{Request, Script};

use super::super::writes::{begin, on_disk};
use super::super::{Desk, ran, replays};
use super::screen::Screen;
use super::{chat, request_in, said};

const ASKS: &str = "[tools.read_file]\npermission = 'ask'\n";

/// Types an answer to what is asked now.
fn answer(screen: &Screen, line: &str) {
    screen.until_line("answer> ");
    screen.enter(line);
}

#[test]
fn a_call_that_asks_is_answered_once_or_with_a_reason_or_with_other_arguments() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("Not that one."), "{}", ask.last_text()))
                .call("read_file", json!({"path": "src/main.c"}))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("int main;"), "{}", ask.last_text()))
                .call("read_file", json!({"path": "src"}))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| {
                let told = said(ask);
                assert!(
                    told.contains("The user changed the arguments") && told.contains("There is more."),
                    "{told}"
                );
            })
            .text("As you say.")
            .end("stop")
        })
        .start();
    let desk = Desk::with_settings(ASKS);
    desk.project.write("more.txt", "There is more.\n");
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Look.");
    let shown = screen.until("reject and say why");
    assert!(shown.contains("read_file waits for your approval"), "{shown}");
    assert!(shown.contains("Your settings ask about this."), "{shown}");
    assert!(shown.contains("path: \"notes.txt\""), "{shown}");
    // What the settings ask about cannot be kept.
    assert!(!shown.contains("this session"), "{shown}");
    answer(&screen, "whatever");
    screen.until("Type one of o, n, w, x, e.");
    answer(&screen, "w Not that one.");
    screen.until("path: \"src/main.c\"");
    answer(&screen, "o");
    screen.until("path: \"src\"");
    answer(&screen, "e");
    // The line has the arguments, to be changed.
    screen.until("arguments> {");
    screen.press(&"\x7f".repeat(120));
    screen.until_line("arguments> ");
    screen.enter(r#"{"path":"more.txt"}"#);
    let shown = screen.until("orion trace");
    assert!(shown.contains("As you say."), "{shown}");
    replays(&desk, &request_in(&shown));
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn arguments_that_deceive_are_escapes_in_the_line_and_stay_exactly_as_they_are() {
    let hostile = "4\u{202e}2\u{200b}\u{e0041}\u{9b}2J";
    let model = Script::new()
        .turn(|t| t.call("search_files", json!({"pattern": hostile, "path": "src"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("found.txt"), "{}", ask.last_text()))
                .text("There it is.")
                .end("stop")
        })
        .start();
    let desk = Desk::with_settings("[tools.search_files]\npermission = 'ask'\n");
    desk.project.write("found.txt", hostile);
    let screen = Screen::sized(&chat(&desk, &model, &[]), 50, 200);
    screen.until_line("> ");
    screen.enter("Look.");
    answer(&screen, "e");
    let shown = screen.until("arguments> {");
    let line = r#"{"context":0,"ignore_case":false,"include_ignored":false,"limit":100,"literal":false,"offset":0,"path":"src","pattern":"4\u202e2\u200b\udb40\udc41\u009b2J"}"#;
    assert!(shown.contains(&format!("arguments> {line}")), "{shown}");
    // The path alone is changed.
    let path = line.find("src").unwrap() + 3;
    screen.press(&format!("\x01{}{}", "\x1b[C".repeat(path), "\x7f".repeat(3)));
    screen.press(".\r");
    let shown = screen.until("There it is.");
    screen.until_line("> ");
    screen.press("\x04");
    let bytes = screen.bytes();
    assert_eq!(screen.ended(), 0);
    assert!(shown.contains("<U+202E>"), "{shown}");
    let text = String::from_utf8_lossy(&bytes);
    for sign in ['\u{202e}', '\u{200b}', '\u{e0041}', '\u{9b}'] {
        assert!(!text.contains(sign), "{sign:?} reached the terminal");
    }
    model.finish();
}

#[test]
fn an_approval_is_kept_as_the_rule_that_was_shown() {
    // A1
    let write =
        |t: support::Turn| t.call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls");
    let model = Script::new()
        .turn(write)
        .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
        .turn(|t| t.text("It says 43.").end("stop"))
        .turn(write)
        .turn(|t| t.text("The answer is 44.\nDONE").end("stop"))
        .turn(|t| t.text("It says 44.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Make it 43.");
    let shown = screen.until("always in this project: allow write_plan_begin notes.txt from now on");
    assert!(shown.contains("-The answer is 42.\n+The answer is 43."), "{shown}");
    answer(&screen, "p");
    screen.until("It says 43.");
    screen.until_line("> ");
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 43.\n");
    screen.enter("Make it 44.");
    screen.until("It says 44.");
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 44.\n");
    let kept = ran(&mut desk.orion(&["permissions"])).stdout;
    assert!(kept.contains("write_plan_begin notes.txt"), "{kept}");
    // What was written is undone.
    screen.until_line("> ");
    screen.enter("/undo");
    screen.until("undid notes.txt");
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 43.\n");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_difference_is_approved_hunk_by_hunk() {
    // W6
    let lines = |first: &str, last: &str| {
        let middle: String = (2..30).map(|number| format!("{number}\n")).collect();
        format!("{first}\n{middle}{last}\n")
    };
    let content = lines("one", "thirty");
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("list.txt", "overwrite")).end("tool_calls"))
        .turn(move |t| t.text(&format!("{content}DONE")).end("stop"))
        .turn(|t| t.text("Half of it.").end("stop"))
        .start();
    let desk = Desk::new();
    desk.project.write("list.txt", lines("1", "30"));
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Spell them.");
    let shown = screen.until("write only these hunks");
    assert!(shown.contains("hunk 1 @@") && shown.contains("hunk 2 @@"), "{shown}");
    assert!(shown.contains("list.txt: 2 lines added, 2 removed, 2 hunks"), "{shown}");
    answer(&screen, "h 3");
    screen.until("Name hunks from 1 to 2");
    answer(&screen, "h 2");
    screen.until("Half of it.");
    assert_eq!(on_disk(&desk, "list.txt"), lines("1", "thirty"));
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn the_questions_of_the_model_are_answered_one_by_one() {
    // A8
    let questions = json!({ "questions": [
        { "id": "colour", "question": "Which colour?", "kind": "choice", "options": ["red", "grey"] },
        { "id": "old", "question": "Keep the old one?", "kind": "yes_no" },
    ] });
    let model = Script::new()
        .turn(|t| t.call("ask_user", questions).end("tool_calls"))
        .turn(|t| {
            let told = "colour: Which colour?\n- grey\nold: Keep the old one?\n- yes\n";
            t.expect(move |ask| assert!(ask.last_text().contains(told), "{}", ask.last_text()))
                .text("It is grey.")
                .end("stop")
        })
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Paint it.");
    screen.until("2. grey");
    answer(&screen, "2");
    screen.until("Keep the old one? (yes or no)");
    answer(&screen, "perhaps");
    screen.until("This does not answer the question.");
    answer(&screen, "y");
    screen.until("It is grey.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_paused_turn_goes_on_with_the_result_that_the_person_edited() {
    // A2
    let told = |ask: &Request| {
        let told = said(ask);
        assert!(told.contains("The answer is secret.") && !told.contains("The answer is 42."), "{told}");
    };
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(move |t| t.expect(told).text("I see.").end("stop"))
        .start();
    let desk = Desk::new();
    let editor = desk.home.path().join("editor");
    fs::write(&editor, "#!/bin/sh\nsed -i s/42/secret/ \"$1\"\n").unwrap();
    fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = chat(&desk, &model, &["--pause-after-tool"]);
    command.env("EDITOR", &editor).env("PATH", "/usr/bin:/bin");
    let screen = Screen::of(&command);
    screen.until_line("> ");
    screen.enter("Read it.");
    let shown = screen.until("stop the turn");
    assert!(shown.contains("The turn is paused.") && shown.contains("The answer is 42."), "{shown}");
    answer(&screen, "e");
    let shown = screen.until("orion trace");
    assert!(shown.contains("I see."), "{shown}");
    replays(&desk, &request_in(&shown));
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_turn_that_is_left_waiting_is_asked_again_by_the_next_chat() {
    // A7: leaving is no answer.
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let desk = Desk::with_settings(ASKS);
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Look.");
    screen.until("reject and say why");
    screen.until_line("answer> ");
    screen.press("\x04");
    screen.until("Answer it with `orion approve");
    assert_eq!(screen.ended(), 0);
    let screen = Screen::of(&chat(&desk, &model, &["--continue"]));
    let shown = screen.until("reject and say why");
    assert!(shown.contains("> Look."), "{shown}");
    answer(&screen, "o");
    screen.until("It is 42.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn ctrl_c_at_a_question_stops_the_turn() {
    // A4
    let model =
        Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls")).start();
    let desk = Desk::with_settings(ASKS);
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Look.");
    screen.until("reject and say why");
    screen.until_line("answer> ");
    screen.press("\x03");
    let shown = screen.until("orion trace");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    let exported = ran(&mut desk.orion(&["trace", &request_in(&shown)])).stdout;
    assert!(exported.contains("stopped"), "{exported}");
    model.finish();
}

#[test]
fn of_two_calls_of_one_response_each_is_asked_about_with_its_own_arguments() {
    // A3
    let model = Script::new()
        .turn(|t| {
            t.call("read_file", json!({"path": "notes.txt"}))
                .call("read_file", json!({"path": "src/main.c"}))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| {
                let told = said(ask);
                assert!(told.contains("The answer is 42.") && told.contains("int main;"), "{told}");
                assert!(!told.contains("The user changed the arguments"), "{told}");
            })
            .text("Both.")
            .end("stop")
        })
        .start();
    let desk = Desk::with_settings(ASKS);
    let screen = Screen::sized(&chat(&desk, &model, &["--route", "unified"]), 50, 200);
    screen.until_line("> ");
    screen.enter("Look.");
    let shown = screen.until("reject and say why");
    assert!(shown.contains("path: \"notes.txt\"") && !shown.contains("path: \"src/main.c\""), "{shown}");
    answer(&screen, "e");
    screen.until(r#"arguments> {"max_lines":400,"path":"notes.txt""#);
    // The line is left as it is.
    screen.press("\r");
    screen.until("path: \"src/main.c\"");
    answer(&screen, "o");
    screen.until("Both.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn the_arguments_of_a_call_are_typed_anew_on_a_terminal_that_knows_only_lines() {
    // A3
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("int main;"), "{}", ask.last_text()))
                .text("It is C.")
                .end("stop")
        })
        .start();
    let desk = Desk::with_settings(ASKS);
    let mut command = chat(&desk, &model, &[]);
    command.env("TERM", "dumb");
    let screen = Screen::of(&command);
    screen.until_line("> ");
    screen.enter("Look.");
    answer(&screen, "e");
    screen.until("arguments> {");
    screen.enter(r#"{"path":"src/main.c"}"#);
    screen.until("It is C.");
    screen.until_line("> ");
    screen.enter("/quit");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn what_is_done_to_each_of_several_results_is_noted_until_the_turn_is_resumed() {
    // A2
    let told = |ask: &Request| {
        let told = said(ask);
        assert!(told.contains("int main;") && !told.contains("The answer is 42."), "{told}");
    };
    let model = Script::new()
        .turn(|t| {
            t.call("read_file", json!({"path": "notes.txt"}))
                .call("read_file", json!({"path": "src/main.c"}))
                .end("tool_calls")
        })
        .turn(move |t| t.expect(told).text("I see.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &["--route", "unified", "--pause-after-tool"]));
    screen.until_line("> ");
    screen.enter("Read them.");
    let shown = screen.until("stop the turn");
    assert!(shown.contains("e NUMBER") && !shown.contains("and resume"), "{shown}");
    answer(&screen, "d 1");
    screen.until("Result 1 is noted as dropped. r resumes the turn.");
    answer(&screen, "r");
    screen.until("I see.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

// C1, C3: it needs the package `bubblewrap`, and `orion-sandbox` beside `orion`.
#[test]
fn a_command_is_asked_about_with_its_whole_line_and_then_runs_unasked_for_the_session() {
    let runs = |line: &str| json!({ "command": line });
    let long = format!("echo {}", "built ".repeat(60).trim_end());
    let (first, second) = (runs(&long), runs("echo again"));
    let model = Script::new()
        .turn(move |t| t.call("run_command", first).end("tool_calls"))
        .turn(move |t| t.call("run_command", second).end("tool_calls"))
        .turn(|t| t.text("As you say.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::sized(&chat(&desk, &model, &[]), 60, 200);
    screen.until_line("> ");
    screen.enter("Build.");
    let shown = screen.until("change the arguments");
    assert!(shown.contains("It runs in the sandbox, without a network."), "{shown}");
    assert!(shown.contains("u  run it once, outside the sandbox"), "{shown}");
    assert!(
        shown.contains("s  this session: run commands in the sandbox without asking from now on"),
        "{shown}"
    );
    let line = shown.split("  $ ").nth(1).unwrap().split("In the project's folder").next().unwrap();
    assert_eq!(line.matches("built").count(), 60, "{shown}");
    answer(&screen, "s");
    screen.until("│ again");
    let shown = screen.until("As you say.");
    assert_eq!(shown.matches("exit code 0, ").count(), 2, "{shown}");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}
