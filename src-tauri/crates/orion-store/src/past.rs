//! Where a session stands, to show it: what its next turn would follow and be given. A turn reads the same as it begins (`turn`).

use orion_protocol::{RequestId, SessionId};

use crate::edits;
use crate::error::{StoreError, reading};
use crate::journal;
use crate::said::{self, Reach};
use crate::store::Store;
use crate::text;
use crate::turn::{GIVEN, Past};

impl Store {
    /// The events of these types of a turn and of all that it follows, oldest first, as JSON.
    pub async fn events_until(
        &self,
        request_id: RequestId,
        types: &[&str],
    ) -> Result<Vec<String>, StoreError> {
        let mut connection = self.readers().acquire().await.map_err(reading)?;
        journal::events_before(&mut connection, request_id, types).await
    }

    /// What a turn of this session would follow if it began now.
    pub async fn past(&self, session_id: SessionId, reach: Reach) -> Result<Past, StoreError> {
        // One snapshot: a turn may begin between two statements.
        let mut snapshot = self.readers().begin().await.map_err(reading)?;
        let edits = edits::kept(&mut snapshot, session_id).await?;
        let sql = "SELECT request_id, gauge FROM turns WHERE session_id = ? ORDER BY ordinal DESC LIMIT 1";
        let latest: Option<(String, Option<String>)> = sqlx::query_as(sql)
            .bind(session_id.to_string())
            .fetch_optional(&mut *snapshot)
            .await
            .map_err(reading)?;
        let Some((parent, gauge)) = latest else {
            return Ok(Past {
                parent: None,
                earlier: Vec::new(),
                given: Vec::new(),
                setup: None,
                gauge: None,
                edits,
                events: Vec::new(),
            });
        };
        let given = text::given(&mut snapshot, &parent, GIVEN).await?;
        let parent = parent.parse().map_err(StoreError::value)?;
        let setup = journal::first_input(&mut snapshot, parent).await?;
        let parent = Some(parent);
        let earlier = said::before(&mut snapshot, parent, reach).await?;
        Ok(Past { parent, earlier, given, setup, gauge, edits, events: Vec::new() })
    }
}
