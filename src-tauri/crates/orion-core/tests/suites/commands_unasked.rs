//! C1, C3, A1: a person lets commands of one turn run in the sandbox without asking, and what is asked about all the same.

use orion_core::permission::{Rule, Rules, Ruling, ToolRules};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_core::turn::{Done, Input, Prepared, TurnSetup};
use orion_protocol::{AskedBy, CommandAsked, PendingOf, Permission, Policy, Reply, SandboxLevel, TurnEvent};
use serde_json::json;

use crate::common::{Played, call, finish, parsed, replied, setup, text, tool};

const RUN: &str = "run_command";

fn runner() -> ToolSpec {
    ToolSpec {
        kind: ToolKind::RunsCommands,
        paths: vec!["cwd".to_owned()],
        ruled: vec!["command".to_owned()],
        ..tool(RUN, Permission::Ask)
    }
}

fn unasked(user: &[(&str, Permission)], project: &[(&str, Permission)]) -> Rules {
    let list = |rules: &[(&str, Permission)]| {
        let rule = |(text, permission): &(&str, Permission)| Rule {
            pattern: (!text.is_empty()).then(|| (*text).to_owned().try_into().unwrap()),
            permission: *permission,
        };
        rules.iter().map(rule).collect()
    };
    let of_tool = ToolRules { user: list(user), project: list(project) };
    Rules { tools: [(RUN.to_owned(), of_tool)].into(), commands_unasked: true, ..Rules::default() }
}

#[test]
fn the_choice_lifts_the_question_that_nobody_configured_of_a_command_and_of_nothing_else() {
    use Permission::{Allow, Ask, Deny};
    let here = parsed(Some(&runner()), &json!({ "command": "make", "cwd": "src" }));
    for (user, project, expected) in [
        (&[][..], &[][..], Ruling::Allow),
        (&[("", Ask)], &[], Ruling::Ask(AskedBy::User)),
        (&[("make", Ask)], &[], Ruling::Ask(AskedBy::User)),
        (&[], &[("make", Deny)], Ruling::Deny(AskedBy::Project)),
        (&[], &[("", Ask)], Ruling::Ask(AskedBy::Project)),
        (&[("", Deny)], &[], Ruling::Deny(AskedBy::User)),
        (&[], &[("", Deny)], Ruling::Deny(AskedBy::Project)),
        (&[("", Allow)], &[("", Deny)], Ruling::Deny(AskedBy::Project)),
    ] {
        assert_eq!(
            unasked(user, project).judge_commands(&runner(), &here, None),
            expected,
            "{user:?} {project:?}"
        );
    }
    let rules = unasked(&[], &[]);
    let denied = ToolSpec { permission: Deny, ..runner() };
    assert_eq!(rules.judge_commands(&denied, &here, None), Ruling::Deny(AskedBy::Default));
    // A tool of another kind, even one of this name.
    for kind in [ToolKind::Mutates, ToolKind::Reads, ToolKind::OpensWrite] {
        let other = ToolSpec { kind, ..runner() };
        assert_eq!(rules.judge(&other, &here), Ruling::Ask(AskedBy::Default), "{kind:?}");
    }
    assert_eq!(rules.would_keep_commands(&runner(), &here, None), None, "keeping it would lift nothing");
    assert_eq!(Rules::default().judge_commands(&runner(), &here, None), Ruling::Ask(AskedBy::Default));
}

/// A turn with the choice, whose model calls the tool.
fn called(rules: Rules, leaked: bool) -> Played {
    let tools = ToolSet::from_iter([runner()]);
    let mut played = Played::start(TurnSetup { rules, tools, ..setup(Policy::two_stage()) });
    if leaked {
        let leak = r#"<tool_call>{"name": "run_command", "arguments": {"cwd": "src"}}</tool_call>"#;
        played.answers([text(leak), finish("stop")]);
    } else {
        played.answers([call(0, "c", RUN, r#"{"cwd":"src"}"#), finish("tool_calls")]);
    }
    played
}

fn command() -> CommandAsked {
    CommandAsked {
        line: "make".to_owned(),
        runs: Vec::new(),
        unread: None,
        folder: "src".to_owned(),
        reason: None,
        seconds: 60,
        level: SandboxLevel::Full,
        gaps: Vec::new(),
        reads: Vec::new(),
        hosts: Vec::new(),
        offered_hosts: Vec::new(),
        needs_outside: false,
        asks_since: None,
    }
}

fn prepared(played: &mut Played, command: CommandAsked) {
    let job = played.tool_job.expect("the command is looked at before it is judged");
    let prepared = Prepared::Ready { command: Box::new(command) };
    played.input(Input::Done { job, done: Done::Prepared { prepared } });
}

/// The one whose word makes Orion ask, and the rule that an answer could be kept as. None where nothing is asked.
fn asked(played: &Played) -> Option<(AskedBy, Option<String>)> {
    played.events().find_map(|event| match event {
        TurnEvent::Asked { of: PendingOf::Call { by, keeps, .. }, .. } => Some((*by, keeps.clone())),
        _ => None,
    })
}

#[test]
fn a_command_runs_unasked_in_a_full_sandbox_and_never_outside() {
    let mut played = called(unasked(&[], &[]), false);
    prepared(&mut played, command());
    assert_eq!(asked(&played), None);
    assert!(played.running.is_some(), "{}", played.lines);
    assert!(!played.lines.contains(" outside"), "{}", played.lines);
}

// C1, C2
#[test]
fn without_a_full_sandbox_with_hosts_and_with_a_reason_of_its_own_a_command_is_asked_about() {
    for command in [
        CommandAsked { level: SandboxLevel::None, ..command() },
        CommandAsked { asks_since: Some("The home is large.".to_owned()), ..command() },
        CommandAsked { hosts: vec!["crates.io".to_owned()], ..command() },
    ] {
        let mut played = called(unasked(&[], &[]), false);
        prepared(&mut played, command);
        assert_eq!(asked(&played), Some((AskedBy::Always, None)));
        assert!(played.running.is_none(), "{}", played.lines);
        let digest = played.asked.unwrap();
        played.input(replied(digest, Reply::YES));
        assert!(played.running.is_some(), "{}", played.lines);
    }
}

#[test]
fn a_command_that_the_model_wrote_into_its_text_is_asked_about() {
    let mut played = called(unasked(&[], &[]), true);
    prepared(&mut played, command());
    assert_eq!(asked(&played), Some((AskedBy::Leaked, None)));
    assert!(played.running.is_none(), "{}", played.lines);
}

#[test]
fn a_command_that_a_rule_denies_is_not_even_looked_at() {
    let played = called(unasked(&[("", Permission::Deny)], &[]), false);
    assert!(!played.lines.contains("> prepare"), "{}", played.lines);
    assert!(played.running.is_none());
}
