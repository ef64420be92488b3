//! C3, A1: the exact line that a person keeps where a sandbox holds files alone.

use orion_core::command_line::read;
use orion_core::permission::{Kept, Rule, Rules, ToolRules, as_asked, exact_line};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_core::turn::{Done, Flag, Flags, Input, Prepared, Supplied, TurnSetup, Unfit, Verdict};
use orion_protocol::{
    AskedBy, CommandAsked, Given, KeptFor, KeptRule, PendingOf, Permission, Policy, Reply, SandboxLevel,
    TurnEvent,
};
use serde_json::{Value, json};

use crate::common::{Played, approval, call, finish, setup, tool};

const RUN: &str = "run_command";

fn runner() -> ToolSpec {
    ToolSpec {
        kind: ToolKind::RunsCommands,
        paths: vec!["cwd".to_owned()],
        ruled: vec!["argv".to_owned(), "command".to_owned()],
        unsigned: vec!["reason".to_owned()],
        parameters: json!({ "type": "object" }),
        ..tool(RUN, Permission::Ask)
    }
}

fn asked(line: &str, level: SandboxLevel) -> CommandAsked {
    let understood = read(line);
    CommandAsked {
        line: line.to_owned(),
        unread: understood.as_ref().err().map(ToString::to_string),
        runs: understood.map(|line| as_asked(&line, true, |_| None)).unwrap_or_default(),
        folder: ".".to_owned(),
        reason: None,
        seconds: 60,
        level,
        gaps: Vec::new(),
        reads: Vec::new(),
        needs_outside: false,
        asks_since: None,
        hosts: Vec::new(),
        offered_hosts: Vec::new(),
    }
}

fn of_files(line: &str) -> CommandAsked {
    asked(line, SandboxLevel::FilesOnly)
}

fn turn(rules: Rules, flags: Flags) -> Played {
    let tools = ToolSet::from_iter([runner()]);
    Played::start(TurnSetup { rules, tools, flags, ..setup(Policy::two_stage()) })
}

fn calls(played: &mut Played, id: &str, arguments: &Value, command: CommandAsked) {
    played.answers([call(0, id, RUN, &arguments.to_string()), finish("tool_calls")]);
    let job = played.tool_job.unwrap();
    let prepared = Prepared::Ready { command: Box::new(command) };
    played.input(Input::Done { job, done: Done::Prepared { prepared } });
}

/// A turn whose model calls the tool with this line.
fn called(rules: Rules, command: CommandAsked) -> Played {
    let mut played = turn(rules, Flags::of_this_version());
    calls(&mut played, "c", &json!({ "command": command.line }), command);
    played
}

fn question(played: &Played) -> Option<(AskedBy, Option<String>)> {
    played.events().filter_map(asked_by).last()
}

fn asked_by(event: &TurnEvent) -> Option<(AskedBy, Option<String>)> {
    match event {
        TurnEvent::Asked { of: PendingOf::Call { by, keeps, .. }, .. } => Some((*by, keeps.clone())),
        _ => None,
    }
}

fn reply(played: &Played, reply: Reply) -> Input {
    let supplied = Supplied::Approval { approval_id: approval(7) };
    Input::Replied { digest: played.asked.unwrap(), reply, supplied }
}

const CARGO_TEST: &str = r#"[{]"command":"cargo test"[}]"#;

fn kept(pattern: &str) -> Rules {
    let pattern = pattern.to_owned().try_into().unwrap();
    Rules { kept: vec![Kept { approval_id: approval(1), tool: RUN.to_owned(), pattern }], ..Rules::default() }
}

fn is_running(played: &Played) -> bool {
    played.running.is_some()
}

#[test]
fn the_exact_line_is_kept_for_its_session_and_nothing_more() {
    let mut played = called(Rules::default(), of_files("cargo test"));
    assert_eq!(question(&played), Some((AskedBy::Always, Some(CARGO_TEST.to_owned()))));
    for too_much in [
        Reply::Allow { keep: Some(KeptFor::Project) },
        Reply::AllowWords { keep: KeptFor::Session, words: vec![2] },
        Reply::AllowWords { keep: KeptFor::Project, words: vec![2] },
    ] {
        let refused = played.turn.verdict(&reply(&played, too_much.clone()));
        assert_eq!(refused, Some(Verdict::Unfit(Unfit::LineAlone)), "{too_much:?}");
    }
    let keep = reply(&played, Reply::Allow { keep: Some(KeptFor::Session) });
    played.input(keep);
    let rule = KeptRule {
        approval_id: approval(7),
        kept_for: KeptFor::Session,
        tool: RUN.to_owned(),
        pattern: CARGO_TEST.to_owned(),
    };
    let given = Given::Allowed { edited: None, kept: Some(rule), outside: false };
    assert!(
        played.events().any(|event| matches!(event, TurnEvent::Answered { given: it, .. } if *it == given))
    );
    assert!(is_running(&played), "{}", played.lines);
}

#[test]
fn a_kept_line_runs_unasked_as_it_is_and_no_other_does() {
    let played = called(kept(CARGO_TEST), of_files("cargo test"));
    let given = Given::Kept { approval_id: approval(1), also: vec![] };
    assert!(
        played.events().any(|event| matches!(event, TurnEvent::Answered { given: it, .. } if *it == given))
    );
    assert!(is_running(&played), "{}", played.lines);
    for line in ["cargo test -p x", "cargo  test", "cargo", "cargo test; cargo test", "cd x && cargo test"] {
        assert!(!is_running(&called(kept(CARGO_TEST), of_files(line))), "{line}");
    }
    for (arguments, runs) in [
        (json!({ "command": "cargo test", "reason": "again" }), true),
        (json!({ "command": "cargo test", "cwd": "src" }), false),
        (json!({ "command": "cargo test", "timeout_s": 600 }), false),
        (json!({ "argv": ["cargo", "test"] }), false),
    ] {
        let mut played = turn(kept(CARGO_TEST), Flags::of_this_version());
        calls(&mut played, "c", &arguments, of_files("cargo test"));
        assert_eq!(is_running(&played), runs, "{arguments}");
    }
}

#[test]
fn a_rule_of_words_allows_no_line_where_files_alone_are_held_and_a_kept_line_none_elsewhere() {
    for pattern in ["cargo test", "cargo", "**", r#"\{"command":"cargo*"\}"#] {
        let played = called(kept(pattern), of_files("cargo test"));
        assert!(!is_running(&played), "{pattern}");
    }
    let unasked = Rules { commands_unasked: true, ..Rules::default() };
    assert!(!is_running(&called(unasked, of_files("cargo test"))));
    for level in [SandboxLevel::Full, SandboxLevel::None] {
        assert!(!is_running(&called(kept(CARGO_TEST), asked("cargo test", level))), "{level:?}");
    }
    let both = Rules { commands_unasked: true, ..kept(CARGO_TEST) };
    assert!(is_running(&called(both, of_files("cargo test"))));
}

#[test]
fn of_a_line_that_has_a_reason_of_its_own_to_be_asked_about_nothing_is_kept() {
    let (full, none) = (asked("cargo test", SandboxLevel::Full), asked("cargo test", SandboxLevel::None));
    let with_hosts = CommandAsked { hosts: vec!["a.test".to_owned()], ..of_files("cargo test") };
    let since = CommandAsked { asks_since: Some("it is large".to_owned()), ..of_files("cargo test") };
    let other = CommandAsked { runs: of_files("cargo build").runs, ..of_files("cargo test") };
    for command in [none, with_hosts, since, other] {
        let played = called(kept(CARGO_TEST), command.clone());
        assert_eq!(question(&played), Some((AskedBy::Always, None)), "{command:?}");
        let refused = played.turn.verdict(&reply(&played, Reply::Allow { keep: Some(KeptFor::Session) }));
        assert_eq!(refused, Some(Verdict::Unfit(Unfit::NotKept)), "{command:?}");
    }
    assert_eq!(question(&called(Rules::default(), full)), Some((AskedBy::Default, Some("**".to_owned()))));
    for line in [
        "cargo test > x",
        "cargo test $X",
        "python3 x.py",
        "bash x",
        "./x",
        "env cargo test",
        "cargo test | xargs rm",
        "cd src",
        "npm",
    ] {
        assert_eq!(
            question(&called(Rules::default(), of_files(line))),
            Some((AskedBy::Always, None)),
            "{line}"
        );
    }
    let configured = |permission| Rules {
        tools: [(
            RUN.to_owned(),
            ToolRules { user: vec![Rule { pattern: None, permission }], project: vec![] },
        )]
        .into(),
        ..kept(CARGO_TEST)
    };
    assert!(is_running(&called(configured(Permission::Allow), of_files("cargo test"))));
    let asks = called(configured(Permission::Ask), of_files("cargo test"));
    assert_eq!((is_running(&asks), question(&asks)), (false, Some((AskedBy::User, None))));
}

#[test]
fn a_line_is_kept_and_holds_where_the_call_names_the_folder_that_it_runs_in() {
    let rule = r#"[{]"command":"cargo test","cwd":"src"[}]"#;
    let run = |cwd: &str, folder: &str, rules: Rules| {
        let mut played = turn(rules, Flags::of_this_version());
        let command = CommandAsked { folder: folder.to_owned(), ..of_files("cargo test") };
        calls(&mut played, "c", &json!({ "command": "cargo test", "cwd": cwd }), command);
        (is_running(&played), question(&played).and_then(|(_, keeps)| keeps))
    };
    assert_eq!(run("src", "src", Rules::default()), (false, Some(rule.to_owned())));
    assert!(run("src", "src", kept(rule)).0);
    for folder in ["lib", "."] {
        assert_eq!(run("src", folder, Rules::default()), (false, None), "a link to {folder}");
        assert_eq!(run("src", folder, kept(rule)), (false, None), "a link to {folder} by now");
    }
    assert_eq!(run(".", "src", Rules::default()), (false, None));
}

#[test]
fn where_no_line_can_be_kept_it_is_not_offered_instead_of_words() {
    let played = called(Rules::default(), of_files("python3 x.py"));
    for too_much in [
        Reply::Allow { keep: Some(KeptFor::Project) },
        Reply::AllowWords { keep: KeptFor::Session, words: vec![1] },
    ] {
        let refused = played.turn.verdict(&reply(&played, too_much.clone()));
        assert_eq!(refused, Some(Verdict::Unfit(Unfit::NotKept)), "{too_much:?}");
    }
}

#[test]
fn a_line_that_was_kept_is_told_from_a_rule_of_words_and_shown_as_it_is() {
    for (arguments, folder, line, also) in [
        (json!({ "command": "cargo test" }), ".", "cargo test", ""),
        (json!({ "command": "cargo test", "cwd": "." }), ".", "cargo test", ""),
        (
            json!({ "command": "grep '[a]*{b}!?' \"x\\\\y\"", "cwd": "a b" }),
            "a b",
            "grep '[a]*{b}!?' \"x\\\\y\"",
            " (in \"a b\")",
        ),
        (json!({ "argv": ["grep", "a b", "c"], "timeout_s": 5 }), ".", "grep 'a b' c", " (for 5 s)"),
        (
            json!({ "command": "cargo test", "cwd": "src", "timeout_s": 600 }),
            "src",
            "cargo test",
            " (in \"src\", for 600 s)",
        ),
        (json!({ "argv": ["echo", "(in \"src\")"] }), ".", "echo '(in \"src\")'", ""),
    ] {
        let mut played = turn(Rules::default(), Flags::of_this_version());
        let command = CommandAsked { folder: folder.to_owned(), ..of_files(line) };
        calls(&mut played, "c", &arguments, command);
        let (_, keeps) = question(&played).unwrap();
        let keeps = keeps.unwrap();
        assert_eq!(exact_line(&keeps), Some(format!("{line}{also}")), "{keeps}");
        assert_eq!(read(&keeps).ok(), None, "{keeps}");
    }
    // A line that says what it has not.
    for (rule, shown) in [
        (r#"[{]"command":"make (in \\"src\\")"[}]"#, r#"make (in "src") (in ".")"#),
        (r#"[{]"command":"make","cwd":"src"[}]"#, r#"make (in "src")"#),
        (r#"[{]"command":"make","cwd":"a) (in b"[}]"#, r#"make (in "a) (in b")"#),
    ] {
        assert_eq!(exact_line(rule).as_deref(), Some(shown), "{rule}");
    }
    for rule in ["cargo test", "cargo test; npm run build", "**", "", "[", "{}", r#"[{]"command":"cargo*"[}"#]
    {
        assert_eq!(exact_line(rule), None, "{rule}");
    }
}

// T8
#[test]
fn in_a_turn_of_an_earlier_version_no_line_is_kept() {
    let mut played = turn(kept(CARGO_TEST), Flags::of_this_version().without(Flag::KeepsLines));
    calls(&mut played, "c", &json!({ "command": "cargo test" }), of_files("cargo test"));
    assert_eq!((is_running(&played), question(&played)), (false, Some((AskedBy::Always, None))));
}
