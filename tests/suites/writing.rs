//! Write sessions through the engine with a scripted model and real files (W1–W8, A3).

use std::fs;

use orion_engine::TurnHandle;
use orion_protocol::{
    Answer, Code, Envelope, FaultKind, Happened, Op, Outcome, ProposalCause, Query, RemovalKind, Reply,
    RequestId, Sha256, StopReason, TurnEvent, WriteProposal, WriteRevision, WriteState, WriteStatus,
    WriteView,
};
use serde_json::json;
use support::{Folder, Gate, Script, within};

use crate::driver_desk::{Desk, to_end, turns_of};
use crate::driver_facade::state;

pub(crate) fn begin(path: &str, operation: &str) -> serde_json::Value {
    json!({"intent": "As you asked.", "target_file": path, "operation": operation})
}

/// A model that writes one file and then says so.
fn writer(path: &'static str, operation: &'static str, content: &'static str) -> Script {
    Script::new()
        .turn(move |t| t.call("write_plan_begin", begin(path, operation)).end("tool_calls"))
        .turn(move |t| {
            t.expect(|ask| {
                assert!(ask.tool_names().is_empty(), "W1: content has no tools");
                assert!(ask.last_text().contains("DONE"), "{}", ask.last_text());
            })
            .text(content)
            .text("\nDONE\n")
            .end("stop")
        })
        .turn(|t| t.text("It is done.").end("stop"))
}

/// Reads until the preview is there.
pub(crate) async fn until_ready(turn: &mut TurnHandle) -> (Vec<Envelope>, u32, WriteProposal) {
    let mut envelopes = Vec::new();
    loop {
        envelopes.extend(within("the preview", turn.next()).await.expect("the turn goes on"));
        let asked = envelopes.iter().any(|it| matches!(it.event, TurnEvent::Asked { .. }));
        let ready = envelopes.iter().rev().find_map(|it| match &it.event {
            TurnEvent::WriteReady { write, proposal } => Some((*write, (**proposal).clone())),
            _ => None,
        });
        if let Some((write, proposal)) = ready.filter(|_| asked) {
            return (envelopes, write, proposal);
        }
    }
}

pub(crate) async fn approve(
    desk: &Desk,
    request_id: RequestId,
    digest: Sha256,
    hunks: Option<Vec<u32>>,
) -> Result<Outcome, Code> {
    let op = Op::Reply { request_id, digest, reply: Reply::Write { hunks, despite_faults: false } };
    desk.engine.submit(op).await.map_err(|error| error.code)
}

/// Numbers of the writes that the session says were undone.
async fn undone(desk: &Desk) -> Vec<u32> {
    let session_id = desk.session.session_id;
    let turns = turns_of(&desk.engine, session_id).await;
    turns.into_iter().flat_map(|turn| turn.aftermath.undone).collect()
}

pub(crate) async fn view(desk: &Desk, request_id: RequestId) -> WriteView {
    let answer = desk.engine.query(Query::Write { request_id, write: 1 }).await.unwrap();
    let Answer::Write { view } = answer else { panic!() };
    *view
}

pub(crate) fn on_disk(desk: &Desk, path: &str) -> Option<String> {
    fs::read_to_string(desk.folder.path().join(path)).ok()
}

/// No temporary file is left anywhere in the project.
pub(crate) fn tidy(desk: &Desk) {
    let left: Vec<_> = fs::read_dir(desk.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".tmp"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

// W1, W2, W6, W8
#[tokio::test]
async fn a_file_is_written_once_it_is_approved_and_can_be_undone() {
    let model = writer("docs/new.md", "create", "# Title\n\nText.").start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, write, proposal) = until_ready(&mut turn).await;
    assert_eq!(
        (write, proposal.cause, proposal.lines, proposal.added, proposal.hunks),
        (1, ProposalCause::Content, 3, 3, 1)
    );
    assert_eq!(on_disk(&desk, "docs/new.md"), None, "W6: nothing is written before it is approved");
    let shown = view(&desk, request_id).await;
    assert_eq!((shown.state, shown.rows, shown.changed_on_disk), (WriteState::AwaitingApproval, 3, false));
    assert_eq!(approve(&desk, request_id, Sha256::from([0; 32]), None).await, Err(Code::ApprovalStale), "A3");
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "docs/new.md").as_deref(), Some("# Title\n\nText.\n"));
    let report = told.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.stop_reason, report.answer.as_str()), (StopReason::Answered, "It is done."));
    assert_eq!((report.model_calls, report.write_prompts), (2, 1));
    let written = &report.writes[0];
    assert_eq!(
        (written.status, written.sha256.as_ref()),
        (Some(WriteStatus::Written), Some(&proposal.sha256)),
        "W8"
    );
    let written = view(&desk, request_id).await;
    assert_eq!((written.undoable, written.undone, undone(&desk).await), (true, false, vec![]));
    tidy(&desk);

    // W7
    let Outcome::Undone { writes } =
        desk.engine.submit(Op::UndoWrite { request_id, write: None }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(
        writes.iter().map(|it| (it.path.as_str(), it.error.is_none())).collect::<Vec<_>>(),
        [("docs/new.md", true)]
    );
    assert_eq!(on_disk(&desk, "docs/new.md"), None);
    let back = view(&desk, request_id).await;
    assert_eq!((back.undoable, back.undone, undone(&desk).await), (false, true, vec![1]));
    let again =
        desk.engine.submit(Op::UndoWrite { request_id, write: None }).await.map_err(|error| error.code);
    assert_eq!(again, Err(Code::WriteUnknownSession));
    model.finish();
}

#[tokio::test]
async fn a_write_that_is_rejected_leaves_the_file_and_the_model_hears_of_it() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
        .turn(|t| t.expect(|ask| assert!(ask.last_text().contains("rejected"))).text("I see.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let op = Op::Reply { request_id, digest: proposal.digest, reply: Reply::NO };
    desk.engine.submit(op).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("alpha\n"));
    let report = told.last().unwrap().event.terminal().unwrap();
    assert_eq!(report.writes[0].status, Some(WriteStatus::Rejected));
    assert_eq!(state(&desk.engine).await.sessions[0].happened, Some(Happened::Rejected));
    model.finish();
}

// W6
#[tokio::test]
async fn only_the_hunks_that_are_accepted_are_written() {
    let old: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 3\n", "line three\n").replace("line 38\n", "line thirty-eight\n");
    let new: &'static str = Box::leak(new.trim_end().to_owned().into_boxed_str());
    let model = writer("long.txt", "overwrite", new).start();
    let folder = Folder::with([("long.txt", old.as_str())]);
    let desk = Desk::at(&model.base_url(), folder).await;
    let mut turn = desk.ask("Change it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    assert_eq!(proposal.hunks, 2);
    for none_of_them in [vec![3], vec![]] {
        let refused = approve(&desk, request_id, proposal.digest, Some(none_of_them)).await;
        assert_eq!(refused, Err(Code::Usage));
    }
    approve(&desk, request_id, proposal.digest, Some(vec![2])).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "long.txt"), Some(old.replace("line 38\n", "line thirty-eight\n")));
    let done = told.iter().find_map(|it| match &it.event {
        TurnEvent::WriteDone { rejected_hunks, status, .. } => Some((rejected_hunks.clone(), *status)),
        _ => None,
    });
    assert_eq!(done, Some((vec![1], WriteStatus::Written)));
    model.finish();
}

// W1: search and replace
#[tokio::test]
async fn an_edit_that_does_not_match_goes_back_with_the_nearest_lines() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "edit")).end("tool_calls"))
        .turn(|t| t.text("<<<<<<< SEARCH\nalphq\n=======\nomega\n>>>>>>> REPLACE\nDONE").end("stop"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("alpha"), "{}", ask.last_text()))
                .text("<<<<<<< SEARCH\nalpha\n=======\nomega\n>>>>>>> REPLACE\nDONE")
                .end("stop")
        })
        .turn(|t| t.text("Changed.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Change it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let rounds: Vec<_> = told
        .iter()
        .filter_map(|it| match &it.event {
            TurnEvent::WriteFaults { round, faults, .. } => Some((*round, faults[0].kind)),
            _ => None,
        })
        .collect();
    assert_eq!(rounds, [(1, FaultKind::BlockMissing)]);
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\n"));
    model.finish();
}

// W5
#[tokio::test]
async fn what_is_still_wrong_after_three_rounds_is_written_only_when_the_user_says_so() {
    let bad = |number: u32| {
        move |t: support::Turn| t.text(&format!("Try {number}:\n<tool_call>\nDONE")).end("stop")
    };
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("about.md", "create")).end("tool_calls"))
        .turn(bad(1))
        .turn(bad(2))
        .turn(bad(3))
        .turn(bad(4))
        .turn(|t| t.text("Written.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write about tool calls.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    assert_eq!(proposal.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Markup]);
    assert_eq!(approve(&desk, request_id, proposal.digest, None).await, Err(Code::WriteFaulty));
    let op = Op::Reply {
        request_id,
        digest: proposal.digest,
        reply: Reply::Write { hunks: None, despite_faults: true },
    };
    desk.engine.submit(op).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "about.md").as_deref(), Some("Try 4:\n<tool_call>\n"));
    model.finish();
}

// W8
#[tokio::test]
async fn a_fence_is_offered_for_removal_and_never_removed_unasked() {
    let model = writer("a.txt", "overwrite", "Sure, here is the file:\n\n```\nomega\n```").start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let offered: Vec<_> = proposal.removals.iter().map(|removal| removal.kind).collect();
    assert_eq!(offered, [RemovalKind::Preamble, RemovalKind::Fence]);
    let revision = WriteRevision::Remove { removals: offered };
    desk.engine.submit(Op::ReviseWrite { request_id, digest: proposal.digest, revision }).await.unwrap();
    let (more, _, revised) = until_ready(&mut turn).await;
    told.extend(more);
    assert_eq!(revised.cause, ProposalCause::Revised);
    assert_eq!(approve(&desk, request_id, proposal.digest, None).await, Err(Code::ApprovalStale), "A3");
    approve(&desk, request_id, revised.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\n"));
    model.finish();
}

#[tokio::test]
async fn the_result_can_be_edited_before_it_is_approved() {
    let model = writer("a.txt", "overwrite", "omega").start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let Answer::WriteText { text } =
        desk.engine.query(Query::WriteText { request_id, write: 1, hunks: None }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(text, "omega\n");
    let revision = WriteRevision::Text { text: "psi\n".into() };
    desk.engine.submit(Op::ReviseWrite { request_id, digest: proposal.digest, revision }).await.unwrap();
    let (more, _, revised) = until_ready(&mut turn).await;
    told.extend(more);
    approve(&desk, request_id, revised.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("psi\n"));
    let revised = told.iter().any(|it| matches!(it.event, TurnEvent::WriteDone { revised: true, .. }));
    assert!(revised);
    model.finish();
}

// A change that the file cannot hold is refused, and what is asked stays.
#[tokio::test]
async fn an_edit_that_the_encoding_of_the_file_lacks_is_refused() {
    let model = writer("latin.txt", "overwrite", "omega").start();
    let folder = Folder::with([("a.txt", "alpha\n")]);
    let german =
        "Gr\u{fc}\u{df}e aus der K\u{fc}che, sch\u{f6}n, dass Sie uns geh\u{f6}rt haben.\n".repeat(4);
    let latin: Vec<u8> = german.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    fs::write(folder.path().join("latin.txt"), latin).unwrap();
    let desk = Desk::at(&model.base_url(), folder).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let revision = WriteRevision::Text { text: "\u{2192} omega\n".into() };
    let op = Op::ReviseWrite { request_id, digest: proposal.digest, revision };
    assert_eq!(desk.engine.submit(op).await.map_err(|error| error.code), Err(Code::WriteFaulty));
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "latin.txt").as_deref(), Some("omega\n"));
    model.finish();
}

// W4
#[tokio::test]
async fn content_that_is_cut_off_goes_on_in_one_session_without_loss_or_repeat() {
    let file: String = (1..=4_000).map(|line| format!("{line}: the line of this number\n")).collect();
    let cuts: Vec<usize> = (1..10).map(|part| file.len() * part / 10).collect();
    let mut script =
        Script::new().turn(|t| t.call("write_plan_begin", begin("big.txt", "create")).end("tool_calls"));
    for (number, end) in cuts.iter().copied().chain([file.len()]).enumerate() {
        let start = if number == 0 { 0 } else { cuts[number - 1] };
        // It begins the line before its broken one again, as models do.
        let broken = file[..start].rfind('\n').unwrap_or(0);
        let line = file[..broken].rfind('\n').map_or(0, |at| at + 1);
        let part = file[line..end].to_owned();
        let last = end == file.len();
        script = script.turn(move |t| {
            let t = t.expect(|ask| assert!(ask.tool_names().is_empty())).text(&part);
            if last { t.text("DONE").end("stop") } else { t.end("length") }
        });
    }
    let model = script.turn(|t| t.text("Done.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    assert_eq!(proposal.seams.len(), 9);
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert!(on_disk(&desk, "big.txt").as_deref() == Some(file.as_str()), "the file is the one that was sent");
    model.finish();
}

// W4
#[tokio::test]
async fn a_message_without_its_end_line_is_asked_for_it() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("new.txt", "create")).end("tool_calls"))
        .turn(|t| t.text("one\ntwo\n").end("stop"))
        .turn(|t| t.expect(|ask| assert!(ask.last_text().contains("two"))).text("DONE").end("stop"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "new.txt").as_deref(), Some("one\ntwo\n"));
    model.finish();
}

// A4
#[tokio::test]
async fn a_stop_while_content_streams_writes_nothing() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("omega\n").hold(&gate).text("DONE").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let turn = desk.ask("Write it.").await;
    gate.reached().await;
    turn.stop();
    let told = within("the turn to end", to_end(turn)).await;
    desk.check(&told).await;
    let report = told.last().unwrap().event.terminal().unwrap();
    assert_eq!(
        (report.stop_reason, report.writes[0].status),
        (StopReason::Stopped, Some(WriteStatus::Discarded))
    );
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("alpha\n"));
}
