//! Messages that a person gives to the running turn (A9): where the model reads them, what they cost, and what becomes of those it does not read.

use orion_core::context::Item;
use orion_core::model::Message;
use orion_core::tool::ToolOutcome;
use orion_core::trace::TraceFold;
use orion_core::turn::{Input, ModelInput, TurnSetup, Unfit, Verdict};
use orion_protocol::{
    Code, ErrorInfo, Mode, PauseRequest, Policy, Reply, Route, StopReason, TraceKind, TurnEvent, TurnOptions,
};
use serde_json::json;

use crate::acts::{opening, ready};
use crate::common::{
    Played, WRITE_PLAN_BEGIN, call, finish, found, limited, replied, setup, text, two_stage, yes_or_no,
};

fn steer(played: &mut Played, text: &str) {
    let input = Input::Steered { text: text.to_owned() };
    assert_eq!(played.turn.verdict(&input), Some(Verdict::Taken));
    played.input(input);
}

fn user(text: &str) -> Message {
    Message::user(text)
}

/// Who said what in the last request, a word for each message.
fn roles(played: &Played) -> Vec<&str> {
    let role = |message: &Message| match message {
        Message::System { text } if text.starts_with("Result of call") => "box",
        Message::System { .. } => "system",
        Message::User { .. } => "user",
        Message::Assistant { .. } => "assistant",
        Message::Tool { .. } => "tool",
    };
    played.messages().iter().map(role).collect()
}

fn left(played: &Played, failed: bool) -> Vec<Message> {
    played.turn.conversation().left(failed).into_iter().map(|item: Item| item.message).collect()
}

fn report(played: &Played) -> orion_protocol::TurnReport {
    played.events().last().and_then(TurnEvent::terminal).expect("it has ended").clone()
}

#[test]
fn a_steered_message_follows_the_boxes_of_the_next_request_and_stays_there() {
    // A9, P12
    for route in [Route::TwoStage, Route::Unified] {
        let mut played = Played::start(setup(limited(route, 3, 1, 3)));
        played.says([text("I look."), call(0, "c1", "read", "{\"path\":\"a\"}")]).ends();
        steer(&mut played, "Only the first line.");
        assert_eq!(played.requests.len(), 1, "it calls nothing by itself");
        played.tool(found("x"));
        let result = if route == Route::Unified { "tool" } else { "box" };
        assert_eq!(roles(&played), ["system", "user", "assistant", result, "user"]);
        assert_eq!(played.messages().last(), Some(&user("Only the first line.")));
        let before = played.messages().to_vec();
        played.says([call(0, "c2", "read", "{\"path\":\"b\"}")]).ends().tool(found("y"));
        assert_eq!(played.messages()[..before.len()], before[..], "P12: what was sent stays sent");
        played.answers([text("One line."), finish("stop")]);
        let report = report(&played);
        assert_eq!((report.stop_reason, report.steered), (StopReason::Answered, 1));
        assert_eq!(played.turn.unsteered(), [] as [String; 0]);
        // X1: the next turn is given it in its place.
        let given = left(&played, false);
        assert_eq!(given.iter().filter(|message| matches!(message, Message::User { .. })).count(), 1);
        assert_eq!(given[2], user("Only the first line."));
    }
}

#[test]
fn a_steered_message_costs_nothing() {
    // A9, T4
    let play = |steers: bool| {
        let mut played = Played::start(setup(limited(Route::TwoStage, 1, 1, 1)));
        if steers {
            steer(&mut played, "one");
        }
        played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]);
        if steers {
            steer(&mut played, "two");
        }
        played.tool(found("x")).answers([text("That is it."), finish("stop")]);
        let report = report(&played);
        (report.cycles, report.tool_runs, report.model_calls, report.bounds, report.stop_reason)
    };
    assert_eq!(play(true), play(false));
}

#[test]
fn the_event_stands_where_the_message_came_and_the_trace_has_it() {
    let mut played = two_stage();
    played.says([text("I look. ")]);
    steer(&mut played, "Be brief.");
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]).tool(found("x")).answers([text("It is x.")]);
    let kinds: Vec<&str> = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::TextChunk { .. } => Some("text"),
            TurnEvent::Steered { text } => {
                assert_eq!(text, "Be brief.");
                Some("steered")
            }
            TurnEvent::ToolCall { .. } => Some("call"),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, ["text", "steered", "call", "text"]);
    let durable: Vec<_> = played.envelopes.iter().filter(|it| it.event.is_durable()).cloned().collect();
    let spans = TraceFold::all(&durable);
    let span = spans.iter().find(|span| span.kind == TraceKind::Steer).unwrap();
    assert_eq!(json!(span.attributes), json!({ "text": "Be brief.", "bytes": 9 })); // J2
}

#[test]
fn what_no_call_is_left_for_is_first_in_the_queue_and_not_in_the_conversation() {
    // A9
    let mut played = two_stage();
    played.says([text("The answer ")]);
    steer(&mut played, "And then?");
    played.answers([text("is 7."), finish("stop")]);
    let before_last: Vec<_> = played.events().collect();
    assert!(matches!(before_last[before_last.len() - 2], TurnEvent::Queued { messages: 1 }));
    assert_eq!((report(&played).stop_reason, report(&played).steered), (StopReason::Answered, 0));
    assert!(played.turn.is_answered());
    assert_eq!(played.turn.unsteered(), ["And then?"]);
    assert!(!left(&played, false).contains(&user("And then?")));
    let options = TurnOptions {
        mode: Some(Mode::Act),
        endpoint: Some("test".into()),
        model: Some("scripted".into()),
        ..TurnOptions::default()
    };
    assert_eq!(played.turn.options(), options);
}

#[test]
fn the_forced_final_answer_is_given_it_too() {
    // P3
    let mut played = Played::start(setup(limited(Route::TwoStage, 1, 1, 1)));
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]);
    steer(&mut played, "In one word.");
    played.tool(found("x"));
    assert_eq!(played.messages().last(), Some(&user("In one word.")));
    assert!(played.requests.last().unwrap().forbids_tools);
}

#[test]
fn a_write_session_is_not_given_it_and_the_answer_after_it_is() {
    // A9, W2
    let mut played = two_stage();
    played.says([text("I write it."), call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    steer(&mut played, "In one line.");
    played.tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
    steer(&mut played, "Call it b.");
    played.answers([text("one\nDONE\n"), finish("stop")]);
    played.proposed(ready("one\n"));
    let content: Vec<_> = played.requests[1..].iter().flat_map(|request| &request.messages).collect();
    assert!(!content.contains(&&user("Call it b.")) && !content.contains(&&user("In one line.")));
    let digest = played.asked.unwrap();
    played.input(yes_or_no(digest, false));
    let last = &played.messages()[played.messages().len() - 2..];
    assert_eq!(last, [user("In one line."), user("Call it b.")]);
}

#[test]
fn while_the_turn_waits_or_is_paused_it_waits_too() {
    // A7, A2
    let mut played = two_stage();
    played.says([call(0, "q", "ask", "{\"path\":\"a\"}")]);
    let asked = played.turn.pending().unwrap().digest;
    steer(&mut played, "Do not.");
    assert_eq!((played.requests.len(), played.turn.pending().unwrap().digest), (1, asked));
    played.input(Input::Pause { pause: PauseRequest::Next });
    played.allow(false);
    let digest = played.turn.pending().unwrap().digest;
    steer(&mut played, "Look elsewhere.");
    assert_eq!(played.requests.len(), 1);
    played.input(replied(digest, Reply::Resume { edits: Vec::new() }));
    let last = &played.messages()[played.messages().len() - 2..];
    assert_eq!(last, [user("Do not."), user("Look elsewhere.")]);
}

#[test]
fn a_request_that_failed_leaves_it_to_the_next_turn_and_one_that_was_never_made_to_the_queue() {
    // X1, X3
    let failed = |error: Code| ModelInput::Failed { error: ErrorInfo::new(error, "No.", "") };
    let mut played = two_stage();
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]);
    steer(&mut played, "Hurry.");
    played.tool(found("x")).model(failed(Code::Connection));
    assert!(played.turn.has_failed() && played.turn.unsteered().is_empty());
    assert_eq!(left(&played, true).last(), Some(&user("Hurry.")));

    let mut played = two_stage();
    played.says([text("One ")]);
    steer(&mut played, "Hurry.");
    played.model(failed(Code::Connection));
    assert_eq!(played.turn.unsteered(), ["Hurry."]);
    assert!(!left(&played, true).contains(&user("Hurry.")));

    // One for which there is no room was in no request.
    let numbers = orion_core::model::ModelNumbers { window: Some(8_000), ..Default::default() };
    let mut played = Played::start(TurnSetup { numbers, ..setup(Policy::two_stage()) });
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]);
    let long = "word ".repeat(20_000);
    steer(&mut played, &long);
    played.tool(found("x"));
    assert_eq!(report(&played).error.unwrap().code, Code::ContextTooLong);
    assert_eq!(played.turn.unsteered(), [long.as_str()]);
    assert_eq!(report(&played).steered, 0);
}

#[test]
fn a_compaction_and_a_turn_that_is_over_take_none() {
    let policy = Policy { max_cycles: 0, ..Policy::two_stage() };
    let compacting = TurnSetup {
        compacts: Some(Vec::new()),
        text: String::new(),
        history: vec![user("Hello.").into()],
        ..setup(policy)
    };
    let mut played = Played::start(compacting);
    let input = Input::Steered { text: "?".to_owned() };
    assert_eq!(played.turn.verdict(&input), Some(Verdict::Unfit(Unfit::NotSteered)));
    let events = played.envelopes.len();
    played.input(input.clone());
    assert_eq!(played.envelopes.len(), events);
    played.input(Input::Interrupted);
    assert_eq!(played.turn.verdict(&input), Some(Verdict::NotWaiting));
    played.input(Input::Stop);
    assert_eq!(played.turn.verdict(&input), Some(Verdict::NotWaiting));
}
