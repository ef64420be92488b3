//! The store with several processes, with one that is killed, and with ten thousand sessions.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use futures_util::future::join_all;
use orion_protocol::{
    Envelope, NoticeCode, PROTOCOL_VERSION, Phase, ProjectId, RequestId, SessionId, TurnEvent, TurnIds,
    TurnPlace, TurnState,
};
use orion_store::{Begin, NewTurn, Past, Reach, Record, Store, StoreError, TextKind};
use support::processor_time;
use tempfile::TempDir;
use uuid::Uuid;

/// The child, ended with the test.
struct Writer {
    child: Child,
    lines: BufReader<ChildStdout>,
    request_id: RequestId,
}

impl Writer {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_journal-writer"))
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let request_id = line.trim().parse().unwrap();
        Self { child, lines, request_id }
    }

    /// The seq of the next event that the child was told is on the disk.
    fn committed(&mut self) -> u32 {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }

    /// Kills it (SIGKILL) and returns the last seq that it was told is on the disk.
    fn kill(mut self) -> u32 {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        let complete = rest.rfind('\n').map_or("", |end| &rest[..end]);
        complete.lines().last().map_or(0, |line| line.parse().unwrap())
    }
}

#[tokio::test]
async fn a_killed_process_loses_nothing_that_was_committed_and_its_turn_is_interrupted_once() {
    let folder = TempDir::new().unwrap();
    let mut writer = Writer::start(folder.path());
    let request_id = writer.request_id;
    while writer.committed() < 20 {}
    let store = Store::open(folder.path()).await.unwrap();
    // Its process lives.
    assert_eq!(store.interrupt_dead(900).await.unwrap(), vec![]);
    let committed = writer.kill().max(20);

    // T2: the next seq, also across a crash; by one of those who look, not by both.
    let other = Store::open(folder.path()).await.unwrap();
    let (mut events, of_other) = tokio::join!(store.interrupt_dead(1_000), other.interrupt_dead(1_000));
    events.as_mut().unwrap().extend(of_other.unwrap());
    let events = events.unwrap();
    let envelopes = store.turn_envelopes(request_id, 0).await.unwrap();
    let (last, before) = envelopes.split_last().unwrap();
    assert!(before.len() >= committed as usize, "{} of {committed} are there", before.len());
    let seqs: Vec<u32> = before.iter().map(|e| e.seq).collect();
    assert_eq!(seqs, (1..=u32::try_from(before.len()).unwrap()).collect::<Vec<_>>());
    let interrupted = Envelope {
        seq: seqs.len() as u32 + 1,
        at_ms: 1_000,
        event: TurnEvent::Interrupted,
        ..before.last().unwrap().clone()
    };
    assert_eq!(last, &interrupted);
    assert_eq!(events, vec![interrupted]);
    assert_eq!(store.interrupt_dead(2_000).await.unwrap(), vec![]);
    let view = store.session_page(last.session_id, TurnPlace::Newest, 50).await.unwrap();
    assert_eq!(view.turns[0].state, TurnState::Interrupted);
    // What the process left in the folder is swept up by the next start.
    drop(store);
    let store = Store::open(folder.path()).await.unwrap();
    let owners = std::fs::read_dir(folder.path().join("running")).unwrap().count();
    assert_eq!(owners, 2, "this store and `other`");
    drop(store);
}

#[tokio::test]
async fn a_session_whose_turn_died_takes_the_next_message() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let mut writer = Writer::start(folder.path());
    writer.committed();
    let session = store.sessions(None, 1).await.unwrap().remove(0);
    writer.kill();
    let (turn, first) = new_turn(session.project_id, session.session_id);
    let (_journal, ()) = store.begin_turn(turn, first).await.unwrap();
    assert_eq!(store.session(session.session_id).await.unwrap().turns, 2);
    let states: Vec<_> = store
        .session_page(session.session_id, TurnPlace::Newest, 50)
        .await
        .unwrap()
        .turns
        .iter()
        .map(|turn| turn.state)
        .collect();
    assert_eq!(states, [TurnState::Interrupted, TurnState::Running]);
}

#[tokio::test]
async fn several_processes_write_to_one_fresh_folder_at_once() {
    let folder = TempDir::new().unwrap();
    let mut writers: Vec<Writer> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| Writer::start(folder.path()))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for writer in &mut writers {
        while writer.committed() < 10 {}
    }
    let store = Store::open(folder.path()).await.unwrap();
    for writer in writers {
        let request_id = writer.request_id;
        writer.kill();
        let seqs: Vec<u32> =
            store.turn_envelopes(request_id, 0).await.unwrap().iter().take(10).map(|e| e.seq).collect();
        assert_eq!(seqs, (1..=10).collect::<Vec<_>>());
    }
}

/// A disk that takes no more: the child may write files of 2,000 KiB at most, and is told so instead of being ended.
#[cfg(unix)]
#[test]
fn a_disk_that_refuses_to_write_ends_with_a_typed_error_and_keeps_what_was_committed() {
    let folder = TempDir::new().unwrap();
    let script = "trap '' XFSZ; ulimit -f 4000; exec \"$0\" \"$1\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_journal-writer")])
        .arg(folder.path())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("Write failed"), "{error}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let request_id: RequestId = printed.lines().next().unwrap().parse().unwrap();
    let committed: u32 = printed.lines().last().unwrap().parse().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let envelopes = runtime.block_on(async {
        let store = Store::open(folder.path()).await.unwrap();
        store.turn_envelopes(request_id, 0).await.unwrap()
    });
    assert_eq!(envelopes.last().unwrap().seq, committed);
}

fn new_turn(project_id: ProjectId, session_id: SessionId) -> (NewTurn, First) {
    let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
    let asked = Record::Text { kind: TextKind::Said, body: "a question".into() };
    let records = (1..=4).map(|seq| event(ids, seq)).chain([asked]).collect();
    (NewTurn { ids, at_ms: 50, title: "A question".into() }, First(records))
}

struct First(Vec<Record>);

impl Begin for First {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((self.0.clone(), ()))
    }
}

fn event(ids: TurnIds, seq: u32) -> Record {
    Record::event(&Envelope {
        v: PROTOCOL_VERSION,
        request_id: ids.request_id,
        session_id: ids.session_id,
        project_id: ids.project_id,
        seq,
        at_ms: 50,
        phase: Phase::ActionPhase,
        tool_batch_id: None,
        event: TurnEvent::Notice { code: NoticeCode::Other, message: "as long as events are ".repeat(10) },
    })
    .unwrap()
}

async fn one_turn(store: &Store, project_id: ProjectId) {
    let session = store.new_session(project_id, 50).await.unwrap();
    let (turn, first) = new_turn(project_id, session.session_id);
    let ids = turn.ids;
    let (journal, ()) = store.begin_turn(turn, first).await.unwrap();
    journal.finish(vec![event(ids, 5)], 60).await.unwrap();
}

/// What a start and a turn read, without the flushes of the disk that would drown a slow query.
async fn reads(store: &Store, project_id: ProjectId) -> Duration {
    let session = store.new_session(project_id, 50).await.unwrap();
    let before = processor_time();
    store.sessions(None, 50).await.unwrap();
    store.sessions(Some(project_id), 50).await.unwrap();
    let newest = store.sessions(Some(project_id), 2).await.unwrap().remove(1);
    let newest = store.session_page(newest.session_id, TurnPlace::Newest, 1).await.unwrap();
    store.said_before(newest.turns[0].request_id, Reach::ALL).await.unwrap();
    store.interrupt_dead(50).await.unwrap();
    store.session_page(session.session_id, TurnPlace::Newest, 50).await.unwrap();
    processor_time() - before
}

async fn turn(store: &Store, project_id: ProjectId) -> Duration {
    let before = processor_time();
    one_turn(store, project_id).await;
    processor_time() - before
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

#[tokio::test]
async fn a_turn_costs_the_same_after_ten_thousand_sessions() {
    let (full, empty) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let full = Store::open(full.path()).await.unwrap();
    let empty = Store::open(empty.path()).await.unwrap();
    let of_full = full.open_project("/a/project", "project", 1).await.unwrap().project_id;
    let of_empty = empty.open_project("/a/project", "project", 1).await.unwrap().project_id;
    for _ in 0..100 {
        join_all((0..100).map(|_| one_turn(&full, of_full))).await;
    }
    // Fifty in each, so that lists of fifty are as long in both.
    join_all((0..50).map(|_| one_turn(&empty, of_empty))).await;
    let (mut read_full, mut read_empty, mut turn_full, mut turn_empty) = (vec![], vec![], vec![], vec![]);
    for _ in 0..41 {
        read_full.push(reads(&full, of_full).await);
        read_empty.push(reads(&empty, of_empty).await);
        turn_full.push(turn(&full, of_full).await);
        turn_empty.push(turn(&empty, of_empty).await);
    }
    let (reads, turns) = (median(read_full) / median(read_empty), median(turn_full) / median(turn_empty));
    println!("reads {reads:.2} times, turns {turns:.2} times");
    assert!(reads < 2.0, "reading costs {reads:.2} times as much");
    assert!(turns < 2.0, "a turn costs {turns:.2} times as much");
}
