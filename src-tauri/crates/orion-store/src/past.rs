//! What the next turn of a session would follow and be given, so that it can be shown before that turn begins. Not here: how a turn that begins
//! reads it (`turn`).

use orion_protocol::{RequestId, SessionId};
use sqlx::Connection;

use crate::edits;
use crate::error::{StoreError, reading};
use crate::journal;
use crate::origin;
use crate::path::{self, Tip};
use crate::rewind;
use crate::said::{self, Reach};
use crate::store::Store;
use crate::taken_out;
use crate::text;
use crate::turn::{GIVEN, Past};

impl Store {
    /// The events of these types of a turn and of all that it follows, oldest first, as JSON.
    pub async fn events_until(
        &self,
        request_id: RequestId,
        types: &[&str],
    ) -> Result<Vec<String>, StoreError> {
        let mut connection = self.reader().await?;
        journal::events_before(&mut connection, request_id, types).await
    }

    /// What a turn of this session would follow if it began now.
    pub async fn past(&self, session_id: SessionId, reach: Reach) -> Result<Past, StoreError> {
        // One snapshot: a turn may begin between two statements.
        let mut connection = self.reader().await?;
        let mut snapshot = connection.begin().await.map_err(reading)?;
        let edits = edits::kept(&mut snapshot, session_id).await?;
        let turns: u32 = sqlx::query_scalar("SELECT turns FROM sessions WHERE session_id = ?")
            .bind(session_id.to_string())
            .fetch_one(&mut *snapshot)
            .await
            .map_err(reading)?;
        let rewound = rewind::since(&mut snapshot, session_id, turns).await?;
        let taken_out = taken_out::of_session(&mut snapshot, &session_id.to_string()).await?;
        let begins = Past { edits, rewound, taken_out, ..Past::default() };
        let session_id = session_id.to_string();
        let (parent, gauge) = match path::tip(&mut snapshot, &session_id).await? {
            Some(Tip { turn, gauge }) => (Some(turn), gauge),
            None => (None, None),
        };
        let giver = match parent.clone() {
            None => origin::giver(&mut snapshot, &session_id).await?,
            parent => parent,
        };
        let given = match giver {
            Some(turn) => text::given(&mut snapshot, &turn, GIVEN).await?,
            None => Vec::new(),
        };
        let parent = parent.map(|id| id.parse().map_err(StoreError::value)).transpose()?;
        let earlier = said::before(&mut snapshot, &session_id, parent, reach).await?;
        Ok(Past { parent, earlier, given, gauge, ..begins })
    }
}
