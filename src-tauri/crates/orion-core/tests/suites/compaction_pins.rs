//! What a person has pinned stays word for word beside the entry of a compaction (X3, X4).

use orion_core::context::Item;
use orion_core::model::Message;
use orion_core::turn::TurnSetup;
use orion_protocol::{ContextEdit, Policy};

use crate::common::{Played, setup, text};
use crate::context_by_hand::{call_of, session, text_of, turn, with};
use crate::context_turns::Session;

/// The policy that the engine gives a compaction.
fn of_one_call() -> Policy {
    Policy { max_cycles: 0, refusals_are_free: true, ..Policy::two_stage() }
}

/// Sums a session up, in these words.
fn compact(session: &mut Session, summary: &str) {
    let history = std::mem::take(&mut session.items);
    let mut played = Played::start(TurnSetup {
        text: String::new(),
        history,
        compacts: Some(Vec::new()),
        ..setup(of_one_call())
    });
    played.says([text(summary)]).ends();
    session.end(&played);
}

fn places(sent: &str, words: [&str; 4]) -> [Option<usize>; 4] {
    words.map(|words| sent.find(words))
}

#[test]
fn what_is_pinned_follows_the_entry_and_outlasts_a_second_compaction() {
    for policy in [Policy::two_stage(), Policy::unified()] {
        let mut session = session(policy);
        let request_id = turn(&session, 0);
        let tool_call_id = call_of(&session, request_id);
        let pin = |pinned| ContextEdit::PinBox { request_id, tool_call_id: tool_call_id.clone(), pinned };
        let mut played = Played::start(with(&session, policy, None, vec![pin(true)]));
        played.says([text("Done.")]).ends();
        session.end(&played);
        let boxed = session.items.iter().find(|item| item.pinned).unwrap().clone();

        compact(&mut session, "First summary.");
        assert_eq!(session.items.iter().filter(|item| item.entry.is_some()).count(), 1);
        assert!(session.items[0].entry.is_some());
        assert_eq!(session.items.last(), Some(&boxed), "as it was, byte for byte");
        let calls = session.items.iter().filter(|item| matches!(item.message, Message::Assistant { .. }));
        assert_eq!(
            calls.count(),
            usize::from(!policy.cut_at_first_call),
            "its call, where a provider asks for it"
        );

        compact(&mut session, "Second summary.");
        let next = Played::start(with(&session, policy, None, Vec::new()));
        let sent = text_of(&next.requests[0].messages);
        let [first, second, pinned, asked] =
            places(&sent, ["First summary.", "Second summary.", "alphaalpha", "Next"]);
        assert!(first.is_none() && second < pinned && pinned < asked, "{sent}");
        assert!(!sent.contains("betabeta"), "{sent}");

        // Without its pin it is taken out by hand as every other box, and the entry stays.
        let edits =
            vec![pin(false), ContextEdit::EmptyBox { request_id, tool_call_id: tool_call_id.clone() }];
        let taken_out = Played::start(with(&session, policy, None, edits));
        let sent = text_of(&taken_out.requests[0].messages);
        assert!(sent.contains("Second summary.") && !sent.contains("alphaalpha"), "{sent}");
    }
}

#[test]
fn a_session_in_which_only_entries_and_pins_are_left_has_nothing_to_sum_up() {
    let mut session = session(Policy::two_stage());
    for item in &mut session.items {
        item.pinned = true;
    }
    let given = session.items.clone();
    let mut played = Played::start(with(&session, Policy::two_stage(), None, Vec::new()));
    assert_eq!(played.turn.conversation().given_to_sum_up("SYSTEM", "Sum up."), None);
    played.says([text("Done.")]).ends();
    session.end(&played);
    let kept: Vec<Item> = session.items.iter().take(given.len()).cloned().collect();
    assert_eq!(kept, given);
}
