//! The texts of a turn: what it was given, and what was said in it. Each is a body that is kept once.

use orion_protocol::Sha256;
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

/// Keeps texts of a turn, in this order.
pub(crate) async fn insert(
    connection: &mut SqliteConnection,
    request_id: &str,
    texts: &[(TextKind, &str)],
) -> Result<(), StoreError> {
    if texts.is_empty() {
        return Ok(());
    }
    let bodies: Vec<&[u8]> = texts.iter().map(|(_, body)| body.as_bytes()).collect();
    let digests = blob::put_all(connection, &bodies).await?;
    let rows = texts.iter().zip(digests).map(|((kind, body), sha256)| {
        let kind = match kind {
            TextKind::Given => "given",
            TextKind::Said => "said",
        };
        (kind, sha256.to_string(), body.len())
    });
    let rows = serde_json::to_string(&rows.collect::<Vec<_>>()).map_err(StoreError::value)?;
    // One text for any number of rows. No id is one that a deleted text still has in the index of words.
    let sql = "INSERT INTO turn_texts (id, request_id, kind, sha256, bytes)
               SELECT 1 + key + max(coalesce((SELECT max(id) FROM turn_texts), 0), coalesce((SELECT max(id) FROM search_to_drop), 0)),
                   ?1, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2) ORDER BY key";
    sqlx::query(sql).bind(request_id.to_owned()).bind(rows).execute(connection).await.map_err(writing)?;
    Ok(())
}

/// The texts that a turn was given when it began, in that order, `limit` at most. What comes after the first item is a part of a result.
pub(crate) async fn given(
    connection: &mut SqliteConnection,
    request_id: &str,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT sha256, blobs.bytes, iif(blobs.bytes <= ?3, CAST(body AS TEXT), NULL)
               FROM turn_texts CROSS JOIN blobs USING (sha256)
               WHERE request_id = ?1 AND kind = 'given'
                   AND id < coalesce((SELECT min(id) FROM turn_texts AS said WHERE said.request_id = ?1 AND said.kind = 'said'), 1 << 62)
               ORDER BY id LIMIT ?2";
    let rows: Vec<(String, i64, Option<String>)> = sqlx::query_as(sql)
        .bind(request_id.to_owned())
        .bind(limit)
        .bind(i64::try_from(blob::PART).unwrap_or(i64::MAX))
        .fetch_all(&mut *connection)
        .await
        .map_err(writing)?;
    let mut given = Vec::with_capacity(rows.len());
    for (sha256, bytes, body) in rows {
        given.push(match body {
            Some(body) => body,
            None => {
                let sha256: Sha256 = sha256.parse().map_err(StoreError::value)?;
                let body = blob::in_parts(connection, sha256, bytes).await?;
                String::from_utf8(body).map_err(StoreError::value)?
            }
        });
    }
    Ok(given)
}

/// Copies the texts that a turn was given after it began, the images of its results, to a fork of it.
pub(crate) async fn copy_later(
    connection: &mut SqliteConnection,
    from: &str,
    to: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO turn_texts (id, request_id, kind, sha256, bytes)
               SELECT row_number() OVER (ORDER BY id)
                       + max(coalesce((SELECT max(id) FROM turn_texts), 0), coalesce((SELECT max(id) FROM search_to_drop), 0)),
                   ?2, kind, sha256, bytes
               FROM turn_texts WHERE request_id = ?1 AND kind = 'given'
                   AND id > (SELECT min(id) FROM turn_texts AS said WHERE said.request_id = ?1 AND said.kind = 'said')";
    sqlx::query(sql).bind(from.to_owned()).bind(to.to_owned()).execute(connection).await.map_err(writing)?;
    Ok(())
}
