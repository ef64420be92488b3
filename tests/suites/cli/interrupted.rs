//! Ctrl-C, once and twice, and the signals that end a process: what ends, and what is kept. As signals, which Unix alone has.

use std::io::Read;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use support::{Fate, Gate, Script};

use super::{Desk, ended, journalled, json as parsed, line, ran, started};

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

#[tokio::test]
async fn ctrl_c_stops_the_turn_and_ends_with_130() {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Once\n").hold(&gate).text("upon").end("stop")).start();
    let (child, mut stdout) = started(&mut desk.run(&model, &["Tell me a story."]));
    assert_eq!(line(&mut stdout), "Once\n");
    interrupt(&child);
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped); // A4
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let (code, stderr) = ended(child);
    assert_eq!((code, rest.as_str()), (Some(130), ""), "{stderr}");
}

#[tokio::test]
async fn a_stopped_turn_has_its_report_and_nothing_can_be_lost_by_it() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Once").hold(&gate).end("stop")).start();
    let desk = Desk::new();
    let (child, mut stdout) = started(&mut desk.run(&model, &["--json", "Tell me a story."]));
    gate.reached().await;
    interrupt(&child);
    let report = parsed(&line(&mut stdout));
    assert_eq!(ended(child).0, Some(130));
    assert_eq!((&report["status"], &report["stopReason"]), (&json!("stopped"), &json!("stopped")));
    let replay = ran(&mut desk.orion(&["replay", report["requestId"].as_str().unwrap()]));
    assert_eq!(replay.code, Some(0), "{}", replay.stderr); // T5
}

#[tokio::test]
async fn so_do_a_closed_terminal_and_every_other_signal_that_ends_a_process() {
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT] {
        let gate = Gate::new();
        let model = Script::new().turn(|t| t.text("Once").hold(&gate).end("stop")).start();
        let desk = Desk::new();
        let (child, mut stdout) = started(&mut desk.run(&model, &["--json", "Tell me a story."]));
        gate.reached().await;
        kill_process(Pid::from_child(&child), signal).unwrap();
        let report = parsed(&line(&mut stdout));
        assert_eq!((ended(child).0, &report["stopReason"]), (Some(130), &json!("stopped")), "{signal:?}");
        assert_eq!(model.dropped(1).await.fate, Fate::Dropped, "{signal:?}"); // A4
    }
}

#[tokio::test]
async fn a_second_ctrl_c_ends_at_once_even_when_nobody_reads_the_answer() {
    let desk = Desk::new();
    // Far more than a pipe holds (64 KiB), so that writing blocks.
    let much = |number: usize| format!("{number:04} {}", "x".repeat(1_000));
    let model = Script::new().turn(|t| (0..4_000).fold(t, |t, n| t.text(&much(n))).end("stop")).start();
    let (mut child, _unread) = started(&mut desk.run(&model, &["Write much."]));
    model.request(1).await;
    interrupt(&child);
    // The first is taken when the connection is gone; the program may still wait for its reader.
    model.over(1).await;
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[tokio::test]
async fn what_is_shown_reaches_the_journal_while_nobody_reads_on() {
    // J1: a pipe holds 64 KiB, so the 60th of these pieces is shown, and writing the 80th blocks.
    let desk = Desk::new();
    let piece = |number: usize| format!("piece {number:04} {}\n", "x".repeat(1_000));
    let model = Script::new().turn(|t| (0..80).fold(t, |t, number| t.text(&piece(number))).hang()).start();
    let (mut child, _unread) = started(&mut desk.run(&model, &["Write much."]));
    journalled(&desk, "piece 0060");
    interrupt(&child);
    // The connection goes at the first: the stop waits for no reader (A4).
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
