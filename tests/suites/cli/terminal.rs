//! What only a person at a terminal has. `script` (util-linux) makes the terminal.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use support::{Folder, Script, ScriptedModel, binary};

use super::chat::chat;
use super::chat::screen::Screen;
use super::{Desk, ran};

/// The program at a terminal of its own: what is written to the child is typed, what is read from it is on the screen.
fn at_a_terminal(desk: &Desk, command: &Command) -> Child {
    let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''"));
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(quoted).collect::<Vec<_>>().join(" ");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env_clear();
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.current_dir(desk.project.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    script.spawn().expect("script (Debian: bsdutils) makes the terminal")
}

/// Reads the screen until this stands on it.
fn until(screen: &mut impl Read, words: &str) -> String {
    let mut shown = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&shown).contains(words) {
        assert_eq!(
            screen.read(&mut byte).unwrap(),
            1,
            "the screen ends: {}",
            String::from_utf8_lossy(&shown)
        );
        shown.extend(byte);
    }
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn a_person_answers_the_questions_of_the_model_in_lines() {
    // A8
    let questions = serde_json::json!({ "questions": [
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
    let mut child = at_a_terminal(&desk, &desk.run(&model, &["Paint it."]));
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    until(&mut screen, "2. grey");
    // Both at once: the second answer is there before its question.
    keys.write_all(b"2\nperhaps\n").unwrap();
    until(&mut screen, "words:");
    until(&mut screen, "(yes or no)");
    until(&mut screen, "This does not answer the question.");
    until(&mut screen, "(yes or no)");
    keys.write_all(b"y\n").unwrap();
    until(&mut screen, "It is grey.");
    until(&mut screen, "orion trace");
    drop(keys);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    model.finish();
}

#[test]
fn enter_skips_the_pause_that_the_provider_asked_for() {
    let model = Script::new()
        .turn(|t| t.status(429).header("retry-after", "45").body("slow down"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let desk = Desk::new();
    let mut child = at_a_terminal(&desk, &desk.run(&model, &["What is the answer?"]));
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let shown = until(&mut screen, "Press Enter to try now.");
    assert!(shown.contains("Attempt 2 in 45.0 s."), "{shown}");
    assert_eq!(model.requests().len(), 1);
    let began = std::time::Instant::now();
    keys.write_all(b"\n").unwrap();
    until(&mut screen, "It is 42.");
    // Without the key it takes 45 s.
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    until(&mut screen, "orion trace");
    drop(keys);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    model.finish();
}

fn overloaded() -> ScriptedModel {
    Script::new()
        .turn(|t| t.status(429).header("retry-after", "45").body("slow down"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start()
}

#[test]
fn the_pause_that_the_provider_asked_for_is_counted_down_on_one_line() {
    for coloured in [false, true] {
        let (model, desk) = (overloaded(), Desk::new());
        let mut command = desk.run(&model, &["What is the answer?"]);
        if !coloured {
            command.env("NO_COLOR", "1");
        }
        let screen = Screen::of(&command);
        screen.until("Attempt 2 in 45 s. Press Enter to try now.");
        let shown = screen.until("Attempt 2 in 44 s. Press Enter to try now.");
        assert_eq!(shown.matches("Attempt 2 in").count(), 1, "{shown}");
        screen.press("\r");
        let shown = screen.until("orion trace");
        assert!(shown.contains("\nAttempt 2.") && shown.contains("\nIt is 42.\n"), "{shown}");
        assert_eq!(screen.ended(), 0);
        model.finish();
    }
}

#[test]
fn without_a_terminal_the_pause_is_one_line() {
    let model = Script::new().turn(|t| t.status(429).header("retry-after", "45").body("slow down")).start();
    let desk = Desk::new();
    let mut command = desk.run(&model, &["What is the answer?"]);
    let mut child =
        command.env("TERM", "xterm").stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.map(Result::unwrap).find(|line| line.contains("Attempt 2")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    model.finish();
    assert!(line.ends_with(" Attempt 2 in 45.0 s.") && !line.contains('\r'), "{line:?}");
}

/// A call, the same call again in the middle of a line, and the answer.
fn looks_again() -> ScriptedModel {
    let notes = || serde_json::json!({"path": "notes.txt"});
    Script::new()
        .turn(|t| t.call("read_file", notes()).end("tool_calls"))
        .turn(|t| t.text("Let me **look again.").call("read_file", notes()).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start()
}

const REMARKED: &str = "Let me **look again.\n  Read notes.txt again · refused (1 of 3)\n\nIt is 42.\n";

#[test]
fn a_remark_begins_below_an_answer_whose_line_is_open() {
    let (model, desk) = (looks_again(), Desk::new());
    let screen = Screen::of(&desk.run(&model, &["What is the answer?"]));
    let shown = screen.until("orion trace");
    assert!(shown.contains(REMARKED), "{shown}");
    assert_eq!(screen.ended(), 0);
    model.finish();

    // What Markdown holds back of the line comes before the remark too.
    let (model, desk) = (looks_again(), Desk::new());
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    let shown = screen.until("orion trace");
    assert!(shown.contains(REMARKED), "{shown}");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();

    // A program reads the answer as it came.
    let (model, desk) = (looks_again(), Desk::new());
    let told = ran(&mut desk.run(&model, &["What is the answer?"]));
    assert_eq!(told.stdout, "Let me **look again.\n\nIt is 42.\n", "{}", told.stderr);
    model.finish();
}

#[test]
fn a_search_sends_no_escape_sequence_to_a_terminal_that_knows_only_lines() {
    let model = Script::new().turn(|t| t.text("It is 42.").end("stop")).start();
    let desk = Desk::new();
    assert_eq!(ran(&mut desk.run(&model, &["What is the answer?"])).code, Some(0));
    model.finish();
    let mut command = desk.orion(&["sessions", "--search", "answer"]);
    command.env("TERM", "dumb");
    let screen = Screen::sized(&command, 50, 200);
    screen.until("What is the answer?");
    let bytes = screen.bytes();
    assert_eq!(screen.ended(), 0);
    assert!(!bytes.contains(&0x1b), "{}", String::from_utf8_lossy(&bytes));
}

// V1, A3
#[test]
fn a_person_accepts_a_check_after_looking_at_its_script() {
    // The helper is looked for beside the program.
    let _ = binary("orion-sandbox");
    let makefile = [("Makefile", "test:\n\t@echo tested; touch ran\n")];
    let desk = Desk { home: Folder::with([("a", "of nobody here\n")]), project: Folder::with(makefile) };
    let has_run = || desk.project.path().join("ran").exists();
    for (answer, code, expected) in [("no\n", 3, false), ("y\n", 0, true)] {
        let mut child = at_a_terminal(&desk, &desk.orion(&["check", "--accept", "make-test"]));
        let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let shown = until(&mut screen, "Accept it? [y/N] ");
        assert!(shown.contains("@echo tested; touch ran"), "{shown}");
        keys.write_all(answer.as_bytes()).unwrap();
        let mut rest = String::new();
        screen.read_to_string(&mut rest).unwrap();
        assert_eq!((child.wait().unwrap().code(), has_run()), (Some(code), expected), "{rest}");
    }
}
