//! Decides when the webview is told what: a state machine over updates and time.
//!
//! An update is sent at once when no message was sent in the last [`PACE`], else with the next batch. Messages stay
//! under [`MESSAGE_BYTES`], and adjacent pieces of the same text are joined. Deliberately not here: clocks, channels
//! and the webview, which are in `bridge`.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use orion_protocol::{TurnEvent, Update};
use serde::Serialize;

/// The least time between two batches: 12 ms. A piece waits no longer than a frame of a 60 Hz display (16 ms), and of the 20 ms that it
/// may take from the socket to the webview 8 are left for everything else.
pub(crate) const PACE: Duration = Duration::from_millis(12);

/// A message of this size or more takes Tauri's slower way, a request of the webview (`MAX_JSON_DIRECT_EXECUTE_THRESHOLD`
/// in tauri 2, `ipc/channel.rs`), so messages stay below it. A single update that is larger goes alone.
pub(crate) const MESSAGE_BYTES: usize = 8_192;

/// Messages in one batch: 4 × 8 KB every 12 ms is 2.7 MB a second, far more than any model sends and little enough that the
/// webview still paints. `Channel::send` never pushes back, so this is the only brake.
pub(crate) const MESSAGES_PER_BATCH: usize = 4;

/// The most bytes that may wait here. Beyond that the bridge takes no further updates, and the engine's bounded queue
/// decides what happens next: it drops the oldest and reports `lagged`.
pub(crate) const WAITING_BYTES: usize = 1 << 20;

/// Updates on their way to the window, in order.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    last_sent: Option<Instant>,
}

#[derive(Debug)]
struct Waiting {
    update: Update,
    /// Length of its JSON.
    bytes: usize,
}

impl Batches {
    /// Adds an update behind those that wait, or joins it to the last of them when both are pieces of the same text.
    pub(crate) fn push(&mut self, update: Update) {
        let bytes = json_bytes(&update);
        if let Some(last) = self.waiting.back_mut()
            && last.bytes + bytes + 2 < MESSAGE_BYTES
            && let Some(grown) = append(&mut last.update, &update)
        {
            self.waiting_bytes += grown;
            last.bytes += grown;
            return;
        }
        self.waiting_bytes += bytes;
        self.waiting.push_back(Waiting { update, bytes });
    }

    /// False while so much waits that no more should be taken.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting_bytes < WAITING_BYTES
    }

    /// When the next batch may go; none while nothing waits.
    pub(crate) fn due(&self, now: Instant) -> Option<Instant> {
        if self.waiting.is_empty() {
            return None;
        }
        Some(self.last_sent.map_or(now, |sent| (sent + PACE).max(now)))
    }

    /// The messages to send now: none before they are due.
    pub(crate) fn take(&mut self, now: Instant) -> Vec<Vec<Update>> {
        if self.due(now).is_none_or(|due| due > now) {
            return Vec::new();
        }
        self.last_sent = Some(now);
        let mut messages = Vec::new();
        while messages.len() < MESSAGES_PER_BATCH && !self.waiting.is_empty() {
            messages.push(self.message());
        }
        messages
    }

    /// The longest run of waiting updates whose JSON array stays under the limit, and at least one.
    fn message(&mut self) -> Vec<Update> {
        let mut message = Vec::new();
        let mut bytes = 1;
        while let Some(next) = self.waiting.front() {
            // One more byte for the comma or the closing bracket.
            let grown = bytes + next.bytes + 1;
            if !message.is_empty() && grown >= MESSAGE_BYTES {
                break;
            }
            bytes = grown;
            self.waiting_bytes -= next.bytes;
            message.extend(self.waiting.pop_front().map(|next| next.update));
        }
        message
    }
}

/// Appends `next` to `last` when both are text, or both reasoning, of the same stretch of the same turn, or content of
/// the same file (E1). The time of the first piece is kept. Returns by how many bytes the JSON of `last` grew.
fn append(last: &mut Update, next: &Update) -> Option<usize> {
    let (Update::Event { envelope: last }, Update::Event { envelope: next }) = (last, next) else {
        return None;
    };
    if (last.request_id, last.seq, last.phase, last.tool_batch_id)
        != (next.request_id, next.seq, next.phase, next.tool_batch_id)
    {
        return None;
    }
    let counts = |event: &TurnEvent| match event {
        TurnEvent::WriteProgress { lines, bytes, .. } => json_bytes(lines) + json_bytes(bytes),
        _ => 0,
    };
    let before = counts(&last.event);
    if !last.event.join(&next.event) {
        return None;
    }
    // Without the quotes. Lines and bytes only grow, and so do their digits.
    let text = next.event.chunk().map_or(0, |more| json_bytes(&more) - 2);
    Some((text + counts(&last.event)).saturating_sub(before))
}

fn json_bytes(value: &impl Serialize) -> usize {
    let mut count = Count(0);
    // A wire type always has a JSON form, and counting cannot fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
