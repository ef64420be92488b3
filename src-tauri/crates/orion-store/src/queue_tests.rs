//! Queues of sessions: their order, who sends a message, and when they are held.

use std::path::Path;

use orion_protocol::{Queue, QueuedId, QueuedMessage, RequestId, TurnIds, TurnOptions};
use tempfile::TempDir;
use uuid::Uuid;

use crate::{Begin, NewTurn, Past, QueueChange, Record, Store, StoreError, TurnJournal};

/// A turn, perhaps of a message that waits.
struct Turn(Option<QueuedMessage>);

impl Begin for Turn {
    type Out = ();

    fn queued(&self) -> Option<&QueuedMessage> {
        self.0.as_ref()
    }

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((Vec::new(), ()))
    }
}

async fn desk(folder: &Path) -> (Store, TurnIds) {
    let store = Store::open(folder).await.unwrap();
    let project_id = store.open_project("/a/project", "project", 1).await.unwrap().project_id;
    let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
    (store, TurnIds { request_id: RequestId(Uuid::nil()), session_id, project_id })
}

async fn begin(
    store: &Store,
    ids: TurnIds,
    queued: Option<&QueuedMessage>,
) -> Result<TurnJournal, StoreError> {
    let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), ..ids };
    let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
    Ok(store.begin_turn(turn, Turn(queued.cloned())).await?.0)
}

async fn add(store: &Store, ids: TurnIds, text: &str) -> QueuedMessage {
    let queued_id = QueuedId(Uuid::now_v7());
    let message = QueuedMessage { queued_id, text: text.into(), options: TurnOptions::default() };
    let add = QueueChange::Add { session_id: ids.session_id, message: message.clone(), here: false };
    store.change_queue(add).await.unwrap();
    message
}

async fn texts(store: &Store, ids: TurnIds) -> (Vec<String>, bool) {
    let Queue { messages, held } = store.queue(ids.session_id).await.unwrap();
    (messages.into_iter().map(|message| message.text).collect(), held)
}

// A9
#[tokio::test]
async fn a_queue_is_changed_and_reordered_and_is_there_and_held_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let (store, ids) = desk(folder.path()).await;
    let journal = begin(&store, ids, None).await.unwrap();
    let [a, b, c] = [add(&store, ids, "a").await, add(&store, ids, "b").await, add(&store, ids, "c").await];
    store.change_queue(QueueChange::Move { queued_id: c.queued_id, to: 0 }).await.unwrap();
    store.change_queue(QueueChange::Move { queued_id: a.queued_id, to: 9 }).await.unwrap();
    store
        .change_queue(QueueChange::Edit { queued_id: b.queued_id, text: "b, changed".into() })
        .await
        .unwrap();
    assert_eq!(texts(&store, ids).await, (vec!["c".into(), "b, changed".into(), "a".into()], false));
    store.change_queue(QueueChange::Remove { queued_id: b.queued_id }).await.unwrap();
    let gone = store.change_queue(QueueChange::Remove { queued_id: b.queued_id }).await.unwrap_err();
    assert_eq!(gone, StoreError::NotQueued(b.queued_id));
    journal.finish(Vec::new(), 2).await.unwrap();
    store.close().await.unwrap();
    drop(store);

    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(texts(&store, ids).await, (vec!["c".into(), "a".into()], true));
    assert_eq!(store.next_queued(ids.session_id).await.unwrap(), None);
    store.change_queue(QueueChange::Release { session_id: ids.session_id }).await.unwrap();
    assert_eq!(begin(&store, ids, Some(&c)).await.map(|_| ()), Ok(()));
}

// A9
#[tokio::test]
async fn of_two_processes_that_send_a_message_one_does() {
    let folder = TempDir::new().unwrap();
    let (store, ids) = desk(folder.path()).await;
    let other = Store::open(folder.path()).await.unwrap();
    let journal = begin(&store, ids, None).await.unwrap();
    let message = add(&other, ids, "a").await;
    journal.finish(Vec::new(), 2).await.unwrap();
    let (one, two) = tokio::join!(begin(&store, ids, Some(&message)), begin(&other, ids, Some(&message)));
    assert_eq!([one.is_ok(), two.is_ok()].iter().filter(|sent| **sent).count(), 1);
    let refused = one.err().or(two.err()).unwrap();
    // The one that came second finds the message gone, or the turn that it began.
    assert!(matches!(refused, StoreError::NotQueued(_) | StoreError::TurnActive(_)), "{refused}");
    assert_eq!(texts(&store, ids).await.0, Vec::<String>::new());
}

// A9
#[tokio::test]
async fn a_message_that_was_changed_or_is_held_is_not_sent_as_it_was() {
    let folder = TempDir::new().unwrap();
    let (store, ids) = desk(folder.path()).await;
    let journal = begin(&store, ids, None).await.unwrap();
    let message = add(&store, ids, "a").await;
    journal.finish(vec![Record::HoldsQueue], 2).await.unwrap();
    let gone = StoreError::NotQueued(message.queued_id);
    assert_eq!(begin(&store, ids, Some(&message)).await.map(|_| ()), Err(gone.clone()));
    assert_eq!(store.due_queues().await.unwrap(), []);
    store.change_queue(QueueChange::Release { session_id: ids.session_id }).await.unwrap();
    assert_eq!(store.due_queues().await.unwrap(), [ids.session_id]);
    let edit = QueueChange::Edit { queued_id: message.queued_id, text: "b".into() };
    store.change_queue(edit).await.unwrap();
    assert_eq!(begin(&store, ids, Some(&message)).await.map(|_| ()), Err(gone));
    assert_eq!(texts(&store, ids).await, (vec!["b".into()], false));
    assert_eq!(store.session(ids.session_id).await.unwrap().turns, 1);
}

// A9
#[tokio::test]
async fn a_turn_that_was_interrupted_holds_the_queue() {
    let folder = TempDir::new().unwrap();
    let (store, ids) = desk(folder.path()).await;
    let journal = begin(&store, ids, None).await.unwrap();
    add(&store, ids, "a").await;
    drop(journal);
    assert_eq!(texts(&store, ids).await, (vec!["a".into()], false));
    assert_eq!(store.interrupt_dead(2).await.unwrap().len(), 1);
    assert_eq!(texts(&store, ids).await, (vec!["a".into()], true));
}
