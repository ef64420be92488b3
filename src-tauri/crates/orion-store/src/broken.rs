//! Keeps what was said in a turn whose process died, for the turns that follow it (X1). The turn stays interrupted, and can be resumed.
//!
//! Deliberately not here: what was said in it, which the engine finds in its journal.

use orion_protocol::RequestId;
use sqlx::SqliteConnection;

use crate::error::{StoreError, writing};
use crate::journal::{self, Record};
use crate::store::Store;
use crate::writer::Transaction;

impl Store {
    /// Keeps texts of an interrupted turn. False, and nothing is kept, where the turn is not as the caller has read it: its last event
    /// was `seq`, and `said` items of it were kept. Another process may have resumed it, or done the same.
    pub async fn keep_broken_off(
        &self,
        request_id: RequestId,
        (seq, said): (u32, usize),
        records: Vec<Record>,
    ) -> Result<bool, StoreError> {
        let said = i64::try_from(said).unwrap_or(i64::MAX);
        self.transact(KeepBrokenOff { request_id, seq, said, records }).await
    }
}

struct KeepBrokenOff {
    request_id: RequestId,
    seq: u32,
    said: i64,
    /// None of them is a row of the journal.
    records: Vec<Record>,
}

impl Transaction for KeepBrokenOff {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM turns WHERE request_id = ?1 AND state = 'interrupted')
                       AND (SELECT max(seq) FROM journal WHERE request_id = ?1) = ?2
                       AND (SELECT count(*) FROM turn_texts WHERE request_id = ?1 AND kind = 'said') = ?3";
        let is_as_read: Option<bool> = sqlx::query_scalar(sql)
            .bind(self.request_id.to_string())
            .bind(self.seq)
            .bind(self.said)
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        if is_as_read == Some(true) {
            journal::insert(connection, self.request_id, 0, &self.records).await?;
        }
        Ok(is_as_read == Some(true))
    }
}
