//! What each turn came to, for figures over many turns. One statement reads all of them.

use orion_protocol::{ProjectId, RequestId, SessionId, TurnIds};
use sqlx::{QueryBuilder, Sqlite};

use crate::error::{StoreError, reading};
use crate::readable::readable;
use crate::store::Store;

/// Which turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndsOf {
    /// Those that began at this time or later, in milliseconds since the Unix epoch.
    pub since_ms: Option<i64>,
    pub project: Option<ProjectId>,
    pub session: Option<SessionId>,
}

/// A turn with its ends, as they were recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnds {
    pub ids: TurnIds,
    /// Milliseconds since the Unix epoch.
    pub started_at_ms: i64,
    /// What the person wrote, 200 characters at most.
    pub text: String,
    /// Whether it has ended.
    pub is_over: bool,
    /// Its purpose: JSON of an event's field. None where the turn does not say it.
    pub purpose: Option<String>,
    /// The last of its events, without the answer, where the turn has ended: JSON. None of one that is no JSON.
    pub report: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    session_id: String,
    project_id: String,
    started_at_ms: i64,
    text: Option<String>,
    is_over: bool,
    purpose: Option<String>,
    report: Option<String>,
}

impl Store {
    /// These turns, in the order they began. Without those that were forked in the middle: what they say of themselves holds what another
    /// turn has said already.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn turn_ends(&self, of: EndsOf) -> Result<Vec<TurnEnds>, StoreError> {
        // The rows of a turn are in the order of their number, so that each look reads one row from an end.
        let mut query = QueryBuilder::new(
            "SELECT request_id, session_id, project_id, started_at_ms, state = 'over' AS is_over,
                 (SELECT iif(json_valid(body), substr(json_extract(body, '$.event.text'), 1, 200), NULL) FROM journal
                  WHERE journal.request_id = turns.request_id AND kind = 'event' ORDER BY n LIMIT 1) AS text,
                 (SELECT iif(json_valid(body), json_extract(body, '$.event.purpose'), NULL) FROM journal
                  WHERE journal.request_id = turns.request_id AND kind = 'event' ORDER BY n LIMIT 1) AS purpose,
                 iif(state = 'over', (SELECT iif(json_valid(body),
                     json_remove(body, '$.event.report.answer'), NULL) FROM journal
                  WHERE journal.request_id = turns.request_id AND kind = 'event' ORDER BY n DESC LIMIT 1), NULL) AS report
             FROM turns WHERE NOT EXISTS (SELECT 1 FROM forks WHERE forks.request_id = turns.request_id AND phase > 1)
                 AND started_at_ms >= ",
        );
        of.push(&mut query);
        query.push(" ORDER BY started_at_ms, request_id");
        let rows = query.build().fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        Ok(readable("turns", rows, |row: Row| {
            let ids = TurnIds {
                request_id: row.request_id.parse().map_err(StoreError::value)?,
                session_id: row.session_id.parse().map_err(StoreError::value)?,
                project_id: row.project_id.parse().map_err(StoreError::value)?,
            };
            let Row { started_at_ms, text, is_over, purpose, report, .. } = row;
            Ok(TurnEnds { ids, started_at_ms, text: text.unwrap_or_default(), is_over, purpose, report })
        }))
    }

    /// The events of these turns that say when they waited for a person, with their beginning and their end: JSON, turn by turn, in order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn waiting_events(&self, of: EndsOf) -> Result<Vec<(RequestId, String)>, StoreError> {
        const TYPES: [&str; 9] = [
            "turn_started",
            "asked",
            "answered",
            "resumed",
            "write_ready",
            "interrupted",
            "completed",
            "stopped",
            "failed",
        ];
        // A search of the text is several times faster than reading JSON. In a text of a model or a person, quotes are escaped.
        let types = TYPES.map(|name| format!("instr(body, '\"type\":\"{name}\"') > 0")).join(" OR ");
        let mut query = QueryBuilder::new(format!(
            "SELECT request_id, body FROM turns CROSS JOIN journal USING (request_id)
             WHERE kind = 'event' AND ({types}) AND started_at_ms >= "
        ));
        of.push(&mut query);
        query.push(" ORDER BY request_id, n");
        let rows: Vec<(String, String)> =
            query.build_query_as().fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        rows.into_iter().map(|(id, body)| Ok((id.parse().map_err(StoreError::value)?, body))).collect()
    }
}

impl EndsOf {
    /// Behind `started_at_ms >=`.
    fn push(self, query: &mut QueryBuilder<Sqlite>) {
        query.push_bind(self.since_ms.unwrap_or(i64::MIN));
        if let Some(project) = self.project {
            query.push(" AND turns.project_id = ").push_bind(project.to_string());
        }
        if let Some(session) = self.session {
            query.push(" AND turns.session_id = ").push_bind(session.to_string());
        }
    }
}
