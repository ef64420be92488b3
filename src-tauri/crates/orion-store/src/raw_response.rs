//! What came back in model calls, as it came (0046). It stands beside the journal: no turn depends on it. Not here: what of it is kept, and without which
//! secrets (`orion-engine`).

use orion_protocol::{RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, reading, writing};
use crate::journal::Commit;
use crate::store::Store;
use crate::writer::Transaction;

/// The rows that one transaction removes: 64. Their bodies are removed later, in steps of their own (`leftover`).
const ROWS_OF_A_STEP: i64 = 64;

/// What came back in a model call: its beginning and its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The number of the call in its turn, from 1.
    pub call: u32,
    pub at_ms: i64,
    /// The beginning and the end, one after the other.
    pub body: Vec<u8>,
    /// Bytes of the beginning.
    pub start: u64,
    /// Bytes that came after the beginning and are not kept.
    pub left_out: u64,
}

/// How much of them stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Those of this time or later stay, in milliseconds since the Unix epoch.
    pub since_ms: i64,
    /// Bytes that all together may have.
    pub bytes: u64,
}

impl Retention {
    /// How many bytes stay. Above the limit the oldest responses leave until three quarters of it are used, so that the next calls have room: after
    /// each removal every page of the database is looked at, which is too much work for each call.
    fn low(self, bytes: u64) -> u64 {
        if bytes > self.bytes { self.bytes / 4 * 3 } else { u64::MAX }
    }
}

impl Store {
    /// Queues it to be kept, in a transaction of its own, before everything that the turn records from now on. Neither a full queue nor a disk that
    /// refuses does anything to the turn (J3). None where the queue is full.
    #[must_use]
    pub fn keep_response(&self, request_id: RequestId, response: StoredResponse) -> Option<Commit> {
        self.writer().offer(Keep { request_id, response }).map(Commit)
    }

    /// What came back in a call of a turn. None where nothing of it is kept.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn response(
        &self,
        request_id: RequestId,
        call: u32,
    ) -> Result<Option<StoredResponse>, StoreError> {
        let sql = "SELECT at_ms, sha256, start, left_out FROM raw_responses
                   WHERE request_id = ? AND call = ? ORDER BY id DESC LIMIT 1";
        let row: Option<(i64, String, i64, i64)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .bind(call)
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let Some((at_ms, sha256, start, left_out)) = row else { return Ok(None) };
        let sha256 = sha256.parse().map_err(StoreError::value)?;
        let found = blob::get(&mut *self.reader().await?, sha256).await;
        let body = match found {
            // It was removed a moment ago.
            Err(StoreError::BodyUnknown(_)) => return Ok(None),
            body => body?,
        };
        let count = |bytes: i64| u64::try_from(bytes).map_err(StoreError::value);
        Ok(Some(StoredResponse { call, at_ms, body, start: count(start)?, left_out: count(left_out)? }))
    }

    /// Removes the oldest of them until what is left is as it may be. True where any were removed: then [`Store::reclaim`] has something to do.
    ///
    /// # Errors
    /// The disk refused. The next call continues.
    pub async fn forget_responses(&self, retention: Retention) -> Result<bool, StoreError> {
        let sql = "SELECT coalesce(sum(bytes), 0), coalesce((SELECT at_ms FROM raw_responses ORDER BY id LIMIT 1), ?) FROM raw_responses";
        let (bytes, oldest_ms): (i64, i64) = sqlx::query_as(sql)
            .bind(i64::MAX)
            .fetch_one(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let bytes = u64::try_from(bytes).map_err(StoreError::value)?;
        if bytes <= retention.bytes && oldest_ms >= retention.since_ms {
            return Ok(false);
        }
        let most = retention.low(bytes);
        while self.transact(Forget { since_ms: retention.since_ms, most }).await? {}
        Ok(true)
    }
}

struct Keep {
    request_id: RequestId,
    response: StoredResponse,
}

impl Transaction for Keep {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let StoredResponse { call, at_ms, body, start, left_out } = &self.response;
        let count = |bytes: u64| i64::try_from(bytes).map_err(StoreError::value);
        let sha256: Sha256 = blob::put(connection, body).await?;
        let sql = "INSERT INTO raw_responses (request_id, call, at_ms, sha256, bytes, start, left_out) VALUES (?, ?, ?, ?, ?, ?, ?)";
        sqlx::query(sql)
            .bind(self.request_id.to_string())
            .bind(*call)
            .bind(*at_ms)
            .bind(sha256.to_string())
            .bind(i64::try_from(body.len()).map_err(StoreError::value)?)
            .bind(count(*start)?)
            .bind(count(*left_out)?)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

/// Removes some of the oldest rows; false when there are no more to remove.
struct Forget {
    since_ms: i64,
    /// Bytes that those which stay may have.
    most: u64,
}

impl Transaction for Forget {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let bytes: i64 = sqlx::query_scalar("SELECT coalesce(sum(bytes), 0) FROM raw_responses")
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        let oldest: Vec<(i64, i64, i64)> =
            sqlx::query_as("SELECT id, at_ms, bytes FROM raw_responses ORDER BY id LIMIT ?")
                .bind(ROWS_OF_A_STEP)
                .fetch_all(&mut *connection)
                .await
                .map_err(writing)?;
        let most = i64::try_from(self.most).unwrap_or(i64::MAX);
        let (mut left, mut gone) = (bytes, Vec::new());
        for (id, at_ms, bytes) in oldest {
            if at_ms >= self.since_ms && left <= most {
                break;
            }
            left -= bytes;
            gone.push(id);
        }
        let Some(last) = gone.last() else { return Ok(false) };
        // Whatever else refers to such a body, it stays.
        let sql = "INSERT INTO leftovers (kind, name)
                   SELECT 'body', sha256 FROM raw_responses WHERE id <= ?1
                   UNION SELECT 'pages', hex(randomblob(8)) UNION SELECT 'wal', hex(randomblob(8))
                   ON CONFLICT DO NOTHING";
        sqlx::query(sql).bind(last).execute(&mut *connection).await.map_err(writing)?;
        sqlx::query("DELETE FROM raw_responses WHERE id <= ?")
            .bind(last)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{RequestId, TurnIds};
    use uuid::Uuid;

    use super::{Retention, StoredResponse};
    use crate::{Begin, NewTurn, Past, Reclaimed, Record, Store, StoreError, TurnJournal};

    struct Asked;

    impl Begin for Asked {
        type Out = ();

        fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
            Ok((vec![Record::Input { at_ms: 1, body: "{}".into() }], ()))
        }
    }

    async fn turn(store: &Store) -> (TurnIds, TurnJournal) {
        let project_id = store.open_project("/a/project", "project", 1).await.unwrap().project_id;
        let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
        let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
        let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
        (ids, store.begin_turn(turn, Asked).await.unwrap().0)
    }

    fn response(call: u32, at_ms: i64, bytes: usize) -> StoredResponse {
        StoredResponse { call, at_ms, body: vec![b'x'; bytes], start: bytes as u64, left_out: 0 }
    }

    async fn calls_left(store: &Store, request_id: RequestId, most: u32) -> Vec<u32> {
        let mut left = Vec::new();
        for call in 1..=most {
            left.extend(store.response(request_id, call).await.unwrap().map(|response| response.call));
        }
        left
    }

    // J3
    #[tokio::test]
    async fn one_that_cannot_be_kept_does_nothing_to_what_its_turn_records() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let (ids, mut journal) = turn(&store).await;
        let nobodys = store.keep_response(RequestId(Uuid::now_v7()), response(1, 1, 10)).unwrap();
        let kept = store.keep_response(ids.request_id, response(1, 1, 20)).unwrap();
        let recorded = journal.append(vec![Record::Input { at_ms: 2, body: "{}".into() }]).await;
        assert!(nobodys.await.is_err());
        assert_eq!((kept.await, recorded.await), (Ok(()), Ok(())));
        assert_eq!(store.response(ids.request_id, 1).await.unwrap(), Some(response(1, 1, 20)));
        let bodies: i64 = sqlx::query_scalar("SELECT count(*) FROM blobs")
            .fetch_one(&mut *store.reader().await.unwrap())
            .await
            .unwrap();
        assert_eq!(bodies, 1);
    }

    #[tokio::test]
    async fn the_oldest_leave_by_age_and_by_size_and_then_some_more() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let (ids, _journal) = turn(&store).await;
        // 200 rows: several steps.
        for call in 1..=200 {
            store
                .keep_response(ids.request_id, response(call, call.into(), 1_000 + call as usize))
                .unwrap()
                .await
                .unwrap();
        }
        let all = Retention { since_ms: 1, bytes: u64::MAX };
        assert!(!store.forget_responses(all).await.unwrap());
        assert!(store.forget_responses(Retention { since_ms: 151, ..all }).await.unwrap());
        assert_eq!(calls_left(&store, ids.request_id, 200).await, (151..=200).collect::<Vec<_>>());
        // 50 of some 1,175 bytes each: what fits into three quarters of 40,000 stays.
        assert!(!store.forget_responses(Retention { bytes: 60_000, ..all }).await.unwrap());
        assert!(store.forget_responses(Retention { bytes: 40_000, ..all }).await.unwrap());
        assert_eq!(calls_left(&store, ids.request_id, 200).await, (176..=200).collect::<Vec<_>>());
        assert_eq!(store.reclaim().await.unwrap(), Reclaimed::All);
        let bodies: i64 = sqlx::query_scalar("SELECT count(*) FROM blobs")
            .fetch_one(&mut *store.reader().await.unwrap())
            .await
            .unwrap();
        assert_eq!(bodies, 25);
    }
}
