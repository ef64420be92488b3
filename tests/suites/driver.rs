//! Whole turns through the engine with a scripted model: what the person sees, what the model is told, what is kept.

use orion_protocol::{
    Answer, Envelope, Op, Outcome, PromptProgress, Query, Route, StopReason, ToolStatus, TurnEvent,
    TurnLimits, TurnOptions, TurnStatus, Update,
};
use orion_store::StoredRow;
use serde_json::json;
use support::{Chunking, Folder, Gate, Script, hostile, within};
use tokio::sync::broadcast::error::RecvError;

use crate::driver_desk::{Desk, to_end, transcript, turns_of};

#[tokio::test]
async fn a_turn_lists_reads_and_answers() {
    let model = Script::new()
        .turn(|t| t.text("I look. ").call("list_files", json!({})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("a.txt")))
                .call("read_file", json!({"path": "a.txt"}))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("alpha")))
                .reasoning("It is clear.")
                .text("It says ")
                .text("alpha.")
                .usage(40, 2)
                .end("stop")
        })
        .start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("What does a.txt say?").await;
    // Which defaults a tool fills in is the tool's business.
    let names = transcript(&told.envelopes).into_iter().map(|line| match line.split_once(" {") {
        Some((call, _arguments)) => call.to_owned(),
        None => line,
    });
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "asked What does a.txt say?",
            "action 1",
            "text I look. ",
            "ended ToolCall",
            "tools 1",
            "call list_files",
            "result Ok",
            "ended ToolsDone",
            "action 2",
            "ended ToolCall",
            "tools 2",
            "call read_file",
            "result Ok",
            "ended ToolsDone",
            "action 3",
            "thought It is clear.",
            "text It says alpha.",
            "ended Answered",
            "completed Answered",
        ]
    );
    let report = &told.report;
    assert_eq!((report.status, report.stop_reason), (TurnStatus::Completed, StopReason::Answered));
    assert_eq!((report.model_calls, report.tool_runs, report.cycles), (3, 2, 2));
    assert_eq!(report.answer, "I look. \n\nIt says alpha.");
    let statuses: Vec<_> = report.tool_calls.iter().map(|call| (call.name.as_str(), call.status)).collect();
    assert_eq!(statuses, [("list_files", Some(ToolStatus::Ok)), ("read_file", Some(ToolStatus::Ok))]);

    // R4: the result is not in the chat, and it is there for who opens the box.
    let tool_call_id = report.tool_calls[1].tool_call_id.clone();
    let query = Query::ToolCall { request_id: report.request_id, tool_call_id };
    let Answer::ToolCall { call } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert_eq!(call.name, "read_file");
    assert_eq!(call.arguments["path"], "a.txt");
    assert!(call.result.unwrap().contains("alpha"));
    let Answer::Trace { spans } =
        desk.engine.query(Query::Trace { request_id: report.request_id }).await.unwrap()
    else {
        panic!()
    };
    assert!(spans.iter().all(|span| span.end_ms.is_some() && span.request_id == report.request_id));
    model.finish();
}

#[tokio::test]
async fn the_next_turn_is_told_what_was_said_before() {
    let model = Script::new()
        .turn(|t| t.text("Alpha.").end("stop"))
        .turn(|t| {
            t.expect(|ask| {
                let conversation = ask.conversation();
                let said: Vec<_> =
                    conversation.iter().filter(|(role, _)| *role != "system").copied().collect();
                assert_eq!(said, [("user", "First?"), ("assistant", "Alpha."), ("user", "Second?")]);
            })
            .text("Beta.")
            .end("stop")
        })
        .start();
    let desk = Desk::with(&model).await;
    desk.turn("First?").await;
    desk.turn("Second?").await;
    let Answer::State { state } = desk.engine.query(Query::State).await.unwrap() else { panic!() };
    assert_eq!((state.sessions[0].title.as_str(), state.sessions[0].turns), ("First?", 2));
    assert!(state.running.is_empty());
    model.finish();
}

// T5
#[tokio::test]
async fn however_the_stream_is_cut_the_turn_is_the_same() {
    let mut transcripts = Vec::new();
    for chunking in [Chunking::Whole, Chunking::PerEvent, Chunking::EveryByte, Chunking::Random(7)] {
        let model = Script::new()
            .turn(|t| {
                let t = t.text("Grüße, ").text("ich lese. ").call_in_pieces(
                    "read_file",
                    json!({"path": "a.txt"}),
                    5,
                );
                t.end("tool_calls").chunking(chunking.clone())
            })
            .turn(|t| {
                t.reasoning("Hm. ").text("Da steht ").text("alpha 😀.").end("stop").chunking(chunking.clone())
            })
            .start();
        let desk = Desk::with(&model).await;
        transcripts.push(transcript(&desk.turn("Was steht da?").await.envelopes));
        model.finish();
    }
    let first = transcripts[0].clone();
    assert_eq!(transcripts, vec![first; 4]);
}

#[tokio::test]
async fn hostile_models_stay_within_the_bounds() {
    let file = |n: usize| json!({"path": format!("file-{n}.txt")});
    for route in [Route::TwoStage, Route::Unified] {
        let scripts = [
            hostile::repeats_one_call("read_file", json!({"path": "a.txt"})),
            hostile::alternates([
                ("read_file", json!({"path": "a.txt"})),
                ("read_file", json!({"path": "b.txt"})),
            ]),
            hostile::never_repeats("read_file", file),
            hostile::fifty_calls_at_once("read_file", file),
            hostile::calls_in_the_final_answer("read_file", file),
        ];
        for script in scripts {
            let model = script.start();
            let desk = Desk::with(&model).await;
            let options = TurnOptions { route: Some(route), ..TurnOptions::default() };
            let turn = desk.ask_with("Go on.", options).await;
            // T3, T4: held by `read` of every turn.
            let told = desk.read(turn).await;
            assert_eq!(told.report.status, TurnStatus::Completed, "{:?}", told.report.error);
            assert!(model.requests().len() <= told.report.bounds.model_calls as usize, "T4");
        }
    }
}

// D3
#[tokio::test]
async fn a_repeated_call_runs_again_after_its_file_has_changed_and_only_then() {
    let (gate, read) = (Gate::new(), json!({"path": "a.txt"}));
    let model = Script::new()
        .turn(|t| t.call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.text("Again. ").hold(&gate).call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("gamma")))
                .call("read_file", read.clone())
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("DUPLICATE_BLOCKED"))).text("Done.").end("stop")
        })
        .start();
    let desk = Desk::with(&model).await;
    let mut updates = desk.engine.updates();
    let turn = desk.ask("Watch a.txt.").await;
    gate.reached().await;
    let mut watching = false;
    // The watch may begin a moment after the tool: write again until it is seen.
    within("the change to be seen", async {
        loop {
            match updates.recv().await.unwrap() {
                Update::FilesChanged { .. } if watching => break,
                Update::FilesChanged { watch, .. } => {
                    watching = watch != orion_protocol::WatchState::Starting;
                    desk.folder.write("a.txt", "gamma\n");
                }
                _ => {}
            }
        }
    })
    .await;
    gate.open();
    let told = desk.read(turn).await;
    let refusals = transcript(&told.envelopes).iter().filter(|line| line.starts_with("refused")).count();
    assert_eq!((refusals, told.report.tool_runs, told.report.duplicates_refused), (1, 2, 1));
    model.finish();
}

// D3: a folder that `.gitignore` hides is not watched
#[tokio::test]
async fn what_is_not_watched_is_looked_at_again_before_a_repeated_call_is_refused() {
    let cases = [
        ("read_file", json!({"path": "out/log.txt"}), "out/log.txt", "lines 1-4 of 4"),
        ("read_file", json!({"path": "out/later.txt"}), "out/later.txt", "lines 1-4 of 4"),
        ("list_files", json!({"path": "out"}), "out/later.txt", "later.txt  10 B"),
        ("list_files", json!({"path": "out", "recursive": true}), "out/deep/a.txt", "deep/a.txt  10 B"),
        ("search_files", json!({"path": "out", "pattern": "two"}), "out/log.txt", "1 match in 1 file"),
    ];
    for (tool, arguments, changed, seen_then) in cases {
        let (gate, call) = (Gate::new(), arguments.clone());
        let model = Script::new()
            .turn(|t| t.call(tool, call.clone()).end("tool_calls"))
            .turn(|t| t.text("Again. ").hold(&gate).call(tool, call.clone()).end("tool_calls"))
            .turn(|t| {
                t.expect(move |ask| assert!(ask.last_text().contains(seen_then), "{}", ask.last_text()))
                    .call(tool, call.clone())
                    .end("tool_calls")
            })
            .turn(|t| {
                t.expect(|ask| assert!(ask.last_text().contains("DUPLICATE_BLOCKED")))
                    .text("Done.")
                    .end("stop")
            })
            .start();
        let desk = Desk::with(&model).await;
        desk.folder.write(".gitignore", "out/\n");
        desk.folder.write("out/log.txt", "one\n");
        desk.folder.write("out/deep/a.txt", "one\n");
        let turn = desk.ask("Watch it.").await;
        gate.reached().await;
        desk.folder.write(changed, "one\ntwo\n\n\n");
        gate.open();
        let told = desk.read(turn).await;
        let counts = (told.report.tool_runs, told.report.duplicates_refused);
        assert_eq!((tool, &arguments, counts), (tool, &arguments, (2, 1)));
        model.finish();
    }
}

#[tokio::test]
async fn a_long_stream_is_a_few_rows_in_the_journal() {
    let words: Vec<String> = (0..2_000).map(|n| format!("word{n} ")).collect();
    let model = Script::new()
        .turn(|t| words.iter().fold(t, |t, word| t.text(word)).end("stop").chunking(Chunking::Whole))
        .start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("Talk.").await;
    assert!(told.report.answer == words.concat(), "every word is there");
    let chunks = told.envelopes.iter().filter(|e| !e.event.is_durable()).count();
    assert!((1..200).contains(&chunks), "what comes together is shown together: {chunks} chunks");
    let store = orion_store::Store::open(&desk.data.path().join("data")).await.unwrap();
    let rows = store.journal(told.report.request_id).await.unwrap().len();
    assert!(rows < 30, "{rows} rows for 2,000 chunks");
    model.finish();
}

#[tokio::test]
async fn text_is_sent_to_the_disk_every_64_kib_however_fast_it_comes() {
    // W7: after a crash no more than this is missing. While there is always more to read, no timer gets its turn.
    let piece = |number: usize| format!("{number:04}{}", "x".repeat(996));
    let model = Script::new()
        .turn(|t| {
            (0..2_000).fold(t, |t, number| t.text(&piece(number))).end("stop").chunking(Chunking::Whole)
        })
        .start();
    let desk = Desk::with(&model).await;
    // T7: longer than an answer is by itself.
    let limits = TurnLimits { max_output_tokens: Some(1_000_000), ..TurnLimits::default() };
    let options = TurnOptions { limits, ..TurnOptions::default() };
    let told = desk.read(desk.ask_with("Talk.", options).await).await;
    assert_eq!(told.report.answer.len(), 2_000_000);
    let store = orion_store::Store::open(&desk.data.path().join("data")).await.unwrap();
    let rows = store.journal(told.report.request_id).await.unwrap();
    let texts = rows.iter().map(|row| match row {
        StoredRow::Input { body, .. } => body.matches('x').count(),
        StoredRow::Event { .. } => 0,
    });
    let longest = texts.max().unwrap();
    assert!(longest <= 64 * 1024 + piece(0).len(), "{longest} bytes in one row");
    model.finish();
}

#[tokio::test]
async fn a_listener_that_does_not_keep_up_is_told_so_and_holds_up_nothing() {
    let model = Script::new()
        // Pieces of the same kind would be shown together.
        .turn(|t| (0..6_000).fold(t, |t, _| t.reasoning("?").text("x")).end("stop").chunking(Chunking::Whole))
        .start();
    let desk = Desk::with(&model).await;
    let mut updates = desk.engine.updates();
    let told = desk.turn("Talk.").await;
    assert_eq!(told.report.answer.len(), 6_000);
    let missed = match updates.recv().await {
        Err(RecvError::Lagged(missed)) => missed,
        other => panic!("{other:?}"),
    };
    assert!(missed > 1_000);
    model.finish();
}

#[tokio::test]
async fn what_is_started_by_an_operation_is_told_to_all_who_listen() {
    let model = Script::new().turn(|t| t.text("Hello.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut updates = desk.engine.updates();
    let op = Op::StartTurn {
        session_id: desk.session.session_id,
        text: "Hello?".into(),
        options: TurnOptions::default(),
    };
    let Outcome::Turn { request_id } = desk.engine.submit(op).await.unwrap() else { panic!() };
    let (mut envelopes, mut spans, mut titles) = (Vec::new(), 0, Vec::new());
    within("the turn to end, and then its session", async {
        loop {
            match updates.recv().await.unwrap() {
                Update::Event { envelope } => envelopes.push(envelope),
                Update::Span { .. } => spans += 1,
                Update::Session { session } => {
                    titles.push((session.title, session.turns));
                    if envelopes.last().is_some_and(|last| last.event.terminal().is_some()) {
                        break;
                    }
                }
                Update::ProjectSettings { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
    assert_eq!(
        transcript(&envelopes),
        ["asked Hello?", "action 1", "text Hello.", "ended Answered", "completed Answered"]
    );
    assert!(envelopes.iter().all(|envelope| envelope.request_id == request_id), "T1");
    assert!(spans > 0);
    assert_eq!(titles, [("Hello?".to_owned(), 1), ("Hello?".to_owned(), 1)]);
    desk.check(&envelopes).await;
    model.finish();
}

#[tokio::test]
async fn the_tour_really_uses_the_tools() {
    let folder =
        Folder::with([("README.md", "# Pears\n\nAll about pears.\n"), ("src/main.rs", "fn main() {}\n")]);
    let desk = Desk::at("http://127.0.0.1:9/v1", folder).await;
    let options = TurnOptions { endpoint: Some("demo".into()), ..TurnOptions::default() };
    let turn = desk.ask_with("Show me around.", options).await;
    let told = desk.read(turn).await;
    assert_eq!(told.report.status, TurnStatus::Completed);
    assert!(told.report.tool_runs >= 2);
    assert!(told.report.answer.contains("README.md"), "{}", told.report.answer);
}

// P3
#[tokio::test]
async fn a_turns_own_budget_goes_before_the_settings() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.expect(|ask| assert!(ask.tool_names().is_empty())).text("That is all.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let limits = TurnLimits { max_cycles: Some(1), ..TurnLimits::default() };
    let turn = desk.ask_with("Read.", TurnOptions { limits, ..TurnOptions::default() }).await;
    let told = desk.read(turn).await;
    assert_eq!(told.report.stop_reason, StopReason::BudgetExhausted);
    assert_eq!((told.report.bounds.tool_runs, told.report.tool_runs), (1, 1));
    model.finish();
}

#[tokio::test]
async fn two_turns_of_two_sessions_run_at_once() {
    let (one, two) = (Gate::new(), Gate::new());
    let model = Script::new()
        .turn(|t| t.text("One").hold(&one).text(" is done.").end("stop"))
        .turn(|t| t.text("Two").hold(&two).text(" is done.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let other = crate::driver_desk::new_session(&desk.engine, &desk.project).await;
    let first = desk.ask("First").await;
    one.reached().await;
    let second =
        desk.engine.run_turn(other.session_id, "Second".into(), TurnOptions::default()).await.unwrap();
    two.reached().await;
    two.open();
    let second = within("the second turn", to_end(second)).await;
    assert_eq!(crate::driver_desk::text(&second), "Two is done.");
    one.open();
    assert_eq!(desk.read(first).await.report.answer, "One is done.");
    desk.check(&second).await;
    model.finish();
}

#[tokio::test]
async fn text_is_shown_while_the_model_still_speaks() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Half").hold(&gate).text(" and half").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let first = crate::driver_desk::until_shown(&mut turn, "Half").await;
    // T6: a window that asks for what it missed gets the text so far too, though nothing was flushed by a timer yet.
    let query = Query::Events { request_id: turn.request_id(), after_seq: 2 };
    let Answer::Events { envelopes } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert_eq!(transcript(&envelopes), ["text Half"]);
    gate.open();
    let rest = within("the turn to end", to_end(turn)).await;
    desk.check(&[first, rest].concat()).await;
    model.finish();
}

#[tokio::test]
async fn how_far_a_prompt_is_read_is_shown_at_once_and_kept_nowhere() {
    // E1, T5
    let progress = json!({ "choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}],
        "prompt_progress": { "total": 100, "cache": 20, "processed": 40, "time_ms": 10 } });
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.event(progress).hold(&gate).text("It is 42.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("What is it?").await;
    let mut told: Vec<Envelope> = Vec::new();
    let is_it = |it: &Envelope| matches!(it.event, TurnEvent::PromptProgress(_));
    while !told.iter().any(is_it) {
        told.extend(within("the progress", turn.next()).await.expect("the turn goes on"));
    }
    let shown = told.iter().find(|it| is_it(it)).unwrap();
    let before = told.iter().rfind(|it| it.event.is_durable()).unwrap();
    assert!(matches!(before.event, TurnEvent::PhaseStarted { .. }));
    assert_eq!((shown.seq, shown.phase), (before.seq, before.phase));
    let TurnEvent::PromptProgress(progress) = shown.event else { panic!() };
    let expected = PromptProgress {
        total: Some(100),
        cached: Some(20),
        processed: Some(40),
        elapsed_ms: progress.elapsed_ms,
        left_ms: Some(30),
    };
    assert_eq!(progress, expected);
    gate.open();
    told.extend(to_end(turn).await);
    desk.check(&told).await;
    let kept = turns_of(&desk.engine, desk.session.session_id).await;
    assert!(kept.iter().all(|turn| !turn.envelopes.iter().any(is_it)));
    model.finish();
}
