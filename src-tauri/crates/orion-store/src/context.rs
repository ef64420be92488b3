//! The context that a turn left in the place of everything before it, and what a person made of it since (X4).
//!
//! Deliberately not here: how turns are given it (`said`), and what its items mean.

use orion_protocol::{RequestId, SessionId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::column::digest;
use crate::error::{StoreError, reading, writing};
use crate::path;
use crate::said::Body;
use crate::store::Store;
use crate::writer::Transaction;

/// What a turn left in the place of everything before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    pub request_id: RequestId,
    pub state: ContextState,
    pub body: Body,
}

/// Whether turns are given a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextState {
    /// The next turn of the session is.
    InForce,
    /// A later turn left another one.
    Replaced,
    /// A person undid it: what it stood for is given again.
    Undone,
}

/// The turn of session ?1 whose context the next turn is given: going back from the tip, the first that has one.
const IN_FORCE: &str = "WITH RECURSIVE path (request_id, parent, has) AS (
        SELECT * FROM (SELECT request_id, parent_request_id,
            EXISTS (SELECT 1 FROM contexts WHERE contexts.request_id = turns.request_id)
        FROM turns WHERE session_id = ?1 AND place > 0 ORDER BY place DESC LIMIT 1)
        UNION ALL
        SELECT turns.request_id, turns.parent_request_id,
            EXISTS (SELECT 1 FROM contexts WHERE contexts.request_id = turns.request_id)
        FROM path JOIN turns ON turns.request_id = path.parent WHERE NOT has
    )
    SELECT request_id FROM path WHERE has";

impl Store {
    /// The turn whose context the next turn of a session is given. None where no turn left one.
    pub async fn context_in_force(&self, session_id: SessionId) -> Result<Option<RequestId>, StoreError> {
        let mut connection = self.reader().await?;
        in_force(&mut connection, session_id).await
    }

    /// The context that a turn left, as it is now, or as it was when it was undone. None where the turn left none.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn context(&self, request_id: RequestId) -> Result<Option<Context>, StoreError> {
        let session_id = self.turn_ids(request_id).await?.session_id;
        let sql = "SELECT sha256, 1 FROM contexts WHERE request_id = ?1
                   UNION ALL SELECT * FROM (SELECT sha256, 0 FROM former_contexts WHERE request_id = ?1 ORDER BY id DESC LIMIT 1)";
        let row: Option<(String, bool)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let Some((sha256, is_kept)) = row else { return Ok(None) };
        let sha256 = digest(&sha256)?;
        let text = self.text(sha256).await?;
        let state = match is_kept {
            false => ContextState::Undone,
            true if self.context_in_force(session_id).await? == Some(request_id) => ContextState::InForce,
            true => ContextState::Replaced,
        };
        Ok(Some(Context { request_id, state, body: Body { sha256, text } }))
    }

    /// Puts another context in the place of the one that a turn left, or none, which gives the next turns again what it stood for. Turns
    /// that were given it keep it.
    ///
    /// # Errors
    /// [`StoreError::ContextNotInForce`] when it is another one by now, and [`StoreError::TurnActive`] while a turn of the session runs or
    /// waits.
    pub async fn change_context(
        &self,
        request_id: RequestId,
        from: Sha256,
        to: Option<String>,
    ) -> Result<(), StoreError> {
        let session_id = self.turn_ids(request_id).await?.session_id;
        self.transact(Change { request_id, session_id, from, to }).await
    }
}

async fn in_force(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<Option<RequestId>, StoreError> {
    let found: Option<String> = sqlx::query_scalar(IN_FORCE)
        .bind(session_id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(reading)?;
    found.map(|id| id.parse().map_err(StoreError::value)).transpose()
}

struct Change {
    request_id: RequestId,
    session_id: SessionId,
    from: Sha256,
    to: Option<String>,
}

impl Transaction for Change {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let id = self.request_id.to_string();
        path::refuse_while_active(connection, self.session_id).await?;
        if in_force(connection, self.session_id).await? != Some(self.request_id) {
            return Err(StoreError::ContextNotInForce(self.request_id));
        }
        let sql = "INSERT INTO former_contexts (request_id, sha256)
                   SELECT request_id, sha256 FROM contexts WHERE request_id = ? AND sha256 = ?";
        let former = sqlx::query(sql)
            .bind(id.clone())
            .bind(self.from.to_string())
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        if former.rows_affected() != 1 {
            return Err(StoreError::ContextNotInForce(self.request_id));
        }
        let changed = match &self.to {
            None => sqlx::query("DELETE FROM contexts WHERE request_id = ?").bind(id),
            Some(items) => {
                let sha256 = blob::put(connection, items.as_bytes()).await?;
                sqlx::query("UPDATE contexts SET sha256 = ?, bytes = ? WHERE request_id = ?")
                    .bind(sha256.to_string())
                    .bind(i64::try_from(items.len()).unwrap_or(i64::MAX))
                    .bind(id)
            }
        };
        changed.execute(connection).await.map_err(writing)?;
        Ok(())
    }
}
