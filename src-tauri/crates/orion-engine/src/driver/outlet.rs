//! Where a turn's events go once they may be seen: to everyone who listens to the engine, and to the one who started the
//! turn and reads it to the end.

use orion_core::trace::TraceFold;
use orion_protocol::{Envelope, Session, Update};
use tokio::sync::{broadcast, mpsc};

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
}

impl Outlet {
    pub(crate) fn new(
        updates: broadcast::Sender<Update>,
        reader: Option<mpsc::Sender<Vec<Envelope>>>,
    ) -> Self {
        let reader = reader.map(|batches| Reader { batches, batch: Vec::new() });
        Self { updates, reader, trace: TraceFold::default() }
    }

    /// Shows an event: to listeners at once, to the reader with the next [`Outlet::deliver`].
    pub(super) fn show(&mut self, envelope: Envelope) {
        let spans = if envelope.event.is_durable() { self.trace.apply(&envelope) } else { Vec::new() };
        let listened = self.updates.receiver_count() > 0;
        match (&mut self.reader, listened) {
            (Some(reader), true) => {
                reader.batch.push(envelope.clone());
                self.tell(Update::Event { envelope });
            }
            (Some(reader), false) => reader.batch.push(envelope),
            (None, _) => self.tell(Update::Event { envelope }),
        }
        spans.into_iter().for_each(|span| self.tell(Update::Span { span }));
    }

    pub(super) fn session(&self, session: Session) {
        self.tell(Update::Session { session });
    }

    /// Hands what was shown to the reader; waits while it is behind. False when it is gone.
    /// Nothing is lost when the waiting is given up.
    pub(super) async fn deliver(&mut self) -> bool {
        match &mut self.reader {
            Some(Reader { batches, batch }) if !batch.is_empty() => match batches.reserve().await {
                Ok(room) => {
                    room.send(std::mem::take(batch));
                    true
                }
                Err(_gone) => false,
            },
            _ => true,
        }
    }

    /// Hands what was shown to the reader if there is room; else it comes with the next [`Outlet::deliver`].
    pub(super) fn offer(&mut self) {
        if let Some(Reader { batches, batch }) = &mut self.reader
            && !batch.is_empty()
            && let Ok(room) = batches.try_reserve()
        {
            room.send(std::mem::take(batch));
        }
    }

    fn tell(&self, update: Update) {
        // Nobody listens: nothing to do. A listener that is too slow misses updates and is told so; it never waits here.
        let _ = self.updates.send(update);
    }
}
