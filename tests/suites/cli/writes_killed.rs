//! `kill -9` in the middle of writing a file and of undoing that, with strace between the program and the kernel:
//! what the next start finds, what a stop says, and what a person is told (W6, W7, A4).
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Answer, Envelope, Op, Outcome, Query, RequestId, TurnEvent, TurnStatus, WriteStatus};
use orion_providers::Providers;
use support::{Script, ScriptedModel};

use super::writes::{begin, on, on_disk, writer};
use super::{Desk, Ran, json as parsed, ran};
use crate::driver_desk::{options, tuning};

const OLD: &str = "The answer is 42.\n";
const NEW: &str = "The answer is 43.\n";

/// Right before the names are exchanged, and right after.
const BEFORE: &str = "renameat2:signal=KILL:when=1";
const AFTER: &str = "unlinkat:signal=KILL:when=1";

/// The command under strace, which does this to it.
pub(super) fn traced(command: &Command, injection: &str) -> Command {
    let mut traced = Command::new("strace");
    traced.args([
        "--follow-forks",
        "--quiet=all",
        "--trace=fchmod,renameat2,unlinkat",
        "--inject",
        injection,
    ]);
    traced.arg("--").arg(command.get_program()).args(command.get_args());
    traced.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    traced.env("PATH", std::env::var_os("PATH").unwrap()).current_dir(command.get_current_dir().unwrap());
    traced
}

/// A run that wrote notes.txt as far as it came. The model is asked no more afterwards.
fn killed(desk: &Desk, injection: &str, arguments: &[&str]) -> RequestId {
    let model = writer().start();
    let mut all = vec!["--events"];
    all.extend(arguments);
    let told = ran(&mut traced(&desk.run(&model, &all), injection));
    assert_eq!(told.code, None, "it was killed: {}", told.stderr);
    model.finish();
    request(&told)
}

fn request(told: &Ran) -> RequestId {
    serde_json::from_str::<Envelope>(told.stdout.lines().next().unwrap()).unwrap().request_id
}

/// The files of the project beside those that it began with.
fn others(desk: &Desk) -> Vec<String> {
    let names = fs::read_dir(desk.project.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "notes.txt" && name != "src").collect()
}

async fn engine(desk: &Desk, model: &ScriptedModel) -> Engine {
    let providers = Arc::new(Providers::new(tuning()));
    Engine::open(options(&desk.home.path(), &model.base_url(), providers)).await.unwrap()
}

/// Stops the turn, and says what its report says of the file.
async fn stopped(engine: &Engine, request_id: RequestId) -> Option<WriteStatus> {
    engine.submit(Op::StopTurn { request_id }).await.unwrap();
    let events = engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap();
    let Answer::Events { envelopes } = events else { panic!() };
    let report = envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.status, report.writes.len()), (TurnStatus::Stopped, 1));
    report.writes[0].status
}

#[tokio::test]
async fn a_stop_after_a_crash_does_not_deny_a_write_that_happened() {
    let desk = Desk::new();
    let request_id = killed(&desk, AFTER, &["--approve-writes", "Make it 43."]);
    assert_eq!(on_disk(&desk, "notes.txt"), NEW);
    let nobody = Script::new().start();
    let engine = engine(&desk, &nobody).await;
    assert_eq!(stopped(&engine, request_id).await, Some(WriteStatus::Written));
    let undone = engine.submit(Op::UndoWrite { request_id, write: None }).await.unwrap();
    assert!(matches!(undone, Outcome::Undone { writes } if writes.len() == 1 && writes[0].error.is_none()));
    engine.close().await.unwrap();
    assert_eq!((on_disk(&desk, "notes.txt").as_str(), others(&desk)), (OLD, vec![]));
    nobody.finish();
}

// A4: nothing starts after a stop.
#[tokio::test]
async fn a_stop_after_a_crash_writes_nothing_that_was_not_written() {
    let desk = Desk::new();
    let request_id = killed(&desk, BEFORE, &["--approve-writes", "Make it 43."]);
    assert_eq!(on_disk(&desk, "notes.txt"), OLD);
    let nobody = Script::new().start();
    let engine = engine(&desk, &nobody).await;
    assert_eq!(stopped(&engine, request_id).await, Some(WriteStatus::Discarded));
    engine.close().await.unwrap();
    assert_eq!((on_disk(&desk, "notes.txt").as_str(), others(&desk)), (OLD, vec![]));
    nobody.finish();
}

#[test]
fn what_was_taken_back_after_a_crash_is_not_written_again_by_going_on() {
    let desk = Desk::new();
    let request = killed(&desk, AFTER, &["--approve-writes", "Make it 43."]).to_string();
    let undone = ran(&mut desk.orion(&["undo", &request]));
    assert_eq!((undone.code, on_disk(&desk, "notes.txt").as_str()), (Some(0), OLD), "{}", undone.stderr);
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("undone"), "{}", ask.last_text()))
                .text("As you say.")
                .end("stop")
        })
        .start();
    let ended = on(&desk, &model, &["resume", &request, "--approve-writes", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(parsed(&ended.stdout)["writes"][0]["status"], "failed");
    assert_eq!((on_disk(&desk, "notes.txt").as_str(), others(&desk)), (OLD, vec![]));
    model.finish();
}

#[test]
fn a_write_that_needs_no_approval_waits_for_nobody_when_its_process_dies() {
    let desk = Desk::with_settings("[tools.write_plan_begin]\npermission = 'allow'\n");
    let model = writer().start();
    let told = ran(&mut traced(&desk.run(&model, &["--events", "Make it 43."]), BEFORE));
    assert_eq!(told.code, None, "{}", told.stderr);
    model.finish();
    let first: Envelope = serde_json::from_str(told.stdout.lines().next().unwrap()).unwrap();
    let (request, session) = (first.request_id.to_string(), first.session_id.to_string());

    let model = Script::new().turn(|t| t.text("Written.").end("stop")).start();
    let answered = on(&desk, &model, &["approve", &request]);
    assert!(answered.stderr.contains("This turn waits for no approval."), "{}", answered.stderr);
    let ended = on(&desk, &model, &["resume", &request, "--events"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!((on_disk(&desk, "notes.txt").as_str(), others(&desk)), (NEW, vec![]));
    model.finish();

    // Killed again, its session takes the next turn.
    desk.project.write("notes.txt", OLD);
    let model = writer().start();
    let again = ["--session", &session, "--events", "Once more."];
    assert_eq!(ran(&mut traced(&desk.run(&model, &again), BEFORE)).code, None);
    model.finish();
    let model = Script::new().turn(|t| t.text("Hello.").end("stop")).start();
    let next = ran(&mut desk.run(&model, &["--session", &session, "Hello."]));
    assert_eq!((next.code, next.stdout.as_str()), (Some(0), "Hello.\n"), "{}", next.stderr);
    model.finish();
}

#[test]
fn an_undo_that_is_killed_at_any_change_of_the_disk_is_made_good() {
    // What the next undo ends with: there is nothing left to undo once the file is the old one.
    for (call, was_undone) in [("fchmod", false), ("renameat2", false), ("unlinkat", true)] {
        let model = writer().turn(|t| t.text("It says 43 now.").end("stop")).start();
        let desk = Desk::new();
        let told = ran(&mut desk.run(&model, &["--approve-writes", "--events", "Make it 43."]));
        model.finish();
        let request = request(&told).to_string();
        let undo = desk.orion(&["undo", &request]);
        let died = ran(&mut traced(&undo, &format!("{call}:signal=KILL:when=1")));
        assert_eq!(died.code, None, "{call}: {}", died.stderr);
        assert_eq!(on_disk(&desk, "notes.txt"), if was_undone { OLD } else { NEW }, "{call}");
        let again = ran(&mut desk.orion(&["undo", &request]));
        assert_eq!(again.code, Some(i32::from(was_undone)), "{call}: {}", again.stderr);
        assert_eq!((on_disk(&desk, "notes.txt").as_str(), others(&desk)), (OLD, vec![]), "{call}");
    }
}

#[test]
fn a_temporary_file_that_could_not_be_removed_is_taken_away_by_the_next_start() {
    let model = writer().turn(|t| t.text("It says 43 now.").end("stop")).start();
    let desk = Desk::new();
    let run = desk.run(&model, &["--approve-writes", "--json", "Make it 43."]);
    let told = ran(&mut traced(&run, "unlinkat:error=EIO"));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let report = parsed(&told.stdout);
    assert_eq!((&report["writes"][0]["status"], others(&desk).len()), (&"written".into(), 1));
    model.finish();
    let undone = ran(&mut desk.orion(&["undo", report["requestId"].as_str().unwrap()]));
    assert_eq!(undone.code, Some(0), "{}", undone.stderr);
    assert_eq!((on_disk(&desk, "notes.txt").as_str(), others(&desk)), (OLD, vec![]));
}

#[test]
fn a_person_is_told_where_their_text_is_that_a_recovery_put_aside() {
    let desk = Desk::new();
    let request = killed(&desk, AFTER, &["--approve-writes", "Make it 43."]).to_string();
    // What the exchange displaced was somebody else's, and the file was written once more since.
    let [temp] = &others(&desk)[..] else { panic!() };
    desk.project.write(temp, "Theirs.\n");
    desk.project.write("notes.txt", "Theirs, later.\n");
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains(".kept"), "{}", ask.last_text()))
                .text("I see.")
                .end("stop")
        })
        .start();
    let ended = on(&desk, &model, &["resume", &request, "--events"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let [kept] = &others(&desk)[..] else { panic!() };
    let told = ended.stdout.lines().map(|line| serde_json::from_str::<Envelope>(line).unwrap());
    let errors: Vec<_> = told
        .filter_map(|envelope| match envelope.event {
            TurnEvent::WriteDone { error, status, .. } => Some((status, error.unwrap().action.unwrap())),
            _ => None,
        })
        .collect();
    assert_eq!(errors, [(WriteStatus::Failed, format!("It is in {kept}. Compare the two."))]);
    let both = (on_disk(&desk, kept), on_disk(&desk, "notes.txt"));
    assert_eq!(both, ("Theirs.\n".to_owned(), "Theirs, later.\n".to_owned()));
    model.finish();
}

#[test]
fn nothing_that_a_turn_holds_goes_to_an_endpoint_that_was_not_named() {
    // The default of the settings; it is asked for nothing.
    let other = Script::new().start();
    let settings = format!(
        "default_endpoint = 'work'\n[endpoints.work]\nbase_url = '{}'\nmodel = 'm'\n",
        other.base_url()
    );
    for (answer, text) in [(&[][..], NEW), (&["--reject"], OLD)] {
        let desk = Desk::with_settings(&settings);
        let model = writer().start();
        let told = ran(&mut desk.run(&model, &["--json", "Make it 43."]));
        model.finish();
        let report = parsed(&told.stdout);
        let request = report["requestId"].as_str().unwrap();
        let waits = ran(&mut desk.orion(&["resume", request]));
        assert_eq!(waits.code, Some(3), "{}", waits.stderr);
        let mut arguments = vec!["approve", request];
        arguments.extend(answer);
        let ended = ran(&mut desk.orion(&arguments));
        assert_eq!((ended.code, on_disk(&desk, "notes.txt").as_str()), (Some(1), text), "{}", ended.stderr);
        assert!(ended.stderr.contains("There is no endpoint named command-line."), "{}", ended.stderr);
        let session = report["sessionId"].as_str().unwrap();
        let next = format!("orion run --session {session} --base-url URL \"Go on.\"");
        assert!(ended.stderr.contains(&next), "{}", ended.stderr);
    }
    // Where the model would have to be asked at once, nothing is begun.
    let desk = Desk::with_settings(&settings);
    let request = killed(&desk, AFTER, &["--approve-writes", "Make it 43."]).to_string();
    let refused = ran(&mut desk.orion(&["resume", &request]));
    assert_eq!(refused.code, Some(1));
    assert_eq!(
        refused.stderr,
        format!(
            "orion: This turn began with an endpoint of the command line, which Orion does not save.\n\
             Name an endpoint to resume it with: orion resume {request} --base-url URL\n"
        )
    );
    let model = Script::new().turn(|t| t.text("Written.").end("stop")).start();
    assert_eq!(on(&desk, &model, &["resume", &request]).stdout, "Written.\n");
    model.finish();
    other.finish();
}

#[test]
fn approving_all_writes_holds_for_those_that_come_later_in_the_turn() {
    let desk = Desk::new();
    let model = writer().start();
    let told = ran(&mut desk.run(&model, &["--json", "Make it 43."]));
    let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
    model.finish();
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("more.txt", "create")).end("tool_calls"))
        .turn(|t| t.text("More.\nDONE").end("stop"))
        .turn(|t| t.text("Both are written.").end("stop"))
        .start();
    let ended = on(&desk, &model, &["approve", &request, "--approve-writes"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Both are written.\n"), "{}", ended.stderr);
    assert_eq!((on_disk(&desk, "notes.txt").as_str(), on_disk(&desk, "more.txt").as_str()), (NEW, "More.\n"));
    model.finish();
}
