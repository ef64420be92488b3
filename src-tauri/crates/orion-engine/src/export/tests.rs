//! Generated sessions that are exported, imported elsewhere and exported again; and files that somebody changed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use orion_protocol::{Code, RequestId, SessionId, TurnIds};
use orion_store::{Part, Store};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use secrecy::SecretString;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use super::{Header, MOST, Scope, check, mask, pack, unpack};
use crate::driver::generated::{Script, Step, record, scripts, session_ids};
use crate::driver::replay;
use crate::secrets::Redactor;

async fn store() -> (TempDir, Store) {
    let folder = TempDir::new().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    (folder, store)
}

async fn packed(
    store: &Store,
    session_id: SessionId,
    until: Option<RequestId>,
    redactor: &Redactor,
) -> Vec<u8> {
    let exported = store.export(session_id, until, MOST).await.unwrap();
    let before = exported.imported.as_ref().and_then(|imported| Header::read(&imported.header));
    let (exported, redacted) = mask(exported, redactor);
    let scope = if until.is_some() { Scope::Turn } else { Scope::Session };
    pack(&Header::new(scope, true).after(before, redacted), &exported).unwrap()
}

async fn imported(store: &Store, file: &[u8]) -> SessionId {
    store.import(check(unpack(file).unwrap(), 5).unwrap()).await.unwrap().session_id
}

fn lines(file: &[u8]) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn file_of(lines: &[Value]) -> Vec<u8> {
    zipped(lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes())
}

// T5, T8
#[tokio::test]
async fn a_session_that_was_imported_replays_the_same_and_is_exported_to_the_same_bytes() {
    let ((_one, here), (_other, there)) = (store().await, store().await);
    let mut runner = TestRunner::deterministic();
    let nothing_secret = Redactor::default();
    // The ids of texts are others there.
    record(
        &there,
        session_ids(&there).await,
        &scripts().new_tree(&mut runner).unwrap().current(),
        None,
        None,
    )
    .await;
    for number in 0..60_usize {
        let ids = session_ids(&here).await;
        let (mut turns, mut last) = (Vec::new(), None);
        for _ in 0..1 + number % 7 {
            let script = scripts().new_tree(&mut runner).unwrap().current();
            last = Some(record(&here, ids, &script, last, None).await.request_id);
            turns.extend(last);
        }
        let until = turns.get(number % turns.len()).copied().filter(|_| number % 3 == 2);
        let file = packed(&here, ids.session_id, until, &nothing_secret).await;
        let session_id = imported(&there, &file).await;
        assert_eq!(session_id, ids.session_id);
        assert!(packed(&there, session_id, None, &nothing_secret).await == file, "session {number}");
        let path = there.path(session_id).await.unwrap();
        match until {
            None => assert_eq!(path, here.path(session_id).await.unwrap()),
            Some(until) => assert_eq!(path.last(), Some(&until)),
        }
        for &turn in if until.is_some() { &path } else { &turns } {
            let (was, is) = (replay(&here, turn).await.unwrap(), replay(&there, turn).await.unwrap());
            assert!(is.is_same(), "session {number}: {:?}", is.difference);
            assert_eq!(was, is);
        }
        let (was, is) = (here.session(session_id).await.unwrap(), there.session(session_id).await.unwrap());
        assert_eq!((is.imported, was.title), (true, is.title));
        if until.is_none() {
            assert_eq!((was.spent, was.turns), (is.spent, is.turns));
        }
    }
}

/// A fork of a turn, and its turn. Without a number, from the last phase.
async fn fork(store: &Store, of: RequestId, phase: Option<u32>) -> TurnIds {
    let project_id = store.turn_ids(of).await.unwrap().project_id;
    let (request_id, session_id) = (RequestId(Uuid::now_v7()), SessionId(Uuid::now_v7()));
    let ids = TurnIds { request_id, session_id, project_id };
    store.fork(crate::driver::fork(store, of, phase, (ids, 2_000)).await.unwrap()).await.unwrap();
    ids
}

async fn path_end(store: &Store, session_id: SessionId) -> RequestId {
    *store.path(session_id).await.unwrap().last().unwrap()
}

// T8, T9
#[tokio::test]
async fn a_fork_that_was_imported_is_whole_without_the_session_that_it_comes_from() {
    let ((_one, here), (_other, there)) = (store().await, store().await);
    let mut runner = TestRunner::deterministic();
    let nothing_secret = Redactor::default();
    let mut with_a_context = 0;
    for number in 0..40_usize {
        let ids = session_ids(&here).await;
        let mut last = None;
        for _ in 0..1 + number % 4 {
            let script = scripts().new_tree(&mut runner).unwrap().current();
            last = Some(record(&here, ids, &script, last, None).await.request_id);
        }
        let of = last.unwrap();
        let made = fork(&here, of, (number % 3 == 0).then_some(1)).await;
        let file = packed(&here, made.session_id, None, &nothing_secret).await;
        let said = lines(&file).into_iter().find(|line| line["type"] == "fork").unwrap();
        assert_eq!((&said["of"], &said["requestId"]), (&json!(of), &json!(made.request_id)));
        with_a_context += u32::from(!said["sha256"].is_null());
        imported(&there, &file).await;
        assert!(packed(&there, made.session_id, None, &nothing_secret).await == file, "session {number}");
        let (was, is) =
            (replay(&here, made.request_id).await.unwrap(), replay(&there, made.request_id).await.unwrap());
        assert!(is.is_same(), "session {number}: {:?}", is.difference);
        assert_eq!(was, is);
    }
    assert!((20..40).contains(&with_a_context), "{with_a_context}");
}

fn script(steps: Vec<Step>) -> Script {
    Script { text: "Find it.".to_owned(), unified: false, instead: false, steps }
}

/// A session of two turns, with a call and its result.
async fn session(store: &Store) -> SessionId {
    let here = session_ids(store).await;
    let calls = vec![
        Step::Says("I look. ".to_owned()),
        Step::Calls("read", "a"),
        Step::Finds("forty-two".to_owned()),
        Step::Says("It is 42.".to_owned()),
        Step::Ends("stop"),
    ];
    let first = record(store, here, &script(calls), None, None).await.request_id;
    let again = vec![Step::Says("Still 42.".to_owned()), Step::Ends("stop")];
    record(store, here, &script(again), Some(first), None).await;
    here.session_id
}

/// What somebody did to the lines of a file.
type Change = fn(&mut Vec<Value>);

fn first<'l>(lines: &'l mut [Value], kind: &str) -> &'l mut Value {
    lines.iter_mut().find(|line| line["type"] == kind).unwrap()
}

/// Keeps the number of lines right.
fn counted(lines: &mut [Value]) {
    let count = lines.len();
    first(lines, "end")["lines"] = json!(count);
}

fn again(lines: &mut Vec<Value>, kind: &str) {
    let at = lines.iter().position(|line| line["type"] == kind).unwrap();
    lines.insert(at, lines[at].clone());
    counted(lines);
}

fn without(lines: &mut Vec<Value>, kind: &str) {
    let at = lines.iter().position(|line| line["type"] == kind).unwrap();
    lines.remove(at);
    counted(lines);
}

const CHANGES: &[(&str, Code, Change)] = &[
    ("another kind of file", Code::ExportInvalid, |l| l[0]["type"] = json!("export")),
    ("a later format", Code::ExportVersion, |l| l[0]["version"] = json!(4)),
    ("a format of before the first version", Code::ExportVersion, |l| l[0]["version"] = json!(2)),
    ("a format that never was", Code::ExportInvalid, |l| l[0]["version"] = json!("1")),
    ("no header", Code::ExportInvalid, |l| drop(l.remove(0))),
    ("two headers", Code::ExportInvalid, |l| again(l, "orion_export")),
    ("no end", Code::ExportInvalid, |l| drop(l.pop())),
    ("an end in the middle", Code::ExportInvalid, |l| l.push(json!({"type": "row"}))),
    ("a line less", Code::ExportInvalid, |l| drop(l.remove(5))),
    ("a line that is no object", Code::ExportInvalid, |l| l[3] = json!(["row"])),
    ("no session", Code::ExportInvalid, |l| without(l, "session")),
    ("two sessions", Code::ExportInvalid, |l| again(l, "session")),
    ("a session that is no id", Code::ExportInvalid, |l| {
        first(l, "session")["sessionId"] = json!("../../etc")
    }),
    ("a tip that is not there", Code::ExportInvalid, |l| {
        first(l, "session")["tip"] = json!("0190f5c8-0000-7000-8000-000000000000");
    }),
    ("no tip", Code::ExportInvalid, |l| first(l, "session")["tip"] = Value::Null),
    ("a long title", Code::ExportInvalid, |l| first(l, "session")["title"] = json!("x".repeat(10_000))),
    ("a time before all times", Code::ExportInvalid, |l| {
        first(l, "session")["createdAtMs"] = json!(i64::MIN)
    }),
    ("a turn twice", Code::ExportInvalid, |l| again(l, "turn")),
    ("a turn that follows one elsewhere", Code::ExportInvalid, |l| {
        first(l, "turn")["parent"] = json!("0190f5c8-0000-7000-8000-000000000000");
    }),
    ("a turn that is not over", Code::ExportInvalid, |l| first(l, "turn")["over"] = json!(false)),
    ("a row twice", Code::ExportInvalid, |l| again(l, "row")),
    ("a row of another turn", Code::ExportInvalid, |l| {
        let row = l.iter_mut().find(|line| line["type"] == "row" && !line["seq"].is_null()).unwrap();
        let mut event: Value = serde_json::from_str(row["body"].as_str().unwrap()).unwrap();
        event["requestId"] = json!("0190f5c8-0000-7000-8000-000000000000");
        row["body"] = json!(event.to_string());
    }),
    ("an event that is left out", Code::ExportInvalid, |l| {
        let at = l.iter().rposition(|line| line["type"] == "row" && line["seq"] == 3).unwrap();
        l.remove(at);
        counted(l);
    }),
    ("an input that is no JSON", Code::ExportInvalid, |l| first(l, "row")["body"] = json!("{")),
    ("no journal", Code::ExportInvalid, |l| {
        l.retain(|line| line["type"] != "row");
        counted(l);
    }),
    ("a text with an id of all ids", Code::ExportInvalid, |l| first(l, "text")["id"] = json!(i64::MAX)),
    ("a text twice", Code::ExportInvalid, |l| again(l, "text")),
    ("a body that is another one", Code::ExportInvalid, |l| first(l, "body")["text"] = json!("planted")),
    ("a body of another size", Code::ExportInvalid, |l| first(l, "body")["bytes"] = json!(1)),
    ("a body twice", Code::ExportInvalid, |l| again(l, "body")),
    ("a body that is not there", Code::ExportInvalid, |l| without(l, "body")),
    ("a body without content", Code::ExportInvalid, |l| {
        first(l, "body").as_object_mut().unwrap().remove("text");
    }),
    ("a body that nothing names", Code::ExportInvalid, |l| {
        let sha256 = "f".repeat(64);
        l.insert(l.len() - 1, json!({"type": "body", "sha256": sha256, "bytes": 1}));
        counted(l);
    }),
    ("a call that ended nowhere", Code::ExportInvalid, |l| first(l, "call")["ended"] = json!(999)),
    ("a call with a permission of its own", Code::ExportInvalid, |l| {
        first(l, "call")["permission"] = json!("always")
    }),
    ("arguments that are none", Code::ExportInvalid, |l| first(l, "call")["arguments"] = json!("{")),
    ("a write outside of the project", Code::ExportInvalid, |l| written(l, "../../.bashrc", "written")),
    ("a write at the root", Code::ExportInvalid, |l| written(l, "/etc/passwd", "written")),
    ("a write that would be completed", Code::ExportInvalid, |l| written(l, "a.txt", "writing")),
    ("an undo that would be completed", Code::ExportInvalid, |l| written(l, "a.txt", "undoing")),
    ("a rewind that would be completed", Code::ExportInvalid, |l| {
        let at = l.iter().rposition(|line| line["type"] == "row").unwrap() + 1;
        l.insert(at, json!({"type": "rewind", "number": 1, "atMs": 1, "conversation": false, "leftTip": null, "turns": 1, "stage": "going"}));
        counted(l);
    }),
];

/// What somebody did to the lines of a fork.
const CHANGES_OF_FORKS: &[(&str, Change)] = &[
    ("a fork without what it was made with", |l| first(l, "fork")["sha256"] = Value::Null),
    ("a fork made with something that is not there", |l| {
        let of = first(l, "fork")["sha256"].clone();
        l.retain(|line| line["type"] != "body" || line["sha256"] != of);
        counted(l);
    }),
    ("a fork made with another text of the file", |l| {
        let text = first(l, "text")["sha256"].clone();
        first(l, "fork")["sha256"] = text;
    }),
    ("a session that is a fork no more", |l| without(l, "fork")),
    ("a session with two origins", |l| again(l, "fork")),
    ("a fork that began with a turn elsewhere", |l| {
        first(l, "fork")["requestId"] = json!("0190f5c8-0000-7000-8000-000000000000");
    }),
    ("a fork of no id", |l| first(l, "fork")["of"] = json!("../../etc")),
    ("a fork from before the first phase", |l| first(l, "fork")["phase"] = json!(0)),
    ("a fork that had cost more than there is", |l| first(l, "fork")["cost"] = json!(u64::MAX)),
    ("an origin after the first turn", |l| {
        let at = l.iter().position(|line| line["type"] == "fork").unwrap();
        let fork = l.remove(at);
        l.insert(at + 1, fork);
    }),
];

/// With a write of a body that is there.
fn written(lines: &mut Vec<Value>, path: &str, stage: &str) {
    let body = first(lines, "body")["sha256"].clone();
    let at = lines.iter().rposition(|line| line["type"] == "row").unwrap() + 1;
    lines.insert(at, json!({
        "type": "write", "number": 1, "path": path, "operation": "create", "baseSha256": null, "sha256": body,
        "contentSha256": body, "stage": stage, "kept": null, "leadsTo": null, "rewind": null, "rewoundFile": null,
    }));
    counted(lines);
}

#[tokio::test]
async fn a_file_that_somebody_changed_is_refused_and_nothing_of_it_is_stored() {
    let (_one, here) = store().await;
    let session_id = session(&here).await;
    let file = packed(&here, session_id, None, &Redactor::default()).await;
    let refused =
        |bytes: &[u8]| unpack(bytes).and_then(|file| check(file, 5)).map(|_| ()).map_err(|error| error.code);
    for (name, code, change) in CHANGES {
        let mut changed = lines(&file);
        change(&mut changed);
        assert_eq!(refused(&file_of(&changed)), Err(*code), "{name}");
    }
    // What is not a packed file of lines at all.
    let text: String = lines(&file).iter().map(|line| format!("{line}\n")).collect();
    let mut not_utf8 = text.clone().into_bytes();
    not_utf8.splice(2..2, [0xff]);
    let cut = text.as_bytes()[..text.len() - 1].to_vec();
    let (mut flipped, mut more) = (file.clone(), file.clone());
    let at = flipped.len() - 6;
    flipped[at] ^= 1;
    more.extend(file.iter());
    let deep = format!("{}\n{}{}\n", text.lines().next().unwrap(), "[".repeat(100_000), "]".repeat(100_000));
    let hostile: [(&str, &[u8]); 9] = [
        ("nothing", b""),
        ("text", text.as_bytes()),
        ("half a file", &file[..file.len() / 2]),
        ("a checksum that is another one", &flipped),
        ("two files in one", &more),
        ("bytes that are no text", &zipped(&not_utf8)),
        ("a last line that does not end", &zipped(&cut)),
        ("an empty file, packed", &zipped(b"")),
        ("deep JSON", &zipped(deep.as_bytes())),
    ];
    for (name, bytes) in hostile {
        assert_eq!(refused(bytes), Err(Code::ExportInvalid), "{name}");
    }
    let bomb = zipped(&vec![b' '; usize::try_from(MOST).unwrap() + 2]);
    assert!(bomb.len() < 4 << 20, "{}", bomb.len());
    assert_eq!(refused(&bomb), Err(Code::ExportTooLarge));
    let forked = fork(&here, path_end(&here, session_id).await, None).await;
    let fork = packed(&here, forked.session_id, None, &Redactor::default()).await;
    assert_eq!((refused(&fork), lines(&fork)[0]["version"].as_u64()), (Ok(()), Some(3)));
    for (name, change) in CHANGES_OF_FORKS {
        let mut changed = lines(&fork);
        change(&mut changed);
        assert_eq!(refused(&file_of(&changed)), Err(Code::ExportInvalid), "{name}");
    }
    // As it is, it is taken, once.
    let (_other, there) = store().await;
    let import = || check(unpack(&file).unwrap(), 5).unwrap();
    there.import(import()).await.unwrap();
    let twice = orion_protocol::ErrorInfo::from(there.import(import()).await.unwrap_err());
    assert_eq!(twice.code, Code::SessionExists);
}

// E3
#[tokio::test]
async fn what_a_later_version_adds_is_kept_and_what_has_no_contents_stays_as_a_line() {
    let (_one, here) = store().await;
    let session_id = session(&here).await;
    let mut changed = lines(&packed(&here, session_id, None, &Redactor::default()).await);
    let sha256 = "ab".repeat(32);
    let write = json!({
        "type": "write", "number": 1, "path": "a.txt", "operation": "create", "baseSha256": null, "sha256": sha256,
        "contentSha256": sha256, "stage": "written", "kept": null, "leadsTo": null, "rewind": null, "rewoundFile": null,
    });
    let at = changed.iter().rposition(|line| line["type"] == "row").unwrap() + 1;
    changed.splice(at..at, [write.clone(), json!({"type": "thought", "of": "later"})]);
    let bodies =
        changed.iter().position(|line| line["type"] == "body" && line["sha256"].as_str() > Some(&sha256));
    let end = bodies.unwrap_or(changed.len() - 1);
    changed.insert(end, json!({"type": "body", "sha256": sha256, "bytes": 12}));
    first(&mut changed, "turn")["later"] = json!(true);
    counted(&mut changed);

    let (_other, there) = store().await;
    let session_id = imported(&there, &file_of(&changed)).await;
    let kept = lines(&packed(&there, session_id, None, &Redactor::default()).await);
    for line in [
        &write,
        &json!({"type": "thought", "of": "later"}),
        &json!({"type": "body", "sha256": sha256, "bytes": 12}),
    ] {
        assert!(kept.contains(line), "{line}");
    }
    assert_eq!(kept.len(), changed.len());
    let exported = there.export(session_id, None, MOST).await.unwrap();
    assert!(
        !exported.parts.iter().any(|part| matches!(part, Part::Write(_))),
        "no body stands for what is not there"
    );
}

#[tokio::test]
async fn a_secret_leaves_in_no_form_and_not_in_pieces() {
    const KEY: &str = "sk-canary-0123456789abcdef";
    let (_one, here) = store().await;
    let ids = session_ids(&here).await;
    let (start, end) = KEY.split_at(9);
    let escaped: String = KEY.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let hex: String = KEY.bytes().map(|byte| format!("{byte:02X}")).collect();
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, format!("user:{KEY}"));
    let steps = vec![
        Step::Says(format!("It is {start}")),
        Step::Thinks(format!("Say {KEY}.")),
        Step::Says(format!("{end}. ")),
        Step::Calls("read", "a"),
        Step::Finds(format!("key: {KEY}\nagain: {hex}\nauthorization: Basic {base64}\njson: \"{escaped}\"")),
        Step::Says("There.".to_owned()),
        Step::Ends("stop"),
    ];
    let asked = Script { text: format!("Where is {KEY}?"), ..script(steps) };
    let turn = record(&here, ids, &asked, None, None).await.request_id;
    let redactor = Redactor::default().with([SecretString::from(KEY)]);
    let file = packed(&here, ids.session_id, None, &redactor).await;
    let all = lines(&file);
    let mut text = String::new();
    GzDecoder::new(file.as_slice()).read_to_string(&mut text).unwrap();
    let lowered = text.to_lowercase();
    let forms = [KEY, &hex, &base64[8..32], end, &escaped, &escaped.replace('\\', "\\\\")];
    for form in forms {
        assert!(!lowered.contains(&form.to_lowercase()), "{form}");
    }
    assert_eq!(all[0]["redacted"], json!([turn]));
    // Without a secret, everything leaves as it is.
    let plain = packed(&here, ids.session_id, None, &Redactor::default()).await;
    assert_eq!(lines(&plain)[0]["redacted"], json!([]));

    // T9: what a fork was given is no part of its turn, and leaves without the key as well.
    let again = record(&here, ids, &script(vec![Step::Ends("stop")]), Some(turn), None).await.request_id;
    let forked = fork(&here, again, None).await;
    let of_fork = lines(&packed(&here, forked.session_id, None, &redactor).await);
    assert!(of_fork.iter().all(|line| !line.to_string().contains(KEY)), "{of_fork:?}");
    assert_eq!(of_fork[0]["redacted"], json!([forked.request_id]));

    // It opens, and the stars stand where the key was.
    let (_other, there) = store().await;
    let session_id = imported(&there, &file).await;
    assert!(packed(&there, session_id, None, &redactor).await == file);
    let events = there.turn_envelopes(turn, 0).await.unwrap();
    let said: String = events.iter().filter_map(|envelope| envelope.event.chunk()).collect();
    assert!(said.contains(&"*".repeat(start.len())) && said.ends_with("There."), "{said}");
}

#[test]
fn a_small_file_that_unpacks_to_much_or_has_a_line_that_would_be_a_large_tree_is_refused() {
    let header = json!({"type": "orion_export", "version": 3, "orion": "0", "scope": "session", "files": true, "redacted": []});
    let packed = |line: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(format!("{header}\n{line}\n").as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let refused = |line: &str| unpack(&packed(line)).map(|_| ()).map_err(|error| (error.code, error.detail));
    let zeros = |bytes: usize| format!("{{\"type\":\"new\",\"x\":[{}0]}}", "0,".repeat(bytes / 2));
    assert_eq!(refused(&zeros(40 << 20)).map_err(|(code, _)| code), Err(Code::ExportTooLarge));
    let long = Some("a line is too long".to_owned());
    assert_eq!(refused(&zeros(20 << 20)), Err((Code::ExportInvalid, long)));
    // A shorter one is kept, as any line of a type to come.
    assert_eq!(refused(&zeros(1 << 20)), Err((Code::ExportInvalid, Some("it ends too early".to_owned()))));
}
