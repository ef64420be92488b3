//! The rest of a deletion, after its transaction. It is recorded in a table, so that the next start can finish it.

use orion_protocol::RequestId;
use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, reading, writing};
use crate::store::Store;
use crate::writer::Transaction;

/// The bodies that one transaction removes: up to 4 MiB, or a single larger one, and at most 64. This bounds how long other writers wait.
const BYTES_OF_A_STEP: i64 = 4 << 20;
const BODIES_OF_A_STEP: i64 = 64;

/// Records what the deletion of these turns still has to do. `turns` is a statement that selects the turns of one id.
pub(crate) async fn note(
    connection: &mut SqliteConnection,
    turns: &'static str,
    id: &str,
) -> Result<(), StoreError> {
    let sql = format!(
        "WITH these AS MATERIALIZED ({turns})
         INSERT INTO leftovers (kind, name)
         SELECT 'body', sha256 FROM body_references WHERE request_id IN these
         UNION SELECT 'body', sha256 FROM forks
             WHERE sha256 IS NOT NULL AND session_id IN (SELECT session_id FROM sessions WHERE ?1 IN (session_id, project_id))
         UNION SELECT 'log', request_id FROM these
         UNION SELECT 'log', session_id FROM turns WHERE request_id IN these
         UNION SELECT 'log', ?1
         UNION SELECT 'pages', hex(randomblob(8)) UNION SELECT 'wal', hex(randomblob(8))
         ON CONFLICT DO NOTHING"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id.to_owned()).execute(connection).await.map_err(writing)?;
    Ok(())
}

impl Store {
    /// Releases the bodies that dead processes kept for their turns, and says whether there is anything to [`Store::reclaim`]. Costs one
    /// read of three tables that are nearly always empty.
    pub async fn has_leftovers(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM kept_bodies),
                       EXISTS (SELECT 1 FROM leftovers) OR EXISTS (SELECT 1 FROM search_to_drop)";
        let (kept, left): (bool, bool) =
            sqlx::query_as(sql).fetch_one(&mut *self.reader().await?).await.map_err(reading)?;
        if !kept {
            return Ok(left);
        }
        let sql = "SELECT DISTINCT request_id, state, owner FROM kept_bodies JOIN turns USING (request_id)";
        let held: Vec<(String, String, String)> =
            sqlx::query_as(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        for (request_id, state, owner) in held {
            let request_id = request_id.parse().map_err(StoreError::value)?;
            if state != "running" || !self.runs(request_id, &owner) {
                self.transact(LetGo { request_id, owner }).await?;
            }
        }
        let sql = "SELECT EXISTS (SELECT 1 FROM leftovers) OR EXISTS (SELECT 1 FROM search_to_drop)";
        sqlx::query_scalar(sql).fetch_one(&mut *self.reader().await?).await.map_err(reading)
    }

    /// The ids of deleted sessions, projects and turns that may still be in the logs.
    pub async fn deleted_ids(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT name FROM leftovers WHERE kind = 'log'";
        sqlx::query_scalar(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)
    }

    /// The logs no longer contain these ids.
    pub async fn forget_ids(&self, ids: Vec<String>) -> Result<(), StoreError> {
        self.transact(Forget { ids }).await
    }

    /// The leftovers of a kind. One that another deletion adds from now on is not among them.
    pub(crate) async fn left(&self, kind: &'static str) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT name FROM leftovers WHERE kind = ?";
        sqlx::query_scalar(sql).bind(kind).fetch_all(&mut *self.reader().await?).await.map_err(reading)
    }
}

struct LetGo {
    request_id: RequestId,
    /// The owner of the turn when it was found dead. Another process may have taken it over in the meantime.
    owner: String,
}

impl Transaction for LetGo {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let id = self.request_id.to_string();
        let sql = "SELECT 1 FROM turns WHERE request_id = ? AND (state <> 'running' OR owner = ?)";
        let still: Option<i64> = sqlx::query_scalar(sql)
            .bind(id.clone())
            .bind(self.owner.clone())
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing)?;
        match still {
            Some(_) => blob::let_go(connection, &id).await,
            None => Ok(()),
        }
    }
}

struct Forget {
    ids: Vec<String>,
}

impl Transaction for Forget {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let list = serde_json::to_string(&self.ids).map_err(StoreError::value)?;
        let sql = "DELETE FROM leftovers WHERE kind = 'log' AND name IN (SELECT value FROM json_each(?))";
        sqlx::query(sql).bind(list).execute(&mut *connection).await.map_err(writing)?;
        // This counts as a deletion too.
        let sql = "INSERT INTO leftovers (kind, name) VALUES ('pages', hex(randomblob(8))), ('wal', hex(randomblob(8)))";
        sqlx::query(sql).execute(connection).await.map_err(writing)?;
        Ok(())
    }
}

/// This step is done for these deletions.
pub(crate) struct Done {
    pub(crate) kind: &'static str,
    pub(crate) names: Vec<String>,
}

impl Transaction for Done {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let list = serde_json::to_string(&self.names).map_err(StoreError::value)?;
        let sql = "DELETE FROM leftovers WHERE kind = ? AND name IN (SELECT value FROM json_each(?))";
        sqlx::query(sql).bind(self.kind).bind(list).execute(connection).await.map_err(writing)?;
        Ok(())
    }
}

/// Removes some of the bodies that may have lost their last reference; false when none is left.
pub(crate) struct DropBodies;

impl Transaction for DropBodies {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let sql = "SELECT name, coalesce(bytes, 0) FROM leftovers LEFT JOIN blobs ON sha256 = name
                   WHERE kind = 'body' LIMIT ?";
        let some: Vec<(String, i64)> =
            sqlx::query_as(sql).bind(BODIES_OF_A_STEP).fetch_all(&mut *connection).await.map_err(writing)?;
        let mut bytes_so_far = 0;
        let mut digests = Vec::with_capacity(some.len());
        for (sha256, bytes) in some {
            if bytes_so_far >= BYTES_OF_A_STEP {
                break;
            }
            bytes_so_far += bytes;
            digests.push(sha256);
        }
        blob::drop_unused(connection, &digests).await?;
        let list = serde_json::to_string(&digests).map_err(StoreError::value)?;
        let sql = "DELETE FROM leftovers WHERE kind = 'body' AND name IN (SELECT value FROM json_each(?))";
        sqlx::query(sql).bind(list).execute(connection).await.map_err(writing)?;
        Ok(!digests.is_empty())
    }
}
