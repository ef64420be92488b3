//! The texts of a turn: what it was given, and what was said in it. Each is a body that is kept once.

use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, writing};

/// Where a text of a turn comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// The turn was given it: the system text, the tools, a part of the history that was cut.
    Given,
    /// It was said in the turn: an item of the conversation.
    Said,
}

/// Keeps a text of a turn.
pub(crate) async fn insert(
    connection: &mut SqliteConnection,
    request_id: &str,
    kind: TextKind,
    body: &str,
) -> Result<(), StoreError> {
    let sha256 = blob::put(connection, body.as_bytes()).await?;
    let kind = match kind {
        TextKind::Given => "given",
        TextKind::Said => "said",
    };
    sqlx::query("INSERT INTO turn_texts (request_id, kind, sha256, bytes) VALUES (?, ?, ?, ?)")
        .bind(request_id.to_owned())
        .bind(kind)
        .bind(sha256.to_string())
        .bind(i64::try_from(body.len()).map_err(StoreError::value)?)
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
