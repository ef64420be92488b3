//! All changes of a turn and of a session: every file with its difference, and undone file by file or all.

use orion_protocol::{
    Answer, ChangedFile, ChangesOf, Code, FileDifference, Op, Outcome, Query, RequestId, RowKind,
};

use crate::driver_desk::Desk;
use crate::rewind::{scribe, write};

async fn changes(desk: &Desk, of: ChangesOf) -> Vec<ChangedFile> {
    let Answer::Changes { files } = desk.engine.query(Query::Changes { of }).await.unwrap() else { panic!() };
    files
}

async fn change(desk: &Desk, of: ChangesOf, path: &str) -> FileDifference {
    let query = Query::Change { of, path: path.into() };
    let Answer::Change { difference } = desk.engine.query(query).await.unwrap() else { panic!() };
    difference
}

async fn undo(
    desk: &Desk,
    of: ChangesOf,
    path: Option<&str>,
) -> Result<Vec<(RequestId, Option<Code>)>, Code> {
    let op = Op::UndoChanges { of, path: path.map(str::to_owned) };
    let undone = desk.engine.submit(op).await.map_err(|error| error.code)?;
    let Outcome::Undone { writes } = undone else { panic!() };
    Ok(writes.into_iter().map(|it| (it.request_id, it.error.map(|error| error.code))).collect())
}

fn named(files: &[ChangedFile]) -> Vec<(&str, bool, usize)> {
    files.iter().map(|file| (file.path.as_str(), file.created, file.writes.len())).collect()
}

// W7
#[tokio::test]
async fn every_file_of_a_session_is_listed_with_its_difference_and_undone_alone_or_with_all() {
    let (order, model) = scribe();
    let desk = Desk::with(&model).await;
    let first = write(&desk, &order, "a.txt", "One.").await;
    let second = write(&desk, &order, "new.txt", "Two.").await;
    let third = write(&desk, &order, "a.txt", "Three.").await;
    let session = ChangesOf::Session { session_id: desk.session.session_id };
    let files = changes(&desk, session.clone()).await;
    assert_eq!(named(&files), [("a.txt", false, 2), ("new.txt", true, 1)]);
    assert_eq!(named(&changes(&desk, ChangesOf::Turn { request_id: third }).await), [("a.txt", false, 1)]);

    // Of the session: from what was there before to what is there now, with nothing of what was between.
    let whole = change(&desk, session.clone(), "a.txt").await;
    assert_eq!((whole.added, whole.removed, whole.changed_since), (1, 1, false));
    let rows = Query::ChangeRows {
        of: session.clone(),
        path: "a.txt".into(),
        digest: whole.digest,
        from: 0,
        count: 10,
    };
    let Answer::ChangeRows { rows } = desk.engine.query(rows).await.unwrap() else { panic!() };
    let texts: Vec<(RowKind, &str)> = rows.iter().map(|row| (row.kind, row.text.as_str())).collect();
    assert_eq!(texts, [(RowKind::Removed, "alpha"), (RowKind::Added, "Three.")]);
    // Rows of another difference are refused.
    let stale = Query::ChangeRows {
        of: session.clone(),
        path: "new.txt".into(),
        digest: whole.digest,
        from: 0,
        count: 10,
    };
    assert_eq!(desk.engine.query(stale).await.unwrap_err().code, Code::ApprovalStale);

    assert_eq!(undo(&desk, session.clone(), Some("a.txt")).await.unwrap(), [(third, None), (first, None)]);
    assert_eq!(desk.folder.read("a.txt"), b"alpha\n");
    assert_eq!(named(&changes(&desk, session.clone()).await), [("new.txt", true, 1)]);
    // A file that changed since is kept, and the view says so before.
    desk.folder.write("new.txt", "Mine.\n");
    assert!(change(&desk, session.clone(), "new.txt").await.changed_since);
    assert_eq!(undo(&desk, session.clone(), None).await.unwrap(), [(second, Some(Code::UndoStale))]);
    assert_eq!(desk.folder.read("new.txt"), b"Mine.\n");
    assert_eq!(undo(&desk, session.clone(), Some("a.txt")).await.unwrap_err(), Code::WriteUnknownSession);
    model.finish();
}
