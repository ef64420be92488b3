//! Where a forked session comes from, and what it is given of that session (T9). Making a fork is in `fork`.

use orion_protocol::{RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::column::digest;
use crate::error::{StoreError, reading, writing};
use crate::part::ForkPart;

/// What stands before the first turn of a fork: a JSON list with its digest, and the turn that the fork was made from.
pub(crate) struct Origin {
    pub(crate) of: RequestId,
    pub(crate) sha256: Sha256,
    pub(crate) items: String,
}

/// None where the session is no fork, or began with nothing.
pub(crate) async fn origin(
    connection: &mut SqliteConnection,
    session_id: &str,
) -> Result<Option<Origin>, StoreError> {
    let sql = "SELECT forked_from, sha256, bytes FROM forks JOIN blobs USING (sha256) WHERE session_id = ?";
    let row: Option<(String, String, i64)> = sqlx::query_as(sql)
        .bind(session_id.to_owned())
        .fetch_optional(&mut *connection)
        .await
        .map_err(reading)?;
    let Some((of, sha256, bytes)) = row else { return Ok(None) };
    let sha256: Sha256 = sha256.parse().map_err(StoreError::value)?;
    let items = blob::in_parts(connection, sha256, bytes).await?;
    let items = String::from_utf8(items).map_err(StoreError::value)?;
    Ok(Some(Origin { of: of.parse().map_err(StoreError::value)?, sha256, items }))
}

/// The turn whose texts the first one of a fork is given: the one that the fork began with, in whose place it comes.
pub(crate) async fn giver(
    connection: &mut SqliteConnection,
    session_id: &str,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT request_id FROM forks WHERE session_id = ?";
    let row: Option<Option<String>> = sqlx::query_scalar(sql)
        .bind(session_id.to_owned())
        .fetch_optional(connection)
        .await
        .map_err(reading)?;
    Ok(row.flatten())
}

/// Records where a session comes from.
pub(crate) async fn enter(
    connection: &mut SqliteConnection,
    session_id: &str,
    fork: &ForkPart,
) -> Result<(), StoreError> {
    let ForkPart { of, phase, step, sha256, request_id, cost, prompt_tokens, completion_tokens } = fork;
    sqlx::query(
        "INSERT INTO forks (session_id, forked_from, phase, step, sha256, request_id, cost, prompt_tokens, completion_tokens)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(session_id.to_owned())
    .bind(of.to_string())
    .bind(*phase)
    .bind(*step)
    .bind(sha256.map(|sha256| sha256.to_string()))
    .bind(request_id.map(|id| id.to_string()))
    .bind(i64::try_from(*cost).map_err(StoreError::value)?)
    .bind(*prompt_tokens)
    .bind(*completion_tokens)
    .execute(connection)
    .await
    .map_err(writing)?;
    Ok(())
}

/// Where a session comes from; none where it is no fork.
pub(crate) async fn recorded(
    connection: &mut SqliteConnection,
    session_id: &str,
) -> Result<Option<ForkPart>, StoreError> {
    type Row = (String, u32, u32, Option<String>, Option<String>, i64, u32, u32);
    let sql = "SELECT forked_from, phase, step, sha256, request_id, cost, prompt_tokens, completion_tokens
               FROM forks WHERE session_id = ?";
    let row: Option<Row> =
        sqlx::query_as(sql).bind(session_id.to_owned()).fetch_optional(connection).await.map_err(reading)?;
    let Some((of, phase, step, sha256, turn, cost, prompt_tokens, completion_tokens)) = row else {
        return Ok(None);
    };
    Ok(Some(ForkPart {
        of: of.parse().map_err(StoreError::value)?,
        phase,
        step,
        sha256: sha256.map(|sha256| digest(&sha256)).transpose()?,
        request_id: turn.map(|id| id.parse().map_err(StoreError::value)).transpose()?,
        cost: u64::try_from(cost).map_err(StoreError::value)?,
        prompt_tokens,
        completion_tokens,
    }))
}
