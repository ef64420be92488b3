//! Delivers a turn's events once they may be shown: to all listeners of the engine, and to the caller who started the
//! turn.

use std::time::Duration;

use orion_core::model::ModelDelta;
use orion_core::trace::TraceFold;
use orion_core::turn::Input;
use orion_protocol::{Envelope, Prices, Session, Update};
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

/// The time between two batches of chunks. 2 ms: nobody sees it, and a fast stream needs a few hundred batches a second
/// instead of a wake-up for each chunk.
const PACE: Duration = Duration::from_millis(2);

/// Chunks after which a batch goes without waiting; this bounds what is held here.
const BATCH: usize = 256;

/// Bytes of text after which a batch goes without waiting, for the same reason. 64 KiB.
const BATCH_TEXT: usize = 64 * 1024;

/// What is shown of one turn.
#[derive(Debug)]
pub(crate) struct Outlet {
    updates: broadcast::Sender<Update>,
    reader: Option<Reader>,
    trace: TraceFold,
}

#[derive(Debug)]
struct Reader {
    /// Bounded: while the reader does not keep up, nothing is read from the model. Everything else that a turn emits
    /// is bounded by the turn.
    batches: mpsc::Sender<Vec<Envelope>>,
    /// Room for the last batch, reserved from the beginning, so that a reader that stops reading cannot hold up the
    /// end of a turn.
    last: Option<mpsc::OwnedPermit<Vec<Envelope>>>,
    /// There was no room for the batch: [`Outlet::deliver`] waits for it.
    behind: bool,
    batch: Vec<Envelope>,
    /// Bytes of text in it.
    text: usize,
    /// When the last batch went.
    delivered: Instant,
    /// The batch holds more than chunks, or enough of them.
    urgent: bool,
}

impl Reader {
    fn take(&mut self) -> Vec<Envelope> {
        self.delivered = Instant::now();
        self.urgent = false;
        self.behind = false;
        self.text = 0;
        std::mem::take(&mut self.batch)
    }

    fn push(&mut self, envelope: Envelope) {
        self.text += envelope.event.chunk().map_or(0, str::len);
        let is_full = self.batch.len() >= BATCH || self.text >= BATCH_TEXT;
        self.urgent |= envelope.event.is_durable() || is_full;
        self.batch.push(envelope);
    }
}

impl Outlet {
    pub(crate) fn new(
        updates: broadcast::Sender<Update>,
        reader: Option<mpsc::Sender<Vec<Envelope>>>,
        prices: Option<Prices>,
    ) -> Self {
        let reader = reader.map(|batches| Reader {
            last: batches.clone().try_reserve_owned().ok(),
            batches,
            behind: false,
            batch: Vec::new(),
            text: 0,
            delivered: Instant::now().checked_sub(PACE).unwrap_or_else(Instant::now),
            urgent: false,
        });
        Self { updates, reader, trace: TraceFold::priced(prices) }
    }

    /// Shows an event: to listeners at once, to the reader with the next [`Outlet::deliver`].
    pub(super) fn show(&mut self, envelope: Envelope) {
        let spans = if envelope.event.is_durable() { self.trace.apply(&envelope) } else { Vec::new() };
        let listened = self.is_listened_to();
        match (&mut self.reader, listened) {
            (Some(reader), true) => {
                reader.push(envelope.clone());
                self.tell(Update::Event { envelope });
            }
            (Some(reader), false) => reader.push(envelope),
            (None, _) => self.tell(Update::Event { envelope }),
        }
        spans.into_iter().for_each(|span| self.tell(Update::Span { span }));
    }

    /// Pieces of the answer of a model call came: the trace shows what its time is spent on (J2).
    pub(super) fn streams(&mut self, at_ms: i64, call: u32, deltas: &[ModelDelta]) {
        if let Some(span) = self.trace.streams(at_ms, call, deltas) {
            self.tell(Update::Span { span });
        }
    }

    /// The turn has taken an input.
    pub(super) fn takes(&mut self, at_ms: i64, input: &Input) {
        if let Some(span) = self.trace.take(at_ms, input) {
            self.tell(Update::Span { span });
        }
    }

    /// Whether somebody wants updates: a window does, a command does not.
    pub(super) fn is_listened_to(&self) -> bool {
        self.updates.receiver_count() > 0
    }

    pub(super) fn session(&self, session: Session) {
        self.tell(Update::Session { session });
    }

    /// When the reader is to get what was shown; none when there is nothing for it, or no room. A chunk goes at once
    /// if none went just before, and else with the next batch: waking a reader for each one costs more than the
    /// chunk.
    pub(super) fn due(&self) -> Option<Instant> {
        let reader = self.reader.as_ref().filter(|reader| !reader.batch.is_empty() && !reader.behind)?;
        Some(if reader.urgent { reader.delivered } else { reader.delivered + PACE })
    }

    /// The reader does not keep up.
    pub(super) fn is_behind(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.behind)
    }

    /// Waits for room for what was shown, and hands it over. False when the reader is gone; then nothing more is kept
    /// for it. Cancelling the wait loses nothing.
    pub(super) async fn deliver(&mut self) -> bool {
        let Some(reader) = &mut self.reader else { return true };
        match reader.batches.clone().reserve_owned().await {
            Ok(room) => {
                room.send(reader.take());
                true
            }
            Err(_gone) => {
                self.reader = None;
                false
            }
        }
    }

    /// Hands what was shown to the reader if there is room; else it is behind.
    pub(super) fn offer(&mut self) {
        if let Some(reader) = &mut self.reader
            && !reader.batch.is_empty()
        {
            match reader.batches.clone().try_reserve_owned() {
                Ok(room) => {
                    room.send(reader.take());
                }
                Err(_full_or_gone) => reader.behind = true,
            }
        }
    }

    /// Hands over the rest. It waits for nobody.
    pub(super) fn end(&mut self) {
        if let Some(reader) = &mut self.reader
            && !reader.batch.is_empty()
            && let Some(room) = reader.last.take()
        {
            room.send(reader.take());
        }
    }

    fn tell(&self, update: Update) {
        // Without listeners there is nothing to do. A listener that is too slow misses updates and is told so;
        // nothing waits for it.
        let _ = self.updates.send(update);
    }
}
