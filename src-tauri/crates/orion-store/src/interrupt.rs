//! Marks turns as `interrupted` when their process died, or when their journal was dropped before they ended. Each is
//! marked once, with an event (T2, A5).

use orion_protocol::{Envelope, PROTOCOL_VERSION, Phase, RequestId, TurnEvent, TurnIds};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::journal::{self, Record};
use crate::owner;
use crate::readable::readable;
use crate::store::Store;
use crate::writer::Transaction;

/// A turn that runs, as it is stored: its ids and its owner.
type Running = (String, String, String, String);

impl Store {
    /// Marks every running turn that no process runs any more as interrupted, and returns the event that each one
    /// got. Safe to call in several processes at once, and cheap when there is none.
    pub async fn interrupt_dead(&self, at_ms: i64) -> Result<Vec<Envelope>, StoreError> {
        let sql = "SELECT request_id, session_id, project_id, owner FROM turns WHERE state = 'running' AND waits = 0";
        let rows = sqlx::query(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        let running = readable("turns", rows, |(request_id, session_id, project_id, owner): Running| {
            let ids = TurnIds {
                request_id: request_id.parse().map_err(StoreError::value)?,
                session_id: session_id.parse().map_err(StoreError::value)?,
                project_id: project_id.parse().map_err(StoreError::value)?,
            };
            Ok((ids, owner))
        });
        let mut events = Vec::new();
        for (ids, _) in running.into_iter().filter(|(ids, owner)| !self.runs(ids.request_id, owner)) {
            events.extend(self.transact(Interrupt { ids, at_ms }).await?);
        }
        Ok(events)
    }

    /// True for a turn that is not over and waits for nobody, and that no process runs.
    pub async fn is_left(&self, request_id: RequestId) -> Result<bool, StoreError> {
        let sql = "SELECT state, waits, owner FROM turns WHERE request_id = ?";
        let turn: Option<(String, bool, String)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        Ok(turn.is_some_and(|(state, waits, owner)| match &*state {
            "interrupted" => true,
            "running" => !waits && !self.runs(request_id, &owner),
            _ => false,
        }))
    }

    /// Whether the process that a turn belongs to still runs it.
    pub(crate) fn runs(&self, request_id: RequestId, owner: &str) -> bool {
        if owner == self.owner() {
            self.alive().contains(request_id)
        } else {
            !owner::is_dead(self.folder(), owner)
        }
    }
}

pub(crate) struct Interrupt {
    pub(crate) ids: TurnIds,
    pub(crate) at_ms: i64,
}

impl Transaction for Interrupt {
    type Out = Option<Envelope>;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Option<Envelope>, StoreError> {
        let id = self.ids.request_id.to_string();
        let sql =
            "UPDATE turns SET state = 'interrupted' WHERE request_id = ? AND state = 'running' AND waits = 0";
        let marked = sqlx::query(sql).bind(id.clone()).execute(&mut *connection).await.map_err(writing)?;
        if marked.rows_affected() != 1 {
            // Another process was first.
            return Ok(None);
        }
        let sql = "SELECT coalesce(max(n), 0), coalesce(max(seq), 0) FROM journal WHERE request_id = ?";
        let (n, seq): (i64, u32) =
            sqlx::query_as(sql).bind(id.clone()).fetch_one(&mut *connection).await.map_err(writing)?;
        let sql = "SELECT body FROM journal WHERE request_id = ? AND kind = 'event' ORDER BY n DESC LIMIT 1";
        let last: Option<String> =
            sqlx::query_scalar(sql).bind(id).fetch_optional(&mut *connection).await.map_err(writing)?;
        let last = last.and_then(|body| serde_json::from_str::<Envelope>(&body).ok());
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            request_id: self.ids.request_id,
            session_id: self.ids.session_id,
            project_id: self.ids.project_id,
            seq: seq.saturating_add(1),
            at_ms: self.at_ms,
            phase: last.as_ref().map_or(Phase::ActionPhase, |e| e.phase),
            tool_batch_id: last.and_then(|e| e.tool_batch_id),
            event: TurnEvent::Interrupted,
        };
        let record = Record::event(&envelope)?;
        journal::insert(connection, self.ids.request_id, n + 1, &[record, Record::HoldsQueue]).await?;
        Ok(Some(envelope))
    }
}
