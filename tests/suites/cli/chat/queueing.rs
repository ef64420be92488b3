//! Messages that are written while a turn runs, when that turn ends otherwise than with an answer (A9).

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use support::{Gate, Script};

use super::super::{Desk, json as parsed, ran};
use super::screen::Screen;
use super::{chat, said};

/// The one session, and its queue as another process sees it.
fn queue_of(desk: &Desk) -> (String, Value) {
    let sessions = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let session = sessions[0]["sessionId"].as_str().unwrap().to_owned();
    let queue = parsed(&ran(&mut desk.orion(&["queue", &session, "--json"])).stdout);
    (session, queue)
}

/// Begins a turn that is held at a gate, and queues a message.
fn queued(screen: &Screen) {
    screen.until_line("> ");
    screen.enter("Count.");
    screen.until("First.");
    screen.press("And then?");
    screen.until_line("next> And then?");
    screen.press("\r");
    screen.until("Queued: it is sent when this turn has ended.");
}

fn asks_then(ask: &support::Request) {
    assert_eq!(said(ask).matches("And then?").count(), 1, "{}", said(ask));
}

#[test]
fn after_a_stop_the_queue_is_at_the_prompt_and_waits_until_its_line_is_sent() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("First. ").hold(&gate).text("Second.").end("stop"))
        .turn(|t| t.expect(asks_then).text("Third.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    queued(&screen);
    screen.press("\x03");
    screen.until_line("> And then?");
    let (_, queue) = queue_of(&desk);
    assert_eq!((&queue["messages"][0]["text"], &queue["held"]), (&json!("And then?"), &json!(true)));
    screen.press("\r");
    screen.until("Third.");
    screen.until_line("> ");
    assert_eq!(queue_of(&desk).1["messages"], json!([]));
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_kill_loses_nothing_of_a_queue_that_is_at_the_prompt() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("First. ").hold(&gate).text("Second.").end("stop"))
        .turn(|t| t.expect(asks_then).text("Third.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    queued(&screen);
    screen.press("\x03");
    screen.until_line("> And then?");
    let (session, _) = queue_of(&desk);
    kill_process(Pid::from_raw(screen.pid().try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
    screen.ended();
    let screen = Screen::of(&chat(&desk, &model, &[&session]));
    screen.until("Queued: 1 message. /queue lists them, /queue send sends them.");
    screen.until_line("> ");
    screen.enter("/queue");
    screen.until("1. And then?");
    screen.until_line("> ");
    screen.enter("/queue send");
    screen.until("Third.");
    screen.until_line("> ");
    screen.enter("/queue");
    screen.until("Nothing is queued.");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn after_an_error_the_queue_is_held_and_a_message_can_be_taken_out_of_it() {
    let gate = Gate::new();
    let broken = json!({"error": {"message": "Upstream down.", "code": 502}});
    let model = Script::new().turn(|t| t.text("First. ").hold(&gate).event(broken)).start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    queued(&screen);
    gate.open();
    screen.until("Queued: 1 message. /queue lists them, /queue send sends them.");
    screen.until_line("> ");
    screen.enter("/queue remove 2");
    screen.until("There is no such message.");
    screen.until_line("> ");
    screen.enter("/queue remove 1");
    screen.until("Removed.");
    screen.until_line("> ");
    assert_eq!(queue_of(&desk).1["messages"], json!([]));
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}
