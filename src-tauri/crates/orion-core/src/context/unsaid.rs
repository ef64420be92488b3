//! The part of a turn that its session does not have yet (X1).
//!
//! A turn whose process died has left what it had read and said, once the session went on without it. If it is resumed after all, that part
//! stays as it was given to others, and only what came later is added.

use super::item::{About, Item};
use crate::model::Message;

/// The items that are not among those that were said before, in their order. A call or a result that was said before is not said twice,
/// whatever has become of it since.
#[must_use]
pub fn unsaid(said: &[Item], items: Vec<Item>) -> Vec<Item> {
    let mut left: Vec<&Item> = said.iter().collect();
    items.into_iter().filter_map(|item| new_of(said, &mut left, item)).collect()
}

/// The new part of an item. Each item that was said before stands for one item alone.
fn new_of(said: &[Item], left: &mut Vec<&Item>, mut item: Item) -> Option<Item> {
    if let Some(place) = left.iter().position(|before| **before == item) {
        left.remove(place);
        return None;
    }
    if result_of(&item).is_some_and(|call| said.iter().any(|before| result_of(before) == Some(call))) {
        return None;
    }
    if let Message::Assistant { text, reasoning, tool_calls } = &mut item.message {
        let all = tool_calls.len();
        tool_calls.retain(|call| !said.iter().any(|before| makes(before, &call.id)));
        if tool_calls.len() < all {
            text.clear();
            *reasoning = None;
            return (!tool_calls.is_empty()).then_some(item);
        }
    }
    Some(item)
}

/// The call whose result it is.
fn result_of(item: &Item) -> Option<&str> {
    match &item.about {
        Some(About::Box(of)) => Some(&of.call.0),
        _ => item.answered_call(),
    }
}

fn makes(item: &Item, id: &str) -> bool {
    matches!(&item.message, Message::Assistant { tool_calls, .. } if tool_calls.iter().any(|call| call.id == id))
}
