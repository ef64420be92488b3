//! What the turns of a session wrote, as far as it was not undone.

use orion_protocol::{RequestId, SessionId};

use crate::error::{StoreError, reading};
use crate::store::Store;
use crate::write::{self, StoredWrite};

/// A write that is on the disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub request_id: RequestId,
    pub write: StoredWrite,
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    #[sqlx(flatten)]
    write: write::Row,
}

macro_rules! written {
    ($from:literal) => {
        concat!(
            "SELECT writes.request_id, number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to FROM ",
            $from,
            " AND stage = 'written' ORDER BY turns.ordinal, number"
        )
    };
}

impl Store {
    /// What a turn wrote, oldest first.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn written_by(&self, request_id: RequestId) -> Result<Vec<Written>, StoreError> {
        self.turn_ids(request_id).await?;
        let sql = written!("turns JOIN writes USING (request_id) WHERE turns.request_id = ?");
        self.all_written(sql, request_id.to_string()).await
    }

    /// What the turns of a session wrote, in whichever branch, oldest first.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`].
    pub async fn written_in(&self, session_id: SessionId) -> Result<Vec<Written>, StoreError> {
        self.session(session_id).await?;
        let sql = written!("turns JOIN writes USING (request_id) WHERE session_id = ?");
        self.all_written(sql, session_id.to_string()).await
    }

    /// What the turns of a session wrote from this one on, in whichever branch, oldest first.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn written_since(&self, request_id: RequestId) -> Result<Vec<Written>, StoreError> {
        self.turn_ids(request_id).await?;
        let sql = written!(
            "turns AS first JOIN turns USING (session_id) JOIN writes ON writes.request_id = turns.request_id
             WHERE first.request_id = ? AND turns.ordinal >= first.ordinal"
        );
        self.all_written(sql, request_id.to_string()).await
    }

    async fn all_written(&self, sql: &'static str, id: String) -> Result<Vec<Written>, StoreError> {
        let rows: Vec<Row> =
            sqlx::query_as(sql).bind(id).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        let written = |Row { request_id, write }: Row| {
            let request_id = request_id.parse().map_err(StoreError::value)?;
            Ok(Written { request_id, write: write::stored(write)? })
        };
        rows.into_iter().map(written).collect()
    }
}
