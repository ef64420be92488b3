//! A conversation by itself: what the session gave and what the turn added stay apart, whatever is taken out, pinned or summed up (X1, X3, X4).

use orion_core::context::{Conversation, Item};
use orion_core::model::Message;
use orion_protocol::{ContextEdit, CutTurns, Policy};

use crate::context_by_hand::{call_of, session, text_of, turn};
use crate::context_turns::Session;

fn begun(session: &Session) -> Conversation {
    Conversation::new(session.items.clone(), String::new(), "Next".to_owned())
}

/// What the session gave, and the texts of what the turn added.
fn parts(conversation: &Conversation) -> (Vec<Item>, String) {
    let (given, own) = conversation.given_and_own();
    (given.to_vec(), texts(own))
}

fn texts(items: &[Item]) -> String {
    text_of(&items.iter().map(|item| item.message.clone()).collect::<Vec<_>>())
}

fn said(text: &str) -> Item {
    Message::Assistant { text: text.to_owned(), reasoning: None, tool_calls: Vec::new() }.into()
}

/// What later turns are given of a turn that ended before any request held its message.
fn unsent(conversation: &Conversation) -> (usize, usize, usize) {
    let begins = |failed| conversation.begins(failed).count();
    (begins(true), begins(false), conversation.left(true).len())
}

#[test]
fn a_turn_that_is_taken_out_leaves_the_rest_and_the_message_where_they_were() {
    for policy in [Policy::two_stage(), Policy::unified()] {
        let session = session(policy);
        let (first, second) = (turn(&session, 0), turn(&session, 1));
        let mut conversation = begun(&session);
        assert_eq!(parts(&conversation), (session.items.clone(), "Next".to_owned()));
        let before = unsent(&conversation);
        assert_eq!(before, (0, 1, 0));

        let edits = [ContextEdit::RemoveTurn { request_id: first }];
        let (left, pins) = conversation.edit(&edits, false, turn(&session, 1));
        assert_eq!((left.turns.len(), pins), (1, 0));
        let rest: Vec<Item> =
            session.items.iter().filter(|item| item.turn == Some(second)).cloned().collect();
        assert_eq!(parts(&conversation), (rest.clone(), "Next".to_owned()));
        assert_eq!(conversation.kept(), Some(rest.as_slice()));
        assert_eq!(unsent(&conversation), before);
    }
}

#[test]
fn an_edit_of_nothing_changes_nothing_and_a_pin_is_on_what_it_names_alone() {
    for policy in [Policy::two_stage(), Policy::unified()] {
        let session = session(policy);
        let request_id = turn(&session, 0);
        let mut conversation = begun(&session);
        conversation.edit(&[], false, turn(&session, 1));
        assert_eq!((conversation.kept(), parts(&conversation).0), (None, session.items.clone()));

        let tool_call_id = call_of(&session, request_id);
        let pin_box = ContextEdit::PinBox { request_id, tool_call_id: tool_call_id.clone(), pinned: true };
        let (_, pins) = conversation.edit(&[pin_box], false, turn(&session, 1));
        let of_call = |item: &Item| item.whole_box().is_some_and(|of| of.call == tool_call_id);
        assert_eq!(pins, 1);
        assert!(parts(&conversation).0.iter().all(|item| item.pinned == of_call(item)));

        let mut conversation = begun(&session);
        let pin_turn = ContextEdit::PinTurn { request_id, pinned: true };
        conversation.edit(&[pin_turn], false, turn(&session, 1));
        let of_turn = |item: &Item| item.turn == Some(request_id);
        assert!(parts(&conversation).0.iter().all(|item| item.pinned == of_turn(item)));
        assert!(conversation.kept().is_some());
    }
}

#[test]
fn an_entry_in_the_place_of_the_session_leaves_the_message_unsent() {
    let session = session(Policy::two_stage());
    let mut conversation = begun(&session);
    let before = unsent(&conversation);
    let entry = session.items[0].clone();
    conversation.compact_given(entry.clone());
    assert_eq!(parts(&conversation), (vec![entry], "Next".to_owned()));
    assert_eq!(unsent(&conversation), before);
}

#[test]
fn what_has_changed_and_the_message_are_what_a_turn_begins_with() {
    let session = session(Policy::two_stage());
    let changes = "Other instructions.".to_owned();
    let conversation = Conversation::new(session.items, changes, "Next".to_owned());
    let begins: Vec<_> = conversation.begins(false).map(|item| item.message.clone()).collect();
    assert_eq!((begins.len(), text_of(&begins).ends_with("Next")), (2, true));
    // A message that no request held is not part of the session; the change is told all the same.
    let begins: Vec<_> = conversation.begins(true).map(|item| item.message.clone()).collect();
    assert_eq!((begins.len(), text_of(&begins).contains("Next")), (1, false));
}

#[test]
fn what_a_model_has_answered_stays_that_when_an_earlier_turn_is_taken_out() {
    let session = session(Policy::two_stage());
    let first = turn(&session, 0);
    let mut conversation = begun(&session);
    conversation.sent();
    conversation.push(said("Answered."));
    conversation.answered();
    conversation.push(said("Cut off."));
    conversation.edit(&[ContextEdit::RemoveTurn { request_id: first }], false, turn(&session, 1));
    assert_eq!(texts(&conversation.left(true)), "Answered.");
    assert_eq!(texts(&conversation.left(false)), "Answered.\nCut off.");
}

#[test]
fn the_first_step_leaves_whole_also_where_a_change_stands_before_the_message() {
    let session = session(Policy::two_stage());
    let items: Vec<Item> = session.items.iter().take(4).cloned().collect();
    let mut conversation = Conversation::new(items, "Other instructions.".to_owned(), "Next".to_owned());
    for step in ["First step.", "Second step."] {
        conversation.push(said(step));
    }
    conversation.sent();
    let goal = ("Other instructions.".len() + "Next".len() + "Second step.".len()) as u64;
    conversation.cut(goal, u64::MAX, turn(&session, 1)).unwrap();
    assert_eq!(parts(&conversation).1, "Other instructions.\nNext\nSecond step.");
}

#[test]
fn no_more_turns_leave_than_have_to() {
    // X3
    let of_turn = |number: u32| {
        let id = format!("01900000-0000-7000-8000-0000000000{number:02x}").parse().unwrap();
        [Message::user(format!("Question {number}")).into(), said("So. So. So.")]
            .map(|item: Item| Item { turn: Some(id), ..item })
    };
    let items: Vec<Item> = (1..=3).flat_map(of_turn).collect();
    let cut = |less: usize| {
        let mut conversation = Conversation::new(items.clone(), String::new(), "Next".to_owned());
        conversation.sent();
        let goal = conversation.bytes() - less as u64;
        conversation.cut(goal, u64::MAX, crate::common::ids().request_id).unwrap();
        parts(&conversation).0.len()
    };
    let one = items[1].bytes();
    assert_eq!([cut(1), cut(one), cut(one + 1), cut(3 * one), cut(3 * one + 1)], [5, 5, 4, 3, 2]);
}

#[test]
fn turns_that_leave_together_are_told_as_one_stretch() {
    // X3
    let session = session(Policy::two_stage());
    let (first, second) = (turn(&session, 0), turn(&session, 1));
    let of = |request_id| session.items.iter().filter(move |item| item.turn == Some(request_id));
    let size = |request_id| of(request_id).map(|item| item.bytes() as u64).sum::<u64>();
    let items: Vec<Item> = of(first).chain(of(second)).cloned().collect();
    let edits = [first, second].map(|request_id| ContextEdit::RemoveTurn { request_id });
    let mut conversation = Conversation::new(items.clone(), String::new(), "Next".to_owned());
    let (left, _) = conversation.edit(&edits, false, crate::common::ids().request_id);
    let messages = u32::try_from(items.len()).unwrap();
    let bytes = size(first) + size(second);
    assert_eq!(left.turns, [CutTurns { first, last: second, turns: 2, messages, bytes }]);
}

#[test]
fn what_a_failed_turn_leaves_does_not_count_what_left_before() {
    // X1, X3
    let mut conversation = Conversation::new(Vec::new(), String::new(), "Next".to_owned());
    conversation.push(said("Answered."));
    conversation.answered();
    conversation.push(said("Cut off."));
    conversation.sent();
    conversation.cut("Next".len() as u64, u64::MAX, crate::common::ids().request_id).unwrap();
    assert_eq!(parts(&conversation).1, "Next");
    assert_eq!((conversation.left(true), conversation.left(false)), (vec![], vec![]));
}

#[test]
fn a_step_leaves_with_what_follows_it_up_to_the_next_one() {
    // X3
    let mut conversation = Conversation::new(Vec::new(), String::new(), "Next".to_owned());
    let told = |text: &str| Item::from(Message::System { text: text.to_owned() });
    for item in [said("First step."), told("One."), told("Two."), said("Second step."), told("Three.")] {
        conversation.push(item);
    }
    conversation.sent();
    let goal = conversation.bytes() - 1;
    conversation.cut(goal, u64::MAX, crate::common::ids().request_id).unwrap();
    assert_eq!(parts(&conversation).1, "Next\nSecond step.\nThree.");
}
