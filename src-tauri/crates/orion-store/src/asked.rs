//! What a person has written to models, for whoever wants to write it again.

use orion_protocol::ProjectId;

use crate::error::{StoreError, reading};
use crate::store::Store;

/// Sessions that are looked at. The messages of earlier ones are too old to be wanted.
const SESSIONS: u32 = 50;

impl Store {
    /// The last messages of the person in a project, the newest first, at most `limit` of its latest 50 sessions. Compactions have none.
    pub async fn messages_in(&self, project_id: ProjectId, limit: u32) -> Result<Vec<String>, StoreError> {
        // Each turn begins with the event that has its message.
        let sql = "SELECT text FROM (
                SELECT started_at_ms, (SELECT json_extract(body, '$.event.text') FROM journal
                    WHERE journal.request_id = turns.request_id AND kind = 'event' ORDER BY n LIMIT 1) AS text
                FROM turns WHERE session_id IN
                    (SELECT session_id FROM sessions WHERE project_id = ?1 ORDER BY updated_at_ms DESC LIMIT ?2)
            ) WHERE text <> '' ORDER BY started_at_ms DESC LIMIT ?3";
        sqlx::query_scalar(sql)
            .bind(project_id.to_string())
            .bind(SESSIONS)
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)
    }
}
