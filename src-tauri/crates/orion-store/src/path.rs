//! The path of a session: the turns from its first one to its tip, which is the turn that the next message follows (T9).
//!
//! A session is a tree of turns. Moving the tip changes which of them are numbered, and nothing else: no turn is changed or removed.

use orion_protocol::{RequestId, SessionId};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};

/// The last turn of the path, with what it left.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Tip {
    #[sqlx(rename = "request_id")]
    pub(crate) turn: String,
    /// The count of its model's tokens.
    pub(crate) gauge: Option<String>,
}

pub(crate) async fn tip(
    connection: &mut SqliteConnection,
    session_id: &str,
) -> Result<Option<Tip>, StoreError> {
    let sql =
        "SELECT request_id, gauge FROM turns WHERE session_id = ? AND place > 0 ORDER BY place DESC LIMIT 1";
    sqlx::query_as(sql).bind(session_id.to_owned()).fetch_optional(connection).await.map_err(reading)
}

/// Makes a turn of the session its tip; none before its first turn.
pub(crate) async fn move_tip(
    connection: &mut SqliteConnection,
    session_id: &str,
    tip: Option<&str>,
) -> Result<(), StoreError> {
    // Back from the new tip to the first turn that is on the path already.
    let sql = "WITH RECURSIVE way (request_id, parent, place, back) AS (
                   SELECT request_id, parent_request_id, coalesce(place, 0), 1 FROM turns
                   WHERE request_id = ?1 AND session_id = ?2
                   UNION ALL
                   SELECT turns.request_id, turns.parent_request_id, coalesce(turns.place, 0), back + 1
                   FROM way JOIN turns ON turns.request_id = way.parent AND turns.session_id = ?2
                   WHERE way.place = 0
               )
               SELECT request_id, place FROM way ORDER BY back DESC";
    let way: Vec<(String, i64)> = match tip {
        None => Vec::new(),
        Some(tip) => sqlx::query_as(sql)
            .bind(tip.to_owned())
            .bind(session_id.to_owned())
            .fetch_all(&mut *connection)
            .await
            .map_err(writing)?,
    };
    let common = way.first().map_or(0, |(_, place)| *place);
    sqlx::query("UPDATE turns SET place = NULL WHERE session_id = ? AND place > ?")
        .bind(session_id.to_owned())
        .bind(common)
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
    let branch = way.into_iter().filter(|(_, place)| *place == 0);
    for ((request_id, _), place) in branch.zip(common + 1..) {
        sqlx::query("UPDATE turns SET place = ? WHERE request_id = ?")
            .bind(place)
            .bind(request_id)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
    }
    Ok(())
}

/// Moves the tip to the turn before this one, which leaves the path.
pub(crate) async fn go_before(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    request_id: RequestId,
) -> Result<(), StoreError> {
    let session_id = session_id.to_string();
    let sql = "SELECT parent_request_id FROM turns WHERE request_id = ? AND session_id = ?";
    let parent: Option<Option<String>> = sqlx::query_scalar(sql)
        .bind(request_id.to_string())
        .bind(session_id.clone())
        .fetch_optional(&mut *connection)
        .await
        .map_err(writing)?;
    let parent = parent.ok_or(StoreError::TurnUnknown(request_id))?;
    move_tip(connection, &session_id, parent.as_deref()).await
}

/// # Errors
/// [`StoreError::TurnActive`] while a turn of the session runs or waits.
pub(crate) async fn refuse_while_active(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    let runs: Option<i64> =
        sqlx::query_scalar("SELECT 1 FROM turns WHERE session_id = ? AND state = 'running'")
            .bind(session_id.to_string())
            .fetch_optional(connection)
            .await
            .map_err(writing)?;
    runs.map_or(Ok(()), |_| Err(StoreError::TurnActive(session_id)))
}
