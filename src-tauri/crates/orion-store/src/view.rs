//! Recorded turns for the window: their envelopes, with text joined into few chunks.

use orion_protocol::{CallId, Envelope, PROTOCOL_VERSION, Phase, RequestId, TurnEvent, TurnIds, TurnReport};

use crate::error::{StoreError, reading};
use crate::store::Store;

/// A chunk of a view grows to this size at most, so that no envelope of a view gets out of hand. 64 KiB.
const CHUNK_BYTES: usize = 64 * 1024;

impl Store {
    /// The events of a turn after `after_seq` and the text since, in order (T6).
    pub async fn turn_envelopes(
        &self,
        request_id: RequestId,
        after_seq: u32,
    ) -> Result<Vec<Envelope>, StoreError> {
        let ids = self.turn_ids(request_id).await?;
        let envelopes = self.envelopes(ids, after_seq).await?;
        Ok(envelopes.into_iter().filter(|e| e.seq > after_seq || !e.event.is_durable()).collect())
    }

    /// The events that a turn began with, before it took any input. No later row is read, however long the turn's journal is.
    pub async fn turn_beginning(&self, request_id: RequestId) -> Result<Vec<Envelope>, StoreError> {
        let ids = self.turn_ids(request_id).await?;
        let sql = "SELECT seq, at_ms, body FROM journal WHERE request_id = ?1 AND kind = 'event'
                       AND n < coalesce((SELECT n FROM journal WHERE request_id = ?1 AND n > 1 AND kind = 'input'
                                         ORDER BY n LIMIT 1), 9223372036854775807)
                   ORDER BY n";
        let rows = sqlx::query_as(sql).bind(request_id.to_string());
        Ok(joined(ids, rows.fetch_all(&mut *self.reader().await?).await.map_err(reading)?))
    }

    /// What a call asked the person, and what they answered (A8): none of a call that asked nothing. The reading begins at the end of the
    /// call and goes no further than the answer.
    pub async fn call_questions(
        &self,
        request_id: RequestId,
        call_id: &CallId,
    ) -> Result<Vec<Envelope>, StoreError> {
        let ids = self.turn_ids(request_id).await?;
        let sql = "SELECT seq, at_ms, body FROM journal WHERE request_id = ?1 AND kind = 'event'
                       AND n > (SELECT ended_n FROM outcomes JOIN journal AS ended USING (request_id)
                                WHERE request_id = ?1 AND tool_call_id = ?2 AND ended.n = ended_n
                                AND json_extract(ended.body, '$.done.outcome.asks') IS NOT NULL
                                ORDER BY tool_batch_id DESC LIMIT 1)
                       AND json_extract(body, '$.event.type') IN ('asked', 'answered')
                   ORDER BY n LIMIT 2";
        let rows = sqlx::query_as(sql).bind(request_id.to_string()).bind(call_id.0.clone());
        Ok(joined(ids, rows.fetch_all(&mut *self.reader().await?).await.map_err(reading)?))
    }

    /// The report of a turn that is over (J5).
    pub async fn report(&self, request_id: RequestId) -> Result<Option<TurnReport>, StoreError> {
        let ids = self.turn_ids(request_id).await?;
        let last = self.envelopes(ids, 0).await?.pop();
        Ok(last.and_then(|envelope| envelope.event.terminal().cloned()))
    }

    /// Which session and project a turn belongs to.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn turn_ids(&self, request_id: RequestId) -> Result<TurnIds, StoreError> {
        let sql = "SELECT session_id, project_id FROM turns WHERE request_id = ?";
        let row: Option<(String, String)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let (session_id, project_id) = row.ok_or(StoreError::TurnUnknown(request_id))?;
        Ok(TurnIds {
            request_id,
            session_id: session_id.parse().map_err(StoreError::value)?,
            project_id: project_id.parse().map_err(StoreError::value)?,
        })
    }

    async fn envelopes(&self, ids: TurnIds, from_seq: u32) -> Result<Vec<Envelope>, StoreError> {
        let sql = "SELECT seq, at_ms, body FROM journal WHERE request_id = ? AND kind = 'event' AND seq >= ? ORDER BY n";
        let rows = sqlx::query_as(sql).bind(ids.request_id.to_string()).bind(from_seq);
        Ok(joined(ids, rows.fetch_all(&mut *self.reader().await?).await.map_err(reading)?))
    }
}

fn joined(ids: TurnIds, rows: Vec<(u32, i64, String)>) -> Vec<Envelope> {
    let mut events = Joined::default();
    for (seq, at_ms, body) in rows {
        events.push(ids, seq, at_ms, &body);
    }
    events.into_envelopes()
}

/// The events of one turn as they are read, with text joined to few chunks.
#[derive(Default)]
pub(crate) struct Joined(Vec<Envelope>);

impl Joined {
    pub(crate) fn push(&mut self, ids: TurnIds, seq: u32, at_ms: i64, body: &str) {
        let envelope =
            serde_json::from_str(body).unwrap_or_else(|_| unreadable(ids, seq, at_ms, self.0.last()));
        join(&mut self.0, envelope);
    }

    pub(crate) fn into_envelopes(self) -> Vec<Envelope> {
        self.0
    }
}

/// The replacement for an event that a newer Orion wrote in a form that this one cannot read (E3): only its place in
/// the order.
fn unreadable(ids: TurnIds, seq: u32, at_ms: i64, before: Option<&Envelope>) -> Envelope {
    Envelope {
        v: PROTOCOL_VERSION,
        request_id: ids.request_id,
        session_id: ids.session_id,
        project_id: ids.project_id,
        seq,
        at_ms,
        phase: before.map_or(Phase::ActionPhase, |e| e.phase),
        tool_batch_id: before.and_then(|e| e.tool_batch_id),
        event: TurnEvent::Unknown,
    }
}

/// Adds an envelope; a chunk that continues the one before it is joined to it.
fn join(envelopes: &mut Vec<Envelope>, next: Envelope) {
    let fits = |last: &TurnEvent| {
        let bytes = |event: &TurnEvent| event.chunk().map_or(0, str::len);
        bytes(last) + bytes(&next.event) <= CHUNK_BYTES
    };
    let last = envelopes.last_mut().filter(|last| last.seq == next.seq && fits(&last.event));
    if !last.is_some_and(|last| last.event.join(&next.event)) {
        envelopes.push(next);
    }
}
