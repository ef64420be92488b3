//! What a person took out of a session (X6). The session keeps it, not a turn, so it holds in all branches (T9). The engine decides its form.

use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};

/// All of it, the oldest first: one JSON value each.
pub(crate) async fn of_session(
    connection: &mut SqliteConnection,
    session_id: &str,
) -> Result<Vec<String>, StoreError> {
    sqlx::query_scalar("SELECT what FROM taken_out WHERE session_id = ? ORDER BY rowid")
        .bind(session_id.to_owned())
        .fetch_all(connection)
        .await
        .map_err(reading)
}

/// Adds the values of a JSON list to what the session of a turn keeps. What it has already is not added again.
pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    request_id: &str,
    list: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO taken_out (session_id, what)
               SELECT session_id, value FROM turns, json_each(?2) WHERE request_id = ?1";
    sqlx::query(sql)
        .bind(request_id.to_owned())
        .bind(list.to_owned())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
