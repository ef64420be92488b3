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

/// What is new of an item. Each item that was said before stands for one item alone.
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

#[cfg(test)]
mod tests {
    use orion_protocol::{CallId, Sha256, Signature};

    use super::*;
    use crate::context::BoxItem;
    use crate::model::CallMade;

    fn says(text: &str, calls: &[&str]) -> Item {
        let made = |id: &&str| CallMade { id: (*id).into(), name: "read".into(), arguments: "{}".into() };
        let tool_calls = calls.iter().map(made).collect();
        Message::Assistant { text: text.into(), reasoning: None, tool_calls }.into()
    }

    fn result(call: &str, text: &str) -> Item {
        let about = BoxItem {
            call: CallId(call.into()),
            signature: Signature("s".into()),
            head: 0,
            sha256: Sha256::from([0; 32]),
            source: None,
            sent: false,
            emptied: false,
        };
        Item::new(Message::System { text: text.into() }, About::Box(about))
    }

    // X1, A5
    #[test]
    fn nothing_is_said_twice_and_nothing_that_came_later_is_lost() {
        let cases = [
            (vec![], vec![says("a", &[])], vec![says("a", &[])]),
            (vec![says("a", &[])], vec![says("a", &[]), says("b", &[])], vec![says("b", &[])]),
            // The same words, said once more.
            (vec![says("a", &[])], vec![says("a", &[]), says("a", &[])], vec![says("a", &[])]),
            // A result that has left the context since.
            (vec![result("1", "all")], vec![result("1", "gone"), says("b", &[])], vec![says("b", &[])]),
            // One of two calls had its result.
            (
                vec![says("I look.", &["1"]), result("1", "x")],
                vec![says("I look.", &["1", "2"]), result("1", "x"), result("2", "y")],
                vec![says("", &["2"]), result("2", "y")],
            ),
            // What was said of a file that was not written yet stays.
            (vec![result("1", "x"), says("not written", &[])], vec![result("1", "x")], vec![]),
        ];
        for (said, items, new) in cases {
            assert_eq!(unsaid(&said, items.clone()), new, "{said:?} {items:?}");
        }
    }
}
