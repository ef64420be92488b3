//! The history that a turn is given: what its session said and was told (X1), and how the journal names it (T8).
//!
//! An item is kept once, by the turn in which it was said. A history is recorded as a number of turns and the last item
//! that existed then, so it costs the same in a long session as in a short one. It goes back to the last turn that cut the context: what a cut
//! left stands for everything before. Deliberately not here: what is cut (`orion_core::context`).

use orion_core::context::Item;
use orion_core::model::ModelNumbers;
use orion_core::signature::digest;
use orion_protocol::{ErrorInfo, RequestId, Sha256};
use orion_store::{Body, Earlier, Reach, Store, StoreError};
use serde::{Deserialize, Serialize};

use super::texts::{altered, text};

/// Bytes that are read of a session for each token of the model's window: twice the 4 bytes of a token (T7), since an item has fields beside
/// its text. What is not read would leave at once, or nearly so.
const BYTES_A_TOKEN: usize = 8;

/// How far back a new turn looks.
pub(super) fn reach(numbers: &ModelNumbers) -> Reach {
    let window = numbers.window.map_or(usize::MAX, |window| usize::try_from(window).unwrap_or(usize::MAX));
    Reach { bytes: window.saturating_mul(BYTES_A_TOKEN), ..Reach::ALL }
}

/// The history of a turn, as its setup names it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct History {
    /// The items that a cut or a compaction left in the place of everything before the first of the turns, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Sha256>,
    /// How many turns back the whole items begin.
    turns: u32,
    /// The last item that the session had then.
    entered: i64,
    /// SHA-256 of the digests of all its items, a line each.
    sha256: Sha256,
}

/// What a new turn is given.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) items: Vec<Item>,
    pub(super) history: History,
    /// The session has turns before these.
    pub(super) has_earlier: bool,
}

impl Given {
    /// Of the turns of a session, those that come nearest first.
    pub(super) fn of(mut earlier: Vec<Earlier>) -> Result<Self, StoreError> {
        earlier.reverse();
        let oldest = earlier.first();
        let history = History {
            turns: oldest.map_or(0, |oldest| oldest.back),
            entered: earlier.iter().flat_map(|turn| &turn.items).map(|item| item.id).max().unwrap_or(0),
            context: oldest.and_then(|oldest| Some(oldest.context.as_ref()?.sha256)),
            sha256: of_list(None, &earlier),
        };
        let has_earlier = oldest.is_some_and(|oldest| oldest.parent.is_some() && oldest.context.is_none());
        Ok(Self { items: items(&earlier)?, history, has_earlier })
    }
}

impl History {
    /// Of a turn that is given a list of items and nothing else of a session.
    pub(super) fn of_context(items: Option<&str>) -> Self {
        let context = items.map(|items| Body { sha256: digest(items), text: items.to_owned() });
        let sha256 = of_list(context.as_ref().map(|context| context.sha256), &[]);
        Self { context: context.map(|context| context.sha256), turns: 0, entered: 0, sha256 }
    }

    /// The items, each as it was.
    ///
    /// # Errors
    /// An item that is gone or is not what it was.
    pub(super) async fn read(&self, store: &Store, request_id: RequestId) -> Result<Vec<Item>, ErrorInfo> {
        let ends_at_context = self.context.is_none();
        let reach = Reach { turns: self.turns, entered: self.entered, ends_at_context, ..Reach::ALL };
        let mut earlier = store.said_before(request_id, reach).await?;
        earlier.reverse();
        if let Some(sha256) = self.context {
            // X4: a person may have undone or changed it since.
            let context = Some(Body { sha256, text: text(store, sha256).await? });
            match earlier.first_mut().filter(|oldest| oldest.back == self.turns) {
                Some(oldest) => oldest.context = context,
                // Nothing was said in a turn that compacted the conversation.
                None => earlier.insert(
                    0,
                    Earlier {
                        request_id,
                        parent: None,
                        back: self.turns,
                        context,
                        items: Vec::new(),
                        broke_off: false,
                    },
                ),
            }
        }
        let said = earlier.iter().flat_map(|turn| &turn.items).map(|item| (item.sha256, &item.body));
        let contexts = earlier.iter().filter_map(|turn| turn.context.as_ref());
        let mut texts = said.chain(contexts.map(|context| (context.sha256, &context.text)));
        if let Some((sha256, _)) = texts.find(|(sha256, text)| digest(text) != *sha256) {
            return Err(altered(sha256));
        }
        if of_list(None, &earlier) != self.sha256 {
            return Err(altered(self.sha256));
        }
        Ok(items(&earlier)?)
    }
}

/// The digest of a list of items, by their own.
fn of_list(first: Option<Sha256>, earlier: &[Earlier]) -> Sha256 {
    let given = earlier.iter().flat_map(|turn| {
        let context = turn.context.as_ref().map(|context| context.sha256);
        context.into_iter().chain(turn.items.iter().map(|item| item.sha256))
    });
    let mut list = String::new();
    for sha256 in first.into_iter().chain(given) {
        list.push_str(&sha256.to_string());
        list.push('\n');
    }
    digest(&list)
}

/// The items of turns, oldest first: of each what a cut left before it, and what was said in it.
fn items(turns: &[Earlier]) -> Result<Vec<Item>, StoreError> {
    let mut items = Vec::new();
    for Earlier { request_id, context, items: said, .. } in turns {
        if let Some(context) = context {
            let kept: Vec<Item> = serde_json::from_str(&context.text).map_err(unreadable_item)?;
            items.extend(kept);
        }
        for said in said {
            let item: Item = serde_json::from_str(&said.body).map_err(unreadable_item)?;
            items.push(Item { turn: Some(*request_id), ..item });
        }
    }
    Ok(items)
}

pub(super) fn unreadable_item(error: serde_json::Error) -> StoreError {
    StoreError::Value { detail: error.to_string() }
}
