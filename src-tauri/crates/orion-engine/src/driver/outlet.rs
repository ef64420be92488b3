//! Where a turn's events go once they may be seen: to everyone who listens to the engine, and to the one who started the
//! turn and reads it to the end.

use std::time::Duration;

use orion_core::trace::TraceFold;
use orion_protocol::{Envelope, Session, Update};
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

/// The time between two batches of chunks. 2 ms: nobody sees it, and a fast stream needs a few hundred batches a second
/// instead of a wake-up for each chunk.
const PACE: Duration = Duration::from_millis(2);

/// Chunks of a batch that go without waiting; bounds what is held here.
const BATCH: usize = 256;

/// Text of a batch that goes without waiting, in bytes, for the same reason. 64 KiB.
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
    /// Bounded: a reader that does not keep up slows its turn down, and so the model's stream.
    batches: mpsc::Sender<Vec<Envelope>>,
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
    ) -> Self {
        let reader = reader.map(|batches| Reader {
            batches,
            batch: Vec::new(),
            text: 0,
            delivered: Instant::now().checked_sub(PACE).unwrap_or_else(Instant::now),
            urgent: false,
        });
        Self { updates, reader, trace: TraceFold::default() }
    }

    /// Shows an event: to listeners at once, to the reader with the next [`Outlet::deliver`].
    pub(super) fn show(&mut self, envelope: Envelope) {
        let spans = if envelope.event.is_durable() { self.trace.apply(&envelope) } else { Vec::new() };
        let listened = self.updates.receiver_count() > 0;
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

    pub(super) fn session(&self, session: Session) {
        self.tell(Update::Session { session });
    }

    /// When the reader is to get what was shown; none when there is nothing for it. A chunk goes at once when none went
    /// just before, and with the next batch otherwise: waking a reader for each costs more than the chunk.
    pub(super) fn due(&self) -> Option<Instant> {
        let reader = self.reader.as_ref().filter(|reader| !reader.batch.is_empty())?;
        Some(if reader.urgent { reader.delivered } else { reader.delivered + PACE })
    }

    /// Hands what was shown to the reader; waits while it is behind. False when it is gone.
    /// Nothing is lost when the waiting is given up.
    pub(super) async fn deliver(&mut self) -> bool {
        match &mut self.reader {
            Some(reader) if !reader.batch.is_empty() => match reader.batches.clone().reserve_owned().await {
                Ok(room) => {
                    room.send(reader.take());
                    true
                }
                Err(_gone) => false,
            },
            _ => true,
        }
    }

    /// Hands what was shown to the reader if there is room; else it comes with the next [`Outlet::deliver`].
    pub(super) fn offer(&mut self) {
        if let Some(reader) = &mut self.reader
            && !reader.batch.is_empty()
            && let Ok(room) = reader.batches.clone().try_reserve_owned()
        {
            room.send(reader.take());
        }
    }

    fn tell(&self, update: Update) {
        // Nobody listens: nothing to do. A listener that is too slow misses updates and is told so; it never waits here.
        let _ = self.updates.send(update);
    }
}
