//! The lines that a session added and removed, in the list of sessions: those of its writes that are on the disk and were not undone.
//!
//! Deliberately not here: the migration of earlier writes (`orion_store`, `open`).

use orion_engine::TurnHandle;
use orion_protocol::{
    Answer, ChangedLines, ErrorInfo, ExportFormat, Op, Outcome, Query, RequestId, Update, WriteProposal,
};
use support::{Folder, Script, ScriptedModel, within};

use crate::driver_desk::{Desk, to_end};
use crate::driver_facade::state;
use crate::writing::{approve, begin, until_ready};

/// Nine lines; the content of the write below changes the first and the last: two hunks.
const NINE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const CHANGED: &str = "ONE\nand a half\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nDONE";

const BOTH: Option<ChangedLines> = Some(ChangedLines { added: 3, removed: 2 });
const FIRST_HUNK: Option<ChangedLines> = Some(ChangedLines { added: 2, removed: 1 });

/// A model that overwrites `nine.txt`.
async fn desk() -> (Desk, ScriptedModel) {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("nine.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text(CHANGED).end("stop"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    (Desk::at(&model.base_url(), Folder::with([("nine.txt", NINE)])).await, model)
}

async fn lines(desk: &Desk) -> Option<ChangedLines> {
    state(&desk.engine).await.sessions[0].lines
}

/// A turn that has asked about its write.
async fn asked(desk: &Desk) -> (TurnHandle, RequestId, WriteProposal) {
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (_, _, proposal) = until_ready(&mut turn).await;
    (turn, request_id, proposal)
}

/// Writes these hunks, or all.
async fn written(desk: &Desk, hunks: Option<Vec<u32>>) -> RequestId {
    let (turn, request_id, proposal) = asked(desk).await;
    assert_eq!((proposal.added, proposal.removed, proposal.hunks), (3, 2, 2));
    approve(desk, request_id, proposal.digest, hunks).await.unwrap();
    within("the turn to end", to_end(turn)).await;
    request_id
}

async fn done(desk: &Desk, op: Op) -> Result<Outcome, ErrorInfo> {
    desk.engine.submit(op).await
}

#[tokio::test]
async fn a_session_has_the_lines_of_what_was_written_and_not_of_what_was_undone() {
    let (desk, model) = desk().await;
    assert_eq!(lines(&desk).await, None, "nothing was written");
    let (turn, request_id, proposal) = asked(&desk).await;
    assert_eq!(lines(&desk).await, None, "it was proposed, and no more");
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    within("the turn to end", to_end(turn)).await;
    assert_eq!(lines(&desk).await, BOTH);

    let mut updates = desk.engine.updates();
    done(&desk, Op::UndoWrite { request_id, write: None }).await.unwrap();
    assert_eq!(lines(&desk).await, None);
    let mut told = Vec::new();
    while let Ok(update) = updates.try_recv() {
        if let Update::Session { session } = update {
            told.push(session.lines);
        }
    }
    assert_eq!(told, [None], "the list hears of it");
    model.finish();
}

#[tokio::test]
async fn of_a_write_that_was_approved_in_part_the_accepted_lines_count() {
    let (desk, model) = desk().await;
    written(&desk, Some(vec![1])).await;
    assert_eq!(lines(&desk).await, FIRST_HUNK);
    model.finish();
}

// A10
#[tokio::test]
async fn a_rewind_takes_the_lines_away_and_its_undoing_gives_them_back() {
    let (desk, model) = desk().await;
    let request_id = written(&desk, None).await;
    let Answer::Rewind { preview } = desk.engine.query(Query::Rewind { request_id }).await.unwrap() else {
        panic!()
    };
    let rewind = Op::Rewind { request_id, conversation: false, files: Some(preview.digest) };
    done(&desk, rewind).await.unwrap();
    assert_eq!(lines(&desk).await, None);
    done(&desk, Op::UndoRewind { request_id }).await.unwrap();
    assert_eq!(lines(&desk).await, BOTH);
    model.finish();
}

#[tokio::test]
async fn an_exported_session_has_its_lines_where_it_is_imported() {
    let (desk, model) = desk().await;
    written(&desk, Some(vec![1])).await;
    let path = desk.data.path().join("one.orion").to_str().unwrap().to_owned();
    let session_id = desk.session.session_id;
    let of = orion_protocol::ChangesOf::Session { session_id };
    let export = Op::Export {
        of,
        path: Some(path.clone()),
        format: ExportFormat::Orion,
        files: true,
        replaces: false,
    };
    done(&desk, export).await.unwrap();
    done(&desk, Op::DeleteSession { session_id }).await.unwrap();
    done(&desk, Op::Import { path: Some(path) }).await.unwrap();
    assert_eq!(lines(&desk).await, FIRST_HUNK);
    model.finish();
}
