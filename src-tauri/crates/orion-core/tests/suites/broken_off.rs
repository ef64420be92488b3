//! What a session is given of a turn whose process died, when it goes on without it (X1).

use orion_core::context::{About, Item};
use orion_core::model::Message;
use orion_core::tool::ToolOutcome;
use orion_core::turn::Input;
use orion_protocol::{NoticeCode, Policy, Route, TurnEvent};

use crate::acts::{opening, ready};
use crate::common::{Played, call, found, limited, setup, text, two_stage};
use crate::turn_writes::opened;

fn left(played: &Played) -> Vec<Item> {
    played.turn.broken_off().conversation().left(false)
}

/// What a stop leaves at the same place.
fn stopped(played: &Played) -> Vec<Item> {
    let mut turn = played.turn.clone();
    turn.step(played.now_ms, Input::Stop);
    turn.conversation().left(turn.has_failed())
}

fn texts(items: &[Item]) -> Vec<&str> {
    let text = |item: &Item| match &item.message {
        Message::System { .. } | Message::Tool { .. } => None,
        Message::User { .. } | Message::Assistant { .. } => Some(()),
    };
    items.iter().filter(|item| text(item).is_some()).map(said).collect()
}

fn said(item: &Item) -> &str {
    match &item.message {
        Message::System { text }
        | Message::User { text, .. }
        | Message::Assistant { text, .. }
        | Message::Tool { text, .. } => text,
    }
}

/// Turns at every kind of place where a stop leaves all that there is to say.
fn places() -> Vec<(&'static str, Played)> {
    let mut all = vec![("nothing has come", two_stage())];
    let mut answering = two_stage();
    answering.says([text("I look. "), call(0, "r", "read", "{\"path\":\"a\"}")]).tool(found("x"));
    answering.says([text("It says ")]);
    all.push(("an answer", answering));
    let mut running = two_stage();
    running.says([text("I look."), call(0, "r", "read", "{\"path\":\"a\"}")]);
    all.push(("a read", running));
    let mut asking = two_stage();
    asking.says([call(0, "q", "ask", "{\"path\":\"a\"}")]);
    all.push(("a question whether a call may run", asking));
    let mut batch = Played::start(setup(limited(Route::Unified, 5, 5, 3)));
    batch
        .says([call(0, "1", "read", "{\"path\":\"a\"}"), call(1, "2", "read", "{\"path\":\"b\"}")])
        .ends()
        .tool(found("x"));
    all.push(("the second of two calls", batch));
    let mut malformed = two_stage();
    malformed.answers([call(0, "1", "read", "{\"path\":")]);
    all.push(("after a call that never parses", malformed));
    all
}

#[test]
fn it_is_what_a_stop_at_that_place_would_leave() {
    for (place, played) in places() {
        assert_eq!(left(&played), stopped(&played), "{place}");
        assert!(!played.turn.is_over(), "A5: the turn itself can be resumed");
    }
    let (_, answering) = places().remove(1);
    assert_eq!(texts(&left(&answering)), ["I look. ", "It says "]);
    assert!(left(&answering).iter().any(|item| item.whole_box().is_some()));
}

#[test]
fn of_a_change_that_had_begun_it_is_said_that_its_outcome_is_unknown() {
    // A5
    for route in [Route::TwoStage, Route::Unified] {
        let mut played = Played::start(setup(limited(route, 5, 5, 3)));
        played.says([call(0, "q", "ask", "{\"path\":\"a\"}")]).ends();
        assert_eq!(left(&played), stopped(&played), "it was not allowed yet");
        played.allow(true);
        let items = left(&played);
        let told = items.iter().rev().find(|item| item.whole_box().is_some()).map(said).unwrap();
        assert!(told.contains("call q: ask ") && told.contains("what it did is not known"), "{told}");
        let calls = items.iter().flat_map(Item::call_ids).filter(|id| *id == "q").count();
        assert_eq!(calls, if route == Route::Unified { 3 } else { 1 }, "a call has its result: {items:?}");
    }
}

/// The last thing that is said.
fn last(played: &Played) -> String {
    let items = left(played);
    let last = items.last().unwrap();
    assert_eq!(last.about, Some(About::Write), "{items:?}");
    said(last).to_owned()
}

#[test]
fn of_a_file_that_was_being_written_it_is_said_what_became_of_it() {
    // W7
    let not = "not written: the file is as it was.\nError: Orion was closed before the file was written.";
    let sent = "(The content for a was sent in a write session.)";
    let mut played = opened(Policy::two_stage());
    assert!(last(&played).contains(not) && !texts(&left(&played)).contains(&sent));
    played.says([text("one\n")]);
    assert!(last(&played).contains(not) && texts(&left(&played)).contains(&sent));
    played.answers([text("DONE")]);
    assert!(last(&played).contains(not), "before it is proposed");
    played.proposed(ready("one\n"));
    assert!(last(&played).contains(not), "before it is approved");
    played.allow(true);
    assert!(last(&played).contains("unknown: whether a was written cannot be told."), "{}", last(&played));
    // A session that a call has opened, before it begins.
    let mut batch = Played::start(setup(limited(Route::Unified, 5, 5, 3)));
    batch
        .says([
            call(0, "1", "write_plan_begin", "{\"path\":\"a\"}"),
            call(1, "2", "read", "{\"path\":\"b\"}"),
        ])
        .ends()
        .tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
    assert!(last(&batch).contains(not));
}

#[test]
fn what_the_person_gave_to_the_turn_is_not_lost() {
    // A9
    let mut played = two_stage();
    played.says([call(0, "r", "read", "{\"path\":\"a\"}")]).input(Input::Steered { text: "Mind b.".into() });
    assert_eq!(texts(&left(&played)), ["Mind b."]);
    played.tool(found("x"));
    assert_eq!(texts(&left(&played)), ["Mind b."], "a request has held it");
}

#[test]
fn a_person_is_told_where_the_turn_before_cannot_be_known() {
    // T8
    let told = |forgets| {
        let played = Played::start(orion_core::turn::TurnSetup { forgets, ..setup(Policy::two_stage()) });
        let is_it =
            |event: &TurnEvent| matches!(event, TurnEvent::Notice { code: NoticeCode::Forgotten, .. });
        played.events().any(is_it)
    };
    assert_eq!([told(true), told(false)], [true, false]);
}
