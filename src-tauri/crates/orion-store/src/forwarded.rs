//! Operations on a turn that another process has: the asker leaves one here, and that process does it and says what came of it (A7).
//!
//! Deliberately not here: which operations those are, and doing them (`orion-engine`).

use orion_protocol::RequestId;
use sqlx::SqliteConnection;
use uuid::Uuid;

use crate::error::{StoreError, reading, writing};
use crate::owner;
use crate::store::Store;
use crate::writer::Transaction;

/// An operation that another process asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forwarded {
    pub id: Uuid,
    /// JSON of the engine's.
    pub op: String,
}

/// The state of an operation that was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    Untouched,
    /// The other process had begun with it, and it is not known what came of it.
    Begun,
    Ended(String),
}

/// The process that has a turn, other than this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour(String);

impl Store {
    /// The other process that has the turn, where one does and lives.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn neighbour_with(&self, request_id: RequestId) -> Result<Option<Neighbour>, StoreError> {
        let sql = "SELECT owner FROM turns WHERE request_id = ? AND state = 'running'";
        let owner: Option<String> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let lives = |owner: &String| owner != self.owner() && !owner::is_dead(self.folder(), owner);
        Ok(owner.filter(lives).map(Neighbour))
    }

    /// Leaves an operation for the process that has the turn.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn forward(
        &self,
        request_id: RequestId,
        Neighbour(owner): Neighbour,
        op: String,
    ) -> Result<Uuid, StoreError> {
        let id = crate::ids::new_id();
        self.transact(Forward { id, request_id, owner, op }).await?;
        Ok(id)
    }

    /// The operations that others ask of this process for a turn, the oldest first. Each is told once.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn asked_of(&self, request_id: RequestId) -> Result<Vec<Forwarded>, StoreError> {
        self.transact(Take { request_id, owner: self.owner().to_owned() }).await
    }

    /// Says what came of an operation.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn forwarded_ended(&self, id: Uuid, outcome: String) -> Result<(), StoreError> {
        self.transact(Ended { id, outcome }).await
    }

    /// The outcome of an operation that was left for another process, if there is one; it is then removed.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn outcome_of(&self, id: Uuid) -> Result<Option<String>, StoreError> {
        let sql = "SELECT outcome FROM forwarded WHERE id = ? AND outcome IS NOT NULL";
        let outcome: Option<String> = sqlx::query_scalar(sql)
            .bind(id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        if outcome.is_some() {
            self.take_back(id).await?;
        }
        Ok(outcome)
    }

    /// Takes an operation back.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn take_back(&self, id: Uuid) -> Result<TakenBack, StoreError> {
        self.transact(Remove { id }).await
    }
}

struct Forward {
    id: Uuid,
    request_id: RequestId,
    owner: String,
    op: String,
}

impl Transaction for Forward {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO forwarded (id, request_id, owner, op) VALUES (?, ?, ?, ?)")
            .bind(self.id.to_string())
            .bind(self.request_id.to_string())
            .bind(self.owner.clone())
            .bind(self.op.clone())
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

struct Take {
    request_id: RequestId,
    owner: String,
}

impl Transaction for Take {
    type Out = Vec<Forwarded>;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Vec<Forwarded>, StoreError> {
        let sql = "UPDATE forwarded SET begun = 1 WHERE request_id = ? AND owner = ? AND begun = 0 RETURNING id, op";
        let rows: Vec<(String, String)> = sqlx::query_as(sql)
            .bind(self.request_id.to_string())
            .bind(self.owner.clone())
            .fetch_all(connection)
            .await
            .map_err(writing)?;
        let forwarded =
            |(id, op): (String, String)| Ok(Forwarded { id: id.parse().map_err(StoreError::value)?, op });
        let mut taken = rows.into_iter().map(forwarded).collect::<Result<Vec<_>, _>>()?;
        taken.sort_by_key(|forwarded| forwarded.id);
        Ok(taken)
    }
}

struct Ended {
    id: Uuid,
    outcome: String,
}

impl Transaction for Ended {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        // It may have been taken back.
        sqlx::query("UPDATE forwarded SET outcome = ? WHERE id = ?")
            .bind(self.outcome.clone())
            .bind(self.id.to_string())
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

struct Remove {
    id: Uuid,
}

impl Transaction for Remove {
    type Out = TakenBack;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<TakenBack, StoreError> {
        let sql = "DELETE FROM forwarded WHERE id = ? RETURNING outcome, begun";
        let removed: Option<(Option<String>, bool)> = sqlx::query_as(sql)
            .bind(self.id.to_string())
            .fetch_optional(connection)
            .await
            .map_err(writing)?;
        Ok(match removed {
            Some((Some(outcome), _)) => TakenBack::Ended(outcome),
            Some((None, true)) => TakenBack::Begun,
            // A turn that was deleted took it with it.
            Some((None, false)) | None => TakenBack::Untouched,
        })
    }
}
