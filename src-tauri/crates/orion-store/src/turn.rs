//! A turn in the store: it begins with its first records, grows, and ends in one transaction (T3).

use std::sync::Arc;

use orion_protocol::{ProjectId, QueuedMessage, RequestId, SessionId, TurnIds};
use sqlx::SqliteConnection;

use crate::blob;
use crate::edits;
use crate::error::{StoreError, reading, writing};
use crate::journal::{self, Commit, Record};
use crate::origin;
use crate::owner::Life;
use crate::path;
use crate::queue;
use crate::rewind::{self, StoredRewind};
use crate::said::{self, Earlier, Reach};
use crate::session;
use crate::store::Store;
use crate::taken_out;
use crate::text;
use crate::writer::{Transaction, Writer};

/// What a turn begins with.
#[derive(Debug, Clone)]
pub struct NewTurn {
    pub ids: TurnIds,
    pub at_ms: i64,
    /// The session's title, if it has none yet.
    pub title: String,
}

/// Where a new turn stands in its session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// The turn that it follows (T9). None for the first.
    pub parent: Option<RequestId>,
    /// What was said before, the nearest turn first, as far as [`Begin::reach`] goes.
    pub earlier: Vec<Earlier>,
    /// The texts that the parent was given, in their order: [`GIVEN`] at most.
    pub given: Vec<String>,
    /// The last count of the model's tokens that the parent kept, as JSON.
    pub gauge: Option<String>,
    /// What was taken out of the session up to now, in whichever branch, the oldest first: JSON of the engine's (X6).
    pub taken_out: Vec<String>,
    /// What a person does to the conversation by hand for this turn, where [`Begin::takes_edits`]: JSON of the engine's.
    pub edits: Option<String>,
    /// How a person went back to an earlier message since the turn before (A10).
    pub rewound: Option<StoredRewind>,
    /// Events of all turns before, of the types that [`Begin::recalls`] names, oldest first, as JSON.
    pub events: Vec<String>,
}

/// The texts of its parent that a turn wants to know: the system text, the tools, and the instructions since.
pub(crate) const GIVEN: u32 = 3;

/// Makes a turn's first records from the turns before it, and returns a value to the caller. It is called in the
/// transaction that begins the turn, so no other turn of the session can come between. If the transaction has to be
/// repeated, it is called a second time.
pub trait Begin: Send + Sync + 'static {
    type Out: Send + 'static;

    /// How much of the session the turn wants to know.
    fn reach(&self) -> Reach {
        Reach::NOTHING
    }

    /// Whether the turn is the person's next message, which takes what they did to the conversation by hand. It is then kept no more.
    fn takes_edits(&self) -> bool {
        false
    }

    /// The turn in whose place this one comes (T9): both have the same parent, and the session goes on with this one. None where it follows
    /// the session's tip.
    fn instead_of(&self) -> Option<RequestId> {
        None
    }

    /// The message that it takes out of the session's queue (A9), as it was when the turn was prepared.
    fn queued(&self) -> Option<&QueuedMessage> {
        None
    }

    /// The types of the events that the turn wants to know of all turns before it.
    fn recalls(&self) -> &[&str] {
        &[]
    }

    /// Whether an interrupted turn before it has been looked at, of which not all that was said is kept (X1).
    fn knows(&self, _interrupted: RequestId) -> bool {
        true
    }

    /// # Errors
    /// Any error that keeps the turn from beginning.
    fn begin(&self, past: Past) -> Result<(Vec<Record>, Self::Out), StoreError>;
}

/// The journal of one running turn. Only its owner writes to it. If it is dropped before [`TurnJournal::finish`],
/// nobody runs the turn any more, and the next process that looks marks it as interrupted.
#[derive(Debug)]
pub struct TurnJournal {
    pub(crate) writer: Writer,
    pub(crate) ids: TurnIds,
    /// The number of the next record.
    pub(crate) next: i64,
    pub(crate) _life: Life,
}

impl Store {
    /// Begins a turn. When this returns, the turn is on the disk.
    ///
    /// # Errors
    /// [`StoreError::TurnActive`] while another turn of the session runs, in whichever process, [`StoreError::TurnUnknown`] for a turn
    /// to come in the place of that is not of the session, and [`StoreError::NotQueued`] for a message that waits no more, or was changed.
    /// [`StoreError::BrokeOff`] for an interrupted turn before it that it does not know ([`Begin::knows`]): nothing has begun then.
    pub async fn begin_turn<B: Begin>(
        &self,
        turn: NewTurn,
        begin: B,
    ) -> Result<(TurnJournal, B::Out), StoreError> {
        let NewTurn { ids, at_ms, .. } = turn;
        let life = self.alive().enter(ids.request_id);
        let begin = Arc::new(begin);
        let beginning =
            || BeginTurn { turn: turn.clone(), begin: begin.clone(), owner: self.owner().to_owned() };
        let (next, out) = match self.transact(beginning()).await {
            // The process that ran the other one may be gone.
            Err(StoreError::TurnActive(_)) if !self.interrupt_dead(at_ms).await?.is_empty() => {
                self.transact(beginning()).await?
            }
            other => other?,
        };
        Ok((TurnJournal { writer: self.writer().clone(), ids, next, _life: life }, out))
    }
}

impl Store {
    /// The turn of a session that has not ended, in whichever process.
    pub async fn open_turn(&self, session_id: SessionId) -> Result<Option<RequestId>, StoreError> {
        let sql = "SELECT request_id FROM turns WHERE session_id = ? AND state = 'running'";
        let row: Option<String> = sqlx::query_scalar(sql)
            .bind(session_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }

    /// The session of a turn of the project that is at work, in whichever process. One that waits for a person is not.
    pub async fn at_work(&self, project_id: ProjectId) -> Result<Option<SessionId>, StoreError> {
        let sql =
            "SELECT session_id FROM turns WHERE project_id = ? AND state = 'running' AND waits = 0 LIMIT 1";
        let row: Option<String> = sqlx::query_scalar(sql)
            .bind(project_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }

    /// Whether a turn waits for a person in a way that any process can answer (A7).
    pub async fn waits(&self, request_id: RequestId) -> Result<bool, StoreError> {
        let sql = "SELECT waits FROM turns WHERE request_id = ? AND state = 'running'";
        let row: Option<bool> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        Ok(row.unwrap_or(false))
    }
}

impl TurnJournal {
    pub fn ids(&self) -> TurnIds {
        self.ids
    }

    /// Queues records for one transaction; waits only for room in the queue. The caller may append more before the
    /// promise is kept: the order stays the same.
    pub async fn append(&mut self, records: Vec<Record>) -> Commit {
        let n = self.next;
        self.next = number(n, &records);
        Commit(self.writer.send(Append { request_id: self.ids.request_id, n, records }).await)
    }

    /// Ends the turn. Its last records, with the terminal event and the assistant's message, go into one transaction,
    /// and nothing can be appended afterwards (T3). If the disk refuses, it is asked
    /// once more: without its end, a turn that is answered shows as interrupted after a restart.
    ///
    /// # Errors
    /// [`StoreError::TurnOver`] when the turn has ended already; otherwise the first refusal.
    pub async fn finish(self, records: Vec<Record>, at_ms: i64) -> Result<(), StoreError> {
        let end = Arc::new(Finish { ids: self.ids, n: self.next, records, at_ms });
        match self.writer.transact(Arc::clone(&end)).await {
            Err(refused) if !matches!(refused, StoreError::TurnOver(_) | StoreError::Closed) => {
                self.writer.transact(end).await.map_err(|_again| refused)
            }
            ended => ended,
        }
    }
}

fn number(n: i64, records: &[Record]) -> i64 {
    n.saturating_add(i64::try_from(records.len()).unwrap_or(i64::MAX))
}

struct BeginTurn<B> {
    turn: NewTurn,
    begin: Arc<B>,
    owner: String,
}

impl<B: Begin> Transaction for BeginTurn<B> {
    type Out = (i64, B::Out);

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Self::Out, StoreError> {
        let NewTurn { ids, at_ms, title } = &self.turn;
        let session = session::enter(connection, ids.session_id, *at_ms, title).await?;
        if session.is_imported {
            return Err(StoreError::SessionImported(ids.session_id));
        }
        if session.project_id != ids.project_id.to_string() {
            return Err(StoreError::ProjectUnknown(ids.project_id));
        }
        if let Some(message) = self.begin.queued() {
            queue::claim(connection, ids.session_id, message).await?;
        }
        if let Some(other) = self.begin.instead_of() {
            path::go_before(connection, ids.session_id, other).await?;
        }
        // T9: the session's tip is its parent.
        let sql = "INSERT INTO turns
                       (request_id, session_id, project_id, ordinal, state, owner, started_at_ms, parent_request_id, place)
                   VALUES (?1, ?2, ?3, ?4, 'running', ?5, ?6,
                       (SELECT request_id FROM turns WHERE session_id = ?2 AND place > 0 ORDER BY place DESC LIMIT 1),
                       1 + coalesce((SELECT max(place) FROM turns WHERE session_id = ?2), 0))
                   RETURNING parent_request_id AS parent,
                       (SELECT gauge FROM turns AS parents WHERE parents.request_id = turns.parent_request_id) AS gauge,
                       EXISTS (SELECT 1 FROM forks WHERE forks.session_id = ?2) AS is_fork,
                       EXISTS (SELECT 1 FROM rewinds WHERE rewinds.session_id = ?2) AS was_rewound,
                       EXISTS (SELECT 1 FROM taken_out WHERE taken_out.session_id = ?2) AS lacks_some";
        let inserted = sqlx::query_as(sql)
            .bind(ids.request_id.to_string())
            .bind(ids.session_id.to_string())
            .bind(ids.project_id.to_string())
            .bind(session.turns)
            .bind(self.owner.clone())
            .bind(*at_ms)
            .fetch_one(&mut *connection)
            .await
            .map_err(writing);
        let Follows { parent, gauge, is_fork, was_rewound, lacks_some } = match inserted {
            // `turns_running`: one running turn in a session.
            Err(error) if error.is_constraint() => return Err(StoreError::TurnActive(ids.session_id)),
            other => other?,
        };
        let session_id = ids.session_id.to_string();
        let giver = match parent.clone() {
            None if is_fork => origin::giver(connection, &session_id).await?,
            parent => parent,
        };
        let given = match giver {
            Some(turn) if self.begin.reach().turns > 0 => text::given(connection, &turn, GIVEN).await?,
            _ => Vec::new(),
        };
        let parent = parent.map(|id| id.parse().map_err(StoreError::value)).transpose()?;
        let earlier = match parent.is_some() || is_fork {
            true => said::before(connection, &session_id, parent, self.begin.reach()).await?,
            false => Vec::new(),
        };
        let unknown = |turn: &&Earlier| turn.broke_off && !self.begin.knows(turn.request_id);
        if let Some(turn) = earlier.iter().find(unknown) {
            return Err(StoreError::BrokeOff(turn.request_id));
        }
        let events = match parent {
            Some(parent) if !self.begin.recalls().is_empty() => {
                journal::events_before(connection, parent, self.begin.recalls()).await?
            }
            _ => Vec::new(),
        };
        let rewound = match was_rewound {
            true => rewind::since(connection, ids.session_id, session.turns.saturating_sub(1)).await?,
            false => None,
        };
        let edits = session.edits.filter(|_| self.begin.takes_edits());
        if edits.is_some() {
            edits::clear(connection, ids.session_id).await?;
        }
        let taken_out = match lacks_some {
            true => taken_out::of_session(connection, &session_id).await?,
            false => Vec::new(),
        };
        let past = Past { parent, earlier, given, gauge, taken_out, edits, rewound, events };
        let (records, out) = self.begin.begin(past)?;
        journal::insert(connection, ids.request_id, 1, &records).await?;
        Ok((number(1, &records), out))
    }
}

struct Append {
    request_id: RequestId,
    n: i64,
    records: Vec<Record>,
}

impl Transaction for Append {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        journal::insert(connection, self.request_id, self.n, &self.records).await
    }
}

struct Finish {
    ids: TurnIds,
    n: i64,
    records: Vec<Record>,
    at_ms: i64,
}

impl Transaction for Finish {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let request_id = self.ids.request_id.to_string();
        let sql = "UPDATE turns SET state = 'over', waits = 0 WHERE request_id = ? AND state = 'running'
                   RETURNING EXISTS (SELECT 1 FROM kept_bodies WHERE kept_bodies.request_id = turns.request_id)";
        let ended: Option<bool> = sqlx::query_scalar(sql)
            .bind(request_id.clone())
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing)?;
        let keeps_bodies = ended.ok_or(StoreError::TurnOver(self.ids.request_id))?;
        journal::insert(connection, self.ids.request_id, self.n, &self.records).await?;
        if keeps_bodies {
            blob::let_go(connection, &request_id).await?;
        }
        // The terminal event has moved the session to the top. It may have been among the turn's first records (X3).
        if !self.records.iter().any(Record::ends_the_turn) {
            sqlx::query("UPDATE sessions SET updated_at_ms = max(updated_at_ms, ?) WHERE session_id = ?")
                .bind(self.at_ms)
                .bind(self.ids.session_id.to_string())
                .execute(connection)
                .await
                .map_err(writing)?;
        }
        Ok(())
    }
}

/// What a new turn follows. Most sessions are no fork, were never rewound and lack nothing; only of the others the rest is read.
#[derive(sqlx::FromRow)]
struct Follows {
    parent: Option<String>,
    gauge: Option<String>,
    is_fork: bool,
    was_rewound: bool,
    /// The person took something out of it (X6).
    lacks_some: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spent;
    use orion_protocol::Usd;
    use tempfile::TempDir;
    use uuid::Uuid;

    struct Nothing;

    impl Begin for Nothing {
        type Out = ();

        fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
            Ok((Vec::new(), ()))
        }
    }

    struct Sql(&'static str);

    impl Transaction for Sql {
        type Out = ();

        async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
            sqlx::raw_sql(self.0).execute(connection).await.map(|_| ()).map_err(writing)
        }
    }

    const REFUSE: &str =
        "CREATE TRIGGER refuses BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'planted'); END";

    /// A turn whose end the disk refuses, and then `after`; how it ended, and the number of its rows.
    async fn ended(after: &'static str) -> (Result<(), StoreError>, i64) {
        let folder = TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project = store.open_project("/a/project", "project", 1).await.unwrap();
        let session = store.new_session(project.project_id, 1).await.unwrap();
        let (session_id, project_id) = (session.session_id, project.project_id);
        let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
        let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
        let (journal, ()) = store.begin_turn(turn, Nothing).await.unwrap();
        store.transact(Sql(REFUSE)).await.unwrap();
        let last = vec![Record::Input { at_ms: 2, body: "{}".into() }];
        // In the order in which they are queued: the end, what comes after it, and the end once more.
        let (ended, ()) =
            tokio::join!(journal.finish(last, 2), async { store.transact(Sql(after)).await.unwrap() });
        let rows = sqlx::query_scalar("SELECT count(*) FROM journal")
            .fetch_one(&mut *store.reader().await.unwrap())
            .await
            .unwrap();
        (ended, rows)
    }

    struct EndsAtOnce;

    impl Begin for EndsAtOnce {
        type Out = ();

        fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
            let spent =
                Spent { cost_usd: Some(Usd::of_billionths(7)), prompt_tokens: 2, completion_tokens: 3 };
            Ok((vec![Record::Event { seq: 1, at_ms: 5, body: "{}".into(), spent: Some(spent) }], ()))
        }
    }

    // X3
    #[tokio::test]
    async fn what_a_turn_cost_that_ends_with_its_first_records_is_counted_once() {
        let folder = TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project_id = store.open_project("/a/project", "project", 1).await.unwrap().project_id;
        let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
        let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
        let turn = NewTurn { ids, at_ms: 4, title: "?".into() };
        let (journal, ()) = store.begin_turn(turn, EndsAtOnce).await.unwrap();
        journal.finish(Vec::new(), 9).await.unwrap();
        let session = store.session(session_id).await.unwrap();
        assert_eq!(
            (session.spent.priced_turns, session.spent.prompt_tokens, session.updated_at_ms),
            (1, 2, 9)
        );
        assert_eq!(session.spent.cost_usd, Some(Usd::of_billionths(7)));
    }

    #[tokio::test]
    async fn an_end_that_the_disk_refuses_once_is_saved_at_the_second_try() {
        assert_eq!(ended("DROP TRIGGER refuses").await, (Ok(()), 1));
        let (refused, rows) = ended("SELECT 1").await;
        assert_eq!((refused.is_err(), rows), (true, 0));
    }
}
