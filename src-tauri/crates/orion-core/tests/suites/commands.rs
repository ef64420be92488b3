//! C1, C3, A5, D1: a command is looked at before it is judged, asked about as it would run, and runs as it was allowed.

use orion_core::permission::{Kept, Rules};
use orion_core::tool::{ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_core::trace::TraceFold;
use orion_core::turn::{Done, Flag, Input, Prepared, TurnSetup, Unfit, Verdict};
use orion_protocol::{
    AskedBy, Bounds, CallId, CommandAsked, CommandEnd, CommandRun, Given, ModelNumbers, PendingOf,
    Permission, Policy, Reply, ResultEdit, SandboxLevel, SpanStatus, StopReason, ToolStatus, TraceKind,
    TurnEvent,
};
use serde_json::json;

use crate::common::{Played, approval, call, failed, finish, found, replied, setup, text, tool};

const RUN: &str = "run_command";

fn runner() -> ToolSpec {
    let spec = tool(RUN, Permission::Ask);
    let ruled = vec!["command".to_owned()];
    ToolSpec { kind: ToolKind::RunsCommands, unsigned: vec!["reason".to_owned()], ruled, ..spec }
}

fn turn(rules: Rules) -> TurnSetup {
    TurnSetup { rules, tools: ToolSet::from_iter([runner()]), ..setup(Policy::two_stage()) }
}

fn calls(played: &mut Played, id: &str, arguments: &str) {
    played.answers([call(0, id, RUN, arguments), finish("tool_calls")]);
}

fn command(level: SandboxLevel) -> Box<CommandAsked> {
    command_of("make", level)
}

fn command_of(line: &str, level: SandboxLevel) -> Box<CommandAsked> {
    Box::new(CommandAsked {
        line: line.to_owned(),
        runs: Vec::new(),
        unread: None,
        folder: ".".to_owned(),
        reason: None,
        seconds: 60,
        level,
        gaps: Vec::new(),
        reads: Vec::new(),
        hosts: Vec::new(),
        offered_hosts: Vec::new(),
        needs_outside: false,
        asks_since: None,
    })
}

fn prepared(played: &mut Played, prepared: Prepared) {
    let job = played.tool_job.take().expect("the command is looked at before it is judged");
    played.input(Input::Done { job, done: Done::Prepared { prepared } });
}

fn ready(played: &mut Played, level: SandboxLevel) {
    prepared(played, Prepared::Ready { command: command(level) });
}

fn questions(played: &Played) -> Vec<(AskedBy, Option<String>, Option<Box<CommandAsked>>)> {
    let asked = played.events().filter_map(|event| match event {
        TurnEvent::Asked { of: PendingOf::Call { by, keeps, command, .. }, .. } => {
            Some((*by, keeps.clone(), command.clone()))
        }
        _ => None,
    });
    asked.collect()
}

fn ran() -> ToolOutcome {
    ToolOutcome { command: Some(Box::new(run())), ..found("exit code 0") }
}

fn run() -> CommandRun {
    CommandRun {
        line: "make".to_owned(),
        folder: ".".to_owned(),
        level: SandboxLevel::Full,
        outside: false,
        ended: CommandEnd::Exited { code: 0 },
        duration_ms: 4,
        bytes: 0,
        sha256: orion_core::signature::digest(""),
        kept_bytes: 0,
        left_running: Vec::new(),
        ports: Vec::new(),
        runs_later: Vec::new(),
        more_run_later: false,
        unprotected: Vec::new(),
        more_unprotected: false,
        network: None,
        changed: Vec::new(),
        more_changed: 0,
        partly_compared: false,
    }
}

// C3
#[test]
fn the_question_says_how_the_command_would_run_and_the_result_how_it_ran() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    assert!(played.asked.is_none(), "nobody is asked before it is known what would hold it");
    ready(&mut played, SandboxLevel::Full);
    let asked = (AskedBy::Default, Some("**".to_owned()), Some(command(SandboxLevel::Full)));
    assert_eq!(questions(&played), [asked]);
    played.allow(true).tool(ran());
    let told = played.events().find_map(|event| match event {
        TurnEvent::ToolResult { command, .. } => command.clone(),
        _ => None,
    });
    assert_eq!(told, ran().command);
}

// J2
#[test]
fn a_command_has_a_span_of_its_own_at_the_end_of_its_calls() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    played.allow(true).tool(ran());
    let spans = TraceFold::all(&played.envelopes);
    let of = |kind| spans.iter().find(|span| span.kind == kind).unwrap();
    let (call, command) = (of(TraceKind::ToolCall), of(TraceKind::Command));
    assert_eq!((command.parent_id, &command.tool_call_id), (Some(call.span_id), &call.tool_call_id));
    assert_eq!(
        (command.name.as_str(), command.status, command.end_ms),
        ("make", SpanStatus::Ok, call.end_ms)
    );
    assert_eq!(command.end_ms.unwrap() - command.start_ms, 4.min(call.end_ms.unwrap() - call.start_ms));
    let keys: Vec<&str> = command.attributes.keys().map(String::as_str).collect();
    assert!(keys.contains(&"ended") && keys.contains(&"sha256"), "{keys:?}");
    assert!(!call.attributes.contains_key("command"));
}

#[test]
fn a_call_that_can_run_nothing_has_its_result_without_a_question() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    let outcome = Box::new(ToolOutcome::ended(ToolStatus::Failed, "no such folder"));
    prepared(&mut played, Prepared::Unfit { outcome });
    assert_eq!(questions(&played), []);
    assert!(played.events().any(|event| matches!(event, TurnEvent::ToolResult { .. })));
    assert_eq!(played.running, None);
}

// C1, C3
#[test]
fn a_kept_approval_of_all_commands_holds_in_a_full_sandbox_alone() {
    let pattern = || "**".to_owned().try_into().unwrap();
    let kept = || Kept { approval_id: approval(1), tool: RUN.to_owned(), pattern: pattern() };
    for (level, asks) in [(SandboxLevel::Full, false), (SandboxLevel::None, true)] {
        let mut played = Played::start(turn(Rules { kept: vec![kept()], ..Rules::default() }));
        calls(&mut played, "c", r#"{"command":"make"}"#);
        ready(&mut played, level);
        let asked = asks.then(|| (AskedBy::Always, None, Some(command(level))));
        assert_eq!(questions(&played), Vec::from_iter(asked));
        assert_eq!(played.running.is_some(), !asks);
    }
}

// A1, C2
#[test]
fn a_kept_approval_grants_no_host() {
    let pattern = "**".to_owned().try_into().unwrap();
    let kept = Kept { approval_id: approval(1), tool: RUN.to_owned(), pattern };
    let mut played = Played::start(turn(Rules { kept: vec![kept], ..Rules::default() }));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    let hosts = vec!["crates.io".to_owned()];
    let command = Box::new(CommandAsked { hosts, ..*command(SandboxLevel::Full) });
    prepared(&mut played, Prepared::Ready { command: command.clone() });
    assert_eq!(questions(&played), [(AskedBy::Always, None, Some(command))]);
    assert!(played.running.is_none());
}

// C3
#[test]
fn a_person_alone_has_one_run_outside_the_sandbox() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    let digest = played.asked.unwrap();
    played.input(replied(digest, Reply::AllowOutside));
    assert!(
        played.lines.contains("> run 1 c run_command") && played.lines.contains(" outside"),
        "{}",
        played.lines
    );
    let outside = Given::Allowed { edited: None, kept: None, outside: true };
    let is_told = |event: &TurnEvent| matches!(event, TurnEvent::Answered { given, .. } if *given == outside);
    assert!(played.events().any(is_told));
    played.tool(ran());
    calls(&mut played, "d", r#"{"command":"make test"}"#);
    ready(&mut played, SandboxLevel::Full);
    assert_eq!(questions(&played).len(), 2, "it was for one run");
    // Of another tool nothing can run outside.
    let mut other = Played::start(setup(Policy::two_stage()));
    other.answers([call(0, "c", "ask", r#"{"path":"a"}"#), finish("tool_calls")]);
    let outside = replied(other.asked.unwrap(), Reply::AllowOutside);
    assert_eq!(other.turn.verdict(&outside), Some(Verdict::Unfit(Unfit::NotAsked)));
}

// A5, C3
#[test]
fn a_run_outside_is_for_one_run_also_where_its_process_died() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    let digest = played.asked.unwrap();
    played.input(replied(digest, Reply::AllowOutside));
    let seq = played.envelopes.last().unwrap().seq;
    played.running = None;
    played.input(Input::Resumed { seq });
    let before = played.lines.matches(" outside").count();
    played.allow(true);
    assert!(played.running.is_some());
    assert_eq!(played.lines.matches(" outside").count(), before, "{}", played.lines);
}

// A4, A5
#[test]
fn a_stop_ends_the_look_at_a_command_and_after_a_crash_it_is_looked_at_again() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    let seq = played.envelopes.last().unwrap().seq;
    let first = played.tool_job.take();
    played.input(Input::Resumed { seq });
    assert!(played.tool_job.is_some() && played.tool_job != first);
    ready(&mut played, SandboxLevel::Full);
    assert_eq!(questions(&played).len(), 1, "nothing of it has run, so it is asked about as any other");

    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    played.input(Input::Stop);
    assert!(played.lines.contains("> cancel") && played.turn.is_over(), "{}", played.lines);
}

/// A turn whose command runs.
fn running(setup: TurnSetup) -> Played {
    let mut played = Played::start(setup);
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    played.allow(true);
    played
}

fn results(played: &Played) -> Vec<(ToolStatus, Option<Box<CommandRun>>)> {
    let results = played.events().filter_map(|event| match event {
        TurnEvent::ToolResult { status, command, .. } => Some((*status, command.clone())),
        _ => None,
    });
    results.collect()
}

fn end(played: &Played) -> StopReason {
    let report = played.events().find_map(|event| event.terminal().cloned());
    report.expect("the turn is over").stop_reason
}

fn stopped_run() -> ToolOutcome {
    let run = CommandRun { ended: CommandEnd::Stopped, ..run() };
    let outcome = ToolOutcome::ended(ToolStatus::Cancelled, "stopped");
    ToolOutcome { command: Some(Box::new(run)), ..outcome }
}

// A4, C6
#[test]
fn a_stop_waits_for_the_outcome_of_the_command_that_it_ends() {
    let mut played = running(turn(Rules::default()));
    let job = played.tool_job.unwrap();
    played.input(Input::Stop).input(Input::Stop);
    assert!(played.lines.ends_with(&format!("> end job {}\n", job.0)), "{}", played.lines);
    assert!(!played.turn.is_over() && played.turn.deadline().is_none());
    let before = played.lines.len();
    let outcome = stopped_run();
    let command = outcome.command.clone();
    played.input(Input::Done { job, done: Done::Tool { outcome: outcome.into(), duration_ms: 5 } });
    assert_eq!(results(&played), [(ToolStatus::Cancelled, command)]);
    assert_eq!(end(&played), StopReason::Stopped);
    assert!(!played.lines[before..].contains('>'), "nothing starts: {}", &played.lines[before..]);
}

// A4, A5
#[test]
fn a_stop_whose_process_died_ends_the_turn_when_it_is_gone_on_with() {
    let mut played = running(turn(Rules::default()));
    played.input(Input::Stop);
    let seq = played.envelopes.last().unwrap().seq;
    played.running = None;
    played.input(Input::Resumed { seq });
    assert_eq!(results(&played), [(ToolStatus::Failed, None)]);
    assert_eq!(end(&played), StopReason::Stopped);
}

// T7, C6
#[test]
fn a_turn_out_of_seconds_waits_for_the_outcome_of_its_command_and_a_stop_meanwhile_counts() {
    for stops in [false, true] {
        let policy = Policy { max_seconds: Some(60), ..Policy::two_stage() };
        let mut played = running(TurnSetup { policy, ..turn(Rules::default()) });
        let job = played.tool_job.unwrap();
        played.now_ms += 60_000;
        played.input(Input::Expired);
        if stops {
            played.input(Input::Stop);
        }
        assert!(!played.turn.is_over() && played.turn.deadline().is_none());
        let outcome = stopped_run().into();
        played.input(Input::Done { job, done: Done::Tool { outcome, duration_ms: 5 } });
        let reason = if stops { StopReason::Stopped } else { StopReason::BudgetExhausted };
        assert_eq!(end(&played), reason);
        assert_eq!(results(&played).len(), 1);
    }
}

// T8
#[test]
fn a_turn_of_an_earlier_version_drops_its_command_at_a_stop() {
    let setup = turn(Rules::default());
    let flags = setup.flags.clone().without(Flag::EndsCommands);
    let mut played = running(TurnSetup { flags, ..setup });
    played.input(Input::Stop);
    assert!(played.turn.is_over() && played.lines.contains("> cancel c"), "{}", played.lines);
}

// A5
#[test]
fn a_command_that_ran_when_its_process_died_is_put_to_the_person() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    played.allow(true);
    let seq = played.envelopes.last().unwrap().seq;
    played.running = None;
    played.input(Input::Resumed { seq });
    assert_eq!(
        questions(&played).last().map(|(by, keeps, _)| (*by, keeps.clone())),
        Some((AskedBy::Always, None))
    );
    assert_eq!(played.running, None);
}

// A3, A5, C3
#[test]
fn after_a_crash_the_question_shows_the_command_that_a_person_put_in_its_place() {
    let edited = || command_of("make b", SandboxLevel::None);
    for fits in [true, false] {
        let mut played = Played::start(turn(Rules::default()));
        calls(&mut played, "c", r#"{"command":"make"}"#);
        ready(&mut played, SandboxLevel::Full);
        let arguments = json!({ "command": "make b" }).as_object().cloned().unwrap();
        played.input(replied(played.asked.unwrap(), Reply::AllowEdited { arguments }));
        assert!(played.running.take().is_some());
        // It dies while the command runs, and again while it is looked at.
        for _ in 0..2 {
            let (seq, before) = (played.envelopes.last().unwrap().seq, played.tool_job);
            played.input(Input::Resumed { seq });
            assert!(played.tool_job.is_some() && played.tool_job != before);
            assert_eq!(questions(&played).len(), 1, "it is looked at first");
        }
        if fits {
            prepared(&mut played, Prepared::Ready { command: edited() });
            assert_eq!(questions(&played).last(), Some(&(AskedBy::Always, None, Some(edited()))));
            played.allow(true);
            assert!(played.running.is_some());
        } else {
            let outcome = Box::new(ToolOutcome::ended(ToolStatus::Failed, "no such folder"));
            prepared(&mut played, Prepared::Unfit { outcome });
            let summary = played.events().find_map(|event| match event {
                TurnEvent::ToolResult { summary, .. } => Some(summary.as_str()),
                _ => None,
            });
            assert_eq!(summary, Some("Outcome unknown"), "it may have run");
        }
    }
}

// X6, C3
#[test]
fn a_command_that_would_bring_back_what_was_taken_out_is_looked_at_before_anybody_is_asked() {
    let policy = Policy { pause_after_tool: true, ..Policy::two_stage() };
    let mut played = Played::start(TurnSetup { policy, ..turn(Rules::default()) });
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    played.allow(true).tool(ran());
    let edits = vec![ResultEdit::Drop { tool_call_id: CallId("c".to_owned()) }];
    played.input(replied(played.asked.unwrap(), Reply::Resume { edits }));
    calls(&mut played, "d", r#"{"command":"make"}"#);
    assert_eq!(questions(&played).len(), 1);
    ready(&mut played, SandboxLevel::None);
    let asked = (AskedBy::Always, None, Some(command(SandboxLevel::None)));
    assert_eq!(questions(&played).last(), Some(&asked));
}

// A3
#[test]
fn a_person_cannot_put_a_folder_outside_of_the_project_into_a_command() {
    let runner = ToolSpec { ruled: vec!["command".to_owned()], ..runner() };
    let setup = TurnSetup { tools: ToolSet::from_iter([runner]), ..turn(Rules::default()) };
    let mut played = Played::start(setup);
    calls(&mut played, "c", r#"{"command":"make"}"#);
    ready(&mut played, SandboxLevel::Full);
    let arguments = json!({ "command": "make", "path": "../other" }).as_object().cloned().unwrap();
    let edited = replied(played.asked.unwrap(), Reply::AllowEdited { arguments });
    assert_eq!(played.turn.verdict(&edited), Some(Verdict::Unfit(Unfit::Outside)));
}

// J5
#[test]
fn a_call_of_a_name_that_no_tool_has_counts_the_same_beside_commands() {
    let runs = |setup: TurnSetup| {
        let mut played = Played::start(setup);
        played.answers([call(0, "c", "unknown", "{}"), finish("tool_calls")]).tool(failed());
        played.answers([text("There is no such tool."), finish("stop")]);
        played.envelopes.last().unwrap().event.terminal().unwrap().tool_runs
    };
    assert_eq!(runs(turn(Rules::default())), runs(setup(Policy::two_stage())));
}

// D1
#[test]
fn the_reason_of_a_call_is_no_part_of_its_signature() {
    let mut played = Played::start(turn(Rules::default()));
    calls(&mut played, "c", r#"{"command":"make","reason":"To see."}"#);
    ready(&mut played, SandboxLevel::Full);
    played.allow(true).tool(ran());
    calls(&mut played, "d", r#"{"command":"make","reason":"To see again."}"#);
    assert!(
        played.events().any(|event| matches!(event, TurnEvent::DuplicateRefused { .. })),
        "{}",
        played.lines
    );
}

// C4, T4, T7
#[test]
fn the_seconds_of_commands_are_bounded_before_the_turn_begins() {
    let tools = |most| ToolSet::from_iter([ToolSpec { max_per_turn: most, ..runner() }]);
    let of = |policy: Policy, most| {
        Bounds::within(&policy, &ModelNumbers::default(), tools(most).caps()).command_seconds
    };
    assert_eq!(of(Policy::two_stage(), None), Some(360), "3 steps of 120 s");
    assert_eq!(of(Policy::two_stage(), Some(2)), Some(240));
    assert_eq!(of(Policy { max_command_seconds: Some(600), ..Policy::two_stage() }, None), Some(1_800));
    assert_eq!(of(Policy { max_seconds: Some(100), ..Policy::two_stage() }, None), Some(100));
    let none = Bounds::of(&Policy::two_stage(), &ModelNumbers::default()).command_seconds;
    assert_eq!(none, None, "no tool runs commands");
}
