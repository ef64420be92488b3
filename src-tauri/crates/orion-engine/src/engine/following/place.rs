//! A place in the events of a turn, and what of an event lies beyond it.
//!
//! Durable events are counted by their `seq`, kept text by its bytes since then (E1). A place is small, however long the turn is.

use orion_protocol::{Envelope, TurnEvent};

/// As far as somebody has been told of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    seq: u32,
    /// Bytes of them that were told before, and are left out when they come.
    skips: u64,
    /// The end of the answer so far, and that of the reasoning; none where nothing of it came yet, so that it may begin anywhere.
    text: Option<u64>,
    reasoning: Option<u64>,
}

/// An event, beside a place.
#[derive(Debug, PartialEq)]
pub(super) enum Fit {
    /// It comes next; what was told of its text is cut off.
    Next(Envelope),
    /// Something is missing before it.
    Gap(Envelope),
    /// All of it was told.
    Told,
}

impl Place {
    /// After the event with this `seq` and so many bytes of kept text since; 0 and 0 is the beginning.
    #[must_use]
    pub fn after(seq: u32, since: u64) -> Self {
        Self { seq, skips: since, ..Self::default() }
    }

    /// The `seq` of the last durable event before it.
    #[must_use]
    pub fn seq(&self) -> u32 {
        self.seq
    }

    /// Bytes of kept text since that event that were told before.
    #[must_use]
    pub fn skips(&self) -> u64 {
        self.skips
    }

    /// Moves on by an event, if it is the next one.
    pub(super) fn take(&mut self, envelope: Envelope) -> Fit {
        let next = if envelope.event.is_durable() { self.seq.saturating_add(1) } else { self.seq };
        // A chunk is told before the next durable event, in the journal too.
        if envelope.seq < next {
            return Fit::Told;
        }
        let begins_later = match (&envelope.event, offset(&envelope.event)) {
            (event, Some(offset)) => self.end(event).is_some_and(|end| offset > end),
            (_, None) => false,
        };
        if envelope.seq > next || begins_later {
            return Fit::Gap(envelope);
        }
        self.go(envelope)
    }

    /// Moves on by an event, whatever is missing before it.
    pub(super) fn jump(&mut self, envelope: Envelope) -> Fit {
        if envelope.seq < self.seq {
            return Fit::Told;
        }
        self.go(envelope)
    }

    fn go(&mut self, mut envelope: Envelope) -> Fit {
        if envelope.seq > self.seq {
            (self.seq, self.skips) = (envelope.seq, 0);
        }
        let Some(offset) = offset(&envelope.event) else { return Fit::Next(envelope) };
        let told = self.end(&envelope.event).map_or(0, |end| end.saturating_sub(offset));
        if !cut(&mut envelope.event, told) {
            return Fit::Told;
        }
        let bytes = envelope.event.chunk().map_or(0, str::len) as u64;
        match &envelope.event {
            TurnEvent::ReasoningChunk { offset, .. } => self.reasoning = Some(offset.saturating_add(bytes)),
            TurnEvent::TextChunk { offset, .. } => self.text = Some(offset.saturating_add(bytes)),
            _ => {}
        }
        let skipped = self.skips.min(bytes);
        self.skips -= skipped;
        if cut(&mut envelope.event, skipped) { Fit::Next(envelope) } else { Fit::Told }
    }

    fn end(&self, event: &TurnEvent) -> Option<u64> {
        if let TurnEvent::ReasoningChunk { .. } = event { self.reasoning } else { self.text }
    }
}

/// The offset of text that the journal keeps. All other pieces come once, as they happen.
fn offset(event: &TurnEvent) -> Option<u64> {
    match event {
        TurnEvent::TextChunk { offset, .. } | TurnEvent::ReasoningChunk { offset, .. } => Some(*offset),
        _ => None,
    }
}

/// Cuts the first bytes off the text of a chunk, up to where a character begins; false when nothing is left of it.
fn cut(event: &mut TurnEvent, bytes: u64) -> bool {
    let (TurnEvent::TextChunk { offset, text } | TurnEvent::ReasoningChunk { offset, text }) = event else {
        return true;
    };
    if bytes == 0 {
        return true;
    }
    let from = usize::try_from(bytes).unwrap_or(usize::MAX).min(text.len());
    let from = text.ceil_char_boundary(from);
    *offset += from as u64;
    text.drain(..from);
    !text.is_empty()
}

#[cfg(test)]
mod tests;
