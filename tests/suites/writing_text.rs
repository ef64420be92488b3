//! The text of a write as it is shown and edited: its seams, its line ends, its encoding (W4, W6, W8).

use std::fs;

use orion_protocol::{
    Answer, Code, CutRow, DiffRow, MarkKind, Op, Query, Reply, RequestId, Sha256, WriteProposal,
    WriteRevision,
};
use support::{Folder, Script, ScriptedModel, within};

use crate::driver_desk::{Desk, to_end};
use crate::writing::{approve, begin, until_ready, view};

/// A model that writes one file in these messages, all but the last cut off.
fn writer(operation: &'static str, messages: &'static [&'static str]) -> ScriptedModel {
    let mut script = Script::new()
        .turn(move |t| t.call("write_plan_begin", begin("file.txt", operation)).end("tool_calls"));
    for (number, message) in messages.iter().enumerate() {
        let last = number + 1 == messages.len();
        script = script.turn(move |t| {
            let t = t.text(message);
            if last { t.text("DONE").end("stop") } else { t.end("length") }
        });
    }
    script.turn(|t| t.text("Done.").end("stop")).start()
}

async fn desk(model: &ScriptedModel, old: Option<&[u8]>) -> Desk {
    let folder = Folder::with([("a.txt", "alpha\n")]);
    if let Some(old) = old {
        fs::write(folder.path().join("file.txt"), old).unwrap();
    }
    Desk::at(&model.base_url(), folder).await
}

async fn rows(desk: &Desk, request_id: RequestId, proposal: &WriteProposal) -> Vec<DiffRow> {
    let digest = proposal.digest;
    let query = Query::WriteRows { request_id, write: 1, digest, from: 0, count: 5_000 };
    let Answer::WriteRows { rows } = desk.engine.query(query).await.unwrap() else { panic!() };
    rows
}

/// Where rows have a seam: their texts with `|` there.
fn seams(rows: &[DiffRow]) -> Vec<String> {
    let seamed = rows.iter().filter_map(|row| {
        let mark = row.marks.iter().find(|mark| mark.kind == MarkKind::Seam)?;
        let (before, after) = row.text.split_at(usize::try_from(mark.from).unwrap());
        Some(format!("{:?} {before}|{after}", row.kind))
    });
    seamed.collect()
}

/// Changes the proposal in the editor, and writes what comes of it.
async fn edited(old: Option<&[u8]>, content: &'static [&'static str], from: &str, to: &str) -> Vec<u8> {
    let model = writer(if old.is_some() { "overwrite" } else { "create" }, content);
    let desk = desk(&model, old).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    let query = Query::WriteText { request_id, write: 1, hunks: None };
    let Answer::WriteText { text } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert!(text.contains(from) && !text.contains('\r'), "{text:?}");
    let revision = WriteRevision::Text { text: text.replace(from, to) };
    desk.engine.submit(Op::ReviseWrite { request_id, digest: proposal.digest, revision }).await.unwrap();
    let (more, _, revised) = until_ready(&mut turn).await;
    told.extend(more);
    approve(&desk, request_id, revised.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    model.finish();
    fs::read(desk.folder.path().join("file.txt")).unwrap()
}

// W4
#[tokio::test]
async fn a_seam_is_marked_in_the_line_of_the_file_that_it_is_in() {
    let long = format!("\u{feff}{}", "a line that was there\r\n".repeat(4_000));
    let model = writer("append", &["new one\nnew t", "wo\nnew three\n"]);
    let desk = desk(&model, Some(long.as_bytes())).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    assert_eq!(proposal.seams.iter().map(|seam| seam.offset).collect::<Vec<_>>(), [13]);
    assert_eq!(seams(&rows(&desk, request_id, &proposal).await), ["Added new t|wo"]);

    // Asked again, in whatever order, it is still there.
    assert_eq!(view(&desk, request_id).await.rows, 4_003);
    assert_eq!(seams(&rows(&desk, request_id, &proposal).await), ["Added new t|wo"]);
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    model.finish();
}

// W8
#[tokio::test]
async fn a_line_that_was_not_edited_keeps_its_line_end() {
    let written = edited(None, &["one\r\ntwo\r\nthree\r\n"], "two", "2\nand more").await;
    assert_eq!(String::from_utf8(written).unwrap(), "one\r\n2\r\nand more\r\nthree\r\n");
    let mixed = &["one\ntwo\r\nthree\nfour\r\n"];
    let written = edited(Some(b"zero\r\none\n"), mixed, "three", "3").await;
    assert_eq!(String::from_utf8(written).unwrap(), "one\ntwo\r\n3\nfour\r\n");
    let marked = edited(None, &["\u{feff}one\ntwo\n"], "two", "2").await;
    assert_eq!(String::from_utf8(marked).unwrap(), "\u{feff}one\n2\n");
}

#[tokio::test]
async fn a_text_is_edited_in_the_encoding_of_the_file() {
    // windows-1251 has the Russian letters at 0xC0.
    let bytes = |text: &str| -> Vec<u8> {
        let byte = |c: char| match u32::from(c) {
            code @ 0x410..=0x44f => u8::try_from(code - 0x410 + 0xc0).unwrap(),
            code => u8::try_from(code).unwrap(),
        };
        text.chars().map(byte).collect()
    };
    let old =
        bytes(&"Съешь же ещё этих мягких французских булок, да выпей чаю.\n".replace('ё', "е").repeat(8));
    let written = edited(Some(&old), &["да\nнет\n"], "нет", "чаю").await;
    assert_eq!(written, bytes("да\nчаю\n"));
}

// A3, W6
#[tokio::test]
async fn the_editor_gets_what_would_be_written_without_the_changes_that_were_rejected() {
    let lines = |first: &str, last: &str| {
        let between: String = (2..20).map(|line| format!("line {line}\n")).collect();
        format!("{first}\n{between}{last}\n")
    };
    let new: &'static str = lines("ONE", "TWENTY").leak();
    let model = writer("overwrite", vec![new].leak());
    let desk = desk(&model, Some(lines("one", "twenty").as_bytes())).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    assert_eq!(proposal.hunks, 2);
    let text = async |hunks| {
        let query = Query::WriteText { request_id, write: 1, hunks };
        let Answer::WriteText { text } = desk.engine.query(query).await.unwrap() else { panic!() };
        text
    };
    assert_eq!(text(None).await, lines("ONE", "TWENTY"));
    assert_eq!(text(Some(vec![2])).await, lines("one", "TWENTY"));
    assert_eq!(text(Some(Vec::new())).await, lines("one", "twenty"));
    // The very same that is written when these are approved.
    approve(&desk, request_id, proposal.digest, Some(vec![2])).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(fs::read_to_string(desk.folder.path().join("file.txt")).unwrap(), lines("one", "TWENTY"));
    model.finish();
}

#[tokio::test]
async fn a_changed_line_that_is_too_long_for_a_row_is_named_and_can_be_had_whole() {
    // W6: what is approved can be seen.
    // Numbers, since P11 cuts what only repeats itself: 23,890 characters of them.
    let numbers: String = (0..5_000).map(|number| format!("{number} ")).collect();
    let line: &'static str = format!("{numbers}end\n").leak();
    let model = writer("create", vec![line].leak());
    let desk = desk(&model, None).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, WriteProposal { digest, .. }) = until_ready(&mut turn).await;
    let view = view(&desk, request_id).await;
    assert_eq!((view.cut_rows, view.more_cut_rows), (vec![CutRow { row: 0, cut: 21_893 }], 0));
    let ask = async |digest: Sha256, row: u64, from: u64| {
        let query = Query::RowRest { request_id, write: 1, digest, row, from };
        desk.engine.query(query).await.map(|answer| match answer {
            Answer::RowRest { rest } => (rest.text, rest.cut),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(ask(digest, 0, 2_000).await.unwrap(), (line[2_000..22_000].to_owned(), 1_893));
    assert_eq!(ask(digest, 0, 22_000).await.unwrap(), (line[22_000..].trim_end().to_owned(), 0));
    let other = "07".repeat(32).parse().unwrap();
    for (digest, row) in [(digest, 1), (other, 0)] {
        assert_eq!(ask(digest, row, 0).await.unwrap_err().code, Code::ApprovalStale);
    }
    desk.engine.submit(Op::Reply { request_id, digest, reply: Reply::NO }).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    model.finish();
}
