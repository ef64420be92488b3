//! The turns that led to a turn, also across forks (`Query::Ancestors`): what a person reads above the first turn of a fork (T9).
//!
//! They belong to the other session, and are read from it: nothing of it is copied, and when it is deleted they are gone. Deliberately not here: what
//! the model is given of them, which a fork keeps (`origin`).

use orion_protocol::{RequestId, SessionId, TurnPage, TurnView};

use crate::error::{StoreError, reading};
use crate::page::{ONE, PAGE_BYTES, PAGE_TURNS};
use crate::store::Store;

/// From a turn back, `?2` steps at most. The first turn of a fork is that of the other session up to a phase, so what led to it led to both. `UNION`, since a
/// file that was imported may name forks in a circle. It ends where another project begins, as the copy of a folder has, and an imported session leads to
/// imported ones alone: whoever reaches one project reads of no other, whatever a file says.
const BACK: &str = "WITH RECURSIVE back (request_id, session_id, project_id, parent, shown, steps) AS (
        SELECT request_id, session_id, project_id, parent_request_id, 0, 0 FROM turns WHERE request_id = ?1
        UNION
        SELECT before.request_id, before.session_id, before.project_id, before.parent_request_id,
            back.parent IS NOT NULL, steps + (back.parent IS NOT NULL)
        FROM back JOIN turns AS before ON before.request_id = coalesce(
            back.parent, (SELECT forked_from FROM forks WHERE forks.session_id = back.session_id))
        WHERE steps < ?2 AND before.project_id = back.project_id
            AND (before.session_id IN (SELECT session_id FROM imported)) = (back.session_id IN (SELECT session_id FROM imported))
    )
    SELECT session_id, request_id FROM back WHERE shown ORDER BY steps";

impl Store {
    /// At most `turns` turns that led to this one (50 at most), in the order they began; fewer when they are long.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn ancestors(&self, request_id: RequestId, turns: u32) -> Result<TurnPage, StoreError> {
        self.turn_ids(request_id).await?;
        let most = turns.clamp(1, PAGE_TURNS) as usize;
        let found = self.back(request_id, most + 1).await?;
        let (mut views, mut bytes): (Vec<TurnView>, usize) = (Vec::new(), 0);
        let mut earlier = found.len() > most;
        for &(session_id, request_id) in found.iter().take(most) {
            let Some(turn) = self.read_page(session_id, ONE, Some(request_id), 1).await?.pop() else {
                // Deleted since, and all before it with it.
                earlier = false;
                break;
            };
            bytes += turn.bytes;
            if bytes > PAGE_BYTES && !views.is_empty() {
                earlier = true;
                break;
            }
            views.push(turn.view());
        }
        views.reverse();
        Ok(TurnPage { turns: views, earlier, later: true, anew: false })
    }

    async fn back(
        &self,
        request_id: RequestId,
        steps: usize,
    ) -> Result<Vec<(SessionId, RequestId)>, StoreError> {
        let rows: Vec<(String, String)> = sqlx::query_as(BACK)
            .bind(request_id.to_string())
            .bind(i64::try_from(steps).map_err(StoreError::value)?)
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let ids = |(session, turn): (String, String)| {
            Ok((session.parse().map_err(StoreError::value)?, turn.parse().map_err(StoreError::value)?))
        };
        rows.into_iter().map(ids).collect()
    }
}
