//! Taking over a turn that another process began (A5, A7).

use std::path::PathBuf;

use orion_protocol::TurnIds;
use sqlx::SqliteConnection;

use crate::error::{StoreError, writing};
use crate::importing;
use crate::owner;
use crate::store::Store;
use crate::turn::TurnJournal;
use crate::writer::Transaction;

/// A turn that another process began and that this one has taken over.
#[derive(Debug)]
pub struct TakenOver {
    pub journal: TurnJournal,
    /// The last event in the journal.
    pub seq: u32,
}

/// What a turn is taken over for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// To resume it. If it waits for a person, it still does.
    ToGoOn,
    /// To answer it. From then on it waits for no other answer (A7).
    ToAnswer,
}

impl Store {
    /// Takes over a turn that waits for a person or was interrupted, when no other process has it any more.
    ///
    /// # Errors
    /// [`StoreError::TurnOver`] when it has ended, [`StoreError::TurnActive`] while somebody runs it or another turn of its session.
    pub async fn take_over(&self, ids: TurnIds, taking: Taking) -> Result<TakenOver, StoreError> {
        let life = self.alive().claim(ids.request_id).ok_or(StoreError::TurnActive(ids.session_id))?;
        let take = TakeOver { ids, taking, owner: self.owner().to_owned(), folder: self.folder().to_owned() };
        let (next, seq) = self.transact(take).await?;
        let journal = TurnJournal { writer: self.writer().clone(), ids, next, _life: life };
        Ok(TakenOver { journal, seq })
    }
}

struct TakeOver {
    ids: TurnIds,
    taking: Taking,
    owner: String,
    folder: PathBuf,
}

impl Transaction for TakeOver {
    type Out = (i64, u32);

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Self::Out, StoreError> {
        let id = self.ids.request_id.to_string();
        importing::refuse(connection, self.ids.session_id).await?;
        let sql = "SELECT state, owner FROM turns WHERE request_id = ?";
        let row: Option<(String, String)> =
            sqlx::query_as(sql).bind(id.clone()).fetch_optional(&mut *connection).await.map_err(writing)?;
        let (state, owner) = row.ok_or(StoreError::TurnUnknown(self.ids.request_id))?;
        match state.as_str() {
            "interrupted" => {}
            // The process that has the turn holds its lock; this one has claimed it already.
            "running" if owner == self.owner || owner::is_dead(&self.folder, &owner) => {}
            "running" => return Err(StoreError::TurnActive(self.ids.session_id)),
            _ => return Err(StoreError::TurnOver(self.ids.request_id)),
        }
        // What it says from here on is not kept before its end. A compaction says nothing, and leaves the count that it found.
        let sql = "UPDATE turns SET state = 'running', owner = ?, waits = waits AND ?,
                       gauge = iif(EXISTS (SELECT 1 FROM turn_texts WHERE turn_texts.request_id = turns.request_id AND kind = 'said'),
                           NULL, gauge)
                   WHERE request_id = ?";
        let taken = sqlx::query(sql)
            .bind(self.owner.clone())
            .bind(self.taking == Taking::ToGoOn)
            .bind(id.clone())
            .execute(&mut *connection)
            .await
            .map_err(writing);
        match taken {
            // `turns_running`: another turn of the session runs.
            Err(error) if error.is_constraint() => return Err(StoreError::TurnActive(self.ids.session_id)),
            other => other?,
        };
        let sql = "SELECT coalesce(max(n), 0) + 1, coalesce(max(seq), 0) FROM journal WHERE request_id = ?";
        sqlx::query_as(sql).bind(id).fetch_one(connection).await.map_err(writing)
    }
}
