//! What a person takes out of a conversation, or pins (X3).

use orion_core::context::Item;
use orion_core::model::{Message, ModelNumbers};
use orion_core::turn::{Turn, TurnSetup};
use orion_protocol::{CallId, ContextEdit, CutCause, Policy, RequestId, TurnEvent};
use proptest::prelude::*;

use crate::common::{Played, call, found, setup, text};
use crate::context_turns::Session;
use crate::thorough::cases;

/// A session of two turns on a route; each reads one file.
pub(crate) fn session(policy: Policy) -> Session {
    let mut session = Session::default();
    for (number, word) in ["alpha", "beta"].into_iter().enumerate() {
        let mut played = session.turn(policy, &format!("Question {number}"));
        played.says([call(0, "", "read", &format!("{{\"path\":\"{word}\"}}"))]);
        if !policy.cut_at_first_call {
            played.ends();
        }
        played.tool(found(&word.repeat(100)));
        played.says([text("Done.")]).ends();
        session.end(&played);
    }
    session
}

pub(crate) fn with(
    session: &Session,
    policy: Policy,
    window: Option<u32>,
    edits: Vec<ContextEdit>,
) -> TurnSetup {
    let numbers = ModelNumbers { window, ..ModelNumbers::default() };
    TurnSetup { numbers, history: session.items.clone(), edits, text: "Next".to_owned(), ..setup(policy) }
}

pub(crate) fn turn(session: &Session, number: usize) -> RequestId {
    let mut turns: Vec<RequestId> = session.items.iter().filter_map(|item| item.turn).collect();
    turns.dedup();
    turns[number]
}

pub(crate) fn call_of(session: &Session, request_id: RequestId) -> CallId {
    let of_turn = session.items.iter().filter(|item| item.turn == Some(request_id));
    of_turn.filter_map(Item::whole_box).next().unwrap().call.clone()
}

pub(crate) fn text_of(messages: &[Message]) -> String {
    let text = messages.iter().map(|message| match message {
        Message::System { text }
        | Message::User { text, .. }
        | Message::Assistant { text, .. }
        | Message::Tool { text, .. } => text.as_str(),
    });
    text.collect::<Vec<_>>().join("\n")
}

/// Cause, results, messages and pins of each cut.
fn cuts(played: &Played) -> Vec<(CutCause, usize, u32, u32)> {
    let cut = |event: &TurnEvent| match event {
        TurnEvent::ContextCut { cause, boxes, turns, pins, .. } => {
            Some((*cause, boxes.len(), turns.iter().map(|turns| turns.messages).sum(), *pins))
        }
        _ => None,
    };
    played.events().filter_map(cut).collect()
}

#[test]
fn a_result_that_a_person_takes_out_is_gone_from_the_first_request_and_told() {
    for policy in [Policy::two_stage(), Policy::unified()] {
        let session = session(policy);
        let request_id = turn(&session, 0);
        let tool_call_id = call_of(&session, request_id);
        let played = Played::start(with(
            &session,
            policy,
            None,
            vec![ContextEdit::EmptyBox { request_id, tool_call_id: tool_call_id.clone() }],
        ));
        let sent = text_of(&played.requests[0].messages);
        assert!(!sent.contains("alphaalpha") && sent.contains("betabeta"), "{sent}");
        assert!(sent.contains(&format!("Result of call {tool_call_id}: ")), "its outcome stays: {sent}");
        assert_eq!(cuts(&played), [(CutCause::Person, 1, 0, 0)]);
    }
}

#[test]
fn a_turn_that_a_person_takes_out_leaves_nothing_and_later_turns_are_not_given_it() {
    let policy = Policy::two_stage();
    let mut session = session(policy);
    let request_id = turn(&session, 0);
    let mut played =
        Played::start(with(&session, policy, None, vec![ContextEdit::RemoveTurn { request_id }]));
    let sent = text_of(&played.requests[0].messages);
    assert!(!sent.contains("Question 0") && !sent.contains("alpha") && sent.contains("Question 1"), "{sent}");
    assert_eq!(cuts(&played), [(CutCause::Person, 0, 3, 0)]);
    played.says([text("Done.")]).ends();
    session.end(&played);
    assert!(session.items.iter().all(|item| item.turn != Some(request_id)));
}

#[test]
fn a_person_has_room_made_also_where_all_of_it_would_fit() {
    // X3: a cut without a summary, to half of what there is.
    for policy in [Policy::two_stage(), Policy::unified()] {
        let mut session = session(policy);
        let without = with(&session, policy, Some(40_000), Vec::new());
        assert_eq!(cuts(&Played::start(without.clone())), []);
        let mut played = Played::start(TurnSetup { makes_room: true, ..without.clone() });
        let [(CutCause::Person, boxes, ..)] = cuts(&played)[..] else { panic!("{}", played.lines) };
        assert!(boxes > 0);
        let [before, after] =
            [&Played::start(without), &played].map(|it| text_of(&it.requests[0].messages).len());
        assert!(after < before && text_of(&played.requests[0].messages).ends_with("Next"));
        played.says([text("Done.")]).ends();
        session.end(&played);
        let later = Played::start(with(&session, policy, Some(40_000), Vec::new()));
        assert!(!text_of(&later.requests[0].messages).contains("alphaalpha"), "it stays");
        // Where no window is known, nothing tells what half of it is.
        let unknown = TurnSetup { makes_room: true, ..with(&session, policy, None, Vec::new()) };
        assert_eq!(cuts(&Played::start(unknown)), []);
    }
}

#[test]
fn what_is_pinned_stays_where_all_else_leaves_until_the_pin_is_taken_off() {
    for policy in [Policy::two_stage(), Policy::unified()] {
        let mut session = session(policy);
        let request_id = turn(&session, 0);
        let tool_call_id = call_of(&session, request_id);
        let pin = |pinned| ContextEdit::PinBox { request_id, tool_call_id: tool_call_id.clone(), pinned };
        let mut played = Played::start(with(&session, policy, None, vec![pin(true)]));
        assert_eq!(cuts(&played), [(CutCause::Person, 0, 0, 1)]);
        played.says([text("Done.")]).ends();
        session.end(&played);

        // Room for the pin and little else.
        let window = Some(560);
        let pinned = Played::start(with(&session, policy, window, Vec::new()));
        let sent = text_of(&pinned.requests[0].messages);
        assert!(sent.contains("alphaalpha") && !sent.contains("betabeta"), "{sent}");

        let taken_off = Played::start(with(&session, policy, window, vec![pin(false)]));
        let sent = text_of(&taken_off.requests[0].messages);
        assert!(!sent.contains("alphaalpha"), "{sent}");
    }
}

#[test]
fn what_is_not_there_any_more_changes_nothing() {
    let policy = Policy::two_stage();
    let session = session(policy);
    let request_id = "01900000-0000-7000-8000-0000000009ff".parse().unwrap();
    let tool_call_id = CallId("call_9".into());
    let edits = vec![
        ContextEdit::RemoveTurn { request_id },
        ContextEdit::EmptyBox { request_id: turn(&session, 0), tool_call_id: tool_call_id.clone() },
        ContextEdit::PinBox { request_id, tool_call_id, pinned: true },
        ContextEdit::PinTurn { request_id: turn(&session, 0), pinned: false },
    ];
    let without = Played::start(with(&session, policy, None, Vec::new()));
    let played = Played::start(with(&session, policy, None, edits));
    assert_eq!((cuts(&played), &played.requests), (Vec::new(), &without.requests));
}

#[test]
fn pins_that_do_not_fit_are_said_to_be_too_long_before_any_call() {
    let policy = Policy::two_stage();
    let session = session(policy);
    let pins = [0, 1].map(|number| ContextEdit::PinTurn { request_id: turn(&session, number), pinned: true });
    let setup = with(&session, policy, Some(500), pins.into());
    assert!(Turn::outlook(setup.clone()).cut.is_some_and(|cut| !cut.fits));
    assert!(Played::start(setup).requests.is_empty());
}

proptest! {
    #![proptest_config(cases(500))]

    // X3: no provider takes a result without its call, or a call without its result.
    #[test]
    fn no_call_is_parted_from_its_result_whatever_is_pinned_or_taken_out(
        picks in prop::collection::vec((0..4_u8, 0..2_usize, any::<bool>()), 0..5),
        window in 300..3_000_u32,
        unified in any::<bool>(),
    ) {
        let policy = if unified { Policy::unified() } else { Policy::two_stage() };
        let session = session(policy);
        let edits = picks.into_iter().map(|(kind, number, pinned)| {
            let request_id = turn(&session, number);
            let tool_call_id = call_of(&session, request_id);
            match kind {
                0 => ContextEdit::EmptyBox { request_id, tool_call_id },
                1 => ContextEdit::RemoveTurn { request_id },
                2 => ContextEdit::PinBox { request_id, tool_call_id, pinned },
                _ => ContextEdit::PinTurn { request_id, pinned },
            }
        });
        let played = Played::start(with(&session, policy, Some(window), edits.collect()));
        for request in &played.requests {
            let made: Vec<&str> = request.messages.iter().flat_map(|message| match message {
                Message::Assistant { tool_calls, .. } => tool_calls.iter().map(|call| call.id.as_str()).collect(),
                _ => Vec::new(),
            }).collect();
            let answered: Vec<&str> = request.messages.iter().filter_map(|message| match message {
                Message::Tool { call_id, .. } => Some(call_id.as_str()),
                _ => None,
            }).collect();
            prop_assert_eq!(made, answered);
        }
    }
}
