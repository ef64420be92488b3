//! What a person takes out of a conversation or pins, from their choice to the message that takes it (X3).

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{
    Answer, CallId, ContextEdit, ContextView, Op, Outcome, Query, SessionId, TurnEvent, TurnOptions,
};
use orion_providers::Providers;
use serde_json::json;
use support::{Script, within};

use crate::driver_desk::{Desk, options, to_end, tuning};

async fn view(engine: &Engine, session_id: SessionId) -> ContextView {
    let query = Query::Context { session_id, options: TurnOptions::default() };
    let Answer::Context { view } = engine.query(query).await.unwrap() else { panic!() };
    view
}

#[tokio::test]
async fn what_is_taken_out_by_hand_survives_a_restart_and_goes_with_the_next_message_alone() {
    let read = json!({"path": "a.txt"});
    let model = Script::new()
        .turn(|t| t.call("read_file", read).end("tool_calls"))
        .turn(|t| t.text("It says hello.").end("stop"))
        .turn(|t| t.text("Summed up.").end("stop"))
        .turn(|t| t.text("Sure.").end("stop"))
        .turn(|t| t.text("Yes.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let session_id = desk.session.session_id;
    desk.turn("What is in a.txt?").await;
    let before = view(&desk.engine, session_id).await;
    let part = before.parts.last().unwrap();
    let (request_id, tool_call_id) = (part.request_id.unwrap(), part.boxes[0].tool_call_id.clone());
    let edits = vec![
        ContextEdit::EmptyBox { request_id, tool_call_id },
        ContextEdit::PinTurn { request_id, pinned: true },
    ];
    let keep = Op::EditContext { session_id, edits: edits.clone() };
    assert_eq!(desk.engine.submit(keep).await, Ok(Outcome::Done));
    desk.engine.close().await.unwrap();

    let options = options(&desk.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    let again = view(&engine, session_id).await;
    assert_eq!(again, ContextView { edits: edits.clone(), ..before });
    // A compaction is not the person's message. This one is too long to take the place of anything.
    let summary = engine.run_compaction(session_id, TurnOptions::default()).await.unwrap();
    within("the compaction", to_end(summary)).await;
    assert_eq!(view(&engine, session_id).await.edits, edits);

    let cuts = async |text: &str| {
        let turn = engine.run_turn(session_id, text.into(), TurnOptions::default()).await.unwrap();
        let envelopes = within("the turn to end", to_end(turn)).await;
        let cut = |event: &TurnEvent| match event {
            TurnEvent::ContextCut { boxes, pins, .. } => Some((boxes.len(), *pins)),
            _ => None,
        };
        envelopes.iter().filter_map(|envelope| cut(&envelope.event)).collect::<Vec<_>>()
    };
    let (first, second) = (cuts("Are you sure?").await, cuts("Really?").await);
    assert_eq!(first.iter().map(|(boxes, _)| boxes).sum::<usize>(), 1, "{first:?}");
    assert!(first.iter().any(|(_, pins)| *pins > 0), "{first:?}");
    assert_eq!(second, []);
    let after = view(&engine, session_id).await;
    assert_eq!(after.edits, []);
    assert!(after.parts.iter().any(|part| part.pinned), "{after:?}");
    engine.close().await.unwrap();
    model.finish();
}

#[tokio::test]
async fn what_is_kept_changes_as_a_whole_and_an_unknown_session_keeps_nothing() {
    let model = Script::new().turn(|t| t.text("Hello.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let session_id = desk.session.session_id;
    let told = desk.turn("Hello?").await;
    let request_id = told.report.request_id;
    let keep = async |session_id, edits| desk.engine.submit(Op::EditContext { session_id, edits }).await;
    let out = ContextEdit::RemoveTurn { request_id };
    keep(session_id, vec![out.clone()]).await.unwrap();
    assert_eq!(view(&desk.engine, session_id).await.edits, [out]);
    keep(session_id, Vec::new()).await.unwrap();
    assert_eq!(view(&desk.engine, session_id).await.edits, []);
    let nowhere = SessionId(uuid::Uuid::nil());
    assert_eq!(keep(nowhere, Vec::new()).await.unwrap_err().code, orion_protocol::Code::SessionUnknown);
    let call = CallId("c".into());
    let many = vec![ContextEdit::EmptyBox { request_id, tool_call_id: call }; 1_001];
    assert_eq!(keep(session_id, many).await.unwrap_err().code, orion_protocol::Code::Usage);
    model.finish();
}
