//! The conversation of a session, item by item and turn by turn. The next turn is given a part of it, and an earlier
//! turn can be shown again.
//!
//! An item is a body with its digest. The engine decides its form. Deliberately not here: how much of it goes into a
//! prompt.

use orion_protocol::{RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, reading};
use crate::store::Store;

/// An item of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Grows with each item that is entered.
    pub id: i64,
    pub sha256: Sha256,
    pub body: String,
}

/// A turn that another one follows, and what was said in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    pub request_id: RequestId,
    /// How many turns back, from 1.
    pub back: u32,
    pub items: Vec<Item>,
}

/// How far back to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Turns at most.
    pub turns: u32,
    /// No further once so many bytes were found.
    pub bytes: usize,
    /// Items that were entered later than this one are left out.
    pub entered: i64,
}

impl Reach {
    pub const NOTHING: Self = Self { turns: 0, bytes: 0, entered: 0 };

    /// Everything that there is.
    pub const ALL: Self = Self { turns: u32::MAX, bytes: usize::MAX, entered: i64::MAX };
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    back: u32,
    /// JSON: what is said in the turn, one [`Entry`] an item.
    items: Vec<u8>,
}

/// Id, digest, bytes, and the body unless it is stored in parts.
type Entry = (i64, Sha256, i64, Option<String>);

impl Store {
    /// What was said in the turns that this one follows, the nearest first.
    pub async fn said_before(&self, request_id: RequestId, reach: Reach) -> Result<Vec<Earlier>, StoreError> {
        let parent = self.parent(request_id).await?;
        let mut connection = self.readers().acquire().await.map_err(reading)?;
        before(&mut connection, parent, reach).await
    }

    /// The turn that this one follows (T9).
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn parent(&self, request_id: RequestId) -> Result<Option<RequestId>, StoreError> {
        let sql = "SELECT parent_request_id FROM turns WHERE request_id = ?";
        let row: Option<Option<String>> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(self.readers())
            .await
            .map_err(reading)?;
        let parent = row.ok_or(StoreError::TurnUnknown(request_id))?;
        parent.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }
}

/// What was said in a turn and in those that it follows, the nearest first.
pub(crate) async fn before(
    connection: &mut SqliteConnection,
    nearest: Option<RequestId>,
    reach: Reach,
) -> Result<Vec<Earlier>, StoreError> {
    let (Some(nearest), true) = (nearest, reach.turns > 0) else { return Ok(Vec::new()) };
    // Adds up the sizes as it goes, so that a long session costs no more than the part that is wanted. There is one
    // row for each turn, and not for each item: each value of a row is copied on its way from SQLite's thread, which
    // costs more than the item.
    let sql = "WITH RECURSIVE path (request_id, parent, back, bytes) AS (
                   SELECT request_id, parent_request_id, 1, (
                       SELECT coalesce(sum(bytes), 0) FROM turn_texts
                       WHERE turn_texts.request_id = turns.request_id AND kind = 'said' AND id <= ?2)
                   FROM turns WHERE request_id = ?1
                   UNION ALL
                   SELECT turns.request_id, turns.parent_request_id, back + 1, path.bytes + (
                       SELECT coalesce(sum(bytes), 0) FROM turn_texts
                       WHERE turn_texts.request_id = turns.request_id AND kind = 'said' AND id <= ?2)
                   FROM path JOIN turns ON turns.request_id = path.parent
                   WHERE back < ?3 AND path.bytes < ?4
               )
               SELECT request_id, back, (
                   SELECT json_group_array(json_array(id, sha256, blobs.bytes,
                       iif(blobs.bytes <= ?5, CAST(body AS TEXT), NULL)) ORDER BY id)
                   FROM turn_texts CROSS JOIN blobs USING (sha256)
                   WHERE turn_texts.request_id = path.request_id AND kind = 'said' AND id <= ?2) AS items
               FROM path ORDER BY back";
    let rows: Vec<Row> = sqlx::query_as(sql)
        .bind(nearest.to_string())
        .bind(reach.entered)
        .bind(reach.turns)
        .bind(i64::try_from(reach.bytes).unwrap_or(i64::MAX))
        .bind(i64::try_from(blob::PART).unwrap_or(i64::MAX))
        .fetch_all(&mut *connection)
        .await
        .map_err(reading)?;
    let mut earlier = Vec::with_capacity(rows.len());
    for Row { request_id, back, items: entries } in rows {
        let entries: Vec<Entry> = serde_json::from_slice(&entries).map_err(StoreError::value)?;
        let mut items = Vec::with_capacity(entries.len());
        for (id, sha256, bytes, body) in entries {
            let body = match body {
                Some(body) => body,
                None => {
                    let body = blob::in_parts(connection, sha256, bytes).await?;
                    String::from_utf8(body).map_err(StoreError::value)?
                }
            };
            items.push(Item { id, sha256, body });
        }
        // A turn in which nothing was said yet is left out: a model could not be told of it.
        if !items.is_empty() {
            earlier.push(Earlier { request_id: request_id.parse().map_err(StoreError::value)?, back, items });
        }
    }
    Ok(earlier)
}
