//! The prompt itself: lines, history, completion, the terminal before and after.

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use support::{Gate, Script};

use super::super::{Desk, Ran, ran};
use super::screen::Screen;
use super::{chat, said};

/// The modes of the terminal, as another program at it sees them.
fn modes(of: &Screen) -> String {
    let terminal = std::fs::read_link(format!("/proc/{}/fd/0", of.pid())).unwrap();
    let told = Command::new("stty").arg("-a").arg("-F").arg(terminal).output().unwrap();
    String::from_utf8(told.stdout).unwrap().replace('\n', " ")
}

#[test]
fn a_message_of_several_lines_is_one_message() {
    let lines =
        |ask: &support::Request| assert!(said(ask).contains("one\ntwo\nthree\nfour"), "{}", said(ask));
    let model = Script::new().turn(move |t| t.expect(lines).text("Four.").end("stop")).start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    // A backslash at the end of a line, Alt+Enter, and lines that are pasted.
    screen.press("one\\\rtwo\x1b\r");
    screen.press("\x1b[200~three\nfour\x1b[201~");
    screen.until("four");
    screen.press("\r");
    screen.until("Four.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn earlier_messages_come_back_after_a_restart_and_go_with_their_session() {
    let model =
        Script::new().turn(|t| t.text("Yes.").end("stop")).turn(|t| t.text("No.").end("stop")).start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Is it blue?");
    screen.until("Yes.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    // One of another channel is among them.
    assert_eq!(ran(&mut desk.run(&model, &["Is it red?"])).code, Some(0));
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.press("\x1b[A");
    screen.until_line("> Is it red?");
    screen.press("\x1b[A");
    screen.until_line("> Is it blue?");
    screen.press("\x03");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    for session in super::sessions(&desk) {
        let Ran { code, .. } = ran(&mut desk.orion(&["sessions", "delete", &session]));
        assert_eq!(code, Some(0));
    }
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.press("\x1b[A!");
    screen.until_line("> !");
    screen.press("\x03");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn tab_completes_commands_and_files() {
    let model = Script::new().start();
    let desk = Desk::new();
    desk.project.write("notes\u{1b}[2J.txt", "hostile");
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.press("/comp\t");
    screen.until_line("> /compact ");
    screen.press("\x03");
    screen.until_line("> ");
    screen.press("Read @main\t");
    screen.until_line("> Read @src/main.c ");
    screen.press("\x03");
    screen.until_line("> ");
    screen.press("@notes.t\t");
    screen.until_line("> @notes.txt ");
    screen.press("\x03");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn commands_say_and_change_what_the_next_turns_run_with() {
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                assert_eq!(ask.body["model"], "another");
                assert!(!ask.tool_names().contains(&"write_plan_begin"), "{:?}", ask.tool_names());
            })
            .text("Planned.")
            .end("stop")
        })
        .models(["scripted", "another"])
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    let told = |line: &str, words: &str| {
        screen.until_line("> ");
        screen.enter(line);
        screen.until(words)
    };
    let help = told("/help", "Ctrl-C stops a turn.");
    for name in [
        "/new",
        "/model",
        "/mode",
        "/limits",
        "/compact",
        "/context",
        "/diff",
        "/rewind",
        "/branches",
        "/sessions",
        "/resume",
        "/quit",
    ] {
        assert!(help.contains(name), "{name}: {help}");
    }
    told("/model", "another");
    told("/model another", "The next turns ask another.");
    told("/mode plan", "Plan: the next turns");
    told("/limits 8", "  max-cycles           8");
    told("/limits max-seconds none", "max-seconds takes");
    told("/context", "Nothing was said in this session yet.");
    told("/nonsense", "There is no command /nonsense");
    let shown = told("Plan it.", "Planned.");
    assert!(shown.contains("another, at most 21 model calls, 8 tool runs"), "{shown}");
    told("/context", "another:");
    told("/sessions", "1. Plan it (this one)");
    told("/branches", "This session has no other branches.");
    told("/rewind", "1. Plan it.");
    told("/rewind 1", "the conversation alone");
    screen.until_line("answer> ");
    screen.enter("c");
    // The message is there to be changed and sent again.
    screen.until_line("> Plan it.");
    screen.press("\x03");
    told("/rewind undo", "the conversation goes on where it was");
    told("/new", "Your next message begins a new session.");
    screen.until_line("> ");
    screen.enter("/quit");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_turn_that_used_its_steps_up_goes_on_with_one_key() {
    // X7, P3
    let model = Script::new()
        .turn(|t| t.call("list_files", serde_json::json!({})).end("tool_calls"))
        .turn(|t| t.text("So far.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("Continue."))).text("All of it.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &["--max-cycles", "1"]));
    screen.until_line("> ");
    // In a line it is the key that goes to its end.
    screen.press("ook.\x01L\x05");
    screen.until_line("> Look.");
    screen.press("\r");
    screen.until("Ctrl-E goes on with a fresh budget.");
    screen.until_line("> ");
    screen.press("\x05");
    screen.until("All of it.");
    screen.until_line("> ");
    screen.press("\x05");
    screen.until("There is nothing to continue.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_line_that_is_typed_while_a_turn_runs_is_queued_and_sent_when_it_has_ended() {
    // A9
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("First. ").hold(&gate).text("Second.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("And then?"))).text("Third.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Count.");
    screen.until("First.");
    screen.press("And then?");
    screen.until_line("next> And then?");
    screen.press("\r");
    screen.until("Queued: it is sent when this turn has ended.");
    gate.open();
    screen.until("Third.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_message_given_to_the_turn_that_runs_is_in_its_next_request() {
    // A9
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            t.text("I look. ")
                .hold(&gate)
                .call("read_file", serde_json::json!({"path": "notes.txt"}))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(said(ask).contains("In French."))).text("Quarante-deux.").end("stop")
        })
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    screen.until("I look.");
    screen.press("/steer In French.");
    screen.until_line("next> /steer In French.");
    screen.press("\r");
    screen.until("The model is given it with its next call.");
    gate.open();
    screen.until("Quarante-deux.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn what_is_typed_right_behind_the_enter_of_a_line_begins_the_next_one() {
    // A9
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("First. ").hold(&gate).text("Second.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("And then?"))).text("Third.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("And last?"))).text("Fourth.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Count.");
    screen.until("First.");
    screen.press("And then?");
    screen.until_line("next> And then?");
    screen.press("\rAnd last?");
    screen.until_line("next> And last?");
    screen.press("\r");
    screen.until_times("Queued: it is sent when this turn has ended.", 2);
    gate.open();
    screen.until("Fourth.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn hostile_text_of_a_model_and_a_tool_steers_nothing() {
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[1;31mred\u{202e} &#27;[3J `\u{1b}c`";
    let model = Script::new()
        .turn(|t| {
            t.text(hostile).call("read_file", serde_json::json!({"path": "\u{1b}[2Jx"})).end("tool_calls")
        })
        .turn(|t| t.text("```\n\u{1b}[2J\n```\n| \u{1b}[2J | b |\n|---|---|\n| c | d |\n\nDone.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Do your worst.");
    let shown = screen.until("Done.");
    screen.until_line("> ");
    screen.press("\x04");
    let bytes = screen.bytes();
    assert_eq!(screen.ended(), 0);
    // It is still there, with marks that can be seen.
    assert!(shown.contains("Do your worst."), "{shown}");
    assert!(shown.contains("␛]0;owned␇␛[2J␛[1;31mred<U+202E> ␛[3J ␛c"), "{shown}");
    let text = String::from_utf8_lossy(&bytes);
    for sequence in ["\u{1b}]0;owned", "\u{1b}[2J", "\u{1b}[3J", "\u{1b}c", "\u{1b}[1;31m", "\u{202e}"] {
        assert!(!text.contains(sequence), "{sequence:?} reached the terminal");
    }
    model.finish();
}

#[test]
fn a_window_that_becomes_narrow_in_the_middle_of_an_answer_is_filled_to_its_new_width() {
    let gate = Gate::new();
    let words = "word ".repeat(30);
    let rest = words.clone();
    let model = Script::new()
        .turn(|t| {
            t.text(&format!("{words}\n\n"))
                .text("held. ")
                .hold(&gate)
                .text(&format!("{rest}end."))
                .end("stop")
        })
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Talk.");
    screen.until("held.");
    screen.resize(50, 40);
    gate.open();
    let shown = screen.until("end.");
    screen.until_line("> ");
    let after: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("held.")).take(4).collect();
    // Eight words of five columns less the last space.
    assert_eq!(after[0], "held. word word word word word word word", "{shown}");
    assert_eq!(after[1], "word word word word word word word word", "{shown}");
    screen.enter("/help");
    screen.until("Ctrl-C stops a turn.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn the_terminal_is_as_it_was_after_the_end_and_after_a_kill() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("It begins. ").hold(&gate).end("stop")).start();
    let desk = Desk::new();
    // The shell keeps the terminal open, and says when the program has ended.
    let mut command = chat(&desk, &model, &[]);
    command = super::in_shell(&desk, &command);
    let screen = Screen::of(&command);
    screen.until_line("> ");
    let editing = modes(&screen);
    assert!(editing.contains("-icanon") && editing.contains("-echo "), "{editing}");
    screen.enter("Talk.");
    screen.until("It begins.");
    // While a turn runs, Ctrl-C is a signal.
    assert!(modes(&screen).contains(" isig"), "{}", modes(&screen));
    let program = super::child_of(screen.pid());
    kill_process(Pid::from_raw(i32::try_from(program).unwrap()).unwrap(), Signal::TERM).unwrap();
    screen.until("ended with 130");
    let after = modes(&screen);
    assert!(after.contains(" icanon") && after.contains(" echo ") && after.contains(" isig"), "{after}");
    screen.press("\r");
    assert_eq!(screen.ended(), 0);
    gate.open();
    model.finish();
}

#[test]
fn a_terminal_that_knows_only_lines_gets_lines_and_no_escape_sequence() {
    let model = Script::new().turn(|t| t.text("**Bold** it is.").end("stop")).start();
    let desk = Desk::new();
    let mut command = chat(&desk, &model, &[]);
    command.env("TERM", "dumb");
    let screen = Screen::of(&command);
    screen.until_line("> ");
    screen.enter("Hello.");
    screen.until("**Bold** it is.");
    screen.until_line("> ");
    screen.enter("/quit");
    let bytes = screen.bytes();
    assert_eq!(screen.ended(), 0);
    assert!(!bytes.contains(&0x1b), "{}", String::from_utf8_lossy(&bytes));
    model.finish();
}

#[test]
fn without_colours_an_answer_is_its_own_source() {
    let model = Script::new().turn(|t| t.text("**Bold** it is.").end("stop")).start();
    let desk = Desk::new();
    let mut command = chat(&desk, &model, &[]);
    command.env("NO_COLOR", "1");
    let screen = Screen::of(&command);
    screen.until_line("> ");
    screen.enter("Hello.");
    screen.until("**Bold** it is.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}
