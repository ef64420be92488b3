//! The next message after a turn whose process ended: the model knows what that turn read and said (X1).

use std::sync::Arc;

use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    Answer, Code, Envelope, NoticeCode, Op, Outcome, Query, Reply, RequestId, SessionId, Sha256, TurnEvent,
    TurnOptions, TurnReport, TurnState,
};
use orion_providers::Providers;
use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Folder, Gate, Request, Script, ScriptedModel, within};

use crate::driver_desk::{Desk, options, text, to_end, tuning, turns_of, until_shown};

/// What a turn left behind that its process did not bring to its end.
struct Left {
    data: Folder,
    folder: Folder,
    session_id: SessionId,
    request_id: RequestId,
}

impl Left {
    /// The turn has said `shown`, or sent that much of a file, when its process ends.
    async fn of(model: &ScriptedModel, asked: &str, shown: &str) -> Self {
        Self::steered(model, asked, shown, None).await
    }

    /// The same, after the person has given it a message.
    async fn steered(model: &ScriptedModel, asked: &str, shown: &str, steered: Option<&str>) -> Self {
        let desk = Desk::with(model).await;
        let mut turn = desk.ask(asked).await;
        let (request_id, mut envelopes) = (turn.request_id(), Vec::new());
        while !text(&envelopes).contains(shown) && !content(&envelopes).contains(shown) {
            envelopes.extend(within("the text to be shown", turn.next()).await.expect("the turn goes on"));
        }
        if let Some(text) = steered {
            desk.engine.submit(Op::Steer { request_id, text: text.into() }).await.unwrap();
        }
        desk.engine.close().await.unwrap();
        let session_id = desk.session.session_id;
        let Desk { data, folder, .. } = desk;
        Self { data, folder, session_id, request_id }
    }

    /// Another process.
    async fn engine(&self, model: &ScriptedModel) -> Engine {
        let options = options(&self.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
        Engine::open(options).await.unwrap()
    }

    async fn ask(&self, engine: &Engine, text: &str) -> (Vec<Envelope>, TurnReport) {
        let turn = engine.run_turn(self.session_id, text.into(), TurnOptions::default()).await.unwrap();
        let envelopes = within("the turn to end", to_end(turn)).await;
        let report = envelopes.last().unwrap().event.terminal().unwrap().clone();
        (envelopes, report)
    }

    /// T5: every turn of the session is what its journal says.
    async fn replays(&self, engine: &Engine) {
        for turn in turns_of(engine, self.session_id).await {
            assert!(engine.replay(turn.request_id).await.unwrap().is_same(), "T5: {}", turn.request_id);
        }
    }

    async fn sql(&self, sql: &'static str) {
        self.data.changes_journals();
        let file = self.data.path().join("data/orion.db");
        let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
        assert!(sqlx::raw_sql(sql).execute(&mut database).await.unwrap().rows_affected() > 0);
    }
}

fn content(envelopes: &[Envelope]) -> String {
    let texts = envelopes.iter().filter_map(|envelope| match &envelope.event {
        TurnEvent::WriteProgress { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Reads a file, and breaks off in its answer.
fn reader() -> Script {
    Script::new()
        .turn(|t| t.text("I look. ").call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.text("Once upon").hold(&Gate::new()).end("stop"))
}

/// Breaks off in the content of a file.
fn writer() -> Script {
    let begin = json!({"intent": "As you asked.", "target_file": "new.txt", "operation": "create"});
    Script::new()
        .turn(|t| t.text("I write.").call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("one\ntwo\n").hold(&Gate::new()).end("stop"))
}

/// Reads until a person is asked about a write.
async fn asks(mut turn: TurnHandle) -> (TurnHandle, Sha256) {
    loop {
        let batch = within("the proposal", turn.next()).await.expect("the turn asks");
        let asked = batch.iter().find_map(|envelope| match envelope.event {
            TurnEvent::Asked { digest, .. } => Some(digest),
            _ => None,
        });
        if let Some(digest) = asked {
            return (turn, digest);
        }
    }
}

fn said(request: &Request) -> Vec<String> {
    request.messages().iter().filter_map(|it| it["content"].as_str().map(str::to_owned)).collect()
}

/// How often the request has the text.
fn count(request: &Request, text: &str) -> usize {
    said(request).join("\n").matches(text).count()
}

fn roles(request: &Request) -> Vec<String> {
    request.messages().iter().filter_map(|it| it["role"].as_str().map(str::to_owned)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_message_carries_what_was_read_and_said_as_after_a_stop() {
    let model = reader().start();
    let left = Left::of(&model, "What is in a.txt?", "Once upon").await;
    let model = Script::new().turn(|t| t.text("Yes.").end("stop")).start();
    let engine = left.engine(&model).await;
    assert_eq!(left.ask(&engine, "And now?").await.1.answer, "Yes.");
    let after_crash = model.requests().remove(0);
    assert_eq!(count(&after_crash, "alpha\n"), 1, "{:?}", said(&after_crash));
    let turns = turns_of(&engine, left.session_id).await;
    assert_eq!((turns.len(), turns[0].state), (2, TurnState::Interrupted));
    // Later turns say otherwise what it would still say.
    let late = engine.resume_turn(left.request_id, None).await.map(drop).unwrap_err();
    assert_eq!(late.code, Code::NotResumable);
    left.replays(&engine).await;
    model.finish();

    // Stopped at the same place.
    let model = reader().turn(|t| t.text("Yes.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("What is in a.txt?").await;
    until_shown(&mut turn, "Once upon").await;
    desk.engine.submit(Op::StopTurn { request_id: turn.request_id() }).await.unwrap();
    to_end(turn).await;
    desk.turn("And now?").await;
    let after_stop = model.requests().remove(2);
    assert_eq!(roles(&after_crash), roles(&after_stop));
    let own = |request| said(request).into_iter().filter(|text| !text.contains("<<<")).skip(1).collect();
    let (crashed, stopped): (Vec<String>, Vec<String>) = (own(&after_crash), own(&after_stop));
    assert_eq!(crashed, stopped);
    assert_eq!(crashed, ["What is in a.txt?", "I look. ", "Once upon", "And now?"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_next_message_will_carry_is_in_the_room_before_it_is_sent() {
    // X2
    let model = reader().start();
    let left = Left::of(&model, "What is in a.txt?", "Once upon").await;
    let model = Script::new().start();
    let engine = left.engine(&model).await;
    let query = Query::Context { session_id: left.session_id, options: TurnOptions::default() };
    let Answer::Context { view } = engine.query(query).await.unwrap() else { panic!() };
    let of_turn = view.parts.iter().find(|part| part.request_id == Some(left.request_id)).unwrap();
    let boxes: Vec<&str> = of_turn.boxes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((of_turn.count, boxes), (4, vec!["read_file"]));
    // To look is not to go on: the turn can still be resumed.
    engine.close().await.unwrap();
    drop(engine);
    let model = Script::new().turn(|t| t.text(" a king.").end("stop")).start();
    let engine = left.engine(&model).await;
    let turn = engine.resume_turn(left.request_id, None).await.unwrap();
    assert_eq!(turn.report().await.unwrap().answer, "I look. \n\nOnce upon\n\n a king.");
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_sums_up_what_the_interrupted_turn_read_too() {
    // X4
    let model = reader().start();
    let left = Left::of(&model, "What is in a.txt?", "Once upon").await;
    let model = Script::new().turn(|t| t.text("It was about a.txt.").end("stop")).start();
    let engine = left.engine(&model).await;
    let turn = engine.run_compaction(left.session_id, TurnOptions::default()).await.unwrap();
    within("the summary", to_end(turn)).await;
    let request = model.requests().remove(0);
    assert_eq!([count(&request, "alpha\n"), count(&request, "Once upon")], [1, 1]);
    left.replays(&engine).await;
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_being_written_is_told_of_and_can_still_be_written() {
    // W7: what is said after the turn is resumed is added to what the session has of it.
    let model = writer().start();
    let left = Left::of(&model, "Write it.", "one").await;
    let model = Script::new()
        .turn(|t| t.text("Later, then.").end("stop"))
        .turn(|t| t.text("three\nDONE").end("stop"))
        .turn(|t| t.text("It is written.").end("stop"))
        .turn(|t| t.text("Good.").end("stop"))
        .start();
    let engine = left.engine(&model).await;
    left.ask(&engine, "What happened?").await;
    let told = model.requests().remove(0);
    let not_written =
        "not written: the file is as it was.\nError: Orion was closed before the file was written.";
    assert_eq!([count(&told, "I write."), count(&told, not_written)], [1, 1], "{:?}", said(&told));

    let (turn, digest) = asks(engine.resume_turn(left.request_id, None).await.unwrap()).await;
    let op = Op::Reply {
        request_id: left.request_id,
        digest,
        reply: Reply::Write { hunks: None, despite_faults: false },
    };
    engine.submit(op).await.unwrap();
    within("the turn to end", to_end(turn)).await;
    assert_eq!(left.folder.read("new.txt"), b"one\ntwo\nthree\n");
    // The turn itself was not told what only others need to know.
    assert_eq!(count(&model.requests()[2], not_written), 0);

    left.ask(&engine, "Thank you.").await;
    let last = model.requests().remove(3);
    let once = ["Write it.", "I write.", not_written, "What happened?", "Later, then.", "It is written."];
    for text in once.into_iter().chain(["The write session for new.txt is open", "written: new.txt, "]) {
        assert_eq!(count(&last, text), 1, "{text}: {:?}", said(&last));
    }
    left.replays(&engine).await;
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_turn_did_that_was_resumed_late_and_interrupted_again_is_told_too() {
    // A5, W7
    let model = writer().start();
    let left = Left::of(&model, "Write it.", "one").await;
    let model = Script::new()
        .turn(|t| t.text("Later, then.").end("stop"))
        .turn(|t| t.text("three\nDONE").end("stop"))
        .turn(|t| t.text("It is ").hold(&Gate::new()).end("stop"))
        .start();
    let engine = left.engine(&model).await;
    left.ask(&engine, "What happened?").await;
    let (mut turn, digest) = asks(engine.resume_turn(left.request_id, None).await.unwrap()).await;
    let op = Op::Reply {
        request_id: left.request_id,
        digest,
        reply: Reply::Write { hunks: None, despite_faults: false },
    };
    engine.submit(op).await.unwrap();
    until_shown(&mut turn, "It is ").await;
    engine.close().await.unwrap();
    drop((engine, turn));

    let model = Script::new().turn(|t| t.text("Good.").end("stop")).start();
    let engine = left.engine(&model).await;
    left.ask(&engine, "Thank you.").await;
    let last = model.requests().remove(0);
    for text in ["I write.", "written: new.txt, ", "What happened?", "Later, then."] {
        assert_eq!(count(&last, text), 1, "{text}: {:?}", said(&last));
    }
    assert!(said(&last).contains(&"It is ".to_owned()), "{:?}", said(&last));
    left.replays(&engine).await;
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_to_which_the_person_went_back_says_the_rest_and_nothing_twice() {
    // A5, A10
    let model = reader().start();
    let left = Left::of(&model, "What is in a.txt?", "Once upon").await;
    let model = Script::new()
        .turn(|t| t.text("Yes.").end("stop"))
        .turn(|t| t.text(" a king.").end("stop"))
        .turn(|t| t.text("Good.").end("stop"))
        .start();
    let engine = left.engine(&model).await;
    let (between, _) = left.ask(&engine, "Are you there?").await;
    let back = Op::Rewind { request_id: between[0].request_id, conversation: true, files: None };
    assert!(matches!(engine.submit(back).await.unwrap(), Outcome::Rewound { .. }));
    let turn = engine.resume_turn(left.request_id, None).await.unwrap();
    assert_eq!(turn.report().await.unwrap().answer, "I look. \n\nOnce upon\n\n a king.");
    left.ask(&engine, "Thank you.").await;
    let last = model.requests().remove(2);
    for text in ["What is in a.txt?", "I look. ", "alpha\n", "Once upon", "broke off", " a king."] {
        assert_eq!(count(&last, text), 1, "{text}: {:?}", said(&last));
    }
    assert_eq!(count(&last, "Are you there?"), 0, "{:?}", said(&last));
    left.replays(&engine).await;
    assert!(engine.replay(between[0].request_id).await.unwrap().is_same(), "T5: beside the path");
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_cannot_be_replayed_fails_no_message_and_the_person_is_told() {
    // T8
    let model = reader().start();
    let left = Left::of(&model, "What is in a.txt?", "Once upon").await;
    left.sql(
        "UPDATE journal SET body = json_set(body, '$.done.outcome.summary', 'Nothing')
         WHERE kind = 'input' AND body ->> '$.done.type' = 'tool'",
    )
    .await;
    let model = Script::new()
        .turn(|t| t.text("Yes.").end("stop"))
        .turn(|t| t.text("Still here.").end("stop"))
        .start();
    let engine = left.engine(&model).await;
    let told = |envelopes: &[Envelope]| {
        let is_it =
            |event: &TurnEvent| matches!(event, TurnEvent::Notice { code: NoticeCode::Forgotten, .. });
        envelopes.iter().filter(|envelope| is_it(&envelope.event)).count()
    };
    let (envelopes, report) = left.ask(&engine, "And now?").await;
    assert_eq!((told(&envelopes), report.answer.as_str()), (1, "Yes."));
    assert_eq!(count(&model.requests()[0], "What is in a.txt?"), 1, "the person's own message is there");
    assert!(engine.replay(envelopes[0].request_id).await.unwrap().is_same(), "T5");
    let (envelopes, _) = left.ask(&engine, "Are you there?").await;
    assert_eq!(told(&envelopes), 0, "once");
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_the_person_gave_to_the_turn_goes_with_the_next_one() {
    // A9
    let model = Script::new().turn(|t| t.text("Once upon").hold(&Gate::new()).end("stop")).start();
    let left = Left::steered(&model, "Tell me a story.", "Once upon", Some("With a dragon.")).await;
    let model = Script::new().turn(|t| t.text("Yes.").end("stop")).start();
    let engine = left.engine(&model).await;
    left.ask(&engine, "Go on.").await;
    let last = &said(&model.requests()[0])[1..];
    assert_eq!(last, ["Tell me a story.", "Once upon", "With a dragon.", "Go on."]);
    left.replays(&engine).await;
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_send_a_message_at_once_one_begins_and_nothing_is_there_twice() {
    let model = reader().start();
    let left = Left::of(&model, "What is in a.txt?", "Once upon").await;
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.hold(&gate).text("Yes.").end("stop")).start();
    let (one, other) = (left.engine(&model).await, left.engine(&model).await);
    let ask = |engine: &Engine| {
        let engine = engine.clone();
        async move { engine.run_turn(left.session_id, "And now?".into(), TurnOptions::default()).await }
    };
    let (first, second) = tokio::join!(ask(&one), ask(&other));
    gate.open();
    let (mut begun, mut refused) = (Vec::new(), Vec::new());
    for asked in [first, second] {
        match asked {
            Ok(turn) => begun.push(turn),
            Err(error) => refused.push(error.code),
        }
    }
    assert_eq!((begun.len(), refused), (1, vec![Code::TurnActive]));
    within("the turn to end", to_end(begun.remove(0))).await;
    let request = model.requests().remove(0);
    assert_eq!(["I look. ", "alpha\n", "Once upon"].map(|text| count(&request, text)), [1, 1, 1]);
    left.replays(&one).await;
    model.finish();
}
