//! A9: messages that a person writes while a turn runs. They are sent in their order, each once, and never behind the person's back.

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{
    Answer, Code, Op, Outcome, Query, Queue, QueuedId, RequestId, SessionId, TurnEvent, TurnOptions,
    TurnReport, TurnState, Update,
};
use orion_providers::Providers;
use support::{Folder, Gate, Script, within};
use tokio::sync::broadcast::Receiver;

use crate::driver_desk::{Desk, options, to_end, tuning, turns_of};

async fn start(desk: &Desk, text: &str) -> RequestId {
    let (session_id, options) = (desk.session.session_id, TurnOptions::default());
    let Ok(Outcome::Turn { request_id }) =
        desk.engine.submit(Op::StartTurn { session_id, text: text.into(), options }).await
    else {
        panic!()
    };
    request_id
}

async fn queue(engine: &Engine, session_id: SessionId, text: &str) -> QueuedId {
    let op = Op::QueueMessage { session_id, text: text.into(), options: TurnOptions::default() };
    let Ok(Outcome::Queued { queued_id }) = engine.submit(op).await else { panic!() };
    queued_id
}

async fn queued(engine: &Engine, session_id: SessionId) -> (Vec<String>, bool) {
    let Ok(Answer::Queue { queue: Queue { messages, held } }) =
        engine.query(Query::Queue { session_id }).await
    else {
        panic!()
    };
    (messages.into_iter().map(|message| message.text).collect(), held)
}

/// Waits for the ends of so many turns.
async fn ends(updates: &mut Receiver<Update>, count: usize) -> Vec<TurnReport> {
    let mut reports = Vec::new();
    while reports.len() < count {
        if let Update::Event { envelope } = within("a turn to end", updates.recv()).await.unwrap()
            && let Some(report) = envelope.event.terminal()
        {
            reports.push(report.clone());
        }
    }
    reports
}

/// Waits until a queue is told of as this.
async fn told(updates: &mut Receiver<Update>, texts: &[&str], held: bool) {
    loop {
        if let Update::Queue { queue, .. } = within("word of the queue", updates.recv()).await.unwrap()
            && queue.held == held
            && queue.messages.iter().map(|message| message.text.as_str()).eq(texts.iter().copied())
        {
            return;
        }
    }
}

fn answers(script: Script, asked: &'static str) -> Script {
    script.turn(move |t| t.expect(move |ask| assert_eq!(ask.last_text(), asked)).text("Yes.").end("stop"))
}

#[tokio::test]
async fn what_was_queued_is_sent_in_its_order_after_each_answer() {
    let gate = Gate::new();
    let script = Script::new().turn(|t| t.text("One moment").hold(&gate).end("stop"));
    let model = answers(answers(script, "second, changed"), "third").start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    start(&desk, "first").await;
    gate.reached().await;
    let session_id = desk.session.session_id;
    queue(&desk.engine, session_id, "third").await;
    let second = queue(&desk.engine, session_id, "second").await;
    let gone = queue(&desk.engine, session_id, "never").await;
    desk.engine.submit(Op::MoveQueued { queued_id: second, to: 0 }).await.unwrap();
    desk.engine.submit(Op::EditQueued { queued_id: second, text: "second, changed".into() }).await.unwrap();
    desk.engine.submit(Op::RemoveQueued { queued_id: gone }).await.unwrap();
    told(&mut updates, &["second, changed", "third"], false).await;
    gate.open();
    ends(&mut updates, 3).await;
    assert_eq!(queued(&desk.engine, session_id).await, (Vec::new(), false));
    for turn in turns_of(&desk.engine, session_id).await {
        desk.check(&turn.envelopes).await;
    }
    let late = desk.engine.submit(Op::EditQueued { queued_id: second, text: "late".into() }).await;
    assert_eq!(late.unwrap_err().code, Code::NotWaiting);
    model.finish();
}

// H6
#[tokio::test]
async fn what_was_queued_waits_until_fewer_turns_run_than_may_at_once() {
    let (first, second) = (Gate::new(), Gate::new());
    let script = Script::new()
        .turn(|t| t.text("One moment").hold(&first).end("stop"))
        .turn(|t| t.text("One moment").hold(&second).end("stop"));
    let model = answers(answers(script, "meanwhile"), "queued").start();
    let desk = Desk::with(&model).await;
    desk.engine.bound_turns(1);
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    start(&desk, "first").await;
    first.reached().await;
    let session_id = desk.session.session_id;
    queue(&desk.engine, session_id, "queued").await;
    let elsewhere = async |text: &str| {
        let new = Op::NewSession { project_id: desk.session.project_id };
        let Outcome::Session { session } = desk.engine.submit(new).await.unwrap() else { panic!() };
        let (session_id, options) = (session.session_id, TurnOptions::default());
        desk.engine.submit(Op::StartTurn { session_id, text: text.into(), options }).await.unwrap();
    };
    elsewhere("other").await;
    second.reached().await;
    first.open();
    ends(&mut updates, 1).await;
    elsewhere("meanwhile").await;
    ends(&mut updates, 1).await;
    assert!(desk.engine.room(None).await.is_none());
    assert_eq!(queued(&desk.engine, session_id).await, (vec!["queued".to_owned()], false));
    second.open();
    ends(&mut updates, 2).await;
    assert_eq!(queued(&desk.engine, session_id).await, (Vec::new(), false));
    model.finish();
}

#[tokio::test]
async fn after_a_stop_the_queue_is_held_until_a_person_lets_it_go_on() {
    let script = Script::new().turn(|t| t.text("One moment").hang());
    let model = answers(answers(script, "second"), "third").start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    let request_id = start(&desk, "first").await;
    let session_id = desk.session.session_id;
    queue(&desk.engine, session_id, "second").await;
    queue(&desk.engine, session_id, "third").await;
    desk.engine.submit(Op::StopTurn { request_id }).await.unwrap();
    told(&mut updates, &["second", "third"], true).await;
    assert_eq!(turns_of(&desk.engine, session_id).await.len(), 1);
    desk.engine.submit(Op::ReleaseQueue { session_id }).await.unwrap();
    ends(&mut updates, 2).await;
    assert_eq!(queued(&desk.engine, session_id).await, (Vec::new(), false));
    model.finish();
}

#[tokio::test]
async fn a_message_that_is_sent_now_stops_the_turn_and_the_others_follow_it() {
    let script = Script::new().turn(|t| t.text("One moment").hang());
    let model = answers(answers(script, "urgent"), "later").start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    start(&desk, "first").await;
    let session_id = desk.session.session_id;
    queue(&desk.engine, session_id, "later").await;
    let queued_id = queue(&desk.engine, session_id, "urgent").await;
    desk.engine.submit(Op::SendQueued { queued_id }).await.unwrap();
    let reasons: Vec<_> = ends(&mut updates, 3).await.into_iter().map(|report| report.status).collect();
    use orion_protocol::TurnStatus::{Completed, Stopped};
    assert_eq!(reasons, [Stopped, Completed, Completed]);
    model.finish();
}

#[tokio::test]
async fn a_queue_that_is_taken_back_is_empty_and_nothing_of_it_is_sent() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("One moment").hold(&gate).end("stop")).start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    start(&desk, "first").await;
    let session_id = desk.session.session_id;
    queue(&desk.engine, session_id, "second").await;
    queue(&desk.engine, session_id, "third").await;
    let Outcome::Taken { messages } = desk.engine.submit(Op::TakeQueue { session_id }).await.unwrap() else {
        panic!()
    };
    assert_eq!(messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(), ["second", "third"]);
    gate.open();
    ends(&mut updates, 1).await;
    desk.engine.close().await.unwrap();
    model.finish();
}

// A5, A7
#[tokio::test]
async fn after_a_restart_the_queue_is_there_and_held() {
    let model = answers(Script::new().turn(|t| t.text("One moment").hang()), "second").start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    start(&desk, "first").await;
    let session_id = desk.session.session_id;
    queue(&desk.engine, session_id, "second").await;
    assert_eq!(queued(&desk.engine, session_id).await, (vec!["second".into()], false));
    let Desk { engine, data, folder: _folder, .. } = desk;
    engine.close().await.unwrap();
    drop(engine);

    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    engine.go_on_with_queues();
    let mut updates = engine.updates();
    assert_eq!(turns_of(&engine, session_id).await[0].state, TurnState::Interrupted);
    assert_eq!(queued(&engine, session_id).await, (vec!["second".into()], true));
    engine.submit(Op::ReleaseQueue { session_id }).await.unwrap();
    ends(&mut updates, 1).await;
    model.finish();
}

#[tokio::test]
async fn a_queue_whose_message_cannot_be_sent_is_held_and_says_why() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("One moment").hold(&gate).end("stop")).start();
    let desk = Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    let mut updates = desk.engine.updates();
    start(&desk, "first").await;
    let session_id = desk.session.session_id;
    let options = TurnOptions { endpoint: Some("gone".into()), ..TurnOptions::default() };
    desk.engine.submit(Op::QueueMessage { session_id, text: "second".into(), options }).await.unwrap();
    gate.open();
    let code = loop {
        if let Update::Problem { error } = within("the problem", updates.recv()).await.unwrap() {
            break error.code;
        }
    };
    assert_eq!(code, Code::NoEndpoint);
    assert_eq!(queued(&desk.engine, session_id).await, (vec!["second".into()], true));
    model.finish();
}

#[tokio::test]
async fn what_waits_for_a_turn_of_another_process_is_sent_here_once_that_was_answered() {
    let gate = Gate::new();
    let script = Script::new().turn(|t| t.text("One moment").hold(&gate).end("stop"));
    let model = answers(script, "second").start();
    let desk = Desk::with(&model).await;
    let session_id = desk.session.session_id;
    let turn = desk.ask("first").await;
    gate.reached().await;

    let options = options(&desk.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let window = Engine::open(options).await.unwrap();
    window.watch_neighbours().await;
    window.go_on_with_queues();
    let mut updates = window.updates();
    queue(&window, session_id, "second").await;
    // Each of them sees the same queue.
    assert_eq!(queued(&desk.engine, session_id).await, (vec!["second".into()], false));
    gate.open();
    let envelopes = within("the turn to end", to_end(turn)).await;
    assert!(matches!(envelopes.last().unwrap().event, TurnEvent::Completed { .. }));
    ends(&mut updates, 1).await;
    assert_eq!(queued(&desk.engine, session_id).await, (Vec::new(), false));
    model.finish();
}

#[tokio::test]
async fn a_message_for_a_session_that_is_not_there_or_without_text_is_refused() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let add = |session_id, text: &str| {
        desk.engine.submit(Op::QueueMessage {
            session_id,
            text: text.into(),
            options: TurnOptions::default(),
        })
    };
    let unknown = SessionId(desk.project.project_id.0);
    assert_eq!(add(unknown, "?").await.unwrap_err().code, Code::SessionUnknown);
    assert_eq!(add(desk.session.session_id, " \n").await.unwrap_err().code, Code::Usage);
    // Before the first turn nothing was answered, so nothing goes on by itself.
    add(desk.session.session_id, "first").await.unwrap();
    assert_eq!(queued(&desk.engine, desk.session.session_id).await, (vec!["first".into()], true));
}
