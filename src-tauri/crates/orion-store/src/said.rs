//! The conversation of a session, item by item and turn by turn. The next turn is given a part of it, and an earlier
//! turn can be shown again.
//!
//! An item is a body with its digest. The engine decides its form. Deliberately not here: how much of it goes into a
//! prompt.

use orion_protocol::{RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, reading, writing};
use crate::importing;
use crate::origin::{Origin, origin};
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
    /// The turn that it follows itself.
    pub parent: Option<RequestId>,
    /// How many turns back, from 1.
    pub back: u32,
    /// What stands in the place of everything before it, once it cut the context: the look back ends here.
    pub context: Option<Body>,
    pub items: Vec<Item>,
    /// Its process died, and what was said in it since it began, or since it was resumed, is not kept yet.
    pub broke_off: bool,
}

/// A text with its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub sha256: Sha256,
    pub text: String,
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
    /// Whether it ends at a turn that left a context.
    pub ends_at_context: bool,
}

impl Reach {
    pub const NOTHING: Self = Self { turns: 0, bytes: 0, entered: 0, ends_at_context: true };

    /// Everything that there is.
    pub const ALL: Self =
        Self { turns: u32::MAX, bytes: usize::MAX, entered: i64::MAX, ends_at_context: true };
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    parent: Option<String>,
    back: u32,
    /// JSON: what is said in the turn, one [`Entry`] an item.
    items: Vec<u8>,
    /// JSON: an [`Entry`], of the turn itself.
    context: Option<Vec<u8>>,
    broke_off: bool,
}

/// Id, digest, bytes, and the body unless it is stored in parts.
type Entry = (i64, Sha256, i64, Option<String>);

impl Store {
    /// What was said in the turns that this one follows, the nearest first.
    pub async fn said_before(&self, request_id: RequestId, reach: Reach) -> Result<Vec<Earlier>, StoreError> {
        let parent = self.parent(request_id).await?;
        let mut connection = self.reader().await?;
        let session_id: String = sqlx::query_scalar("SELECT session_id FROM turns WHERE request_id = ?")
            .bind(request_id.to_string())
            .fetch_one(&mut *connection)
            .await
            .map_err(reading)?;
        let base = importing::base(&mut connection, request_id).await?;
        let reach = Reach { entered: reach.entered.saturating_add(base), ..reach };
        before(&mut connection, &session_id, parent, reach).await
    }

    /// What is kept of what was said in this turn alone. None where that is nothing.
    pub async fn said_in(&self, request_id: RequestId) -> Result<Option<Earlier>, StoreError> {
        let reach = Reach { turns: 1, ..Reach::ALL };
        let Said { mut turns, .. } = said(&mut *self.reader().await?, request_id, reach).await?;
        Ok(turns.pop())
    }

    /// The turn that this one follows (T9).
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn parent(&self, request_id: RequestId) -> Result<Option<RequestId>, StoreError> {
        let sql = "SELECT parent_request_id FROM turns WHERE request_id = ?";
        let row: Option<Option<String>> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let parent = row.ok_or(StoreError::TurnUnknown(request_id))?;
        parent.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }
}

/// What was said in a turn of this session and in those that it follows, the nearest first; at the end what the session was forked with (T9).
pub(crate) async fn before(
    connection: &mut SqliteConnection,
    session_id: &str,
    nearest: Option<RequestId>,
    reach: Reach,
) -> Result<Vec<Earlier>, StoreError> {
    if reach.turns == 0 {
        return Ok(Vec::new());
    }
    let mut earlier = match nearest {
        Some(nearest) => said(connection, nearest, reach).await?,
        None => Said::default(),
    };
    if reach.ends_at_context
        && earlier.reached_the_first
        && let Some(Origin { of, sha256, items }) = origin(connection, session_id).await?
    {
        let context = Some(Body { sha256, text: items });
        let back = earlier.back + 1;
        let (items, broke_off) = (Vec::new(), false);
        earlier.turns.push(Earlier { request_id: of, parent: None, back, context, items, broke_off });
    }
    Ok(earlier.turns)
}

/// Turns, the nearest first.
struct Said {
    turns: Vec<Earlier>,
    /// How many turns back they lead.
    back: u32,
    /// They lead to the first turn of the session, and no context stands in the place of anything before it.
    reached_the_first: bool,
}

impl Default for Said {
    fn default() -> Self {
        Self { turns: Vec::new(), back: 0, reached_the_first: true }
    }
}

async fn said(
    connection: &mut SqliteConnection,
    nearest: RequestId,
    reach: Reach,
) -> Result<Said, StoreError> {
    // Sums the sizes as it goes, so that a long session costs no more than the part that is wanted. A turn is one row, since a row costs
    // more than what is in it: each of its values is copied on the way from SQLite's thread.
    let sql = "WITH RECURSIVE path (request_id, parent, back, bytes, is_cut, broke_off) AS (
                   SELECT request_id, parent_request_id, 1, (
                       SELECT coalesce(sum(bytes), 0) FROM turn_texts
                       WHERE turn_texts.request_id = turns.request_id AND kind = 'said' AND id <= ?2),
                       ?6 AND EXISTS (SELECT 1 FROM contexts WHERE contexts.request_id = turns.request_id AND entered <= ?2),
                       state = 'interrupted' AND gauge IS NULL
                   FROM turns WHERE request_id = ?1
                   UNION ALL
                   SELECT turns.request_id, turns.parent_request_id, back + 1, path.bytes + (
                       SELECT coalesce(sum(bytes), 0) FROM turn_texts
                       WHERE turn_texts.request_id = turns.request_id AND kind = 'said' AND id <= ?2),
                       ?6 AND EXISTS (SELECT 1 FROM contexts WHERE contexts.request_id = turns.request_id AND entered <= ?2),
                       state = 'interrupted' AND gauge IS NULL
                   FROM path JOIN turns ON turns.request_id = path.parent
                   WHERE back < ?3 AND path.bytes < ?4 AND NOT is_cut
               )
               SELECT request_id, parent, back, (
                   SELECT json_group_array(json_array(id, sha256, blobs.bytes,
                       iif(blobs.bytes <= ?5, CAST(body AS TEXT), NULL)) ORDER BY id)
                   FROM turn_texts CROSS JOIN blobs USING (sha256)
                   WHERE turn_texts.request_id = path.request_id AND kind = 'said' AND id <= ?2) AS items,
               iif(is_cut, (
                   SELECT json_array(entered, sha256, blobs.bytes,
                       iif(blobs.bytes <= ?5, CAST(body AS TEXT), NULL))
                   FROM contexts CROSS JOIN blobs USING (sha256)
                   WHERE contexts.request_id = path.request_id), NULL) AS context,
               broke_off
               FROM path ORDER BY back";
    let rows: Vec<Row> = sqlx::query_as(sql)
        .bind(nearest.to_string())
        .bind(reach.entered)
        .bind(reach.turns)
        .bind(i64::try_from(reach.bytes).unwrap_or(i64::MAX))
        .bind(i64::try_from(blob::PART).unwrap_or(i64::MAX))
        .bind(reach.ends_at_context)
        .fetch_all(&mut *connection)
        .await
        .map_err(reading)?;
    let (mut back, mut reached_the_first) = (0, true);
    let mut turns = Vec::with_capacity(rows.len());
    for Row { request_id, parent, back: number, items: entries, context, broke_off } in rows {
        back = number;
        reached_the_first = parent.is_none() && context.is_none();
        let entries: Vec<Entry> = serde_json::from_slice(&entries).map_err(StoreError::value)?;
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let id = entry.0;
            let Body { sha256, text: body } = whole(connection, entry).await?;
            items.push(Item { id, sha256, body });
        }
        let context = match context {
            Some(entry) => {
                let entry: Entry = serde_json::from_slice(&entry).map_err(StoreError::value)?;
                Some(whole(connection, entry).await?)
            }
            None => None,
        };
        // A turn in which nothing was said yet is none that a model could be told of.
        if !items.is_empty() || context.is_some() {
            let parent = parent.map(|id| id.parse().map_err(StoreError::value)).transpose()?;
            let request_id = request_id.parse().map_err(StoreError::value)?;
            turns.push(Earlier { request_id, parent, back, context, items, broke_off });
        }
    }
    Ok(Said { turns, back, reached_the_first })
}

/// The body of an entry, also where it is stored in parts.
async fn whole(
    connection: &mut SqliteConnection,
    (_, sha256, bytes, body): Entry,
) -> Result<Body, StoreError> {
    let text = match body {
        Some(body) => body,
        None => {
            let body = blob::in_parts(connection, sha256, bytes).await?;
            String::from_utf8(body).map_err(StoreError::value)?
        }
    };
    Ok(Body { sha256, text })
}

/// Keeps the context as a turn's cut left it. The turn's own texts are entered already.
pub(crate) async fn keep_context(
    connection: &mut SqliteConnection,
    request_id: &str,
    items: &str,
) -> Result<(), StoreError> {
    let sha256 = blob::put(connection, items.as_bytes()).await?;
    let sql = "INSERT INTO contexts (request_id, entered, sha256, bytes)
               VALUES (?1, (SELECT coalesce(max(id), 0) FROM turn_texts WHERE request_id = ?1), ?2, ?3)
               ON CONFLICT (request_id) DO UPDATE SET entered = excluded.entered, sha256 = excluded.sha256,
                   bytes = excluded.bytes";
    sqlx::query(sql)
        .bind(request_id.to_owned())
        .bind(sha256.to_string())
        .bind(i64::try_from(items.len()).unwrap_or(i64::MAX))
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
