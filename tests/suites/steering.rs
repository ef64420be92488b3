//! A9 at the wire: a message that a person gives to the running turn is in the next request, once, after the boxes.

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Answer, Code, Op, Query, RequestId, StopReason, TurnEvent, TurnOptions, Update};
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{Gate, Script, within};

use crate::driver_desk::{Desk, options, to_end, tuning, until_shown};

async fn steer(engine: &Engine, request_id: RequestId, text: &str) {
    engine.submit(Op::Steer { request_id, text: text.into() }).await.unwrap();
}

/// The role and the text of each message of a request.
fn said(body: &Value) -> Vec<(String, String)> {
    let messages = body["messages"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    messages.map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

fn times(body: &Value, text: &str) -> usize {
    body.to_string().matches(text).count()
}

#[tokio::test]
async fn it_is_the_persons_message_after_the_box_and_the_next_turn_has_it_in_its_place() {
    // P12, X1, T5
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            t.text("I look. ").hold(&gate).call("read_file", json!({"path": "a.txt"})).end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| {
                let said = said(&ask.body);
                let (role, text) = said.last().unwrap();
                assert_eq!((role.as_str(), text.as_str()), ("user", "Only its length, please."));
                assert!(said[said.len() - 2].1.contains("alpha"), "{said:?}");
                assert_eq!(times(&ask.body, "Only its length"), 1);
            })
            .text("Six bytes.")
            .end("stop")
        })
        .turn(|t| {
            t.expect(|ask| {
                let said: Vec<_> = said(&ask.body).into_iter().map(|(role, _)| role).collect();
                assert_eq!(said, ["system", "user", "assistant", "system", "user", "assistant", "user"]);
                assert_eq!(times(&ask.body, "Only its length"), 1);
            })
            .text("You are welcome.")
            .end("stop")
        })
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("What is in a.txt?").await;
    let mut envelopes = until_shown(&mut turn, "I look.").await;
    steer(&desk.engine, turn.request_id(), "Only its length, please.").await;
    gate.open();
    envelopes.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&envelopes).await;
    let report = envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.stop_reason, report.steered, report.model_calls), (StopReason::Answered, 1, 2));
    // The context view counts it.
    let (session_id, options) = (desk.session.session_id, TurnOptions::default());
    let Answer::Context { view } = desk.engine.query(Query::Context { session_id, options }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(view.parts.last().unwrap().count, 5);
    desk.turn("Thank you.").await;
    model.finish();
}

#[tokio::test]
async fn where_a_template_refuses_late_system_messages_it_is_joined_to_the_box() {
    // R1
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            t.text("I look. ").hold(&gate).call("read_file", json!({"path": "a.txt"})).end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| {
                let said = said(&ask.body);
                let roles: Vec<_> = said.iter().map(|(role, _)| role.as_str()).collect();
                assert_eq!(roles, ["system", "user", "assistant", "user"]);
                let last = &said.last().unwrap().1;
                assert!(last.contains("alpha") && last.ends_with("\n\nOnly its length, please."), "{last}");
            })
            .text("Six bytes.")
            .end("stop")
        })
        .start();
    let desk = Desk::sent_as(&model, "user").await;
    let mut turn = desk.ask("What is in a.txt?").await;
    until_shown(&mut turn, "I look.").await;
    steer(&desk.engine, turn.request_id(), "Only its length, please.").await;
    gate.open();
    within("the turn to end", to_end(turn)).await;
    model.finish();
}

#[tokio::test]
async fn what_no_call_is_left_for_is_sent_first_when_the_turn_was_answered() {
    let gate = Gate::new();
    let answers = |script: Script, asked: &'static str| {
        script.turn(move |t| t.expect(move |ask| assert_eq!(ask.last_text(), asked)).text("Yes.").end("stop"))
    };
    let script = Script::new().turn(|t| t.text("It is ").hold(&gate).text("six.").end("stop"));
    let model = answers(answers(answers(script, "Sure?"), "Really?"), "Then go on.").start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    let mut turn = desk.ask("How long is a.txt?").await;
    until_shown(&mut turn, "It is").await;
    let session_id = desk.session.session_id;
    let queue = Op::QueueMessage { session_id, text: "Then go on.".into(), options: TurnOptions::default() };
    desk.engine.submit(queue).await.unwrap();
    steer(&desk.engine, turn.request_id(), "Sure?").await;
    steer(&desk.engine, turn.request_id(), "Really?").await;
    gate.open();
    let envelopes = within("the turn to end", to_end(turn)).await;
    let last = &envelopes[envelopes.len() - 2].event;
    assert!(matches!(last, TurnEvent::Queued { messages: 2 }), "{last:?}");
    let mut ended = 0;
    while ended < 4 {
        if let Update::Event { envelope } = within("a turn to end", updates.recv()).await.unwrap() {
            ended += u32::from(envelope.event.terminal().is_some());
        }
    }
    model.finish();
}

#[tokio::test]
async fn after_a_stop_it_is_first_in_a_queue_that_is_held_and_an_ended_turn_takes_none() {
    let model = Script::new().turn(|t| t.text("It is ").hang()).start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut turn = desk.ask("How long is a.txt?").await;
    until_shown(&mut turn, "It is").await;
    let request_id = turn.request_id();
    steer(&desk.engine, request_id, "Sure?").await;
    desk.engine.submit(Op::StopTurn { request_id }).await.unwrap();
    within("the turn to end", to_end(turn)).await;
    let Answer::Queue { queue } =
        desk.engine.query(Query::Queue { session_id: desk.session.session_id }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!((queue.messages.len(), queue.messages[0].text.as_str(), queue.held), (1, "Sure?", true));
    assert_eq!(queue.messages[0].options.model.as_deref(), Some("scripted"));
    let late = desk.engine.submit(Op::Steer { request_id, text: "?".into() }).await.unwrap_err();
    assert_eq!(late.code, Code::TurnOver);
    model.finish();
}

// A5
#[tokio::test]
async fn it_survives_the_process_and_is_in_the_first_request_after_it_once() {
    let model = Script::new()
        .turn(|t| t.text("I think ").hang())
        .turn(|t| {
            t.expect(|ask| {
                assert_eq!(said(&ask.body).last().unwrap().1, "Be brief.");
                assert_eq!(times(&ask.body, "Be brief."), 1);
            })
            .text("Six.")
            .end("stop")
        })
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("How long is a.txt?").await;
    until_shown(&mut turn, "I think").await;
    let request_id = turn.request_id();
    steer(&desk.engine, request_id, "Be brief.").await;
    let Desk { engine, data, folder, project, session } = desk;
    engine.close().await.unwrap();
    drop((engine, turn));

    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    let turn = engine.resume_turn(request_id, None).await.unwrap();
    within("the turn to end", to_end(turn)).await;
    assert!(engine.replay(request_id).await.unwrap().is_same(), "T5");
    drop((folder, project, session));
    model.finish();
}
