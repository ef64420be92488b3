//! What a forked session is given of the one that it comes from (T9). Making a fork is in `fork`.

use orion_protocol::{RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, reading};

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

/// The turn whose texts the next one is given: its parent, or else the turn that a fork began with, in whose place it comes.
pub(crate) async fn giver(
    connection: &mut SqliteConnection,
    session_id: &str,
    parent: Option<String>,
) -> Result<Option<String>, StoreError> {
    if parent.is_some() {
        return Ok(parent);
    }
    let sql = "SELECT request_id FROM forks WHERE session_id = ?";
    let row: Option<Option<String>> = sqlx::query_scalar(sql)
        .bind(session_id.to_owned())
        .fetch_optional(connection)
        .await
        .map_err(reading)?;
    Ok(row.flatten())
}
