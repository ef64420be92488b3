//! `orion chat` at a real terminal.

mod asking;
mod queueing;
pub(super) mod screen;
mod typing;
mod waiting;

use std::process::Command;

use serde_json::json;
use support::{Gate, Request, Script, ScriptedModel};

use self::screen::Screen;
use super::{Desk, Ran, ran, replays};

/// `orion chat` on a scripted model.
pub(super) fn chat(desk: &Desk, model: &ScriptedModel, arguments: &[&str]) -> Command {
    let mut command = desk.orion(&["chat", "--base-url", &model.base_url(), "--model", "scripted"]);
    command.args(arguments);
    command
}

/// The command in a shell at the same terminal, which says how it ended and waits for Enter.
fn in_shell(desk: &Desk, command: &Command) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "\"$@\"; echo \"ended with $?\"; read line", "sh"]).env_clear();
    shell.arg(command.get_program()).args(command.get_args()).current_dir(desk.project.path());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

/// The program that the shell runs.
fn child_of(shell: u32) -> u32 {
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    children.trim().parse().unwrap()
}

/// All that a model was sent of the conversation.
fn said(ask: &Request) -> String {
    ask.messages().iter().filter_map(|message| message["content"].as_str()).collect()
}

/// The id of a turn, from the line below its answer.
fn request_in(screen: &str) -> String {
    let (_, id) = screen.rsplit_once("orion trace ").expect("the line below an answer");
    id[..36].to_owned()
}

/// The ids of the project's sessions, the newest first.
fn sessions(desk: &Desk) -> Vec<String> {
    let listed = super::json(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let ids =
        listed.as_array().unwrap().iter().map(|session| session["sessionId"].as_str().unwrap().to_owned());
    ids.collect()
}

#[test]
fn turns_of_one_session_follow_one_another_and_a_tool_runs_in_one() {
    let model = Script::new()
        .turn(|t| t.text("I look. ").call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("The answer is 42.")))
                .text("It is 42.")
                .end("stop")
        })
        .turn(|t| {
            t.expect(|ask| assert!(said(ask).contains("It is 42."))).text("You are welcome.").end("stop")
        })
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    let shown = screen.until("orion trace");
    assert!(shown.contains("> What is the answer?"), "{shown}");
    assert!(shown.contains("  Read notes.txt · 1 line · "), "{shown}");
    assert!(shown.contains("It is 42."), "{shown}");
    let request = request_in(&shown);
    screen.until_line("> ");
    screen.enter("Thanks.");
    screen.until("You are welcome.");
    screen.until_line("> ");
    screen.press("\x04");
    let session = sessions(&desk);
    assert_eq!(session.len(), 1);
    assert_eq!(screen.ended(), 0);
    replays(&desk, &request);
    model.finish();
}

#[test]
fn ctrl_c_stops_the_turn_and_the_prompt_is_there_again() {
    // A4
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("It begins. ").hold(&gate).text("And goes on.").end("stop"))
        .turn(|t| t.text("Here again.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Talk.");
    screen.until("It begins.");
    // The model is still held.
    screen.press("\x03");
    screen.until_line("> ");
    screen.enter("Are you there?");
    screen.until("Here again.");
    screen.until_line("> ");
    // The first one says what the second one does.
    screen.press("\x03");
    screen.until("Press Ctrl-C again to leave.");
    screen.press("\x03");
    assert_eq!(screen.ended(), 0);
    gate.open();
    model.finish();
}

#[test]
fn a_session_goes_on_in_a_run_and_a_run_goes_on_in_a_chat() {
    let model = Script::new()
        .turn(|t| t.text("One.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("One."))).text("Two.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("Two."))).text("Three.").end("stop"))
        .turn(|t| t.expect(|ask| assert!(said(ask).contains("Three."))).text("Four.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("Count.");
    screen.until("One.");
    screen.until_line("> ");
    screen.enter("/quit");
    assert_eq!(screen.ended(), 0);
    let [session] = sessions(&desk).try_into().unwrap();
    let Ran { code, stdout, .. } = ran(&mut desk.run(&model, &["--session", &session, "Count on."]));
    assert_eq!((code, stdout.as_str()), (Some(0), "Two.\n"));
    for (arguments, answer) in [(vec![session.as_str()], "Three."), (vec!["--continue"], "Four.")] {
        let screen = Screen::of(&chat(&desk, &model, &arguments));
        screen.until_line("> ");
        screen.enter("Count on.");
        screen.until(answer);
        screen.until_line("> ");
        screen.press("\x04");
        assert_eq!(screen.ended(), 0);
    }
    assert_eq!(sessions(&desk), [session]);
    model.finish();
}

#[test]
fn what_a_turn_said_before_and_after_a_tool_stands_in_paragraphs_when_a_session_is_opened_again() {
    let model = Script::new()
        .turn(|t| t.text("I look.").call("list_files", json!({"path": "."})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let desk = Desk::new();
    assert_eq!(ran(&mut desk.run(&model, &["What is it?"])).code, Some(0));
    let screen = Screen::of(&chat(&desk, &model, &["--continue"]));
    screen.until_line("> ");
    let shown = screen.text();
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let at = lines.iter().position(|line| *line == "I look.").unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(lines[at..at + 3], ["I look.", "", "It is 42."], "{shown}");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn without_a_terminal_it_says_what_to_use_instead() {
    let desk = Desk::new();
    let Ran { code, stdout, stderr } = ran(&mut desk.orion(&["chat", "--demo"]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("orion chat needs a terminal"), "{stderr}");
    assert!(stderr.contains("use orion run"), "{stderr}");
}

#[test]
fn a_prompt_of_the_person_is_a_command_and_what_is_none_is_told() {
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| assert_eq!(ask.last_text(), "Review notes.txt.\nBe brief."))
                .text("It is fine.")
                .end("stop")
        })
        .start();
    let desk = Desk::new();
    let prompts = desk.home.path().join("config/prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    let text = "---\ndescription: Look for mistakes\n---\nReview $ARGUMENTS.\nBe brief.\n";
    std::fs::write(prompts.join("review.md"), text).unwrap();
    std::fs::write(prompts.join("Big.md"), "x").unwrap();
    // One of Orion's own commands hides it.
    std::fs::write(prompts.join("quit.md"), "Never.").unwrap();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("/prompts");
    let shown = screen.until("Big.md");
    assert!(shown.contains("/review WORDS"), "{shown}");
    screen.until_line("> ");
    screen.enter("/review notes.txt");
    screen.until("It is fine.");
    screen.until_line("> ");
    screen.enter("/none");
    screen.until("There is no command /none");
    screen.until_line("> ");
    screen.enter("/quit");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn the_arguments_of_a_call_are_shown_as_json_to_whoever_asks_for_them() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &["-v"]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    let shown = screen.until("orion trace");
    assert!(shown.contains(r#"  read_file {"max_lines":400,"path":"notes.txt","#), "{shown}");
    assert!(shown.contains("Read notes.txt · 1 line"), "{shown}");
    model.finish();
}
