//! What a turn that is resumed adds to what its session has of it (X1).

use orion_core::context::{About, BoxItem, Item, unsaid};
use orion_core::model::{CallMade, Message};
use orion_protocol::{CallId, Sha256, Signature};

fn says(text: &str, calls: &[&str]) -> Item {
    let made =
        |id: &&str| CallMade { id: (*id).into(), name: "read".into(), arguments: "{}".into(), extra: None };
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
        attachment: false,
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
