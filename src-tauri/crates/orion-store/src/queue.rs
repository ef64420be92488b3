//! The messages of a session that wait to be sent (A9), in their order.
//!
//! A message leaves the queue in the transaction that begins its turn, so it is sent once, however many processes try. Deliberately not here:
//! when it is sent (`orion-engine`).

use std::path::PathBuf;

use orion_protocol::{Queue, QueuedId, QueuedMessage, RequestId, SessionId};
use sqlx::SqliteConnection;

use crate::attachment;
use crate::error::{StoreError, reading, writing};
use crate::owner;
use crate::readable::readable;
use crate::store::Store;
use crate::writer::Transaction;

/// Messages of one queue at most: more than a person writes while a turn runs.
const MOST: usize = 100;

/// A message as it is stored: its id, text, options, whether it is held, and its owner.
type Row = (String, String, String, bool, String);

/// What is done to a queue.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "a change is made once, and stored at once")]
pub enum QueueChange {
    /// A person adds a message. `here`: this process goes on with the queue, and not the one that runs the turn.
    Add {
        session_id: SessionId,
        message: QueuedMessage,
        here: bool,
    },
    Edit {
        queued_id: QueuedId,
        text: String,
    },
    /// To this place among the others, from 0.
    Move {
        queued_id: QueuedId,
        to: u32,
    },
    Remove {
        queued_id: QueuedId,
    },
    /// Nothing of the queue goes on by itself any more.
    Hold {
        session_id: SessionId,
    },
    /// A person lets it go on in this process.
    Release {
        session_id: SessionId,
    },
    /// Every message leaves.
    Empty {
        session_id: SessionId,
    },
}

impl Store {
    pub async fn queue(&self, session_id: SessionId) -> Result<Queue, StoreError> {
        let mut connection = self.reader().await?;
        let rows = rows(&mut connection, session_id).await?;
        let held = rows.first().is_some_and(|row| self.holds(row));
        Ok(Queue { messages: messages(&rows), held })
    }

    /// The next message of a queue, unless the queue is held.
    pub async fn next_queued(&self, session_id: SessionId) -> Result<Option<QueuedMessage>, StoreError> {
        let Queue { messages, held } = self.queue(session_id).await?;
        Ok(messages.into_iter().next().filter(|_| !held))
    }

    /// A message that waits, and its session.
    ///
    /// # Errors
    /// [`StoreError::NotQueued`].
    pub async fn queued(&self, queued_id: QueuedId) -> Result<(SessionId, QueuedMessage), StoreError> {
        let mut connection = self.reader().await?;
        let session_id = session_of(&mut connection, queued_id).await?;
        let rows = rows(&mut connection, session_id).await?;
        let message = messages(&rows).into_iter().find(|message| message.queued_id == queued_id);
        Ok((session_id, message.ok_or(StoreError::NotQueued(queued_id))?))
    }

    /// The sessions whose queue this process is to go on with, and in which no turn runs.
    pub async fn due_queues(&self) -> Result<Vec<SessionId>, StoreError> {
        let sql = "SELECT DISTINCT session_id FROM queued WHERE owner = ? AND held = 0
                   AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.session_id = queued.session_id AND state = 'running')";
        let rows = sqlx::query(sql)
            .bind(self.owner().to_owned())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        Ok(readable("queued", rows, |(id,): (String,)| id.parse().map_err(StoreError::value)))
    }

    /// Changes a queue. Returns its session and what is in it then; of one that is emptied, what was in it.
    ///
    /// # Errors
    /// [`StoreError::NotQueued`] for a message that waits no more, [`StoreError::QueueFull`], [`StoreError::SessionUnknown`].
    pub async fn change_queue(&self, change: QueueChange) -> Result<(SessionId, Queue), StoreError> {
        let (owner, folder) = (self.owner().to_owned(), self.folder().to_owned());
        let (session_id, rows) = self.transact(Change { change, owner, folder }).await?;
        let held = rows.first().is_some_and(|row| self.holds(row));
        Ok((session_id, Queue { messages: messages(&rows), held }))
    }

    fn holds(&self, row: &Row) -> bool {
        is_held(row, self.owner(), self.folder())
    }
}

fn is_held((_, _, _, held, owner): &Row, me: &str, folder: &std::path::Path) -> bool {
    *held || (owner != me && owner::is_dead(folder, owner))
}

fn messages(rows: &[Row]) -> Vec<QueuedMessage> {
    let message = |(id, text, options, ..): &Row| {
        let queued_id = id.parse().ok()?;
        // How it was to run cannot be read: the settings decide.
        let options = serde_json::from_str(options).unwrap_or_default();
        Some(QueuedMessage { queued_id, text: text.clone(), options })
    };
    rows.iter().filter_map(message).collect()
}

async fn rows(connection: &mut SqliteConnection, session_id: SessionId) -> Result<Vec<Row>, StoreError> {
    let sql = "SELECT queued_id, body, options, held, owner FROM queued WHERE session_id = ? ORDER BY place";
    let rows = sqlx::query(sql).bind(session_id.to_string()).fetch_all(connection).await.map_err(reading)?;
    Ok(readable("queued", rows, Ok))
}

async fn session_of(connection: &mut SqliteConnection, queued_id: QueuedId) -> Result<SessionId, StoreError> {
    let row: Option<String> = sqlx::query_scalar("SELECT session_id FROM queued WHERE queued_id = ?")
        .bind(queued_id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(reading)?;
    row.ok_or(StoreError::NotQueued(queued_id))?.parse().map_err(StoreError::value)
}

struct Change {
    change: QueueChange,
    owner: String,
    folder: PathBuf,
}

impl Transaction for Change {
    type Out = (SessionId, Vec<Row>);

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Self::Out, StoreError> {
        let session_id = match &self.change {
            QueueChange::Add { session_id, .. }
            | QueueChange::Hold { session_id }
            | QueueChange::Release { session_id }
            | QueueChange::Empty { session_id } => *session_id,
            QueueChange::Edit { queued_id, .. }
            | QueueChange::Move { queued_id, .. }
            | QueueChange::Remove { queued_id } => session_of(connection, *queued_id).await?,
        };
        match &self.change {
            QueueChange::Add { message, here, .. } => {
                self.add(connection, session_id, message, *here).await?;
            }
            QueueChange::Edit { queued_id, text } => {
                sqlx::query("UPDATE queued SET body = ? WHERE queued_id = ?")
                    .bind(text.clone())
                    .bind(queued_id.to_string())
                    .execute(&mut *connection)
                    .await
                    .map_err(writing)?;
            }
            QueueChange::Move { queued_id, to } => {
                put_at(connection, session_id, *queued_id, *to as usize).await?;
            }
            QueueChange::Remove { queued_id } => {
                sqlx::query("DELETE FROM queued WHERE queued_id = ?")
                    .bind(queued_id.to_string())
                    .execute(&mut *connection)
                    .await
                    .map_err(writing)?;
            }
            QueueChange::Hold { .. } => hold(connection, session_id).await?,
            QueueChange::Release { .. } => {
                sqlx::query("UPDATE queued SET held = 0, owner = ? WHERE session_id = ?")
                    .bind(self.owner.clone())
                    .bind(session_id.to_string())
                    .execute(&mut *connection)
                    .await
                    .map_err(writing)?;
            }
            QueueChange::Empty { .. } => {
                let taken = rows(connection, session_id).await?;
                attachment::take_back(connection, session_id).await?;
                sqlx::query("DELETE FROM queued WHERE session_id = ?")
                    .bind(session_id.to_string())
                    .execute(connection)
                    .await
                    .map_err(writing)?;
                return Ok((session_id, taken));
            }
        }
        Ok((session_id, rows(connection, session_id).await?))
    }
}

impl Change {
    async fn add(
        &self,
        connection: &mut SqliteConnection,
        session_id: SessionId,
        message: &QueuedMessage,
        here: bool,
    ) -> Result<(), StoreError> {
        let waiting = rows(connection, session_id).await?;
        if waiting.len() >= MOST {
            return Err(StoreError::QueueFull(session_id));
        }
        let (running, answered) = state(connection, session_id).await?;
        let earlier = waiting.first().is_some_and(|row| is_held(row, &self.owner, &self.folder));
        // The turn may have ended while the person wrote.
        let held = earlier || (running.is_none() && !answered);
        let owner = if here { None } else { running };
        let owner = owner.unwrap_or_else(|| self.owner.clone());
        insert(connection, session_id, message, held, &owner).await?;
        attachment::queue(connection, session_id, message.queued_id, &message.options.attachments).await
    }
}

/// The process that runs a turn of the session, and whether the last one was answered.
async fn state(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<(Option<String>, bool), StoreError> {
    let sql = "SELECT (SELECT owner FROM turns WHERE session_id = ?1 AND state = 'running'),
                   coalesce((SELECT json_extract(body, '$.event.report.stopReason') = 'answered' FROM journal
                       WHERE kind = 'event' AND request_id =
                           (SELECT request_id FROM turns WHERE session_id = ?1 AND place > 0 ORDER BY place DESC LIMIT 1)
                       ORDER BY n DESC LIMIT 1), 0)";
    sqlx::query_as(sql).bind(session_id.to_string()).fetch_one(connection).await.map_err(reading)
}

async fn insert(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    message: &QueuedMessage,
    held: bool,
    owner: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO queued (queued_id, session_id, place, body, options, held, owner)
               VALUES (?1, ?2, 1 + coalesce((SELECT max(place) FROM queued WHERE session_id = ?2), 0), ?3, ?4, ?5, ?6)";
    let added = sqlx::query(sql)
        .bind(message.queued_id.to_string())
        .bind(session_id.to_string())
        .bind(message.text.clone())
        .bind(serde_json::to_string(&message.options).map_err(StoreError::value)?)
        .bind(held)
        .bind(owner.to_owned())
        .execute(connection)
        .await
        .map_err(writing);
    match added {
        // The foreign key is the only rule that this row can break.
        Err(error) if error.is_constraint() => Err(StoreError::SessionUnknown(session_id)),
        added => added.map(|_| ()),
    }
}

/// Puts a message at this place of its queue; the others keep their order.
async fn put_at(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    queued_id: QueuedId,
    to: usize,
) -> Result<(), StoreError> {
    let id = queued_id.to_string();
    let waiting = rows(connection, session_id).await?;
    let mut order: Vec<String> =
        waiting.into_iter().map(|(id, ..)| id).filter(|other| *other != id).collect();
    order.insert(to.min(order.len()), id);
    for (place, id) in (1_i64..).zip(order) {
        sqlx::query("UPDATE queued SET place = ? WHERE queued_id = ?")
            .bind(place)
            .bind(id)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
    }
    Ok(())
}

pub(crate) async fn hold(connection: &mut SqliteConnection, session_id: SessionId) -> Result<(), StoreError> {
    sqlx::query("UPDATE queued SET held = 1 WHERE session_id = ?")
        .bind(session_id.to_string())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}

/// Takes a message out of the queue for the turn that it begins. It must be what it was when the turn was prepared, and not held.
pub(crate) async fn claim(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    message: &QueuedMessage,
) -> Result<(), StoreError> {
    let claimed =
        sqlx::query("DELETE FROM queued WHERE queued_id = ? AND session_id = ? AND body = ? AND held = 0")
            .bind(message.queued_id.to_string())
            .bind(session_id.to_string())
            .bind(message.text.clone())
            .execute(connection)
            .await
            .map_err(writing)?;
    if claimed.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotQueued(message.queued_id)) }
}

/// Messages that a turn leaves come before all others of its session's queue. Where that is held, they are held too.
pub(crate) async fn put_first(
    connection: &mut SqliteConnection,
    request_id: RequestId,
    messages: &[QueuedMessage],
) -> Result<(), StoreError> {
    let (session_id, owner): (String, String) =
        sqlx::query_as("SELECT session_id, owner FROM turns WHERE request_id = ?")
            .bind(request_id.to_string())
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
    let session_id = session_id.parse().map_err(StoreError::value)?;
    let held = rows(connection, session_id).await?.first().is_some_and(|(.., held, _)| *held);
    for (to, message) in messages.iter().enumerate() {
        insert(connection, session_id, message, held, &owner).await?;
        put_at(connection, session_id, message.queued_id, to).await?;
    }
    Ok(())
}

/// The turn ended otherwise than `answered`: its session's queue is held.
pub(crate) async fn hold_after(
    connection: &mut SqliteConnection,
    request_id: RequestId,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE queued SET held = 1 WHERE session_id = (SELECT session_id FROM turns WHERE request_id = ?)",
    )
    .bind(request_id.to_string())
    .execute(connection)
    .await
    .map_err(writing)?;
    Ok(())
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
