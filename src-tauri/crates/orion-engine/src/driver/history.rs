//! The history that a turn is given: the newest turns of its session that fit, and how the journal names them (T8).
//!
//! An item is kept once, by the turn in which it was said. A history is recorded as a number of turns and the last item
//! that existed then, so it costs the same in a long session as in a short one. Deliberately not here: the size of a
//! model's window.

use orion_core::model::Message;
use orion_core::signature::digest;
use orion_protocol::{ErrorInfo, RequestId, Sha256};
use orion_store::{Earlier, Reach, Store, StoreError};
use serde::{Deserialize, Serialize};

use super::texts::{altered, json, text, unreadable};

/// How much of the session goes into a turn's prompt, newest first. 64 KiB: 16,000 tokens at 4 bytes each.
const BYTES: usize = 64 * 1024;

/// How far back a new turn looks.
pub(super) const REACH: Reach = Reach { turns: u32::MAX, bytes: BYTES, entered: i64::MAX };

/// The history of a turn, as its setup names it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct History {
    /// Digests of the shortened items that come first, in place of items that did not fit.
    cut: Vec<Sha256>,
    /// How many turns back the whole items begin.
    turns: u32,
    /// The last item that the session had then.
    entered: i64,
    /// SHA-256 of the digests of all its items, a line each.
    sha256: Sha256,
}

/// What a new turn is given.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) messages: Vec<Message>,
    pub(super) history: History,
    /// The texts that [`History::cut`] names.
    pub(super) cut: Vec<String>,
}

impl Chosen {
    /// The newest turns that fit as a whole. If not even the newest one fits, its beginning.
    pub(super) fn of(nearest_first: &[Earlier]) -> Result<Self, StoreError> {
        let mut left = BYTES;
        let fitting = nearest_first.iter().take_while(|turn| {
            let bytes = turn.items.iter().map(|item| item.body.len()).sum();
            let fits = bytes <= left;
            left = left.saturating_sub(bytes);
            fits
        });
        let mut fitting: Vec<&Earlier> = fitting.collect();
        fitting.reverse();
        let mut cut = Vec::new();
        if let (true, Some(last)) = (fitting.is_empty(), nearest_first.first()) {
            for message in shortened(messages(&[last])?, BYTES) {
                cut.push(json(&message)?);
            }
        }
        let kept = fitting.iter().flat_map(|turn| &turn.items);
        let digests: Vec<Sha256> = cut.iter().map(|text| digest(text)).collect();
        let history = History {
            turns: fitting.first().map_or(0, |oldest| oldest.back),
            entered: kept.map(|item| item.id).max().unwrap_or(0),
            sha256: of_list(&digests, &fitting),
            cut: digests,
        };
        let mut given = cut.iter().map(|text| message(text)).collect::<Result<Vec<_>, _>>()?;
        given.extend(messages(&fitting)?);
        Ok(Self { messages: given, history, cut })
    }
}

impl History {
    /// The messages, each as it was.
    ///
    /// # Errors
    /// A message that is gone or is not what it was.
    pub(super) async fn read(&self, store: &Store, request_id: RequestId) -> Result<Vec<Message>, ErrorInfo> {
        let reach = Reach { turns: self.turns, bytes: usize::MAX, entered: self.entered };
        let mut earlier = store.said_before(request_id, reach).await?;
        earlier.reverse();
        let earlier: Vec<&Earlier> = earlier.iter().collect();
        let changed =
            earlier.iter().flat_map(|turn| &turn.items).find(|item| digest(&item.body) != item.sha256);
        if let Some(item) = changed {
            return Err(altered(item.sha256));
        }
        if of_list(&self.cut, &earlier) != self.sha256 {
            return Err(altered(self.sha256));
        }
        let mut given = Vec::new();
        for &sha256 in &self.cut {
            given.push(serde_json::from_str(&text(store, sha256).await?).map_err(unreadable)?);
        }
        given.extend(messages(&earlier)?);
        Ok(given)
    }
}

/// The digest of a list of items, by their own.
fn of_list(cut: &[Sha256], earlier: &[&Earlier]) -> Sha256 {
    let items = earlier.iter().flat_map(|turn| &turn.items).map(|item| &item.sha256);
    let mut list = String::new();
    for sha256 in cut.iter().chain(items) {
        list.push_str(&sha256.to_string());
        list.push('\n');
    }
    digest(&list)
}

/// The history of a turn whose journal does not name it: the items of the session that fitted by their length,
/// without the answers that came later.
pub(super) async fn unpinned(
    store: &Store,
    request_id: RequestId,
    bytes: usize,
    unanswered: &[usize],
) -> Result<Vec<Message>, ErrorInfo> {
    let mut left = bytes;
    let mut newest_first: Vec<Vec<Message>> = Vec::new();
    for turn in store.said_before(request_id, Reach::ALL).await? {
        let mut exchange = messages(&[&turn])?;
        if unanswered.contains(&newest_first.len()) {
            exchange.truncate(1);
        }
        let bytes: usize = exchange.iter().map(Message::text_bytes).sum();
        if bytes > left {
            if newest_first.is_empty() {
                newest_first.push(shortened(exchange, left));
            }
            break;
        }
        left -= bytes;
        newest_first.push(exchange);
    }
    Ok(newest_first.into_iter().rev().flatten().collect())
}

fn messages(turns: &[&Earlier]) -> Result<Vec<Message>, StoreError> {
    turns.iter().flat_map(|turn| &turn.items).map(|item| message(&item.body)).collect()
}

fn message(text: &str) -> Result<Message, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Value { detail: error.to_string() })
}

/// The beginnings of texts, `left` bytes together.
fn shortened(messages: Vec<Message>, mut left: usize) -> Vec<Message> {
    let shorten = |mut message: Message| {
        let (Message::System { text }
        | Message::User { text }
        | Message::Assistant { text, .. }
        | Message::Tool { text, .. }) = &mut message;
        text.truncate(text.floor_char_boundary(left));
        left -= text.len();
        message
    };
    messages.into_iter().map(shorten).collect()
}
