//! Following turns without a gap, for every channel: the window, HTTP, the tests (T6).
//!
//! What happens from now on is listened to first, and what was missed is read afterwards, so nothing is lost in between; what comes twice
//! is told once ([`Place`]). Each piece of text costs the same, however long the turn is. Deliberately not here: batches, and the wire.

mod place;

use std::collections::VecDeque;

use orion_protocol::{Answer, Envelope, ErrorInfo, Query, RequestId, TurnEvent, Update};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::Engine;
use place::Fit;
pub use place::Place;

/// Everything that happens from now on, for one listener; of one turn also what was missed, once. A listener that is too slow misses updates
/// and hears that it did ([`Update::Lagged`]).
#[derive(Debug)]
pub struct Updates {
    receiver: Receiver<Update>,
    /// Before all others.
    first: VecDeque<Update>,
    /// As far as the turn that was asked for has been told.
    told: Option<(RequestId, Place)>,
}

impl From<Receiver<Update>> for Updates {
    fn from(receiver: Receiver<Update>) -> Self {
        Self { receiver, first: VecDeque::new(), told: None }
    }
}

impl Updates {
    /// Tells these before everything else.
    #[must_use]
    pub fn led_by(mut self, updates: impl IntoIterator<Item = Update>) -> Self {
        self.first = updates.into_iter().chain(self.first).collect();
        self
    }

    /// Tells this right after what was missed.
    #[must_use]
    pub fn then(mut self, update: Option<Update>) -> Self {
        self.first.extend(update);
        self
    }

    /// The next update; none once the engine has closed. Cancelling the wait loses nothing.
    pub async fn next(&mut self) -> Option<Update> {
        loop {
            if let Some(update) = self.first.pop_front() {
                return Some(update);
            }
            let update = match self.receiver.recv().await {
                Ok(update) => update,
                Err(RecvError::Lagged(missed)) => lagged(missed),
                Err(RecvError::Closed) => return None,
            };
            if let Some(update) = self.untold(update) {
                return Some(update);
            }
        }
    }

    /// An update that is there already.
    pub fn ready(&mut self) -> Option<Update> {
        loop {
            if let Some(update) = self.first.pop_front() {
                return Some(update);
            }
            let update = match self.receiver.try_recv() {
                Ok(update) => update,
                Err(TryRecvError::Lagged(missed)) => lagged(missed),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            };
            if let Some(update) = self.untold(update) {
                return Some(update);
            }
        }
    }

    /// The update without what was told of it. This listener asks itself for what it misses, so a gap is told as it is.
    fn untold(&mut self, update: Update) -> Option<Update> {
        let Some((request_id, place)) = &mut self.told else { return Some(update) };
        match update {
            Update::Event { envelope } if envelope.request_id == *request_id => match place.take(envelope) {
                Fit::Next(envelope) | Fit::Gap(envelope) => Some(Update::Event { envelope }),
                Fit::Told => None,
            },
            other => Some(other),
        }
    }
}

fn lagged(missed: u64) -> Update {
    tracing::warn!(missed, "a listener was too slow for the engine's updates");
    Update::Lagged
}

/// One turn, from a place in it to its end: each durable event once and in order, and its text without a gap or a repeat. It does not hold
/// the turn up, and dropping it does not stop the turn.
#[derive(Debug)]
pub struct Following {
    engine: Engine,
    receiver: Receiver<Update>,
    request_id: RequestId,
    place: Place,
    ready: VecDeque<Envelope>,
    /// The journal has to be read before anything else: a wait that is cancelled meanwhile begins with that again.
    behind: bool,
    /// The event before which something is missing.
    held: Option<Envelope>,
    shown: Shown,
    over: bool,
}

/// The place of the last event that was handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shown {
    seq: u32,
    since: u64,
}

impl Shown {
    fn go(&mut self, envelope: &Envelope) {
        if envelope.seq > self.seq {
            (self.seq, self.since) = (envelope.seq, 0);
        }
        if let TurnEvent::TextChunk { text, .. } | TurnEvent::ReasoningChunk { text, .. } = &envelope.event {
            self.since = self.since.saturating_add(text.len() as u64);
        }
    }
}

impl Following {
    /// The next event; none after the terminal one, and none once the engine has closed. Cancelling the wait loses nothing.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn next(&mut self) -> Result<Option<Envelope>, ErrorInfo> {
        loop {
            if let Some(envelope) = self.ready() {
                return Ok(Some(envelope));
            }
            if self.over {
                return Ok(None);
            }
            if self.behind {
                self.read().await?;
                continue;
            }
            match self.receiver.recv().await {
                Ok(Update::Event { envelope }) if envelope.request_id == self.request_id => {
                    if let Fit::Gap(envelope) = self.take(envelope) {
                        (self.behind, self.held) = (true, Some(envelope));
                    }
                }
                // Too slow, or another process has changed something: maybe this turn, which it may drive (A7).
                Ok(Update::Lagged) | Err(RecvError::Lagged(_)) => self.behind = true,
                Ok(_) => {}
                Err(RecvError::Closed) => return Ok(None),
            }
        }
    }

    /// An event that is there already, without waiting for anything.
    pub fn ready(&mut self) -> Option<Envelope> {
        let envelope = self.ready.pop_front()?;
        self.over |= envelope.event.terminal().is_some();
        self.shown.go(&envelope);
        Some(envelope)
    }

    /// True where nothing comes any more: the terminal event was handed out, or lies before the place that this began at.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// True where nothing is there that was not handed out.
    #[must_use]
    pub fn is_caught_up(&self) -> bool {
        self.ready.is_empty()
    }

    /// The `seq` of the last durable event that was handed out, and the bytes of kept text since: [`Place::after`] goes on from there.
    #[must_use]
    pub fn shown(&self) -> (u32, u64) {
        (self.shown.seq, self.shown.since)
    }

    /// Reads the events of the journal beyond those that were told, and then takes the one that came too early.
    async fn read(&mut self) -> Result<(), ErrorInfo> {
        let envelopes = self.engine.events(self.request_id, self.place.seq()).await?;
        self.behind = false;
        for envelope in envelopes.into_iter().chain(self.held.take()) {
            // The journal has no more than this.
            if let Fit::Gap(envelope) = self.take(envelope)
                && let Fit::Next(envelope) = self.place.jump(envelope)
            {
                self.ready.push_back(envelope);
            }
        }
        Ok(())
    }

    /// Takes in an event; one before which something is missing is left to the caller.
    fn take(&mut self, envelope: Envelope) -> Fit {
        let ends = envelope.event.terminal().is_some();
        match self.place.take(envelope) {
            Fit::Next(envelope) => self.ready.push_back(envelope),
            Fit::Told => self.over |= ends,
            gap @ Fit::Gap(_) => return gap,
        }
        Fit::Told
    }
}

impl Engine {
    /// Everything from now on; with a turn and the `seq` of its last event that was told, the later ones of that turn first (T6).
    ///
    /// # Errors
    /// `turn_unknown`, and a journal that cannot be read.
    pub async fn updates_after(&self, after: Option<(RequestId, u32)>) -> Result<Updates, ErrorInfo> {
        let mut updates = Updates::from(self.updates());
        if let Some((request_id, after_seq)) = after {
            let mut place = Place::after(after_seq, 0);
            let Answer::Events { envelopes } = self.query(Query::Events { request_id, after_seq }).await?
            else {
                return Ok(updates);
            };
            let missed = envelopes.into_iter().filter_map(|envelope| match place.jump(envelope) {
                Fit::Next(envelope) | Fit::Gap(envelope) => Some(Update::Event { envelope }),
                Fit::Told => None,
            });
            updates.first.extend(missed);
            updates.told = Some((request_id, place));
        }
        Ok(updates)
    }

    /// Follows a turn from this place on.
    ///
    /// # Errors
    /// `turn_unknown`, and a journal that cannot be read.
    pub async fn follow(&self, request_id: RequestId, after: Place) -> Result<Following, ErrorInfo> {
        let receiver = self.updates();
        // Found before the journal is read: then that has all of it.
        let over = self.shared.turns.get(request_id).is_none()
            && self.shared.store.report(request_id).await?.is_some();
        let after = self.no_further(request_id, after).await?;
        let mut following = Following {
            engine: self.clone(),
            receiver,
            request_id,
            place: after,
            ready: VecDeque::new(),
            behind: false,
            held: None,
            shown: Shown { seq: after.seq(), since: after.skips() },
            over: false,
        };
        following.read().await?;
        following.over |= over && following.is_caught_up();
        Ok(following)
    }

    /// This place; the end of what the journal has where it lies beyond that.
    async fn no_further(&self, request_id: RequestId, after: Place) -> Result<Place, ErrorInfo> {
        let Some(before) = after.seq().checked_sub(1) else { return Ok(after) };
        if self.events(request_id, before).await?.iter().any(|envelope| envelope.seq >= after.seq()) {
            return Ok(after);
        }
        let last = self.events(request_id, 0).await?.iter().map(|envelope| envelope.seq).max();
        Ok(Place::after(last.unwrap_or_default(), 0))
    }

    /// True for a turn that is not over, waits for nobody, and that no process drives (A5).
    ///
    /// # Errors
    /// A journal that cannot be read.
    pub async fn is_left(&self, request_id: RequestId) -> Result<bool, ErrorInfo> {
        Ok(self.shared.turns.get(request_id).is_none() && self.shared.store.is_left(request_id).await?)
    }
}
