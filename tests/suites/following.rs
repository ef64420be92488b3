//! Following a turn: whoever comes late, comes again or falls behind is told everything once (T6).

use orion_engine::{Following, Place};
use orion_protocol::{
    Answer, Code, DesktopAction, Envelope, Op, Outcome, Query, RequestId, TurnEvent, TurnOptions, Update,
};
use serde_json::json;
use support::{Gate, Script, ScriptedModel, within};
use uuid::Uuid;

use crate::driver_desk::{Desk, text, transcript};

fn model(gate: &Gate) -> ScriptedModel {
    Script::new()
        .turn(|t| {
            t.reasoning("Hm, a file.")
                .text("Let me look. ")
                .call("read_file", json!({ "path": "a.txt" }))
                .end("tool_calls")
        })
        .turn(|t| t.reasoning("So.").text("Grüße, ").hold(gate).text("Welt!").end("stop"))
        .start()
}

async fn started(desk: &Desk) -> RequestId {
    let op = Op::StartTurn {
        session_id: desk.session.session_id,
        text: "What is in a.txt?".to_owned(),
        options: TurnOptions::default(),
    };
    let Outcome::Turn { request_id } = desk.engine.submit(op).await.unwrap() else { panic!() };
    request_id
}

async fn journal(desk: &Desk, request_id: RequestId) -> Vec<Envelope> {
    let Answer::Events { envelopes } =
        desk.engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap()
    else {
        panic!()
    };
    envelopes
}

async fn to_end(following: &mut Following) -> Vec<Envelope> {
    let mut told = Vec::new();
    while let Some(envelope) = within("the next event", following.next()).await.unwrap() {
        told.push(envelope);
    }
    told
}

fn seqs(envelopes: &[Envelope]) -> Vec<u32> {
    envelopes.iter().filter(|envelope| envelope.event.is_durable()).map(|envelope| envelope.seq).collect()
}

#[tokio::test]
async fn a_follower_that_falls_behind_or_comes_in_the_middle_is_told_each_event_once_and_all_of_the_text() {
    let gate = Gate::new();
    let model = model(&gate);
    let desk = Desk::with(&model).await;
    let request_id = started(&desk).await;
    let mut behind = desk.engine.follow(request_id, Place::default()).await.unwrap();
    let mut early = Vec::new();
    while !text(&early).contains("Grüße, ") {
        early.extend(within("the text", behind.next()).await.unwrap());
    }
    // More than wait for a listener.
    (0..5_000).for_each(|_| desk.engine.ask_window(DesktopAction::NewChat));
    let mut late = desk.engine.follow(request_id, Place::default()).await.unwrap();
    gate.open();
    early.extend(to_end(&mut behind).await);
    let late = to_end(&mut late).await;

    let kept = journal(&desk, request_id).await;
    for told in [&early, &late] {
        assert_eq!(seqs(told), seqs(&kept));
        assert_eq!(transcript(told), transcript(&kept));
    }
    assert_eq!(text(&early), "Let me look. Grüße, Welt!");
    // After its end there is nothing to wait for.
    assert_eq!(behind.next().await, Ok(None));
    model.finish();
}

#[tokio::test]
async fn a_reader_that_is_cut_off_at_any_event_and_comes_again_has_the_journal_without_a_gap_or_a_repeat() {
    let gate = Gate::new();
    let model = model(&gate);
    let desk = Desk::with(&model).await;
    let request_id = started(&desk).await;
    gate.open();
    let mut following = desk.engine.follow(request_id, Place::default()).await.unwrap();
    let mut places = vec![following.shown()];
    let mut told = Vec::new();
    while let Some(envelope) = within("the next event", following.next()).await.unwrap() {
        told.push(envelope);
        places.push(following.shown());
    }
    let kept = journal(&desk, request_id).await;
    for (at, (seq, since)) in places.into_iter().enumerate() {
        let mut again = desk.engine.follow(request_id, Place::after(seq, since)).await.unwrap();
        let mut union = told[..at].to_vec();
        union.extend(to_end(&mut again).await);
        assert_eq!(seqs(&union), seqs(&kept), "cut off after {at} events");
        assert_eq!(transcript(&union), transcript(&kept), "cut off after {at} events");
    }
    model.finish();
}

#[tokio::test]
async fn a_follower_from_beyond_the_end_of_a_turn_that_runs_is_told_from_there_to_its_end() {
    let gate = Gate::new();
    let model = model(&gate);
    let desk = Desk::with(&model).await;
    let request_id = started(&desk).await;
    let mut told = Vec::new();
    let mut following = desk.engine.follow(request_id, Place::default()).await.unwrap();
    while !text(&told).contains("Grüße, ") {
        told.extend(within("the text", following.next()).await.unwrap());
    }
    let mut beyond = Vec::new();
    for seq in [999_999, u32::MAX] {
        beyond.push(desk.engine.follow(request_id, Place::after(seq, u64::MAX)).await.unwrap());
    }
    gate.open();
    let kept = to_end(&mut following).await;
    for mut following in beyond {
        assert_eq!(to_end(&mut following).await.last(), kept.last());
    }
    assert!(!desk.engine.is_left(request_id).await.unwrap());
    model.finish();
}

#[tokio::test]
async fn a_listener_is_told_what_it_missed_of_a_turn_once_and_then_everything() {
    let gate = Gate::new();
    let model = model(&gate);
    let desk = Desk::with(&model).await;
    let request_id = started(&desk).await;
    let mut following = desk.engine.follow(request_id, Place::default()).await.unwrap();
    let mut told = Vec::new();
    while !text(&told).contains("Grüße, ") {
        told.extend(within("the text", following.next()).await.unwrap());
    }
    let mut updates = desk.engine.updates_after(Some((request_id, 2))).await.unwrap();
    gate.open();
    let mut heard = Vec::new();
    while heard.last().is_none_or(|last: &Envelope| last.event.terminal().is_none()) {
        if let Some(Update::Event { envelope }) = within("an update", updates.next()).await {
            heard.push(envelope);
        }
    }
    let kept = journal(&desk, request_id).await;
    assert_eq!(seqs(&heard), (3..=u32::try_from(seqs(&kept).len()).unwrap()).collect::<Vec<_>>());
    assert_eq!(text(&heard), text(&kept));

    let nobody = RequestId(Uuid::nil());
    let unknown = desk.engine.updates_after(Some((nobody, 0))).await.unwrap_err();
    assert_eq!(unknown.code, Code::TurnUnknown);
    let unknown = desk.engine.follow(nobody, Place::default()).await.unwrap_err();
    assert_eq!(unknown.code, Code::TurnUnknown);
    assert!(matches!(kept.last().unwrap().event, TurnEvent::Completed { .. }));
    model.finish();
}
