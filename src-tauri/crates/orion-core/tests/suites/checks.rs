//! The checks of a turn, and its one repair (V1–V3), step by step.

use orion_core::model::Message;
use orion_core::turn::{Done, Flag, Input, ModelInput, TurnCheck, TurnSetup, WriteOutcome};
use orion_protocol::{
    CheckRun, CheckSkipped, CheckStatus, Code, Envelope, ErrorInfo, Evaluation, Exhausted, Mode,
    PauseRequest, Permission, Phase, Policy, StopReason, TurnEvent, TurnLimits, TurnReport,
};

use crate::acts::checks::{OfCheck, check, checked};
use crate::acts::{opening, ready};
use crate::common::{Played, WRITE_PLAN_BEGIN, call, found, replied, setup, text, writing_is};
use orion_protocol::Reply;

fn one(last: Option<CheckStatus>) -> Vec<TurnCheck> {
    vec![check("tests", "cargo test", &[], last)]
}

fn begun(setup: TurnSetup) -> Played {
    Played::start(writing_is(Permission::Allow, setup))
}

fn with(checks: Vec<TurnCheck>) -> TurnSetup {
    TurnSetup { checks, repairs: true, ..setup(Policy::two_stage()) }
}

/// The model opens a session for `a`, and the file is written.
fn writes(played: &mut Played) {
    played.answers([text("I write it."), call(0, "", WRITE_PLAN_BEGIN, r#"{"path":"a"}"#)]);
    let opened = orion_core::tool::ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") };
    played.tool(opened);
    let content = format!("{}\nDONE", played.requests.len());
    played.answers([text(&content)]);
    let content = played.offer.as_ref().unwrap().content.clone();
    played.proposed(ready(&content)).wrote(WriteOutcome::Written);
}

fn answered(played: &mut Played) -> &mut Played {
    writes(played);
    played.answers([text("It is done.")])
}

fn ends(played: &mut Played, of: &TurnCheck, act: OfCheck) {
    let job = played.check_job.take().expect("a check runs");
    let run = Box::new(checked(of, None, act));
    played.input(Input::Done { job, done: Done::Checked { run } });
}

/// The phases of the checks and of the model, and the outcomes of the checks.
fn course(played: &Played) -> Vec<String> {
    let line = |envelope: &Envelope| match &envelope.event {
        TurnEvent::PhaseStarted { model_call: Some(call), write: None, .. } => Some(format!("model {call}")),
        TurnEvent::PhaseStarted { .. } if envelope.phase == Phase::CheckPhase => Some("checks".to_owned()),
        TurnEvent::CheckEnded { attempt, failed_before, run } => {
            let before = if *failed_before { ", as before" } else { "" };
            let why = run.skipped.map_or_else(String::new, |why| format!(" {why:?}"));
            Some(format!("{} {attempt}: {:?}{why}{before}", run.name, run.status))
        }
        TurnEvent::WriteDone { status, .. } => Some(format!("write {status:?}")),
        _ => None,
    };
    played.envelopes.iter().filter_map(line).collect()
}

fn report(played: &Played) -> TurnReport {
    played.events().find_map(|event| event.terminal().cloned()).expect("the turn is over")
}

fn end(played: &Played) -> (StopReason, Option<Evaluation>) {
    let report = report(played);
    (report.stop_reason, report.evaluation)
}

#[test]
fn a_turn_that_wrote_runs_its_checks_and_reports_what_ran() {
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Passed);
    assert_eq!(course(&played), ["model 1", "write Written", "model 2", "checks", "tests 1: Passed"]);
    let report = report(&played);
    assert_eq!((report.stop_reason, report.evaluation), (StopReason::Answered, Some(Evaluation::Passed)));
    let checks = serde_json::to_value(report.checks.unwrap()).unwrap();
    insta::assert_json_snapshot!(checks);
}

#[test]
fn a_turn_that_changed_nothing_runs_none_and_is_not_evaluated_as_passed() {
    let mut played = begun(with(one(Some(CheckStatus::Passed))));
    played.answers([text("It says x.")]);
    assert_eq!(course(&played), ["model 1"]);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Skipped)));
    let mut played = begun(setup(Policy::two_stage()));
    answered(&mut played);
    assert_eq!((end(&played), report(&played).checks), ((StopReason::Answered, None), None));
}

#[test]
fn a_check_runs_where_its_globs_name_a_changed_file() {
    let of = vec![
        check("here", "one", &["b", "a"], None),
        check("elsewhere", "two", &["src/**"], None),
        check("unread", "three", &["["], None),
    ];
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Passed);
    ends(&mut played, &of[2], OfCheck::Passed);
    let ran: Vec<String> = course(&played).into_iter().filter(|line| line.contains(": ")).collect();
    assert_eq!(ran, ["here 1: Passed", "unread 1: Passed"]);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Passed)));
}

// V2
#[test]
fn what_the_turn_broke_is_repaired_once_and_checked_once_more() {
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    let request = played.requests.last().unwrap();
    assert_eq!(request.tools.names().collect::<Vec<_>>(), [WRITE_PLAN_BEGIN]);
    assert!(!request.forbids_tools);
    let Some(Message::System { text: told }) = request.messages.last() else { panic!("Orion says it") };
    insta::assert_snapshot!(told);
    writes(&mut played);
    ends(&mut played, &of[0], OfCheck::Passed);
    assert_eq!(
        course(&played),
        [
            "model 1",
            "write Written",
            "model 2",
            "checks",
            "tests 1: Failed",
            "model 3",
            "write Written",
            "checks",
            "tests 2: Passed",
        ]
    );
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Passed)));
    assert_eq!(report(&played).answer, "I write it.\n\nIt is done.\n\nI write it.");
    assert_eq!(report(&played).cycles, 1, "the repair costs no cycle");
}

#[test]
fn a_second_failure_is_the_end() {
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    writes(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Failed)));
}

#[test]
fn what_was_red_before_or_never_ran_or_is_no_failure_starts_no_repair() {
    for (last, act, evaluation) in [
        (Some(CheckStatus::Failed), OfCheck::Failed, Evaluation::Failed),
        (None, OfCheck::Failed, Evaluation::Failed),
        (Some(CheckStatus::Skipped), OfCheck::Failed, Evaluation::Failed),
        (Some(CheckStatus::Passed), OfCheck::TimedOut, Evaluation::Failed),
        (Some(CheckStatus::Passed), OfCheck::ScriptChanged, Evaluation::Skipped),
    ] {
        let of = one(last);
        let mut played = begun(with(of.clone()));
        answered(&mut played);
        ends(&mut played, &of[0], act);
        assert_eq!(end(&played), (StopReason::Answered, Some(evaluation)), "{last:?} {act:?}");
        let failed_before = report(&played).checks.unwrap()[0].failed_before;
        assert_eq!(failed_before, last == Some(CheckStatus::Failed));
    }
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(TurnSetup { repairs: false, ..with(of.clone()) });
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Failed)));
}

#[test]
fn a_repair_without_a_write_ends_the_turn() {
    type Repairs = fn(&mut Played);
    let says: Repairs = |played| {
        played.answers([text("I cannot.")]);
    };
    let reads: Repairs = |played| {
        played.answers([call(0, "", "read", r#"{"path":"b"}"#)]);
    };
    let says_nothing: Repairs = |played| {
        played.answers([]);
    };
    let fails_to_open: Repairs = |played| {
        played.answers([call(0, "", WRITE_PLAN_BEGIN, r#"{"path":"a"}"#)]).tool(crate::common::failed());
    };
    let resumed: Repairs = |played| {
        played.says([text("I ")]).input(Input::Resumed { seq: 0 });
    };
    for repairs in [says, reads, says_nothing, fails_to_open, resumed] {
        let of = one(Some(CheckStatus::Passed));
        let mut played = begun(with(of.clone()));
        answered(&mut played);
        ends(&mut played, &of[0], OfCheck::Failed);
        repairs(&mut played);
        assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Failed)));
        assert_eq!(course(&played).iter().filter(|line| *line == "checks").count(), 1);
    }
}

#[test]
fn a_model_that_fails_in_the_repair_leaves_the_turn_answered_and_its_checks_failed() {
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    played.model(ModelInput::Failed { error: ErrorInfo::new(Code::Connection, "Gone.", "") });
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Failed)));
    let report = report(&played);
    assert_eq!((report.answer.as_str(), report.error), ("I write it.\n\nIt is done.", None));
    let is_told =
        |event: &TurnEvent| matches!(event, TurnEvent::Notice { message, .. } if message == "Gone.");
    assert!(played.events().any(is_told));
}

// A4
#[test]
fn a_stop_in_the_repair_or_in_the_pause_before_it_leaves_the_turn_answered_and_its_checks_failed() {
    for pauses in [false, true] {
        let of = one(Some(CheckStatus::Passed));
        let mut played = begun(with(of.clone()));
        answered(&mut played);
        if pauses {
            played.input(Input::Pause { pause: PauseRequest::Now });
        }
        ends(&mut played, &of[0], OfCheck::Failed);
        assert!(!played.turn.is_over());
        played.input(Input::Stop);
        assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Failed)));
    }
}

// T7
#[test]
fn seconds_that_are_used_up_in_the_repair_leave_the_turn_answered_and_its_checks_failed() {
    let limits = TurnLimits { max_seconds: Some(60), ..TurnLimits::default() };
    let policy = Policy::of(orion_protocol::Route::TwoStage, limits);
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(TurnSetup { policy, ..with(of.clone()) });
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    played.now_ms += 60_000;
    played.input(Input::Expired);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Failed)));
    assert_eq!(report(&played).exhausted, Some(Exhausted::Seconds));
}

// A4
#[test]
fn a_stop_ends_the_checks_and_the_turn_stays_answered() {
    let of = vec![
        check("one", "one", &[], None),
        check("two", "two", &[], None),
        check("three", "three", &[], None),
    ];
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Failed);
    played.input(Input::Stop).input(Input::Stop);
    assert!(played.lines.ends_with("> end job 5\n"), "{}", played.lines);
    ends(&mut played, &of[1], OfCheck::Stopped);
    let ran: Vec<String> = course(&played).into_iter().filter(|line| line.contains(": ")).collect();
    assert_eq!(ran, ["one 1: Failed", "two 1: Stopped", "three 1: Skipped Stopped"]);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Skipped)));
}

// T7
#[test]
fn checks_for_which_no_seconds_are_left_are_skipped_and_the_answer_stays() {
    let limits = TurnLimits { max_seconds: Some(60), ..TurnLimits::default() };
    let policy = Policy::of(orion_protocol::Route::TwoStage, limits);
    let of = vec![check("one", "one", &[], Some(CheckStatus::Passed)), check("two", "two", &[], None)];
    let late = TurnSetup { policy, ..with(of.clone()) };
    let mut played = begun(late);
    answered(&mut played);
    played.now_ms += 60_000;
    played.input(Input::Expired);
    assert!(!played.turn.is_over(), "what runs is ended first");
    ends(&mut played, &of[0], OfCheck::Stopped);
    let ran: Vec<String> = course(&played).into_iter().filter(|line| line.contains(": ")).collect();
    assert_eq!(ran, ["one 1: Stopped", "two 1: Skipped Seconds"]);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Skipped)));
    assert_eq!(report(&played).exhausted, Some(Exhausted::Seconds));
}

#[test]
fn a_turn_out_of_seconds_before_its_answer_runs_none_and_names_them() {
    let limits = TurnLimits { max_seconds: Some(60), ..TurnLimits::default() };
    let policy = Policy::of(orion_protocol::Route::TwoStage, limits);
    let mut played = begun(TurnSetup { policy, ..with(one(None)) });
    writes(&mut played);
    played.now_ms += 60_000;
    played.input(Input::Expired);
    assert_eq!(end(&played), (StopReason::BudgetExhausted, Some(Evaluation::Skipped)));
    let checks: Vec<_> =
        report(&played).checks.unwrap().into_iter().map(|it| (it.name, it.status, it.reason)).collect();
    assert_eq!(checks, [("tests".to_owned(), CheckStatus::Skipped, Some(CheckSkipped::Seconds))]);
}

#[test]
fn checks_follow_the_forced_final_answer_of_used_up_steps() {
    let limits = TurnLimits { max_cycles: Some(1), ..TurnLimits::default() };
    let policy = Policy::of(orion_protocol::Route::TwoStage, limits);
    let of = one(None);
    let mut played = begun(TurnSetup { policy, ..with(of.clone()) });
    answered(&mut played);
    ends(&mut played, &of[0], OfCheck::Passed);
    assert_eq!(end(&played), (StopReason::BudgetExhausted, Some(Evaluation::Passed)));
}

// A5
#[test]
fn a_check_that_had_begun_runs_again_in_another_process() {
    let of = one(None);
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    let first = played.check_job.take();
    played.input(Input::Resumed { seq: 0 });
    assert!(played.check_job.is_some() && played.check_job != first);
    ends(&mut played, &of[0], OfCheck::Passed);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Passed)));
}

#[test]
fn a_process_that_dies_in_the_check_phase_leaves_an_interrupted_turn() {
    let mut played = begun(with(one(None)));
    answered(&mut played);
    played.input(Input::Interrupted);
    assert!(played.events().any(|event| matches!(event, TurnEvent::Interrupted)));
    played.input(Input::Stop);
    assert_eq!(end(&played), (StopReason::Stopped, Some(Evaluation::Skipped)));
}

// A2
#[test]
fn a_pause_that_is_asked_for_while_checks_run_takes_hold_before_the_repair() {
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    let calls = played.requests.len();
    played.input(Input::Pause { pause: PauseRequest::Now });
    ends(&mut played, &of[0], OfCheck::Failed);
    assert_eq!(played.requests.len(), calls);
    let digest = played.asked.unwrap();
    played.input(replied(digest, Reply::Resume { edits: Vec::new() }));
    assert_eq!(played.requests.len(), calls + 1);
    writes(&mut played);
    ends(&mut played, &of[0], OfCheck::Passed);
    assert_eq!(end(&played), (StopReason::Answered, Some(Evaluation::Passed)));
}

// A9
#[test]
fn a_message_that_comes_while_checks_run_is_for_the_next_turn() {
    let of = one(Some(CheckStatus::Passed));
    let mut played = begun(with(of.clone()));
    answered(&mut played);
    played.input(Input::Steered { text: "And b?".to_owned() });
    ends(&mut played, &of[0], OfCheck::Failed);
    played.answers([text("I cannot.")]);
    assert_eq!(played.turn.unsteered(), ["And b?"]);
}

#[test]
fn plan_mode_and_turns_of_an_earlier_version_have_no_checks() {
    let plan = TurnSetup { mode: Mode::Plan, ..with(one(None)) };
    let with_them = with(one(None));
    let earlier = TurnSetup { flags: with_them.flags.clone().without(Flag::RunsChecks), ..with_them };
    for setup in [plan, earlier] {
        assert!(setup.checks_in_force().is_empty());
        assert_eq!(setup.bounds().command_seconds, None);
        let mut played = begun(setup);
        answered(&mut played);
        assert_eq!(end(&played), (StopReason::Answered, None));
    }
}

// T4, V2
#[test]
fn the_bounds_have_the_checks_and_the_repair_before_the_turn_begins() {
    let without = setup(Policy::two_stage()).bounds();
    let checks = vec![check("one", "one", &[], None), check("two", "two", &[], None)];
    let bounds = with(checks.clone()).bounds();
    let prompts = Policy::two_stage().max_write_prompts;
    assert_eq!(
        (bounds.model_calls, bounds.write_prompts, bounds.tool_runs, bounds.command_seconds),
        (without.model_calls + 1, without.write_prompts + prompts, without.tool_runs + 1, Some(240)),
    );
    let no_repair = TurnSetup { repairs: false, ..with(checks) }.bounds();
    assert_eq!(
        (no_repair.model_calls, no_repair.write_prompts),
        (without.model_calls, without.write_prompts)
    );
    assert_eq!(no_repair.command_seconds, Some(240));
}

#[test]
fn the_message_has_24_kib_of_output_at_most_and_its_fences_hold() {
    let of = ["one", "two", "three", "four"].map(|name| check(name, name, &[], None));
    let runs: Vec<CheckRun> = of
        .iter()
        .map(|of| CheckRun { excerpt: "é".repeat(4 * 1024), ..checked(of, None, OfCheck::Failed) })
        .collect();
    let text = orion_core::prompt::checks_failed("NONCE", &runs, WRITE_PLAN_BEGIN);
    assert_eq!(text.matches('é').count(), 12 * 1024);
    let least = |excerpt: &str| excerpt.matches('é').count();
    assert_eq!(text.split("\nCheck ").skip(1).map(least).min(), Some(3 * 1024), "each has its share");
    assert_eq!((text.matches("<<<NONCE\n").count(), text.matches("\nNONCE>>>").count()), (4, 4));
}
