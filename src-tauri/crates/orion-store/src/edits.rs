//! What a person does to the conversation of a session by hand (X3), kept until their next message takes it. The engine decides its form.

use orion_protocol::SessionId;
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::store::Store;
use crate::writer::Transaction;

impl Store {
    /// What the next message of a session will take.
    pub async fn edits(&self, session_id: SessionId) -> Result<Option<String>, StoreError> {
        let mut connection = self.reader().await?;
        kept(&mut connection, session_id).await
    }

    /// Keeps this in the place of what was kept; none where it is to take nothing.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`].
    pub async fn keep_edits(&self, session_id: SessionId, edits: Option<String>) -> Result<(), StoreError> {
        self.transact(Keep { session_id, edits }).await
    }
}

pub(crate) async fn kept(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<Option<String>, StoreError> {
    let row: Option<Option<String>> = sqlx::query_scalar("SELECT edits FROM sessions WHERE session_id = ?")
        .bind(session_id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(reading)?;
    row.ok_or(StoreError::SessionUnknown(session_id))
}

/// Clears what was kept: a turn begins with it.
pub(crate) async fn clear(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    Keep { session_id, edits: None }.apply(connection).await
}

struct Keep {
    session_id: SessionId,
    edits: Option<String>,
}

impl Transaction for Keep {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let kept = sqlx::query("UPDATE sessions SET edits = ? WHERE session_id = ?")
            .bind(self.edits.clone())
            .bind(self.session_id.to_string())
            .execute(connection)
            .await
            .map_err(writing)?;
        if kept.rows_affected() == 0 {
            return Err(StoreError::SessionUnknown(self.session_id));
        }
        Ok(())
    }
}
