//! What single events of a turn come to in its trace (J2): one span each, with what a person wants to know of it.

use orion_core::context::Item;
use orion_core::model::{Message, ModelDelta, ModelNumbers};
use orion_core::trace::TraceFold;
use orion_core::turn::{Input, ModelInput, Supplied, TurnSetup};
use orion_protocol::{
    CallPartKind, Envelope, KeptFor, Policy, RepeatsChoice, Reply, Route, SpanStatus, TraceKind, TraceSpan,
};
use serde_json::{Value, json};

use crate::common::{Played, approval, call, finish, found, ids, limited, replied, setup, text, two_stage};
use crate::write_repeats::{choose, repeating};

fn spans(played: &Played) -> Vec<TraceSpan> {
    let durable: Vec<Envelope> =
        played.envelopes.iter().filter(|it| it.event.is_durable()).cloned().collect();
    TraceFold::all(&durable)
}

/// The last span of this kind.
fn last(played: &Played, kind: TraceKind) -> TraceSpan {
    spans(played).into_iter().rfind(|span| span.kind == kind).unwrap()
}

/// Some of its attributes, by name.
fn of<const N: usize>(span: &TraceSpan, names: [&str; N]) -> [Value; N] {
    names.map(|name| span.attributes.get(name).cloned().unwrap_or_default())
}

#[test]
fn calls_that_were_not_run_are_a_moment_with_their_names() {
    // P4
    let mut played = two_stage();
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}"), call(1, "c2", "ask", "{\"path\":\"b\"}")]);
    let span = last(&played, TraceKind::CallsBlocked);
    assert_eq!((span.name.as_str(), span.status), ("calls not run", SpanStatus::Refused));
    assert_eq!(of(&span, ["count", "names"]), [json!(1), json!("ask")]);
}

#[test]
fn a_message_that_returns_to_the_queue_is_a_moment() {
    // A9
    let mut played = two_stage();
    played.says([text("The answer ")]);
    played.input(Input::Steered { text: "And then?".to_owned() });
    played.answers([text("is 7."), finish("stop")]);
    let span = last(&played, TraceKind::Steer);
    assert_eq!((span.name.as_str(), span.status), ("queued", SpanStatus::Stopped));
    assert_eq!(of(&span, ["messages"]), [json!(1)]);
}

#[test]
fn a_choice_among_repeats_is_a_span_that_lasts_until_it_is_made() {
    // P11
    for (choice, status) in
        [(RepeatsChoice::KeepOne, SpanStatus::Ok), (RepeatsChoice::Discard, SpanStatus::Refused)]
    {
        let mut played = repeating();
        let span = last(&played, TraceKind::Approval);
        assert_eq!((span.name.as_str(), span.end_ms), ("repeats", None));
        assert_eq!(of(&span, ["write", "times"]), [json!(1), json!(196)]);
        choose(&mut played, choice);
        let span = last(&played, TraceKind::Approval);
        assert_eq!((span.name.as_str(), span.status, span.end_ms.is_some()), ("repeats", status, true));
        assert_eq!(of(&span, ["choice"]), [json!(choice)]);
    }
}

/// A session that fills the window of this turn.
fn full() -> TurnSetup {
    let long = Message::Assistant { text: "So. ".repeat(3_000), reasoning: None, tool_calls: Vec::new() };
    let history = vec![Item::from(Message::user("Why?")), long.into()];
    let numbers = ModelNumbers { window: Some(4_000), ..ModelNumbers::default() };
    TurnSetup { numbers, history, ..setup(Policy::two_stage()) }
}

#[test]
fn a_cut_is_a_moment_with_what_it_made_room_for() {
    // X3
    let span = last(&Played::start(full()), TraceKind::ContextCut);
    assert_eq!((span.name.as_str(), span.status), ("context cut", SpanStatus::Ok));
    assert_eq!(of(&span, ["cause", "room", "turns"]), [json!("full"), json!(3_000), json!(1)]);
}

#[test]
fn a_compaction_is_a_moment_with_what_it_left() {
    // X4
    let policy = Policy { max_cycles: 0, refusals_are_free: true, ..Policy::two_stage() };
    let numbers = ModelNumbers { window: Some(40_000), ..ModelNumbers::default() };
    let (text_of, compacts) = (String::new(), Some(Vec::new()));
    let mut played = Played::start(TurnSetup { policy, numbers, text: text_of, compacts, ..full() });
    played.answers([text("It was about why.")]);
    let span = last(&played, TraceKind::Compaction);
    assert_eq!((span.name.as_str(), span.status), ("compacted", SpanStatus::Ok));
    assert_eq!(of(&span, ["summaryBytes", "facts"]), [json!("It was about why.".len()), json!(0)]);
}

#[test]
fn an_answer_says_what_ran_and_an_approval_that_was_kept_is_a_moment() {
    // A1, A3
    let mut played = Played::start(setup(limited(Route::TwoStage, 9, 1, 3)));
    let asks = |played: &mut Played, path: &str| {
        played.says([call(0, "", "ask", &json!({ "path": path }).to_string())]);
    };
    asks(&mut played, "a");
    let arguments = json!({ "path": "b" }).as_object().cloned().unwrap();
    let digest = played.asked.unwrap();
    played.input(replied(digest, Reply::AllowEdited { arguments }));
    let span = last(&played, TraceKind::Approval);
    assert_eq!(of(&span, ["granted", "effective"]), [json!(true), json!("{\"line\":1,\"path\":\"b\"}")]);
    played.tool(found("b"));
    asks(&mut played, "c");
    let digest = played.asked.unwrap();
    let supplied = Supplied::Approval { approval_id: approval(1) };
    let reply = Reply::Allow { keep: Some(KeptFor::Session) };
    played.input(Input::Replied { digest, reply, supplied });
    let span = last(&played, TraceKind::Approval);
    assert_eq!(of(&span, ["keptAs"]), [json!("c")]);
    played.tool(found("c"));
    played.says([call(0, "", "ask", r#"{"path":"c","line":2}"#)]);
    let span = last(&played, TraceKind::Approval);
    assert_eq!((span.name.as_str(), span.end_ms), ("kept approval", Some(span.start_ms)));
    assert_eq!(of(&span, ["approvalId"]), [json!(approval(1))]);
}

#[test]
fn a_model_call_is_shown_anew_where_a_part_of_it_or_a_step_of_its_rate_begins() {
    // J2: not for each piece.
    let mut fold = TraceFold::default();
    let played = two_stage();
    for envelope in &played.envelopes {
        fold.apply(envelope);
    }
    let reasoning = |text: &str| ModelDelta::Reasoning { text: text.to_owned() };
    let mut says = |at_ms, delta| {
        let event = ModelInput::Deltas { deltas: vec![delta] };
        fold.take(at_ms, &Input::Model { call: 1, event })
    };
    let first = says(2_000, text("a")).unwrap();
    assert_eq!((first.first_byte_ms, first.end_ms, first.request_id), (Some(2_000), None, ids().request_id));
    assert_eq!(says(2_010, text("b")), None, "neither");
    let kinds: Vec<_> =
        says(2_020, reasoning("c")).unwrap().parts.iter().map(|it| (it.kind, it.bytes)).collect();
    let expected = [(CallPartKind::FirstToken, 0), (CallPartKind::Text, 2), (CallPartKind::Reasoning, 1)];
    assert_eq!(kinds, expected, "a part");
    assert_eq!(says(2_300, reasoning("d")).unwrap().stream.unwrap().bytes, [3, 1], "a step");
}
