//! Answers to what a turn waits for: what each comes to is told once it is on the disk, and of two one wins (A3, A7).

use std::fs;
use std::sync::Arc;

use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    Answer, Code, Envelope, ErrorInfo, Op, Outcome, PauseRequest, Query, Reply, RequestId, Sha256,
    StopReason, TurnEvent, TurnOptions, TurnStatus,
};
use orion_providers::Providers;
use serde_json::json;
use support::{Chunking, Folder, Gate, Script, ScriptedModel, within};

use crate::driver_desk::{Desk, options, to_end, tuning};
use crate::writing::{begin, on_disk, until_ready};

/// A desk whose tool asks, and a turn that waits with a call of it.
async fn asked(model: &ScriptedModel) -> (Desk, TurnHandle, Vec<Envelope>, Sha256) {
    let settings = "[tools.read_file]\npermission = 'ask'\n";
    let folder = Folder::with([("a.txt", "alpha\n"), (".orion/config.toml", settings)]);
    let desk = Desk::at(&model.base_url(), folder).await;
    let mut turn = desk.ask("Read it.").await;
    let mut told = Vec::new();
    loop {
        told.extend(within("the question", turn.next()).await.expect("the turn goes on"));
        let digest = told.iter().find_map(|it: &Envelope| match &it.event {
            TurnEvent::Asked { digest, .. } => Some(*digest),
            _ => None,
        });
        if let Some(digest) = digest {
            return (desk, turn, told, digest);
        }
    }
}

fn reader() -> Script {
    Script::new()
        .turn(|t| t.call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is done.").end("stop"))
}

/// A write that waits, and no more.
fn unanswered() -> Script {
    Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
}

fn writer() -> Script {
    unanswered().turn(|t| t.text("It is done.").end("stop"))
}

async fn answer(
    engine: &Engine,
    request_id: RequestId,
    digest: Sha256,
    granted: bool,
) -> Result<Outcome, Code> {
    let op = Op::Reply { request_id, digest, reply: if granted { Reply::YES } else { Reply::NO } };
    within("the answer to be taken", engine.submit(op)).await.map_err(|error| error.code)
}

fn another_digest() -> Sha256 {
    Sha256::from([0; 32])
}

/// What was answered so far, as it is on the disk.
async fn given(engine: &Engine, request_id: RequestId) -> Vec<bool> {
    let query = Query::Events { request_id, after_seq: 0 };
    let Answer::Events { envelopes } = engine.query(query).await.unwrap() else { panic!() };
    let given = envelopes.into_iter().filter_map(|it| match it.event {
        TurnEvent::Answered { given, .. } => given.granted(),
        _ => None,
    });
    given.collect()
}

/// Another Orion on the same data.
async fn another(desk: &Desk, model: &ScriptedModel) -> Engine {
    open(&desk.data, model).await
}

async fn open(data: &Folder, model: &ScriptedModel) -> Engine {
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    Engine::open(options).await.unwrap()
}

#[tokio::test]
async fn of_two_answers_to_a_call_one_wins_and_the_other_is_not_waiting() {
    let model = reader().start();
    let (desk, turn, mut told, digest) = asked(&model).await;
    let request_id = turn.request_id();
    let (yes, no) = tokio::join!(
        answer(&desk.engine, request_id, digest, true),
        answer(&desk.engine, request_id, digest, false)
    );
    let granted = match (yes, no) {
        (Ok(Outcome::Done), Err(Code::NotWaiting)) => true,
        (Err(Code::NotWaiting), Ok(Outcome::Done)) => false,
        other => panic!("{other:?}"),
    };
    assert_eq!(given(&desk.engine, request_id).await, [granted], "it was on the disk when it was told");
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(told.last().unwrap().event.terminal().unwrap().tool_runs, u32::from(granted));
    // It is over, and takes no answer either.
    assert_eq!(answer(&desk.engine, request_id, digest, true).await, Err(Code::NotWaiting));
    model.finish();
}

#[tokio::test]
async fn an_answer_to_another_call_is_stale_and_never_a_success() {
    let model = reader().start();
    let (desk, turn, mut told, digest) = asked(&model).await;
    let request_id = turn.request_id();
    for granted in [true, false] {
        assert_eq!(
            answer(&desk.engine, request_id, another_digest(), granted).await,
            Err(Code::ApprovalStale)
        );
    }
    assert_eq!(given(&desk.engine, request_id).await, [false; 0]);
    assert_eq!(answer(&desk.engine, request_id, digest, true).await, Ok(Outcome::Done));
    assert_eq!(given(&desk.engine, request_id).await, [true]);
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    model.finish();
}

#[tokio::test]
async fn of_two_answers_to_a_write_one_wins_and_the_other_is_not_waiting() {
    let model = writer().start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let (yes, no) = tokio::join!(
        answer(&desk.engine, request_id, proposal.digest, true),
        answer(&desk.engine, request_id, proposal.digest, false)
    );
    let file = match (yes, no) {
        (Ok(Outcome::Done), Err(Code::NotWaiting)) => "omega\n",
        (Err(Code::NotWaiting), Ok(Outcome::Done)) => "alpha\n",
        other => panic!("{other:?}"),
    };
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some(file));
    model.finish();
}

#[tokio::test]
async fn an_answer_to_a_write_is_none_to_a_later_one_that_proposes_the_same() {
    let mut again = begin("a.txt", "overwrite");
    again["intent"] = json!("Write it after all.");
    let model = unanswered()
        .turn(|t| t.call("write_plan_begin", again).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
        .turn(|t| t.text("It is done.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, first) = until_ready(&mut turn).await;
    assert_eq!(answer(&desk.engine, request_id, first.digest, false).await, Ok(Outcome::Done));
    let (more, _, second) = until_ready(&mut turn).await;
    told.extend(more);
    assert_eq!((first.base_sha256, first.sha256), (second.base_sha256, second.sha256));
    // A3: a yes that was late for the first, from a second window.
    assert_eq!(answer(&desk.engine, request_id, first.digest, true).await, Err(Code::NotWaiting));
    assert_eq!(answer(&desk.engine, request_id, second.digest, true).await, Ok(Outcome::Done));
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\n"));
    model.finish();
}

/// What a message to a session comes to whose turn waits.
async fn message(engine: &Engine, desk: &Desk) -> ErrorInfo {
    let session_id = desk.session.session_id;
    engine.run_turn(session_id, "And now?".into(), TurnOptions::default()).await.unwrap_err()
}

#[tokio::test]
async fn a_message_to_a_session_whose_turn_waits_is_told_what_it_waits_for() {
    let model = reader().start();
    let (desk, turn, _, digest) = asked(&model).await;
    let refused = message(&desk.engine, &desk).await;
    assert_eq!((refused.code, refused.request_id), (Code::TurnWaiting, Some(turn.request_id())));
    assert_eq!(refused.message, "This session waits for you: it asks whether read_file may run.");
    assert_eq!(message(&another(&desk, &model).await, &desk).await, refused, "in any process");
    answer(&desk.engine, turn.request_id(), digest, false).await.unwrap();
    assert_eq!(turn.report().await.unwrap().answer, "It is done.");
    model.finish();

    let model = unanswered().start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    until_ready(&mut turn).await;
    let refused = message(&desk.engine, &desk).await;
    assert_eq!((refused.code, refused.request_id), (Code::TurnWaiting, Some(turn.request_id())));
    assert_eq!(refused.message, "This session waits for you: it asks about a write of a.txt.");
    turn.stop();
    assert_eq!(turn.report().await.unwrap().status, TurnStatus::Stopped);
}

/// A write waits, its process has ended, and its folder is gone.
async fn orphaned(model: &ScriptedModel) -> (Folder, Engine, RequestId, Sha256) {
    let desk = Desk::with(model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (_, _, proposal) = until_ready(&mut turn).await;
    desk.engine.close().await.unwrap();
    let Desk { engine, folder, data, .. } = desk;
    drop((turn, engine));
    fs::remove_dir_all(folder.path()).unwrap();
    let engine = open(&data, model).await;
    (data, engine, request_id, proposal.digest)
}

async fn end(engine: &Engine, request_id: RequestId) -> StopReason {
    let query = Query::Events { request_id, after_seq: 0 };
    let Answer::Events { envelopes } = engine.query(query).await.unwrap() else { panic!() };
    envelopes.last().unwrap().event.terminal().expect("the turn is over").stop_reason
}

#[tokio::test]
async fn a_write_whose_folder_is_gone_can_be_rejected_and_not_approved() {
    let model = writer().start();
    let (_data, engine, request_id, digest) = orphaned(&model).await;
    assert_eq!(answer(&engine, request_id, digest, true).await, Err(Code::ProjectUnreadable));
    assert_eq!(given(&engine, request_id).await, [false; 0], "it waits on");
    let turn = engine.resume_to_answer(request_id, None).await;
    assert_eq!(turn.err().map(|error| error.code), Some(Code::TurnActive), "it goes on in this process");
    assert_eq!(answer(&engine, request_id, digest, false).await, Ok(Outcome::Done));
    assert_eq!(given(&engine, request_id).await, [false]);
    model.over(3).await;
    model.finish();
}

#[tokio::test]
async fn a_turn_whose_folder_is_gone_can_be_stopped() {
    let model = unanswered().start();
    let (_data, engine, request_id, digest) = orphaned(&model).await;
    let stop = engine.submit(Op::StopTurn { request_id });
    assert_eq!(within("the stop", stop).await, Ok(Outcome::Done));
    assert_eq!(end(&engine, request_id).await, StopReason::Stopped);
    assert_eq!(answer(&engine, request_id, digest, false).await, Err(Code::NotWaiting));
}

#[tokio::test]
async fn a_turn_that_another_orion_has_is_answered_by_it_from_wherever_the_answer_comes() {
    // A7
    let model = writer().start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (_, _, proposal) = until_ready(&mut turn).await;
    let other = another(&desk, &model).await;
    assert_eq!(answer(&other, request_id, another_digest(), true).await, Err(Code::ApprovalStale));
    assert_eq!(answer(&other, request_id, proposal.digest, true).await, Ok(Outcome::Done));
    assert_eq!(answer(&desk.engine, request_id, proposal.digest, false).await, Err(Code::NotWaiting));
    assert_eq!(answer(&other, request_id, proposal.digest, false).await, Err(Code::NotWaiting));
    assert_eq!(turn.report().await.unwrap().answer, "It is done.");
    assert_eq!(desk.folder.read("a.txt"), b"omega\n");
    model.finish();
}

#[tokio::test]
async fn of_two_orions_that_answer_at_once_one_wins_and_the_other_is_told() {
    // A7
    let model = writer().start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (_, _, proposal) = until_ready(&mut turn).await;
    let (other, third) = (another(&desk, &model).await, another(&desk, &model).await);
    let both = tokio::join!(
        answer(&other, request_id, proposal.digest, true),
        answer(&third, request_id, proposal.digest, true),
    );
    assert!(matches!(both, (Ok(_), Err(Code::NotWaiting)) | (Err(Code::NotWaiting), Ok(_))), "{both:?}");
    assert_eq!(turn.report().await.unwrap().answer, "It is done.");
    model.finish();
}

#[tokio::test]
async fn a_turn_that_another_orion_has_is_stopped_from_here() {
    // A4
    let model = unanswered().start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    until_ready(&mut turn).await;
    let other = another(&desk, &model).await;
    let stopped = other.submit(Op::StopTurn { request_id });
    assert_eq!(within("the stop", stopped).await, Ok(Outcome::Done));
    assert_eq!(end(&other, request_id).await, StopReason::Stopped);
    assert_eq!(turn.report().await.unwrap().stop_reason, StopReason::Stopped);
    let again = other.submit(Op::PauseTurn { request_id, pause: PauseRequest::Next }).await;
    assert_eq!(again.unwrap_err().code, Code::TurnOver);
}

/// A write that waits, and no process that runs its turn.
async fn left(model: &ScriptedModel) -> (Folder, Folder, RequestId, Sha256) {
    let desk = Desk::with(model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (_, _, proposal) = until_ready(&mut turn).await;
    desk.engine.close().await.unwrap();
    let Desk { folder, data, .. } = desk;
    (folder, data, request_id, proposal.digest)
}

#[tokio::test]
async fn whoever_takes_a_turn_over_with_an_answer_is_the_one_that_answers_it() {
    let model = writer().start();
    let (folder, data, request_id, digest) = left(&model).await;
    let (first, second) = (open(&data, &model).await, open(&data, &model).await);
    // It has the turn, and its answer is not given yet.
    let turn = first.resume_to_answer(request_id, None).await.unwrap();
    assert_eq!(answer(&second, request_id, digest, false).await, Err(Code::NotWaiting));
    assert_eq!(answer(&first, request_id, digest, true).await, Ok(Outcome::Done));
    assert_eq!(turn.report().await.unwrap().answer, "It is done.");
    assert_eq!(folder.read("a.txt"), b"omega\n");
    model.finish();
}

#[tokio::test]
async fn a_turn_that_was_taken_over_and_not_answered_waits_on() {
    let model = writer().start();
    let (folder, data, request_id, digest) = left(&model).await;
    let first = open(&data, &model).await;
    let turn = first.resume_to_answer(request_id, None).await.unwrap();
    let second = open(&data, &model).await;
    // An answer to something else is refused, and every process can give another one.
    assert_eq!(answer(&first, request_id, another_digest(), false).await, Err(Code::ApprovalStale));
    given(&first, request_id).await;
    assert_eq!(answer(&second, request_id, digest, true).await, Ok(Outcome::Done));
    model.request(3).await;
    first.close().await.unwrap();
    drop((turn, first));
    second.close().await.unwrap();
    assert_eq!(folder.read("a.txt"), b"omega\n");
    model.finish();
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_up_no_stop_no_next_turn_and_no_close() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            (0..20_000).fold(t, |t, n| t.text(&format!("x{n} "))).hold(&gate).chunking(Chunking::PerEvent)
        })
        .turn(|t| t.text("Back.").end("stop"))
        .turn(|t| {
            (0..20_000).fold(t, |t, n| t.text(&format!("x{n} "))).hold(&gate).chunking(Chunking::PerEvent)
        })
        .start();
    let desk = Desk::with(&model).await;
    let unread = desk.ask("Talk.").await;
    let request_id = unread.request_id();
    model.request(1).await;
    let stopped = desk.engine.submit(Op::StopTurn { request_id });
    assert_eq!(within("the stop", stopped).await, Ok(Outcome::Done));
    assert_eq!(desk.turn("And now?").await.report.answer, "Back.");
    // Nothing is lost for one who reads later.
    assert_eq!(desk.read(unread).await.report.status, TurnStatus::Stopped);

    let unread = desk.ask("Talk.").await;
    model.request(3).await;
    within("the close", desk.engine.close()).await.unwrap();
    drop(unread);
}
