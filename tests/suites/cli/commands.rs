//! Commands of a turn at the terminal, run for real in the sandbox of this computer: asked about, let run unasked, let out (A1, C1, C3, C4).
//!
//! They need the package `bubblewrap` and the program `orion-sandbox` beside `orion`, and fail where either is missing.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use support::{PROXIED, PROXIED_SAYS, Script, ScriptedModel, binary, system_proxy};

use super::writes::on;
use super::{Desk, Ran, ended, json as parsed, line as read, ran, refused, replays, started};

/// Prints a line, and another one only outside of the sandbox, where the home of the test can be read.
const LINE: &str = "echo built; cat \"$HOME/canary\" 2>/dev/null; exit 3";

fn desk() -> Desk {
    // The helper is looked for beside the program.
    let _ = binary("orion-sandbox");
    let desk = Desk::new();
    desk.home.write("canary", "not held\n");
    desk
}

/// A model that runs the line, and is told these words of it.
fn runs(line: &'static str, hears: &'static [&'static str]) -> ScriptedModel {
    let check = move |ask: &support::Request| {
        for word in hears {
            assert!(ask.last_text().contains(word), "{}", ask.last_text());
        }
    };
    Script::new()
        .turn(move |t| t.call("run_command", json!({"command": line, "reason": "to see"})).end("tool_calls"))
        .turn(move |t| t.expect(check).text("Done.").end("stop"))
        .start()
}

/// A turn that waits with the command, and its id.
fn waiting(desk: &Desk) -> (Ran, String) {
    waiting_with(desk, LINE)
}

fn waiting_with(desk: &Desk, line: &'static str) -> (Ran, String) {
    let model = Script::new()
        .turn(move |t| t.call("run_command", json!({"command": line, "reason": "to see"})).end("tool_calls"))
        .start();
    let told = ran(&mut desk.run(&model, &["Build."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    let id = told.stderr.split("orion approve ").nth(1).unwrap().split(['`', ' ']).next().unwrap().to_owned();
    (told, id)
}

fn answer(told: &'static [&'static str]) -> ScriptedModel {
    let check = move |ask: &support::Request| {
        for word in told {
            assert!(ask.last_text().contains(word), "{}", ask.last_text());
        }
    };
    Script::new().turn(move |t| t.expect(check).text("Done.").end("stop")).start()
}

/// The command that a turn ran, as its events have it.
fn command_of(events: &str) -> Value {
    let results = events.lines().map(parsed).filter(|envelope| envelope["event"]["type"] == "tool_result");
    results.map(|envelope| envelope["event"]["command"].clone()).next().unwrap_or_default()
}

#[test]
fn a_command_is_asked_about_with_its_whole_line_and_runs_in_the_sandbox_when_approved() {
    // A1, C3
    let desk = desk();
    let (told, request) = waiting(&desk);
    for words in [
        "run_command waits for your approval.",
        &format!("  $ {LINE}\n"),
        "The model's reason: to see",
        "In the project's folder",
        "It runs in the sandbox",
        "--outside runs it outside",
        "No rule can be kept: the line has `$` or a backtick, which stand for something else.",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    assert!(!told.stderr.contains("--keep"), "{}", told.stderr);
    let model = answer(&["exit code 3", "built"]);
    let told = on(&desk, &model, &["approve", &request]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stderr.contains("  │ built\n"), "{}", told.stderr);
    assert!(!told.stderr.contains("not held"), "{}", told.stderr);
    assert!(told.stderr.contains("  exit code 3, "), "{}", told.stderr);
    assert!(told.stderr.contains(" s, in the sandbox, "), "{}", told.stderr);
    assert_eq!(told.stdout, "Done.\n", "output of a command is no answer");
    replays(&desk, &request);
    model.finish();
}

// A4, C2, C6
#[test]
fn a_command_that_is_stopped_has_its_outcome_and_what_it_left_is_named() {
    let desk = desk();
    let line = "echo 'touch made' > .envrc; echo ready; sleep 600";
    let model = Script::new()
        .turn(move |t| t.call("run_command", json!({"command": line})).end("tool_calls"))
        .start();
    let (child, mut stdout) = started(&mut desk.run(&model, &["--allow-commands", "--events", "Wait."]));
    let mut events = String::new();
    while !events.contains("\"ready\\n\"") {
        events.push_str(&read(&mut stdout));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    stdout.read_to_string(&mut events).unwrap();
    let (code, stderr) = ended(child);
    assert_eq!(code, Some(130), "{stderr}");
    let command = command_of(&events);
    assert_eq!(
        (&command["ended"], &command["bytes"], &command["runsLater"][0]["path"]),
        (&json!({"type": "stopped"}), &json!(6), &json!(".envrc")),
        "{command}"
    );
    let report = parsed(events.lines().last().unwrap());
    assert_eq!(report["event"]["type"], "stopped", "{report}");
    replays(&desk, report["requestId"].as_str().unwrap());
    model.finish();
}

// C4, C6
#[test]
fn a_command_that_its_tool_has_no_more_time_for_has_its_outcome() {
    let desk = Desk::with_settings("[tools.run_command]\ntimeout_ms = 1000\n");
    let _ = binary("orion-sandbox");
    let model = runs("echo begun; sleep 600", &["timed out", "begun"]);
    let told = ran(&mut desk.run(&model, &["--allow-commands", "--events", "Wait."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let command = command_of(&told.stdout);
    assert_eq!(
        (&command["ended"], &command["bytes"]),
        (&json!({"type": "timed_out"}), &json!(6)),
        "{command}"
    );
    model.finish();
}

#[test]
fn outside_is_for_this_once_and_for_commands_alone() {
    // C3
    let desk = desk();
    let (_, request) = waiting(&desk);
    let model = answer(&["not held"]);
    let told = on(&desk, &model, &["approve", &request, "--outside", "--events"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let command = command_of(&told.stdout);
    assert_eq!((&command["outside"], &command["ended"]["code"]), (&json!(true), &json!(3)), "{command}");
    replays(&desk, &request);
    model.finish();

    let (_, again) = waiting(&desk);
    let (code, said) = refused(&desk, &["approve", &again, "--outside", "--keep", "session"]);
    assert_eq!(code, Some(2), "{said}");

    let asks = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    let reads =
        Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls")).start();
    let told = ran(&mut asks.run(&reads, &["--json", "Read it."]));
    reads.finish();
    let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
    let (code, said) = refused(&asks, &["approve", &request, "--outside"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("This turn asks about no command"), "{said}");
}

#[test]
fn commands_that_are_allowed_for_a_turn_run_unasked_in_the_sandbox_and_the_next_turn_asks() {
    // C1
    let desk = desk();
    let model = runs(LINE, &["exit code 3", "built"]);
    let told = ran(&mut desk.run(&model, &["--allow-commands", "--events", "Build."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let command = command_of(&told.stdout);
    assert_eq!((&command["level"], command.get("outside")), (&json!("full"), None), "{command}");
    assert!(!told.stdout.contains("not held"), "{}", told.stdout);
    model.finish();
    waiting(&desk);
    let kept = ran(&mut desk.orion(&["permissions", "--json"]));
    assert_eq!(parsed(&kept.stdout), json!([]), "nothing is kept");
}

#[test]
fn a_rule_that_denies_or_asks_holds_whatever_is_allowed_for_a_turn() {
    // A1
    for (permission, code) in [("deny", 0), ("ask", 3)] {
        let desk = Desk::with_settings(&format!("[tools.run_command]\npermission = '{permission}'\n"));
        let model =
            Script::new().turn(|t| t.call("run_command", json!({"command": "touch made"})).end("tool_calls"));
        let model = if code == 0 { model.turn(|t| t.text("As you say.").end("stop")) } else { model };
        let model = model.start();
        let told = ran(&mut desk.run(&model, &["--allow-commands", "Build."]));
        assert_eq!(told.code, Some(code), "{permission}: {}", told.stderr);
        assert!(!desk.project.path().join("made").exists(), "{permission}");
        model.finish();
    }
}

#[test]
fn a_rule_of_words_is_shown_kept_listed_used_and_revoked_and_covers_what_begins_so_and_nothing_else() {
    // A1, C1
    let desk = desk();
    let (told, request) = waiting_with(&desk, "cd . && ls -a | wc -l; /bin/echo x");
    for words in [
        "No rule is kept: /bin/echo is named by a path, so it may be any program.",
        "--keep session or --keep project: run commands in the sandbox without asking from now on.",
        "With --words as well, only what begins so: ls -a …; wc -l …",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    for wrong in ["0,1", "1,1,1,0", "0,3,1,0", "0,0,0,1"] {
        let (code, said) = refused(&desk, &["approve", &request, "--keep", "project", "--words", wrong]);
        assert_ne!(code, Some(0), "{wrong}: {said}");
    }
    let model = answer(&["exit code 0"]);
    let told = on(&desk, &model, &["approve", &request, "--keep", "project", "--words", "0,1,2,0"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    let kept = ran(&mut desk.orion(&["permissions"])).stdout;
    assert!(kept.contains("run commands that begin with ls; wc -l  in "), "{kept}");
    assert!(kept.contains("never used"), "{kept}");

    let model = runs("ls notes.txt 2>&1 | wc -l", &["exit code 0"]);
    let told = ran(&mut desk.run(&model, &["Look."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    let kept = parsed(&ran(&mut desk.orion(&["permissions", "--json"])).stdout);
    assert!(kept[0]["usedAtMs"].is_number(), "{kept}");
    for line in ["ls | wc", "ls; rm notes.txt", "ls $HOME", "env ls"] {
        let (told, _) = waiting_with(&desk, line);
        assert!(told.stderr.contains("run_command waits for your approval."), "{line}: {}", told.stderr);
    }
    let revoked = ran(&mut desk.orion(&["permissions", "revoke", kept[0]["approvalId"].as_str().unwrap()]));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    waiting_with(&desk, "ls");
}

#[test]
fn output_of_a_command_steers_no_terminal_and_draws_no_line_over() {
    // C4
    let line = r"printf '10%%\r20%%\r\033[2J\033]0;x\007done\n'";
    let desk = desk();
    let model = runs(line, &["done"]);
    let told = ran(&mut desk.run(&model, &["--allow-commands", "Build."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stderr.contains("  │ done\n"), "{}", told.stderr);
    assert!(!told.stderr.contains(['\u{1b}', '\u{7}', '\r']), "{:?}", told.stderr);
    model.finish();
}

/// The length of a variable and not its value, and what can be read and written of the person's home.
const GIVEN: &str = "echo ${#GIVEN_URL} ${#OTHER_TOKEN}; cat ~/given/file ~/.ssh/id ~/data/orion.db ~/canary 2>/dev/null; \
                     echo x > ~/given/file || echo kept";

/// The files below a folder that have this text in them.
fn with_text(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => found.extend(with_text(&entry.path(), text)),
            kind if kind.is_file() => {
                let bytes = fs::read(entry.path()).unwrap();
                found.extend(
                    bytes.windows(text.len()).any(|part| part == text.as_bytes()).then(|| entry.path()),
                );
            }
            _ => {}
        }
    }
    found
}

#[test]
fn a_command_gets_the_variables_and_reads_the_folders_that_the_person_gives_it_and_no_others() {
    // C2
    const VALUE: &str = "postgres://ada:given-0001@db";
    let _ = binary("orion-sandbox");
    let desk = Desk::with_settings(
        "[commands]\nenv = ['GIVEN_URL', 'NOT_SET', 'ORION_DATA_DIR']\nread = ['~/given', '~/missing', '~/.ssh', '~/data']\n",
    );
    for (name, text) in [("given/file", "of the folder\n"), (".ssh/id", "a key\n"), ("canary", "not held\n")]
    {
        desk.home.write(name, text);
    }
    let model = runs(GIVEN, &["of the folder", "kept"]);
    let told = ran(desk
        .run(&model, &["--allow-commands", "--events", "Build."])
        .env("GIVEN_URL", VALUE)
        .env("OTHER_TOKEN", "not-given-0002"));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    for words in [&format!("{} 0", VALUE.len()), "of the folder", "kept"] {
        assert!(
            told.stderr.contains(words) || told.stdout.contains(words),
            "{words}: {} {}",
            told.stdout,
            told.stderr
        );
    }
    for words in ["a key", "not held", "SQLite", VALUE, "not-given-0002"] {
        assert!(
            !told.stdout.contains(words) && !told.stderr.contains(words),
            "{words}: {} {}",
            told.stdout,
            told.stderr
        );
    }
    for words in ["ORION_DATA_DIR, which is for Orion itself", "~/.ssh", "is Orion's own folder"] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    assert_eq!(
        with_text(&desk.home.path(), VALUE),
        [""; 0].map(PathBuf::from),
        "the value is written nowhere"
    );
    assert_eq!(desk.home.read("given/file"), b"of the folder\n");
    model.finish();

    let (told, _) = waiting(&desk);
    let given = desk.home.path().join("given");
    assert!(told.stderr.contains(given.to_str().unwrap()), "the question lists it: {}", told.stderr);
    assert!(!told.stderr.contains("missing"), "{}", told.stderr);
}

/// Asks a host by a tunnel, and ends with 0 whatever comes.
const FETCH: &str = "curl -sS -p http://registry.test/packages; echo; true";

// C2
#[test]
fn hosts_are_granted_for_one_run_and_a_call_that_names_some_asks_whatever_is_allowed() {
    let (desk, proxy) = (desk(), system_proxy());
    let through = |mut orion: std::process::Command| ran(orion.env("HTTPS_PROXY", &proxy));
    let model = runs(FETCH, &["Refused, since the person did not grant them: registry.test."]);
    let told = through(desk.run(&model, &["--allow-commands", "--events", "Fetch."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let refused_one = json!({"refused": ["registry.test"], "offered": ["registry.test"]});
    assert_eq!(command_of(&told.stdout)["network"], refused_one);
    model.finish();

    let arguments = json!({"command": FETCH, "network": ["Registry.test.", "other.test:8080"]});
    let model =
        Script::new().turn(move |t| t.call("run_command", arguments.clone()).end("tool_calls")).start();
    let told = through(desk.run(&model, &["--allow-commands", "Fetch."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert!(
        told.stderr.contains("and may reach registry.test, other.test:8080 and nothing else of the network."),
        "{}",
        told.stderr
    );
    assert!(!told.stderr.contains("--keep"), "{}", told.stderr);
    model.finish();
    let request =
        told.stderr.split("orion approve ").nth(1).unwrap().split(['`', ' ']).next().unwrap().to_owned();
    let (code, said) = refused(&desk, &["approve", &request, "--host", "*"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("it stands for many hosts; name each one"), "{said}");

    let model = answer(&[PROXIED_SAYS, "registry.test: "]);
    let arguments = ["approve", &request, "--host", PROXIED, "--events", "--base-url", &model.base_url()];
    let told = through(desk.orion(&arguments));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let network = command_of(&told.stdout)["network"].clone();
    assert_eq!(network["hosts"][0]["host"], PROXIED, "{network}");
    assert_eq!((&network["hosts"][0]["connections"], network.get("refused")), (&json!(1), None), "{network}");
    replays(&desk, &request);
    model.finish();
}
