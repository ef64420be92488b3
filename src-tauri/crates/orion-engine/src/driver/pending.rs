//! Records of a turn that are not sent to the store yet. Streamed text is joined here, so that a thousand chunks
//! become a few rows. This changes only the boundaries of the chunks (T5).

use std::time::Duration;

use orion_core::model::{ArgumentsDelta, ModelDelta};
use orion_core::turn::{Input, ModelInput};
use orion_protocol::{Envelope, TurnEvent};
use orion_store::{Record, StoreError};
use tokio::time::Instant;

/// The longest that text waits before it is sent to the store: 250 ms (J1), less the time that a slow disk takes to commit.
const WAIT: Duration = Duration::from_millis(150);

/// With this much text waiting, it is sent at once. While this much is not on the disk, nothing more is read from the model. So a crash
/// loses at most this much of a file's content, however slow the disk is. 64 KiB: far more than a model sends in the time of a commit.
const ROOM: usize = 64 * 1024;

/// The bytes that a piece without text counts for, beside its arguments: 64.
const PIECE: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Pending {
    records: Vec<Record>,
    streamed: Option<Streamed>,
    due: Option<Instant>,
    /// Bytes of text that wait.
    waiting: usize,
    /// Bytes of text that were sent and are not on the disk yet.
    on_its_way: usize,
}

/// Consecutive inputs of one model call that led only to chunks.
#[derive(Debug)]
struct Streamed {
    call: u32,
    at_ms: i64,
    deltas: Vec<ModelDelta>,
    chunks: Vec<Envelope>,
}

impl Pending {
    /// When the waiting records have to be sent. None when nothing waits.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether this much more text would be more than may wait for the disk.
    pub(super) fn is_full(&self, more: usize) -> bool {
        self.waiting + self.on_its_way + more > ROOM
    }

    /// What was sent is on the disk.
    pub(super) fn flushed(&mut self) {
        self.on_its_way = 0;
    }

    /// Adds what a model call streamed and the chunks that came of it.
    pub(super) fn stream<'a>(
        &mut self,
        call: u32,
        at_ms: i64,
        deltas: Vec<ModelDelta>,
        chunks: impl Iterator<Item = &'a Envelope>,
    ) -> Result<(), StoreError> {
        if self.streamed.as_ref().is_some_and(|streamed| streamed.call != call) {
            self.close()?;
        }
        self.due.get_or_insert_with(|| Instant::now() + WAIT);
        let streamed = self.streamed.get_or_insert_with(|| Streamed {
            call,
            at_ms,
            deltas: Vec::new(),
            chunks: Vec::new(),
        });
        for delta in deltas {
            self.waiting += join_delta(&mut streamed.deltas, delta);
        }
        // A file is not stored twice: the text of a write session is in the journal only as input.
        for chunk in chunks.filter(|chunk| !matches!(chunk.event, TurnEvent::WriteProgress { .. })) {
            join_chunk(&mut streamed.chunks, chunk);
        }
        Ok(())
    }

    pub(super) fn event(&mut self, envelope: &Envelope) -> Result<(), StoreError> {
        self.close()?;
        self.push(Record::event(envelope)?);
        Ok(())
    }

    pub(super) fn record(&mut self, record: Record) -> Result<(), StoreError> {
        self.close()?;
        self.push(record);
        Ok(())
    }

    /// Everything, in order.
    pub(super) fn take(&mut self) -> Result<Vec<Record>, StoreError> {
        self.close()?;
        self.due = None;
        self.on_its_way += std::mem::take(&mut self.waiting);
        Ok(std::mem::take(&mut self.records))
    }

    fn push(&mut self, record: Record) {
        self.due.get_or_insert_with(|| Instant::now() + WAIT);
        self.records.push(record);
    }

    fn close(&mut self) -> Result<(), StoreError> {
        let Some(Streamed { call, at_ms, deltas, chunks, .. }) = self.streamed.take() else { return Ok(()) };
        let input = Input::Model { call, event: ModelInput::Deltas { deltas } };
        self.records.push(Record::input(at_ms, &input)?);
        for chunk in &chunks {
            self.records.push(Record::event(chunk)?);
        }
        Ok(())
    }
}

/// Adds a piece, and joins text to text. Returns by how many bytes the text grew. Pieces of tool calls stay separate,
/// since the place where they are cut says when a call was complete (P5).
pub(super) fn join_delta(deltas: &mut Vec<ModelDelta>, next: ModelDelta) -> usize {
    match (deltas.last_mut(), &next) {
        (Some(ModelDelta::Text { text }), ModelDelta::Text { text: more })
        | (Some(ModelDelta::Reasoning { text }), ModelDelta::Reasoning { text: more }) => {
            text.push_str(more);
            more.len()
        }
        _ => {
            let bytes = match &next {
                ModelDelta::Text { text } | ModelDelta::Reasoning { text } => text.len(),
                ModelDelta::ToolCall { delta } => {
                    PIECE + delta.arguments.as_ref().map_or(0, ArgumentsDelta::bytes)
                }
                _ => PIECE,
            };
            deltas.push(next);
            bytes
        }
    }
}

fn join_chunk(chunks: &mut Vec<Envelope>, next: &Envelope) {
    if !chunks.last_mut().is_some_and(|last| last.event.join(&next.event)) {
        chunks.push(next.clone());
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{PROTOCOL_VERSION, Phase, ProjectId, RequestId, SessionId};

    use super::*;

    fn envelope(event: TurnEvent) -> Envelope {
        Envelope {
            v: PROTOCOL_VERSION,
            request_id: RequestId(uuid::Uuid::nil()),
            session_id: SessionId(uuid::Uuid::nil()),
            project_id: ProjectId(uuid::Uuid::nil()),
            seq: 1,
            at_ms: 1,
            phase: Phase::ActionPhase,
            tool_batch_id: None,
            event,
        }
    }

    fn progress(offset: u64, text: &str, lines: u64, bytes: u64) -> Envelope {
        envelope(TurnEvent::WriteProgress { write: 1, offset, text: text.into(), lines, bytes })
    }

    #[test]
    fn pieces_of_content_become_one_input_and_no_event() {
        let mut pending = Pending::default();
        for (at_ms, text, shown) in [(1, "a\n", progress(0, "a\n", 1, 2)), (2, "bc", progress(2, "bc", 2, 4))]
        {
            let deltas = vec![ModelDelta::Text { text: text.into() }];
            pending.stream(1, at_ms, deltas, std::iter::once(&shown)).unwrap();
        }
        let deltas = vec![ModelDelta::Text { text: "a\nbc".into() }];
        let input = Input::Model { call: 1, event: ModelInput::Deltas { deltas } };
        assert_eq!(pending.take().unwrap(), [Record::input(1, &input).unwrap()]);
    }

    #[test]
    fn no_more_than_64_kib_of_text_wait_or_are_on_their_way() {
        let mut pending = Pending::default();
        let add = |pending: &mut Pending, bytes: usize| {
            let deltas = vec![ModelDelta::Text { text: "x".repeat(bytes) }];
            pending.stream(1, 1, deltas, std::iter::empty()).unwrap();
            pending.is_full(0)
        };
        assert_eq!([add(&mut pending, ROOM), add(&mut pending, 1)], [false, true]);
        pending.take().unwrap();
        assert!(pending.is_full(0), "it is not on the disk yet");
        pending.flushed();
        assert_eq!([pending.is_full(ROOM), pending.is_full(ROOM + 1)], [false, true]);
        // A small record that was sent because its time had come leaves room for the rest.
        assert!(!add(&mut pending, 1_000));
        pending.take().unwrap();
        assert_eq!([add(&mut pending, ROOM - 1_000), add(&mut pending, 1)], [false, true]);
    }
}
