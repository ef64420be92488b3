//! What fills the room before a message is sent, and what it would cut (X2, X3).

use orion_core::context::{Gauge, Item};
use orion_core::model::{Message, ModelNumbers};
use orion_core::turn::{Turn, TurnSetup};
use orion_protocol::{ContextKind, ContextLoss, ContextView, Policy, TurnEvent};
use proptest::prelude::*;

use crate::common::{Played, call, found, setup, text};
use crate::context_turns::Session;
use crate::thorough::cases;

/// A session of so many turns, each with a result of so many bytes.
fn session(turns: u32, bytes: usize) -> Session {
    let mut session = Session::default();
    for number in 0..turns {
        let mut played = session.turn(Policy::two_stage(), &format!("Question {number}"));
        played.says([call(0, "", "read", &format!("{{\"path\":\"{number}.txt\"}}"))]);
        played.tool(found(&"x".repeat(bytes)));
        played.says([text("Done.")]).ends();
        session.end(&played);
    }
    session
}

fn next(session: &Session, window: Option<u32>, message: &str) -> TurnSetup {
    let numbers = ModelNumbers { window, ..ModelNumbers::default() };
    TurnSetup {
        numbers,
        history: session.items.clone(),
        text: message.to_owned(),
        ..setup(Policy::two_stage())
    }
}

/// What the turn itself cuts before its first call.
fn cuts(played: &Played) -> (usize, u32) {
    let mut cut = (0, 0);
    for event in played.events() {
        if let TurnEvent::ContextCut { boxes, turns, .. } = event {
            cut = (cut.0 + boxes.len(), cut.1 + turns.iter().map(|turns| turns.messages).sum::<u32>());
        }
    }
    cut
}

#[test]
fn the_parts_are_all_of_the_request_each_result_by_its_call_and_a_turn_by_its_message() {
    let session = session(2, 1_000);
    let mut setup = next(&session, Some(32_768), "");
    setup.system = "You are.\n\nThe project's own instructions (AGENTS.md):\nBe brief.\n".to_owned();
    let tools = setup.tools.bytes();
    let ContextView { parts, tokens, room, answer, counted, cut, .. } = Turn::outlook(setup.clone());
    assert_eq!((room, answer, counted, cut), (24_576, 8_192, false, None));
    let shown: Vec<_> = parts.iter().map(|part| (part.kind, part.text.as_str(), part.count)).collect();
    assert_eq!(
        shown,
        [
            (ContextKind::System, "", 1),
            (ContextKind::Instructions, "", 1),
            (ContextKind::Tools, "", 4),
            (ContextKind::Turn, "Question 0", 3),
            (ContextKind::Turn, "Question 1", 3),
        ]
    );
    assert_eq!(
        [parts[0].bytes, parts[1].bytes, parts[2].bytes],
        ["You are.\n".len() as u64, setup.system.len() as u64 - 9, tools]
    );
    let history: u64 = session.items.iter().map(|item| item.bytes() as u64).sum();
    assert_eq!(parts[3].bytes + parts[4].bytes, history);
    assert_eq!(tokens, (setup.system.len() as u64 + tools + history).div_ceil(4));
    let boxes: Vec<_> = parts.iter().flat_map(|part| &part.boxes).collect();
    let calls: Vec<_> =
        boxes.iter().map(|it| (it.name.as_str(), it.arguments["path"].as_str(), it.emptied)).collect();
    assert_eq!(calls, [("read", Some("0.txt"), false), ("read", Some("1.txt"), false)]);
    assert!(boxes.iter().all(|it| it.bytes > 1_000 && it.tokens == it.bytes.div_ceil(4)), "{boxes:?}");
    assert_eq!(parts[4].request_id, session.items.last().unwrap().turn);
}

// X2: the answer gets the smallest of the three.
#[test]
fn the_room_is_that_of_the_turn() {
    let limits = [(Some(1_000_000), None), (Some(200_000), Some(64_000)), (Some(200_000), Some(8_192))];
    let rooms = limits.map(|(window, max_output_tokens)| {
        let numbers = ModelNumbers { window, max_output_tokens, ..ModelNumbers::default() };
        let view = Turn::outlook(TurnSetup { numbers, ..setup(Policy::two_stage()) });
        (view.answer, view.room)
    });
    assert_eq!(rooms, [(32_768, 967_232), (32_768, 167_232), (8_192, 191_808)]);
}

#[test]
fn a_part_that_has_nothing_is_not_shown_and_a_turn_is_pinned_where_all_of_it_is() {
    let mut session = session(2, 1_000);
    for item in session.items.iter_mut().take(4) {
        item.pinned = true;
    }
    let mut setup = next(&session, None, "");
    setup.changes = "The mode is act now.".to_owned();
    let view = Turn::outlook(setup.clone());
    let kinds: Vec<_> = view.parts.iter().map(|part| (part.kind, part.pinned)).collect();
    let expected = [
        (ContextKind::System, false),
        (ContextKind::Tools, false),
        (ContextKind::Turn, true),
        (ContextKind::Turn, false),
    ];
    assert_eq!(kinds, expected, "no instructions: there are none");
    assert_eq!(view.parts[0].bytes, (setup.system.len() + setup.changes.len()) as u64);
}

#[test]
fn tokens_follow_the_count_of_the_provider() {
    let setup = next(&session(1, 4_000), None, "");
    let Ok(gauge) = serde_json::from_str::<Gauge>(r#"{"tokens":1000,"bytes":2000}"#) else { panic!() };
    let before = Turn::outlook(setup.clone());
    let after = Turn::outlook(TurnSetup { gauge, ..setup });
    assert_eq!((before.counted, after.counted, before.room, before.window), (false, true, 0, None));
    let bytes: u64 = after.parts.iter().map(|part| part.bytes).sum();
    assert_eq!((before.tokens, after.tokens), (bytes.div_ceil(4), bytes.div_ceil(2)));
}

#[test]
fn a_message_of_an_earlier_orion_begins_a_turn_of_its_own() {
    let said = |text: &str| Item::from(Message::user(text));
    let answered = Message::Assistant { text: "A".into(), reasoning: None, tool_calls: Vec::new() };
    let history = vec![said("One"), answered.into(), said("Two")];
    let view = Turn::outlook(TurnSetup { history, ..setup(Policy::two_stage()) });
    let turns: Vec<_> = view.parts.iter().filter(|part| part.kind == ContextKind::Turn).collect();
    let turns: Vec<_> = turns.iter().map(|part| (part.text.as_str(), part.count, part.request_id)).collect();
    assert_eq!(turns, [("One", 2, None), ("Two", 1, None)]);
}

// X3
#[test]
fn what_cannot_fit_is_said_before_it_is_refused() {
    let setup = next(&Session::default(), Some(64), "");
    let cut = Turn::outlook(setup).cut;
    let nothing =
        ContextLoss { results: 0, of_results: 0, messages: 0, of_messages: 0, earlier: false, fits: false };
    assert_eq!(cut, Some(nothing));
}

proptest! {
    #![proptest_config(cases(500))]

    // X3
    #[test]
    fn what_is_said_to_leave_is_what_leaves(turns in 0..12_u32, bytes in 1..4_000_usize, window in 200..20_000_u32) {
        let setup = next(&session(turns, bytes), Some(window), "");
        let cut = Turn::outlook(setup.clone()).cut;
        let told = cut.map_or((0, 0), |cut| (cut.results as usize, cut.messages));
        let played = Played::start(setup);
        prop_assert_eq!(told, cuts(&played));
        prop_assert_eq!(cut.is_none_or(|cut| cut.fits), !played.requests.is_empty());
        if let Some(cut) = cut {
            prop_assert!(cut.results <= cut.of_results && cut.messages <= cut.of_messages);
        }
    }
}

// X3
#[test]
fn a_loss_of_messages_alone_is_told_and_so_is_one_of_what_was_too_far_back() {
    let said = |text: String| Message::Assistant { text, reasoning: None, tool_calls: Vec::new() };
    let mut session = Session::default();
    for number in 0..6 {
        let mut played = session.turn(Policy::two_stage(), &format!("Question {number}"));
        played.says([text(&"word ".repeat(300))]).ends();
        session.end(&played);
    }
    let cut = Turn::outlook(next(&session, Some(2_800), "")).cut.unwrap();
    assert_eq!((cut.results, cut.of_results, cut.earlier, cut.fits), (0, 0, false, true));
    assert!(cut.messages > 0);
    let history = vec![Item::from(Message::user("One")), said("A".to_owned()).into()];
    let far = TurnSetup { history, has_earlier: true, ..next(&Session::default(), Some(32_768), "") };
    let cut = Turn::outlook(far).cut.unwrap();
    assert_eq!((cut.results, cut.messages, cut.earlier, cut.fits), (0, 0, true, true));
}
