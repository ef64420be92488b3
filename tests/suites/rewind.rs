//! Going back to an earlier message, in one process and with real files (A10): the files are those of that moment or named as conflicts, and an
//! undo gives every byte back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use orion_protocol::{
    Answer, Code, ErrorInfo, Op, Outcome, Query, RequestId, Rewind, RewindPreview, RewoundChange, TurnEvent,
};
use support::{Folder, Script, ScriptedModel, Turn, within};

use crate::driver_desk::{Desk, turns_of};
use crate::writing::{approve, begin};

/// What the model is to write next: a path and its content.
pub(crate) type Order = Arc<Mutex<(String, String)>>;

/// A model that writes what it is ordered to, one file a turn.
pub(crate) fn scribe() -> (Order, ScriptedModel) {
    let order = Order::default();
    let orders = order.clone();
    let model = Script::new()
        .forever(move |_, ask| {
            let (path, content) = orders.lock().unwrap().clone();
            let turn = Turn::default();
            match ask.last_text() {
                "Write." => turn.call("write_plan_begin", begin(&path, "overwrite")).end("tool_calls"),
                _ if ask.tool_names().is_empty() => turn.text(&format!("{content}\nDONE\n")).end("stop"),
                _ => turn.text("Done.").end("stop"),
            }
        })
        .start();
    (order, model)
}

/// A turn in which the model writes this, if it can.
pub(crate) async fn write(desk: &Desk, order: &Order, path: &str, content: &str) -> RequestId {
    *order.lock().unwrap() = (path.to_owned(), content.to_owned());
    let mut turn = desk.ask("Write.").await;
    let request_id = turn.request_id();
    loop {
        let batch = within("the turn to go on", turn.next()).await.expect("the turn goes on");
        for envelope in &batch {
            if let TurnEvent::Asked { digest, .. } = &envelope.event {
                approve(desk, request_id, *digest, None).await.unwrap();
            }
        }
        if batch.last().is_some_and(|last| last.event.terminal().is_some()) {
            return request_id;
        }
    }
}

pub(crate) async fn preview(desk: &Desk, request_id: RequestId) -> RewindPreview {
    let answer = desk.engine.query(Query::Rewind { request_id }).await.unwrap();
    let Answer::Rewind { preview } = answer else { panic!() };
    preview
}

async fn submit(desk: &Desk, op: Op) -> Result<Rewind, ErrorInfo> {
    match desk.engine.submit(op).await? {
        Outcome::Rewound { rewind } => Ok(rewind),
        other => panic!("{other:?}"),
    }
}

/// The files go back as the preview says.
pub(crate) async fn files_back(desk: &Desk, request_id: RequestId) -> Rewind {
    let seen = preview(desk, request_id).await;
    let rewind = Op::Rewind { request_id, conversation: false, files: Some(seen.digest) };
    let rewind = submit(desk, rewind).await.unwrap();
    assert_eq!(rewind.files, seen.files, "what was shown is what was done");
    rewind
}

pub(crate) async fn undo(desk: &Desk, request_id: RequestId) -> Rewind {
    submit(desk, Op::UndoRewind { request_id }).await.unwrap()
}

/// Everything in the project: the bytes of each file, and what else there is.
pub(crate) fn everything(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    collect(&folder.path(), "", &mut all);
    all
}

fn collect(folder: &Path, above: &str, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{above}{}", entry.file_name().into_string().unwrap());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), all);
        } else if kind.is_symlink() {
            let to = fs::read_link(entry.path()).unwrap().to_string_lossy().into_owned();
            all.insert(name, format!("-> {to}").into_bytes());
        } else {
            all.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

/// A session in which `a.txt` was written twice, `b.txt` once and `new.txt` once. The first turn.
async fn written() -> (Desk, Order, ScriptedModel, RequestId) {
    let (order, model) = scribe();
    let desk = Desk::with(&model).await;
    let first = write(&desk, &order, "a.txt", "One.").await;
    write(&desk, &order, "b.txt", "Two.").await;
    write(&desk, &order, "a.txt", "Three.").await;
    write(&desk, &order, "new.txt", "Four.").await;
    (desk, order, model, first)
}

fn named(rewind: &[orion_protocol::RewoundFile]) -> Vec<(&str, Option<RewoundChange>, Option<Code>)> {
    rewind.iter().map(|it| (it.path.as_str(), it.change, it.error.as_ref().map(|error| error.code))).collect()
}

#[tokio::test]
async fn what_will_change_is_shown_and_done_and_undone() {
    let (desk, _, model, first) = written().await;
    let before = everything(&desk.folder);
    let seen = preview(&desk, first).await;
    assert_eq!(seen.turns, 4);
    let expected = [
        ("a.txt", Some(RewoundChange::Restored), None),
        ("b.txt", Some(RewoundChange::Restored), None),
        ("new.txt", Some(RewoundChange::Removed), None),
    ];
    assert_eq!(named(&seen.files), expected);
    let rewind = files_back(&desk, first).await;
    assert_eq!((rewind.conversation, rewind.undone, rewind.writes.len()), (false, false, 4));
    let there = [("a.txt", "alpha\n"), ("b.txt", "beta\n")];
    assert_eq!(
        everything(&desk.folder),
        there.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into()
    );
    // The turns stay where they are, and say that their writes were undone.
    let turns = turns_of(&desk.engine, desk.session.session_id).await;
    assert_eq!(turns.iter().map(|turn| turn.aftermath.undone.len()).collect::<Vec<_>>(), [1, 1, 1, 1]);
    // Nothing is left to go back on.
    assert_eq!(preview(&desk, first).await.files, []);

    let undone = undo(&desk, first).await;
    let expected = [
        ("a.txt", Some(RewoundChange::Restored), None),
        ("b.txt", Some(RewoundChange::Restored), None),
        ("new.txt", Some(RewoundChange::Created), None),
    ];
    assert_eq!((named(&undone.files), undone.undone), (expected.to_vec(), true));
    assert_eq!(everything(&desk.folder), before);
    let turns = turns_of(&desk.engine, desk.session.session_id).await;
    assert_eq!(turns.iter().map(|turn| turn.aftermath.undone.len()).collect::<Vec<_>>(), [0, 0, 0, 0]);
    let twice = submit(&desk, Op::UndoRewind { request_id: first }).await.unwrap_err();
    assert_eq!(twice.code, Code::WriteUnknownSession);
    model.finish();
}

#[tokio::test]
async fn a_file_that_is_gone_is_created_again_and_goes_again_with_the_undo() {
    let (desk, _, model, first) = written().await;
    fs::remove_file(desk.folder.path().join("a.txt")).unwrap();
    fs::remove_file(desk.folder.path().join("new.txt")).unwrap();
    let before = everything(&desk.folder);
    let rewind = files_back(&desk, first).await;
    let expected =
        [("a.txt", Some(RewoundChange::Created), None), ("b.txt", Some(RewoundChange::Restored), None)];
    assert_eq!(named(&rewind.files), expected);
    assert_eq!(desk.folder.read("a.txt"), b"alpha\n");
    undo(&desk, first).await;
    assert_eq!(everything(&desk.folder), before);
    model.finish();
}

// W6, A10: whatever somebody else has put in the place of a file stays.
#[tokio::test]
async fn what_somebody_else_put_in_the_place_of_a_file_is_named_and_kept() {
    type Put = fn(&Path);
    let hostile: [(&str, Put, Code); 7] = [
        ("text", |folder| fs::write(folder.join("a.txt"), "Mine.\n").unwrap(), Code::UndoStale),
        (
            "a link to a file with the same content",
            |folder| {
                fs::rename(folder.join("a.txt"), folder.join("other")).unwrap();
                std::os::unix::fs::symlink("other", folder.join("a.txt")).unwrap();
            },
            Code::PathWrongKind,
        ),
        (
            "a link out of the project",
            |folder| {
                fs::remove_file(folder.join("a.txt")).unwrap();
                std::os::unix::fs::symlink("/etc/passwd", folder.join("a.txt")).unwrap();
            },
            Code::PathOutside,
        ),
        (
            "a link that leads nowhere",
            |folder| {
                fs::remove_file(folder.join("a.txt")).unwrap();
                std::os::unix::fs::symlink("nowhere", folder.join("a.txt")).unwrap();
            },
            Code::PathWrongKind,
        ),
        (
            "a folder",
            |folder| {
                fs::remove_file(folder.join("a.txt")).unwrap();
                fs::create_dir(folder.join("a.txt")).unwrap();
            },
            Code::PathWrongKind,
        ),
        ("a rule", |folder| fs::write(folder.join(".orionignore"), "a.txt\n").unwrap(), Code::PathIgnored),
        (
            "another name",
            |folder| fs::hard_link(folder.join("a.txt"), folder.join("second")).unwrap(),
            Code::FileUnwritable,
        ),
    ];
    for (what, put, code) in hostile {
        let (desk, _, model, first) = written().await;
        put(&desk.folder.path());
        let before = everything(&desk.folder);
        let seen = preview(&desk, first).await;
        assert_eq!(named(&seen.files)[0], ("a.txt", None, Some(code)), "{what}: {:?}", seen.files[0].error);
        files_back(&desk, first).await;
        let after = everything(&desk.folder);
        let theirs = |path: &String| !["b.txt", "new.txt"].contains(&path.as_str());
        let of = |all: &BTreeMap<String, Vec<u8>>| -> Vec<(String, Vec<u8>)> {
            all.iter()
                .filter(|(path, _)| theirs(path))
                .map(|(path, bytes)| (path.clone(), bytes.clone()))
                .collect()
        };
        assert_eq!(of(&after), of(&before), "{what}");
        assert_eq!(
            (after.get("b.txt").map(Vec::as_slice), after.get("new.txt")),
            (Some(&b"beta\n"[..]), None)
        );
        undo(&desk, first).await;
        assert_eq!(everything(&desk.folder), before, "{what}");
        model.finish();
    }
}

#[tokio::test]
async fn nothing_is_changed_that_the_preview_did_not_show() {
    let (desk, _, model, first) = written().await;
    let seen = preview(&desk, first).await;
    desk.folder.write("b.txt", "Mine.\n");
    let before = everything(&desk.folder);
    let rewind = Op::Rewind { request_id: first, conversation: true, files: Some(seen.digest) };
    assert_eq!(submit(&desk, rewind).await.unwrap_err().code, Code::ApprovalStale);
    assert_eq!(everything(&desk.folder), before);
    assert_eq!(
        turns_of(&desk.engine, desk.session.session_id).await.len(),
        4,
        "nor has the conversation gone back"
    );
    let neither = Op::Rewind { request_id: first, conversation: false, files: None };
    assert_eq!(submit(&desk, neither).await.unwrap_err().code, Code::Usage);
    model.finish();
}

// T9
#[tokio::test]
async fn the_conversation_goes_back_alone_and_returns_unless_it_has_gone_on() {
    let (desk, order, model, first) = written().await;
    let before = everything(&desk.folder);
    let shown = async || {
        let turns = turns_of(&desk.engine, desk.session.session_id).await;
        turns.iter().map(|turn| turn.request_id).collect::<Vec<_>>()
    };
    let all = shown().await;
    let back = |request_id| Op::Rewind { request_id, conversation: true, files: None };
    let rewind = submit(&desk, back(all[2])).await.unwrap();
    assert_eq!((rewind.conversation, &rewind.files[..], shown().await), (true, &[][..], all[..2].to_vec()));
    undo(&desk, all[2]).await;
    assert_eq!(shown().await, all);
    submit(&desk, back(first)).await.unwrap();
    assert_eq!(shown().await, []);
    // The next message is the first of its branch, and an undo does not take it away.
    let next = write(&desk, &order, "c.txt", "Five.").await;
    assert_eq!(shown().await, [next]);
    undo(&desk, first).await;
    assert_eq!(shown().await, [next]);
    assert_eq!(everything(&desk.folder).len(), before.len() + 1);
    model.finish();
}
