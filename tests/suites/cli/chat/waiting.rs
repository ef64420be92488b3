//! What a chat does while it can do nothing else: a session that waits elsewhere (A7), a pause before another try.

use serde_json::json;
use support::{Gate, Script};

use super::super::writes::writer;
use super::super::{Desk, json as parsed, ran};
use super::chat;
use super::screen::Screen;

#[test]
fn a_message_to_a_session_that_waits_elsewhere_is_told_with_the_turn_and_how_to_answer_it() {
    // A7
    let model = Script::new().turn(|t| t.text("Yes.").end("stop")).start();
    let desk = Desk::new();
    let screen = Screen::sized(&chat(&desk, &model, &[]), 50, 200);
    screen.until_line("> ");
    screen.enter("Are you there?");
    screen.until("Yes.");
    screen.until_line("> ");
    model.finish();
    let [session] = super::sessions(&desk).try_into().unwrap();
    let model = writer().start();
    let told = ran(&mut desk.run(&model, &["--json", "--session", &session, "Make it 43."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let report = parsed(&told.stdout);
    let request = report["requestId"].as_str().unwrap();
    screen.enter("And now?");
    screen.until("This session waits for you: it asks about a write of notes.txt.");
    screen.until(&format!(
        "Look at the write with `orion diff {request}` and answer with `orion approve {request}`."
    ));
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_model_that_reads_and_thinks_says_so_on_one_line_that_goes_when_it_answers() {
    let [reads, thinks, answers] = [(); 3].map(|()| Gate::new());
    let progress = json!({ "choices": [], "prompt_progress":
        { "total": 31_000, "cache": 11_900, "processed": 12_300, "time_ms": 900 } });
    let model = Script::new()
        .turn(|t| {
            let t = t.hold(&reads).event(progress).hold(&thinks).reasoning("Hm.");
            t.hold(&answers).text("It is 42.").end("stop")
        })
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    screen.until("Waiting for the model, ");
    reads.open();
    let shown = screen.until("Reading 12,300 of 31,000 tokens, 11,900 from the cache, about 42 s left");
    assert!(!shown.contains("Waiting for"), "{shown}");
    thinks.open();
    let shown = screen.until("Thinking, ");
    assert!(!shown.contains("Reading"), "{shown}");
    answers.open();
    screen.until("It is 42.");
    screen.until_line("> ");
    let shown = screen.text();
    assert!(shown.lines().any(|line| line.trim_end() == "It is 42."), "{shown}");
    assert!(!shown.contains("Thinking"), "{shown}");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_pause_is_counted_down_on_one_line_and_enter_skips_it() {
    let model = Script::new()
        .turn(|t| t.status(429).header("retry-after", "45").body("slow down"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    screen.until("Attempt 2 in 45 s. Press Enter to try now.");
    let shown = screen.until("Attempt 2 in 43 s. Press Enter to try now.");
    assert_eq!(shown.matches("Attempt 2 in").count(), 1, "{shown}");
    let began = std::time::Instant::now();
    screen.press("\r");
    let shown = screen.until("It is 42.");
    // Without the key it takes 43 s.
    assert!(began.elapsed().as_secs() < 38, "{:?}", began.elapsed());
    assert!(shown.lines().any(|line| line.trim_end() == "Attempt 2."), "{shown}");
    assert!(!shown.contains("Attempt 2 in"), "{shown}");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}

#[test]
fn a_pause_counts_on_below_a_line_that_is_written_meanwhile() {
    // A9
    let model = Script::new().turn(|t| t.status(429).header("retry-after", "45").body("slow down")).start();
    let desk = Desk::new();
    let screen = Screen::of(&chat(&desk, &model, &[]));
    screen.until_line("> ");
    screen.enter("What is the answer?");
    screen.until("Attempt 2 in 45 s.");
    screen.press("And then?");
    screen.until_line("next> And then?");
    screen.press("\r");
    screen.until("Queued: it is sent when this turn has ended.");
    screen.until_times("Attempt 2 in", 2);
    screen.press("\x03");
    screen.until_line("> And then?");
    screen.press("\x03");
    screen.until_line("> ");
    screen.press("\x04");
    assert_eq!(screen.ended(), 0);
    model.finish();
}
