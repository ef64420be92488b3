//! Proposals whose difference has few lines or none: a text in place of a file that is not text, and empty files
//! (W6).

use std::fs;

use orion_protocol::{Code, Op, Reply, WriteProposal, WriteStatus};
use support::{Folder, Script, within};

use crate::driver_desk::{Desk, to_end};
use crate::writing::{begin, until_ready, view};

/// What is shown of a proposal before it is written.
#[derive(Debug, PartialEq)]
struct Shown {
    unified: String,
    replaced_bytes: Option<u64>,
    hunks: usize,
}

/// A whole turn that writes `file` with this content, and what was shown of it.
async fn written(operation: &'static str, old: Option<&[u8]>, content: &'static str) -> (Shown, Vec<u8>) {
    let sends = |script: Script| script.turn(move |t| t.text(content).text("DONE").end("stop"));
    let mut script = sends(
        Script::new().turn(move |t| t.call("write_plan_begin", begin("file", operation)).end("tool_calls")),
    );
    // W9: the model is asked whether it means that.
    if content.is_empty() && old.is_some_and(|old| !old.contains(&0)) {
        script = sends(script);
    }
    let model = script.turn(|t| t.text("Done.").end("stop")).start();
    let folder = Folder::with([("a.txt", "alpha\n")]);
    let path = folder.path().join("file");
    if let Some(old) = old {
        fs::write(&path, old).unwrap();
    }
    let desk = Desk::at(&model.base_url(), folder).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, WriteProposal { digest, hunks, .. }) = until_ready(&mut turn).await;
    let seen = view(&desk, request_id).await;
    let unified = desk.engine.unified(request_id, None).await.unwrap();
    let approve = async |hunks| {
        let op = Op::Reply { request_id, digest, reply: Reply::Write { hunks, despite_faults: true } };
        desk.engine.submit(op).await.map_err(|error| error.code)
    };
    if hunks > 0 {
        // A3: nothing of it is no file either.
        assert_eq!(approve(Some(Vec::new())).await, Err(Code::Usage));
    }
    assert_eq!(fs::read(&path).ok().as_deref(), old);
    approve(None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    let report = told.last().unwrap().event.terminal().unwrap();
    assert_eq!(report.writes[0].status, Some(WriteStatus::Written));
    model.finish();
    let shown = Shown { unified, replaced_bytes: seen.replaced_bytes, hunks: seen.hunks.len() };
    (shown, fs::read(path).unwrap())
}

#[tokio::test]
async fn a_file_that_is_no_text_is_shown_to_be_replaced_and_not_as_a_new_one() {
    let old = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let head = "Binary file a/file differs: all of its 16 bytes are replaced.\n--- a/file\n+++ b/file\n";
    for (content, lines, hunks, new) in
        [("text\n", "@@ -0,0 +1,1 @@\n+text\n", 1, &b"text\n"[..]), ("", "", 0, b"")]
    {
        let shown = Shown { unified: format!("{head}{lines}"), replaced_bytes: Some(16), hunks };
        assert_eq!(written("overwrite", Some(old), content).await, (shown, new.to_vec()));
    }
}

#[tokio::test]
async fn a_file_that_is_text_or_is_not_there_is_shown_as_it_is() {
    let text = Shown {
        unified: "--- a/file\n+++ b/file\n@@ -1,1 +1,1 @@\n-old\n+new\n".into(),
        replaced_bytes: None,
        hunks: 1,
    };
    assert_eq!(written("overwrite", Some(b"old\n"), "new\n").await, (text, b"new\n".to_vec()));
    let emptied = Shown {
        unified: "--- a/file\n+++ b/file\n@@ -1,1 +0,0 @@\n-old\n".into(),
        replaced_bytes: None,
        hunks: 1,
    };
    assert_eq!(written("overwrite", Some(b"old\n"), "").await, (emptied, Vec::new()));
    let new = Shown {
        unified: "--- /dev/null\n+++ b/file\n@@ -0,0 +1,1 @@\n+new\n".into(),
        replaced_bytes: None,
        hunks: 1,
    };
    assert_eq!(written("create", None, "new\n").await, (new, b"new\n".to_vec()));
    let empty = Shown { unified: "--- /dev/null\n+++ b/file\n".into(), replaced_bytes: None, hunks: 0 };
    assert_eq!(written("create", None, "").await, (empty, Vec::new()));
}
