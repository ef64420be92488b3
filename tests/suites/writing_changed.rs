//! The file is changed by somebody else while a write session is open: before its content, in the middle of it, during the
//! corrections, after the preview. What is shown is the difference to the file as it is then, and nothing is overwritten that was
//! not shown (W6, A3). Between two processes: `cli/writes_changed.rs`; at the instants of the write itself: `write_disk`.

use std::fs;
use std::sync::Arc;

use orion_engine::{Engine, TurnHandle};
use orion_protocol::{Code, Envelope, Happened, Op, Outcome, ProposalCause, TurnEvent, WriteStatus};
use orion_providers::Providers;
use support::{Gate, Script, within};

use crate::driver_desk::{Desk, options, to_end, tuning};
use crate::driver_facade::state;
use crate::writing::{approve, begin, on_disk, tidy, until_ready};

const THEIRS: &str = "changed by somebody\n";

/// What a model may send for a file that is `THEIRS` by then, the difference that is shown, and the file that comes of it. The
/// block of the edit fits the changed file alone.
const CONTENTS: [(&str, &str, &str, &str); 3] = [
    (
        "overwrite",
        "omega\npsi",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,2 @@\n-changed by somebody\n+omega\n+psi\n",
        "omega\npsi\n",
    ),
    (
        "append",
        "omega\npsi",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,3 @@\n changed by somebody\n+omega\n+psi\n",
        "changed by somebody\nomega\npsi\n",
    ),
    (
        "edit",
        "<<<<<<< SEARCH\nchanged by somebody\n=======\nomega\n>>>>>>> REPLACE",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-changed by somebody\n+omega\n",
        "omega\n",
    ),
];

/// A model that waits at the gate once it has sent `before` of a file's content.
fn waiting(operation: &str, gate: &Gate, before: &str, after: &str) -> Script {
    let (arguments, gate) = (begin("a.txt", operation), gate.clone());
    let (before, after) = (before.to_owned(), after.to_owned());
    Script::new().turn(|t| t.call("write_plan_begin", arguments).end("tool_calls")).turn(move |t| {
        let t = if before.is_empty() { t } else { t.text(&before) };
        t.hold(&gate).text(&after).text("\nDONE").end("stop")
    })
}

/// Reads until something of the content has arrived.
async fn until_streaming(turn: &mut TurnHandle) -> Vec<Envelope> {
    let mut told = Vec::new();
    while !told.iter().any(|it: &Envelope| matches!(it.event, TurnEvent::WriteProgress { .. })) {
        told.extend(within("the content", turn.next()).await.expect("the turn goes on"));
    }
    told
}

/// What the write of a turn came to.
fn came_to(told: &[Envelope]) -> Option<(WriteStatus, Option<Code>)> {
    told.iter().find_map(|it| match &it.event {
        TurnEvent::WriteDone { status, error, .. } => Some((*status, error.as_ref().map(|error| error.code))),
        _ => None,
    })
}

/// The content is complete after the file became `THEIRS`: that is what it is compared with, and what an undo brings back.
async fn is_compared_with_theirs(
    desk: &Desk,
    mut turn: TurnHandle,
    mut told: Vec<Envelope>,
    (difference, file): (&str, &str),
) {
    let request_id = turn.request_id();
    let (more, write, proposal) = until_ready(&mut turn).await;
    told.extend(more);
    assert_eq!((write, proposal.cause), (1, ProposalCause::Content));
    assert_eq!(desk.engine.unified(request_id, None).await.as_deref(), Ok(difference));
    assert_eq!(on_disk(desk, "a.txt").as_deref(), Some(THEIRS), "nothing is written before it is approved");
    approve(desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(came_to(&told), Some((WriteStatus::Written, None)));
    assert_eq!(on_disk(desk, "a.txt").as_deref(), Some(file));
    tidy(desk);
    desk.engine.submit(Op::UndoWrite { request_id, write: None }).await.unwrap();
    assert_eq!(on_disk(desk, "a.txt").as_deref(), Some(THEIRS));
}

// W6
#[tokio::test]
async fn a_file_that_changes_before_its_content_comes_is_previewed_as_it_is_then() {
    for (operation, content, difference, file) in CONTENTS {
        let gate = Gate::new();
        let model = waiting(operation, &gate, "", content).turn(|t| t.text("Done.").end("stop")).start();
        let desk = Desk::with(&model).await;
        let turn = desk.ask("Write it.").await;
        gate.reached().await;
        desk.folder.write("a.txt", THEIRS);
        gate.open();
        is_compared_with_theirs(&desk, turn, Vec::new(), (difference, file)).await;
        model.finish();
    }
}

// W6
#[tokio::test]
async fn a_file_that_changes_while_content_streams_is_previewed_as_it_is_then() {
    for (operation, content, difference, file) in CONTENTS {
        let gate = Gate::new();
        let (before, after) = content.split_at(content.find('\n').unwrap() + 1);
        let model = waiting(operation, &gate, before, after).turn(|t| t.text("Done.").end("stop")).start();
        let desk = Desk::with(&model).await;
        let mut turn = desk.ask("Write it.").await;
        let told = until_streaming(&mut turn).await;
        gate.reached().await;
        desk.folder.write("a.txt", THEIRS);
        gate.open();
        is_compared_with_theirs(&desk, turn, told, (difference, file)).await;
        model.finish();
    }
}

// W5, W6
#[tokio::test]
async fn a_file_that_changes_during_the_corrections_is_previewed_as_it_is_then() {
    let (_, content, difference, file) = CONTENTS[0];
    let gate = Gate::new();
    let held = gate.clone();
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("<tool_call>\nDONE").end("stop"))
        .turn(move |t| t.hold(&held).text(content).text("\nDONE").end("stop"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let turn = desk.ask("Write it.").await;
    gate.reached().await;
    desk.folder.write("a.txt", THEIRS);
    gate.open();
    is_compared_with_theirs(&desk, turn, Vec::new(), (difference, file)).await;
    model.finish();
}

// W6: the file that the session was opened on is gone.
#[tokio::test]
async fn a_file_that_is_gone_by_the_time_its_content_is_complete_is_previewed_as_a_new_one() {
    let gate = Gate::new();
    let model = waiting("overwrite", &gate, "omega\n", "psi").turn(|t| t.text("Done.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    gate.reached().await;
    fs::remove_file(desk.folder.path().join("a.txt")).unwrap();
    gate.open();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    assert_eq!((proposal.base_sha256, on_disk(&desk, "a.txt")), (None, None));
    let difference = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+omega\n+psi\n";
    assert_eq!(desk.engine.unified(request_id, None).await.as_deref(), Ok(difference));
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\npsi\n"));
    model.finish();
}

// W6
#[tokio::test]
async fn a_new_file_that_somebody_else_makes_before_the_content_is_complete_is_left_to_them() {
    for (before, after) in [("", "omega\npsi"), ("omega\n", "psi")] {
        let gate = Gate::new();
        let held = gate.clone();
        let model = Script::new()
            .turn(|t| t.call("write_plan_begin", begin("new.txt", "create")).end("tool_calls"))
            .turn(move |t| {
                let t = if before.is_empty() { t } else { t.text(before) };
                t.hold(&held).text(after).text("\nDONE").end("stop")
            })
            .turn(|t| {
                t.expect(|ask| assert!(ask.last_text().contains("There is a file `new.txt` already.")))
                    .text("I see.")
                    .end("stop")
            })
            .start();
        let desk = Desk::with(&model).await;
        let turn = desk.ask("Write it.").await;
        gate.reached().await;
        desk.folder.write("new.txt", THEIRS);
        gate.open();
        let told = desk.read(turn).await;
        assert_eq!(came_to(&told.envelopes), Some((WriteStatus::Failed, Some(Code::FileExists))));
        assert_eq!(on_disk(&desk, "new.txt").as_deref(), Some(THEIRS));
        model.finish();
    }
}

// W6: the watcher may notice before the answer comes, or the write finds out. The file stays theirs either way.
#[tokio::test]
async fn a_new_file_that_somebody_else_makes_after_the_preview_is_left_to_them() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("docs/new.txt", "create")).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("There is a file `docs/new.txt` already.")))
                .text("I see.")
                .end("stop")
        })
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    desk.folder.write("docs/new.txt", THEIRS);
    let _ = approve(&desk, request_id, proposal.digest, None).await;
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(came_to(&told), Some((WriteStatus::Failed, Some(Code::FileExists))));
    assert_eq!(state(&desk.engine).await.sessions[0].happened, Some(Happened::NotWritten));
    assert_eq!(on_disk(&desk, "docs/new.txt").as_deref(), Some(THEIRS));
    tidy(&desk);
    model.finish();
}

#[tokio::test]
async fn a_file_that_changed_since_the_preview_is_asked_again() {
    let model = waiting("overwrite", &open(), "", "omega").turn(|t| t.text("Done.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    desk.folder.write("a.txt", THEIRS);
    // Whether the watcher tells first or the write finds out: the old preview is never what is written.
    let _ = approve(&desk, request_id, proposal.digest, None).await;
    let (more, _, anew) = until_ready(&mut turn).await;
    told.extend(more);
    assert_eq!(anew.cause, ProposalCause::FileChanged);
    assert_ne!((anew.digest, anew.base_sha256), (proposal.digest, proposal.base_sha256));
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some(THEIRS));
    approve(&desk, request_id, anew.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\n"));
    tidy(&desk);
    model.finish();
}

// W6, A3: the process that asked is gone, and nobody watched the file.
#[tokio::test]
async fn a_process_that_is_given_the_digest_of_an_earlier_difference_overwrites_nothing() {
    let model = waiting("overwrite", &open(), "", "omega").start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, shown) = until_ready(&mut turn).await;
    let Desk { engine, project, session, folder, data } = desk;
    engine.close().await.unwrap();
    drop((turn, engine));
    model.finish();
    folder.write("a.txt", THEIRS);

    let model = Script::new().turn(|t| t.text("Done.").end("stop")).start();
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let desk = Desk { engine: Engine::open(options).await.unwrap(), project, session, folder, data };
    let mut turn = desk.engine.resume_turn(request_id, None).await.unwrap();
    assert_eq!(approve(&desk, request_id, shown.digest, None).await, Ok(Outcome::Done));
    let (more, _, anew) = until_ready(&mut turn).await;
    told.extend(more);
    assert_eq!((anew.cause, anew.sha256), (ProposalCause::FileChanged, shown.sha256));
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some(THEIRS));
    assert_eq!(approve(&desk, request_id, shown.digest, None).await, Err(Code::NotWaiting));
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some(THEIRS));
    approve(&desk, request_id, anew.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\n"));
    tidy(&desk);
    model.finish();
}

/// A gate that holds nothing.
fn open() -> Gate {
    let gate = Gate::new();
    gate.open();
    gate
}
