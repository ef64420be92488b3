//! What a request says of the one before it, compared with what the server got (P12, X1).

use orion_protocol::{Answer, Op, Query, Reply, RequestId, SentRequest, TurnEvent, TurnOptions};
use serde_json::{Value, json};
use support::{Request, Script};

use crate::driver_desk::Desk;

async fn sent(desk: &Desk, request_id: RequestId, call: u32) -> SentRequest {
    let query = Query::Sent { request_id, call, from: 0 };
    let Answer::Sent { request } = desk.engine.query(query).await.unwrap() else { panic!() };
    request
}

fn messages(request: &Request) -> Vec<Value> {
    request.body["messages"].as_array().unwrap().clone()
}

fn text(message: &Value) -> String {
    message["content"].as_str().unwrap_or_default().to_owned()
}

/// Bytes of text and arguments, as Orion counts them.
fn bytes(message: &Value) -> u64 {
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    let arguments = calls.iter().map(|call| call["function"]["arguments"].as_str().unwrap().len());
    (text(message).len() + arguments.sum::<usize>()) as u64
}

/// What a request has to say of the one before it, both as the server got them.
fn holds(sent: &SentRequest, got: &Request, before: &Request) {
    let (got_all, before_all) = (messages(got), messages(before));
    let same = got_all.iter().zip(&before_all).take_while(|(one, other)| one == other).count();
    let call = sent.call;
    assert_eq!(sent.before as usize, before_all.len(), "call {call}");
    assert_eq!(sent.same as usize, same, "call {call}");
    assert_eq!(sent.same_bytes, got_all.iter().take(same).map(bytes).sum::<u64>(), "call {call}");
    let changed = before_all.get(same).map(text);
    assert_eq!(sent.changed.as_ref().map(|message| message.text.clone()), changed, "call {call}");
    assert_eq!(sent.tools_changed, got.tool_names() != before.tool_names(), "call {call}");
}

#[tokio::test]
async fn each_request_says_what_it_has_of_the_one_before_and_the_first_message_that_is_another() {
    let begin = json!({"intent": "Write.", "target_file": "new.txt", "operation": "create"});
    let model = Script::new()
        .turn(|t| t.text("I look. ").call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("A line.\nDONE").end("stop"))
        .turn(|t| t.text("Written.").end("stop"))
        .turn(|t| t.text("Yes.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it down.").await;
    let request_id = turn.ids().request_id;
    while let Some(envelopes) = turn.next().await {
        for envelope in envelopes {
            if let TurnEvent::WriteReady { proposal, .. } = envelope.event {
                let digest = proposal.digest;
                let approve = Op::Reply {
                    request_id,
                    digest,
                    reply: Reply::Write { hunks: None, despite_faults: false },
                };
                desk.engine.submit(approve).await.unwrap();
            }
        }
    }
    let second = desk.ask_with("Sure?", TurnOptions::default()).await;
    let second_id = second.ids().request_id;
    desk.read(second).await;
    let got = model.requests();
    model.finish();

    let first = sent(&desk, request_id, 1).await;
    assert_eq!((first.before, first.same), (1, 1), "the session gave it the system text alone");
    assert_eq!(
        (first.same_bytes, first.changed, first.tools_changed),
        (bytes(&messages(&got[0])[0]), None, false)
    );
    let mut changes = Vec::new();
    for (call, pair) in (2..=4).zip(got.windows(2)) {
        let sent = sent(&desk, request_id, call).await;
        holds(&sent, &pair[1], &pair[0]);
        changes.push((sent.changed.is_some(), sent.tools_changed));
    }
    // P12: the content of a file is asked for in a branch, which the request after it is not the end of.
    assert!(changes[2].0, "{changes:?}");
    let next = sent(&desk, second_id, 1).await;
    // X1: what the turn before sent and received.
    assert_eq!((next.before, next.same, next.changed.is_none()), (next.count - 1, next.count - 1, true));
    let begins = messages(&got[4]).iter().take(next.same as usize).map(bytes).sum::<u64>();
    assert_eq!(next.same_bytes, begins);
}

// P3, P12: tools are withheld from the forced final answer.
#[tokio::test]
async fn a_request_says_that_other_tools_are_on_offer_than_before() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.text("Alpha.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let limits = orion_protocol::TurnLimits { max_cycles: Some(1), ..Default::default() };
    let turn = desk.ask_with("What is it?", TurnOptions { limits, ..TurnOptions::default() }).await;
    let request_id = turn.ids().request_id;
    desk.read(turn).await;
    let got = model.requests();
    model.finish();
    let last = sent(&desk, request_id, 2).await;
    holds(&last, &got[1], &got[0]);
    assert!(last.tools_changed && last.tools.is_empty() && last.changed.is_none(), "{last:?}");
}
