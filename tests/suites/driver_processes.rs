//! Turns in processes of their own: killed in the middle of an answer, at work beside another, on a disk that is full.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orion_engine::Engine;
use orion_protocol::{Answer, Code, Envelope, Op, Query, Reply, TurnEvent, TurnOptions, TurnState};
use orion_providers::Providers;
use serde_json::json;
use support::{Chunking, Folder, Gate, Script, ScriptedModel};

use crate::driver_desk::{Desk, options, text, transcript, tuning, turns_of};

/// How soon text is in the journal: 250 ms (J1), and the time that a busy machine takes to write it.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// A turn in another process.
struct Runner {
    child: Child,
    lines: BufReader<ChildStdout>,
    shown: Vec<Envelope>,
}

impl Runner {
    fn start(data: &Path, project: &Path, model: &ScriptedModel) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turn-runner"));
        Self::spawn(command.arg(data).arg(project).arg(model.base_url()))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines, shown: Vec::new() }
    }

    /// The next envelope that the process showed; none at its end.
    fn next(&mut self) -> Option<Envelope> {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let envelope: Envelope = serde_json::from_str(&line).ok()?;
        self.shown.push(envelope.clone());
        Some(envelope)
    }

    fn until_text(&mut self) {
        while !matches!(self.next().unwrap().event, TurnEvent::TextChunk { .. }) {}
    }

    /// Kills it (SIGKILL) and returns everything it had shown.
    fn kill(mut self) -> Vec<Envelope> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        while self.next().is_some() {}
        self.shown
    }
}

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

// J1
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_of_an_answer_loses_no_more_than_its_last_moment() {
    let gates: Vec<Gate> = (0..4_000).map(|_| Gate::new()).collect();
    let model = Script::new()
        .turn(|t| gates.iter().fold(t.text("Begin "), |t, gate| t.hold(gate).text("word ")).hang())
        .start();
    let (data, project) = (Folder::empty(), Folder::empty());
    let mut runner = Runner::start(&data.path(), &project.path(), &model);
    runner.until_text();
    // The model says its next word when the last one was shown, for longer than text may wait.
    let began = Instant::now();
    for gate in &gates {
        gate.open();
        runner.until_text();
        if began.elapsed() > 2 * WRITTEN_WITHIN {
            break;
        }
    }
    let killed_at = now_ms();
    let shown = runner.kill();

    let engine = open(&data, &model).await;
    let session_id = shown[0].session_id;
    let turns = turns_of(&engine, session_id).await;
    let turn = &turns[0];
    assert_eq!(turn.state, TurnState::Interrupted);
    let kept = text(&turn.envelopes);
    assert!(text(&shown).starts_with(&kept) && !kept.is_empty());
    let lost = shown.iter().find(|envelope| match &envelope.event {
        TurnEvent::TextChunk { offset, text } => *offset + text.len() as u64 > kept.len() as u64,
        _ => false,
    });
    if let Some(lost) = lost {
        let age = killed_at - lost.at_ms;
        assert!(
            age <= WRITTEN_WITHIN.as_millis() as i64,
            "text that had been on the screen for {age} ms was lost"
        );
    }
    let lines = transcript(&turn.envelopes);
    assert_eq!(
        lines,
        ["asked Talk.".to_owned(), "action 1".into(), format!("text {kept}"), "Interrupted".into()]
    );
    let seqs: Vec<u32> = turn.envelopes.iter().filter(|e| e.event.is_durable()).map(|e| e.seq).collect();
    assert_eq!(seqs, [1, 2, 3], "T2");
    let replayed = engine.replay(turn.request_id).await.unwrap();
    assert_eq!(replayed.replayed, replayed.recorded, "T5");
}

// W7, A5: a turn that waits needs no process, and none that is killed interrupts it.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_killed_while_its_turn_waits_leaves_it_waiting() {
    let begin = json!({"intent": "As you asked.", "target_file": "a.txt", "operation": "create"});
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
        .turn(|t| t.text("It is done.").end("stop"))
        .start();
    let (data, project) = (Folder::empty(), Folder::empty());
    let mut runner = Runner::start(&data.path(), &project.path(), &model);
    let digest = loop {
        if let TurnEvent::Asked { digest, .. } = runner.next().unwrap().event {
            break digest;
        }
    };
    let shown = runner.kill();

    let engine = open(&data, &model).await;
    let (request_id, session_id) = (shown[0].request_id, shown[0].session_id);
    let turns = turns_of(&engine, session_id).await;
    assert_eq!(turns[0].state, TurnState::Waiting);
    assert_eq!(transcript(&turns[0].envelopes), transcript(&shown), "J1");
    let turn = engine.resume_turn(request_id, None).await.unwrap();
    let op = Op::Reply { request_id, digest, reply: Reply::Write { hunks: None, despite_faults: false } };
    engine.submit(op).await.unwrap();
    assert_eq!(turn.report().await.unwrap().answer, "It is done.");
    assert_eq!(project.read("a.txt"), b"omega\n");
    model.finish();
}

async fn open(data: &Folder, model: &ScriptedModel) -> Engine {
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    Engine::open(options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_and_a_command_line_share_one_data_folder() {
    let (there, here) = (Gate::new(), Gate::new());
    let model = Script::new()
        .turn(|t| t.text("There").hold(&there).text(" it is.").end("stop"))
        .turn(|t| t.text("Here").hold(&here).text(" it is.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut runner = Runner::start(&desk.data.path(), &desk.folder.path(), &model);
    runner.until_text();
    // The other process's turn runs: its session takes no second one, and it is not taken for dead.
    let session_id = runner.shown[0].session_id;
    let refused =
        desk.engine.run_turn(session_id, "Me too.".into(), TurnOptions::default()).await.unwrap_err();
    assert_eq!(refused.code, Code::TurnActive);
    let turn = desk.ask("And here?").await;
    here.open();
    assert_eq!(desk.read(turn).await.report.answer, "Here it is.");
    there.open();
    while runner.next().is_some() {}
    assert!(runner.child.wait().unwrap().success());
    // What the other process did is seen here, in the same project.
    desk.check(&runner.shown).await;
    let Answer::State { state } = desk.engine.query(Query::State).await.unwrap() else { panic!() };
    assert_eq!((state.projects.len(), state.sessions.len()), (1, 2));
    model.finish();
}

/// The process may write files of 1,000 KiB at most, which a new database fits in; what it streams is more than that.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_the_turn_with_a_sentence() {
    let words: String = (0..2_000).map(|n| format!("word {n} ")).collect();
    let model = Script::new()
        .turn(|t| (0..200).fold(t, |t, _| t.text(&words)).hang().chunking(Chunking::PerEvent))
        .start();
    let (data, project) = (Folder::empty(), Folder::empty());
    let script = "trap '' XFSZ; ulimit -f 2000; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_turn-runner")]);
    let mut runner = Runner::spawn(command.arg(data.path()).arg(project.path()).arg(model.base_url()));
    while runner.next().is_some() {}
    let report = runner.shown.last().unwrap().event.terminal().unwrap().clone();
    let error = report.error.unwrap();
    assert_eq!(error.code, Code::Storage, "{error:?}");
    assert!(error.action.is_some());
    assert!(report.answer.starts_with("word 0 word 1 "), "what was streamed stays");
    // The next start finds the turn as it was left.
    let engine = open(&data, &model).await;
    let session_id = runner.shown[0].session_id;
    let turns = turns_of(&engine, session_id).await;
    let seqs: Vec<u32> = turns[0].envelopes.iter().filter(|e| e.event.is_durable()).map(|e| e.seq).collect();
    assert_eq!(seqs, [1, 2, 3]);
}
