//! Operations on a turn that another process has: the asker leaves one here, and that process does it and says what came of it (A7).
//!
//! Deliberately not here: which operations those are, and doing them (`orion-engine`).

use std::path::PathBuf;

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

/// The state of an operation that was left for another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForwardedState {
    Untouched,
    Begun,
    Ended(String),
    /// Its turn was deleted, or left the process before that began with it.
    Gone,
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
        let folder = self.folder().to_owned();
        self.transact(Forward { id, request_id, owner, op, folder }).await?;
        Ok(id)
    }

    /// True while the process lives.
    #[must_use]
    pub fn lives(&self, Neighbour(owner): &Neighbour) -> bool {
        !owner::is_dead(self.folder(), owner)
    }

    /// The operations that others ask of this process for a turn, the oldest first. Each is told once.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn asked_of(&self, request_id: RequestId) -> Result<Vec<Forwarded>, StoreError> {
        match self.is_asked(request_id).await? {
            true => self.transact(Take { request_id, owner: self.owner().to_owned() }).await,
            false => Ok(Vec::new()),
        }
    }

    /// Forgets the operations that nobody has begun with, since the turn has left this process: the askers see to them.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn unasked(&self, request_id: RequestId) -> Result<(), StoreError> {
        match self.is_asked(request_id).await? {
            true => self.transact(Unask { request_id, owner: self.owner().to_owned() }).await,
            false => Ok(()),
        }
    }

    async fn is_asked(&self, request_id: RequestId) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM forwarded WHERE request_id = ? AND owner = ? AND begun = 0)",
        )
        .bind(request_id.to_string())
        .bind(self.owner().to_owned())
        .fetch_one(&mut *self.reader().await?)
        .await
        .map_err(reading)
    }

    /// Says what came of an operation.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn forwarded_ended(&self, id: Uuid, outcome: String) -> Result<(), StoreError> {
        self.transact(Ended { id, outcome }).await
    }

    /// The state of an operation that was left for another process. What came of it is told once.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn forwarded_state(&self, id: Uuid) -> Result<ForwardedState, StoreError> {
        let row: Option<(Option<String>, bool)> =
            sqlx::query_as("SELECT outcome, begun FROM forwarded WHERE id = ?")
                .bind(id.to_string())
                .fetch_optional(&mut *self.reader().await?)
                .await
                .map_err(reading)?;
        Ok(match row {
            Some((Some(outcome), _)) => {
                self.transact(Remove { id, unless_begun: false }).await?;
                ForwardedState::Ended(outcome)
            }
            Some((None, true)) => ForwardedState::Begun,
            Some((None, false)) => ForwardedState::Untouched,
            None => ForwardedState::Gone,
        })
    }

    /// Takes an operation back, unless the other process has begun with it. True where it was there.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn take_back(&self, id: Uuid) -> Result<bool, StoreError> {
        self.transact(Remove { id, unless_begun: true }).await
    }

    /// Forgets an operation that nobody does any more.
    ///
    /// # Errors
    /// The disk refused.
    pub async fn forget_forwarded(&self, id: Uuid) -> Result<(), StoreError> {
        self.transact(Remove { id, unless_begun: false }).await.map(drop)
    }
}

struct Forward {
    id: Uuid,
    request_id: RequestId,
    owner: String,
    op: String,
    folder: PathBuf,
}

impl Transaction for Forward {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        // Askers that were killed left theirs.
        let owners: Vec<String> = sqlx::query_scalar("SELECT DISTINCT owner FROM forwarded")
            .fetch_all(&mut *connection)
            .await
            .map_err(reading)?;
        for dead in owners.into_iter().filter(|owner| owner::is_dead(&self.folder, owner)) {
            sqlx::query("DELETE FROM forwarded WHERE owner = ?")
                .bind(dead)
                .execute(&mut *connection)
                .await
                .map_err(writing)?;
        }
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

struct Unask {
    request_id: RequestId,
    owner: String,
}

impl Transaction for Unask {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM forwarded WHERE request_id = ? AND owner = ? AND begun = 0")
            .bind(self.request_id.to_string())
            .bind(self.owner.clone())
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

struct Remove {
    id: Uuid,
    unless_begun: bool,
}

impl Transaction for Remove {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let removed = sqlx::query("DELETE FROM forwarded WHERE id = ? AND NOT (? AND begun)")
            .bind(self.id.to_string())
            .bind(self.unless_begun)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(removed.rows_affected() == 1)
    }
}
