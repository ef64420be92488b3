//! The store on real files: what it promises about records, sessions, messages and errors.

use std::path::Path;

use futures_util::future::join_all;
use orion_protocol::{
    CallId, Code, Envelope, ErrorInfo, Happened, NoticeCode, PROTOCOL_VERSION, Permission, Phase, RequestId,
    Session, SessionId, StoredCall, ToolStatus, TurnEvent, TurnIds, TurnPlace, TurnState,
};
use orion_store::{
    Begin, Earlier, FILE_NAME, NewTurn, Past, Reach, Record, SetAside, Store, StoreError, StoredRow, Taking,
    TextKind, TurnJournal,
};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

async fn open(folder: &TempDir) -> Store {
    Store::open(folder.path()).await.unwrap()
}

async fn session(store: &Store) -> Session {
    let project = store.open_project("/a/project", "project", 1).await.unwrap();
    store.new_session(project.project_id, 1).await.unwrap()
}

fn ids(session: &Session) -> TurnIds {
    TurnIds {
        request_id: RequestId(Uuid::now_v7()),
        session_id: session.session_id,
        project_id: session.project_id,
    }
}

fn envelope(ids: TurnIds, seq: u32, event: TurnEvent) -> Envelope {
    Envelope {
        v: PROTOCOL_VERSION,
        request_id: ids.request_id,
        session_id: ids.session_id,
        project_id: ids.project_id,
        seq,
        at_ms: i64::from(seq) * 10,
        phase: Phase::ActionPhase,
        tool_batch_id: None,
        event,
    }
}

fn notice(ids: TurnIds, seq: u32) -> Envelope {
    envelope(ids, seq, TurnEvent::Notice { code: NoticeCode::Other, message: format!("event {seq}") })
}

fn text(ids: TurnIds, seq: u32, offset: u64, text: &str) -> Envelope {
    envelope(ids, seq, TurnEvent::TextChunk { offset, text: text.into() })
}

fn recorded(envelope: &Envelope) -> Record {
    Record::event(envelope).unwrap()
}

fn new_turn(ids: TurnIds, message: &str) -> (NewTurn, First) {
    let setup = Record::Input { at_ms: 10, body: "{\"type\":\"setup\"}".into() };
    let first = First(vec![setup, recorded(&notice(ids, 1)), said(message)]);
    (NewTurn { ids, at_ms: 10, title: format!("About {message}") }, first)
}

fn said(body: &str) -> Record {
    Record::Text { kind: TextKind::Said, body: body.into() }
}

/// The turns in a few words, the nearest first.
fn told(earlier: &[Earlier]) -> Vec<String> {
    let told = |turn: &Earlier| {
        let items: Vec<&str> = turn.items.iter().map(|item| item.body.as_str()).collect();
        format!("{} back: {}", turn.back, items.join(", "))
    };
    earlier.iter().map(told).collect()
}

/// Begins with these records, and hands back what it was given of its session.
struct First(Vec<Record>);

impl Begin for First {
    type Out = Past;

    fn reach(&self) -> Reach {
        Reach::ALL
    }

    fn begin(&self, past: Past) -> Result<(Vec<Record>, Past), StoreError> {
        Ok((self.0.clone(), past))
    }
}

async fn begin(store: &Store, session: &Session, message: &str) -> (TurnIds, TurnJournal) {
    let ids = ids(session);
    let (turn, first) = new_turn(ids, message);
    let (journal, _) = store.begin_turn(turn, first).await.unwrap();
    (ids, journal)
}

#[tokio::test]
async fn a_journal_is_read_back_as_it_was_written_with_unknown_types_kept() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let (ids, mut journal) = begin(&store, &session(&store).await, "one").await;
    let strange =
        json!({"v": 7, "seq": 2, "event": {"type": "from_the_future", "with": ["what", 1.5, null]}})
            .to_string();
    let records = vec![
        Record::Input { at_ms: 20, body: "{\"any\":\"thing\"}".into() },
        Record::Event { seq: 2, at_ms: 21, body: strange.clone(), spent: None },
        recorded(&notice(ids, 3)),
    ];
    journal.append(records).await.await.unwrap();
    store.close().await.unwrap();

    let store = open(&folder).await;
    let event = |seq: u32| StoredRow::Event {
        seq,
        at_ms: i64::from(seq) * 10,
        body: serde_json::to_string(&notice(ids, seq)).unwrap(),
    };
    assert_eq!(
        store.journal(ids.request_id).await.unwrap(),
        vec![
            StoredRow::Input { at_ms: 10, body: "{\"type\":\"setup\"}".into() },
            event(1),
            StoredRow::Input { at_ms: 20, body: "{\"any\":\"thing\"}".into() },
            // E3: kept by a store.
            StoredRow::Event { seq: 2, at_ms: 21, body: strange },
            event(3),
        ]
    );
    // E3: ignored by a reader, which still sees its place in the order.
    let unknown = Envelope { at_ms: 21, ..envelope(ids, 2, TurnEvent::Unknown) };
    assert_eq!(
        store.turn_envelopes(ids.request_id, 0).await.unwrap(),
        vec![notice(ids, 1), unknown, notice(ids, 3)]
    );
}

#[tokio::test]
async fn the_events_after_a_seq_come_with_the_text_since_in_few_chunks() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let (ids, mut journal) = begin(&store, &session(&store).await, "one").await;
    let said = [
        text(ids, 1, 0, "Once "),
        text(ids, 1, 5, "upon "),
        notice(ids, 2),
        text(ids, 2, 10, "a "),
        text(ids, 2, 12, "time"),
    ];
    journal.append(said.iter().map(recorded).collect()).await.await.unwrap();

    let all = vec![notice(ids, 1), text(ids, 1, 0, "Once upon "), notice(ids, 2), text(ids, 2, 10, "a time")];
    assert_eq!(store.turn_envelopes(ids.request_id, 0).await.unwrap(), all);
    assert_eq!(store.turn_envelopes(ids.request_id, 1).await.unwrap(), all[1..]);
    assert_eq!(store.turn_envelopes(ids.request_id, 2).await.unwrap(), all[3..]);
    let view = store.session_page(ids.session_id, TurnPlace::Newest, 50).await.unwrap();
    assert_eq!(view.turns.len(), 1);
    assert_eq!((view.turns[0].state, &view.turns[0].envelopes), (TurnState::Running, &all));
}

// T3
#[tokio::test]
async fn the_assistants_message_is_kept_in_the_transaction_of_the_last_event() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let session = session(&store).await;
    let (ids, journal) = begin(&store, &session, "a question").await;
    let last = notice(ids, 2);
    journal.finish(vec![recorded(&last), said("an answer")], 90).await.unwrap();
    let after = store.session(session.session_id).await.unwrap();
    let expected = Session {
        title: "About a question".into(),
        updated_at_ms: 90,
        turns: 1,
        // Its last event is no end (T3).
        happened: Some(Happened::Interrupted),
        ..session.clone()
    };
    assert_eq!(after, expected);
    let view = store.session_page(session.session_id, TurnPlace::Newest, 50).await.unwrap();
    assert_eq!(
        (store.session(session.session_id).await.unwrap(), view.turns[0].state),
        (expected, TurnState::Over)
    );
    let (next, _journal) = begin(&store, &session, "another").await;
    let before = store.said_before(next.request_id, Reach::ALL).await.unwrap();
    assert_eq!(told(&before), ["1 back: a question, an answer"]);
}

// T8, T9
#[tokio::test]
async fn a_turn_finds_again_what_had_been_said_when_it_began() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let session = session(&store).await;
    let (one, journal) = begin(&store, &session, "one").await;
    journal.finish(vec![recorded(&notice(one, 2)), said("1111")], 20).await.unwrap();
    // Its process dies, and it is gone on with once the third is over.
    let (two, mut journal) = begin(&store, &session, "two").await;
    journal.append(vec![said("so far")]).await.await.unwrap();
    drop(journal);
    let elsewhere = self::session(&store).await;
    begin(&store, &elsewhere, "elsewhere").await;
    let (turn, first) = new_turn(ids(&session), "three");
    let (journal, past) = store.begin_turn(turn, first).await.unwrap();
    let three = journal.ids();
    assert_eq!(past.parent, Some(two.request_id));
    assert_eq!(told(&past.earlier), ["1 back: two, so far", "2 back: one, 1111"]);
    let entered = past.earlier.iter().flat_map(|turn| &turn.items).map(|item| item.id).max().unwrap();
    journal.finish(vec![recorded(&notice(three, 2)), said("3333")], 30).await.unwrap();
    let two_again = store.take_over(two, Taking::ToGoOn).await.unwrap().journal;
    two_again.finish(vec![recorded(&notice(two, 3)), said("late")], 40).await.unwrap();

    let before = async |turns, bytes, entered| {
        let reach = Reach { turns, bytes, entered, ..Reach::ALL };
        told(&store.said_before(three.request_id, reach).await.unwrap())
    };
    assert_eq!(before(2, usize::MAX, entered).await, ["1 back: two, so far", "2 back: one, 1111"]);
    assert_eq!(before(1, usize::MAX, i64::MAX).await, ["1 back: two, so far, late"]);
    assert_eq!(before(1, usize::MAX, entered).await, ["1 back: two, so far"]);
    // The first that goes beyond the bytes is the last.
    assert_eq!(before(2, 9, entered).await, ["1 back: two, so far"]);
    assert_eq!(before(2, 10, entered).await, ["1 back: two, so far", "2 back: one, 1111"]);
    // What was entered later is left out.
    assert_eq!(before(2, usize::MAX, entered - 1).await, ["1 back: two", "2 back: one, 1111"]);
    assert_eq!(before(0, usize::MAX, entered).await, [""; 0]);
    assert_eq!(store.said_before(one.request_id, Reach::ALL).await.unwrap(), []);
}

#[tokio::test]
async fn a_large_item_comes_back_whole() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let session = session(&store).await;
    let large = "x".repeat(3 << 20);
    let (one, journal) = begin(&store, &session, "one").await;
    journal.finish(vec![recorded(&notice(one, 2)), said(&large)], 20).await.unwrap();
    let (two, _journal) = begin(&store, &session, "two").await;
    let before = store.said_before(two.request_id, Reach::ALL).await.unwrap();
    assert_eq!(before[0].items[1].body.len(), large.len());
    assert_eq!(before[0].items[1].body, large);
}

#[tokio::test]
async fn a_tool_call_has_its_arguments_at_once_and_its_result_when_it_ends() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let session = session(&store).await;
    let (ids, mut journal) = begin(&store, &session, "one").await;
    let call_id = CallId("call_1".into());
    let started = Record::CallStarted {
        batch: 1,
        call_id: call_id.clone(),
        name: "read_file".into(),
        arguments: "{\"path\":\"a.txt\"}".into(),
        permission: Permission::Allow,
    };
    journal.append(vec![started]).await.await.unwrap();
    let running = StoredCall {
        tool_call_id: call_id.clone(),
        name: "read_file".into(),
        arguments: json!({"path": "a.txt"}),
        permission: Permission::Allow,
        result: None,
    };
    assert_eq!(store.tool_call(ids.request_id, &call_id).await.unwrap(), running);

    let ended = Record::CallEnded {
        batch: 1,
        call_id: call_id.clone(),
        status: ToolStatus::Ok,
        body: "Grüße".into(),
    };
    assert_eq!(store.call_ended(ids.request_id, &call_id).await.unwrap(), None);
    let input =
        |id: &str| Record::Input { at_ms: 5, body: json!({"type": "tool", "callId": id}).to_string() };
    journal.append(vec![input("call_0"), ended, input("call_1")]).await.await.unwrap();
    journal.append(vec![input("call_2")]).await.await.unwrap();
    let said = Some(json!({"type": "tool", "callId": "call_1"}).to_string());
    assert_eq!(store.call_ended(ids.request_id, &call_id).await.unwrap(), said);
    let over = StoredCall { result: Some("Grüße".into()), ..running };
    assert_eq!(store.tool_call(ids.request_id, &call_id).await.unwrap(), over);
    let unknown = CallId("call_2".into());
    let error = store.tool_call(ids.request_id, &unknown).await.unwrap_err();
    assert_eq!(error, StoreError::CallUnknown(unknown));
}

#[tokio::test]
async fn a_session_has_one_running_turn_even_with_two_processes() {
    let folder = TempDir::new().unwrap();
    let (here, there) = (open(&folder).await, open(&folder).await);
    let session = session(&here).await;
    let (ids_of_first, first) = begin(&here, &session, "one").await;
    let (turn, begin) = new_turn(ids(&session), "two");
    let refused = there.begin_turn(turn, begin).await.unwrap_err();
    assert_eq!(refused, StoreError::TurnActive(session.session_id));
    assert_eq!(
        there.delete_session(session.session_id).await,
        Err(StoreError::TurnActive(session.session_id))
    );
    assert_eq!(
        there.forget_project(session.project_id).await,
        Err(StoreError::TurnActive(session.session_id))
    );
    // The other process is alive: its turn is not taken for a dead one.
    assert_eq!(there.interrupt_dead(50).await.unwrap(), vec![]);
    first.finish(vec![recorded(&notice(ids_of_first, 2))], 30).await.unwrap();
    let (turn, begin) = new_turn(ids(&session), "two");
    let (_, past) = there.begin_turn(turn, begin).await.unwrap();
    assert_eq!(there.session(session.session_id).await.unwrap().turns, 2);
    assert_eq!(
        (past.parent, told(&past.earlier)),
        (Some(ids_of_first.request_id), vec!["1 back: one".into()])
    );
}

#[tokio::test]
async fn sessions_are_listed_newest_first_and_outlive_the_store() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let project = store.open_project("/a/project", "project", 1).await.unwrap();
    let other = store.open_project("/another", "another", 2).await.unwrap();
    let old = store.new_session(project.project_id, 10).await.unwrap();
    let new = store.new_session(project.project_id, 20).await.unwrap();
    let elsewhere = store.new_session(other.project_id, 15).await.unwrap();
    let old = store.rename_session(old.session_id, "Kept").await.unwrap();
    // Opening the same folder again finds the same project.
    let again = store.open_project("/a/project", "project", 30).await.unwrap();
    assert_eq!(again.project_id, project.project_id);
    store.close().await.unwrap();

    let store = open(&folder).await;
    assert_eq!(store.sessions(None, 10).await.unwrap(), vec![new.clone(), elsewhere.clone(), old.clone()]);
    assert_eq!(store.sessions(None, 1).await.unwrap(), vec![new.clone()]);
    assert_eq!(store.sessions(Some(project.project_id), 10).await.unwrap(), vec![new, old]);
    assert_eq!(store.projects().await.unwrap(), vec![again, other.clone()]);
    store.forget_project(other.project_id).await.unwrap();
    assert_eq!(
        store.session(elsewhere.session_id).await,
        Err(StoreError::SessionUnknown(elsewhere.session_id))
    );
    assert_eq!(
        store.forget_project(other.project_id).await,
        Err(StoreError::ProjectUnknown(other.project_id))
    );
}

#[tokio::test]
async fn many_turns_write_at_once_and_a_refused_write_fails_alone() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let project = store.open_project("/a/project", "project", 1).await.unwrap();
    let turns = join_all((0..40).map(async |_| {
        let session = store.new_session(project.project_id, 1).await.unwrap();
        begin(&store, &session, "one").await
    }))
    .await;
    let missing = SessionId(Uuid::now_v7());
    let work = turns.into_iter().map(async |(ids, mut journal)| {
        let mut commits = Vec::new();
        for seq in 2..=20 {
            commits.push(journal.append(vec![recorded(&notice(ids, seq))]).await);
        }
        let refused = store.delete_session(missing).await;
        (ids, join_all(commits).await, refused)
    });
    for (ids, commits, refused) in join_all(work).await {
        assert_eq!(commits, vec![Ok(()); 19]);
        assert_eq!(refused, Err(StoreError::SessionUnknown(missing)));
        let expected: Vec<Envelope> = (1..=20).map(|seq| notice(ids, seq)).collect();
        assert_eq!(store.turn_envelopes(ids.request_id, 0).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn what_was_sent_before_closing_is_kept_and_nothing_is_taken_afterwards() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder).await;
    let (ids, mut journal) = begin(&store, &session(&store).await, "one").await;
    let commit = journal.append(vec![recorded(&notice(ids, 2))]).await;
    store.close().await.unwrap();
    assert_eq!(commit.await, Ok(()));
    assert_eq!(journal.append(vec![recorded(&notice(ids, 3))]).await.await, Err(StoreError::Closed));
    assert_eq!(store.projects().await, Err(StoreError::Closed));
    let store = open(&folder).await;
    assert_eq!(store.turn_envelopes(ids.request_id, 1).await.unwrap(), vec![notice(ids, 2)]);
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_user_can_read_the_data() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("data");
    let store = Store::open(&folder).await.unwrap();
    session(&store).await;
    let database = folder.join(FILE_NAME);
    let wal = folder.join(format!("{FILE_NAME}-wal"));
    assert_eq!([mode(&folder), mode(&database), mode(&wal)], [0o700, 0o600, 0o600]);
    store.close().await.unwrap();
    // A database that others could read is closed to them.
    std::fs::set_permissions(&database, std::fs::Permissions::from_mode(0o644)).unwrap();
    Store::open(&folder).await.unwrap();
    assert_eq!(mode(&database), 0o600);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_set_aside_as_it_is() {
    let folder = TempDir::new().unwrap();
    let text = "this is not a database, but it is long enough to look at".repeat(40);
    std::fs::write(folder.path().join(FILE_NAME), &text).unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let Some(SetAside::Damaged(aside)) = store.set_aside() else { panic!("{:?}", store.set_aside()) };
    assert_eq!(std::fs::read_to_string(aside.join(FILE_NAME)).unwrap(), text);
    assert_eq!(store.projects().await.unwrap(), []);
}

#[tokio::test]
async fn a_change_of_another_process_is_noticed_and_no_change_of_ones_own() {
    let folder = TempDir::new().unwrap();
    let (store, other) =
        (Store::open(folder.path()).await.unwrap(), Store::open(folder.path()).await.unwrap());
    let before = store.data_version().await.unwrap();
    store.open_project("/a", "a", 1).await.unwrap();
    assert_eq!(store.data_version().await.unwrap(), before);
    other.open_project("/b", "b", 1).await.unwrap();
    assert_ne!(store.data_version().await.unwrap(), before);
}

#[tokio::test]
async fn a_data_folder_that_is_a_file_is_named_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("taken");
    std::fs::write(&path, "").unwrap();
    let error: ErrorInfo = Store::open(&path).await.unwrap_err().into();
    assert_eq!(error.code, Code::Storage);
    assert_eq!(error.message, format!("The data folder {} cannot be used.", path.display()));
    assert!(error.action.is_some());
}
