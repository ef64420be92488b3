//! Messages that are written while a turn runs, in the window (A9).

use serde_json::json;
use support::webdriver::keys;
use support::{Fate, Gate, Script, Window};

use crate::scene::{ask, desktop, foxes};

/// Waits until these messages wait, and the composer is free for the next one.
async fn queued(window: &Window, texts: &[&str]) {
    window
        .until("the queue", async || {
            let waits = window.texts("queued").await?;
            let same = waits.iter().map(|text| text.trim()).eq(texts.iter().copied());
            Ok((same && composer(window).await.is_empty()).then_some(()))
        })
        .await;
}

async fn composer(window: &Window) -> String {
    let value = "return document.querySelector('[data-testid=composer]').value";
    window.script(value, json!([])).await.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_message_is_steered_and_others_are_queued_and_sent_once_the_turn_was_answered() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            t.text("I look. ")
                .hold(&gate)
                .call("read_file", json!({ "path": "docs/colours.md" }))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| {
                assert_eq!(ask.last_text(), "Only the first one.");
                assert_eq!(ask.body.to_string().matches("Only the first one.").count(), 1);
                assert!(ask.body.to_string().contains("Red, grey and arctic."));
            })
            .text("Red.")
            .end("stop")
        })
        .turn(|t| {
            t.expect(|ask| assert_eq!(ask.last_text(), "And who counts them?")).text("A program.").end("stop")
        })
        .turn(|t| {
            t.expect(|ask| assert_eq!(ask.last_text(), "Thank you.")).text("You are welcome.").end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Which colours are there?").await;
    window.reads("answer", "I look.").await;
    ask(&window, "And who counts them?").await;
    queued(&window, &["And who counts them?"]).await;
    ask(&window, "Thank you.").await;
    queued(&window, &["And who counts them?", "Thank you."]).await;
    window.write("composer", "Only the first one.").await;
    window.press(&[keys::ALT, keys::ENTER]).await;
    window.reads("steered", "The model reads this before its next answer.").await;
    window.screenshot("queued").await;
    gate.open();
    window.reads("answer", "You are welcome.").await;
    window.gone("queue").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_queue_survives_a_crash_is_held_and_is_sent_by_its_button() {
    let model = Script::new()
        .turn(|t| t.text("Once upon a time").hang())
        .turn(|t| t.expect(|ask| assert_eq!(ask.last_text(), "A shorter one.")).text("Once.").end("stop"))
        .turn(|t| t.text("And again").hang())
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Tell me a long story.").await;
    window.reads("answer", "Once upon a time").await;
    ask(&window, "A shorter one.").await;
    queued(&window, &["A shorter one."]).await;
    window.kill().await;
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);

    let window = desktop.open(None).await;
    window.reads("phase-bar", "Interrupted").await;
    queued(&window, &["A shorter one."]).await;
    window.reads("queue", "Held").await;
    window.screenshot("held").await;
    window.click("queue-release").await;
    window.reads("answer", "Once.").await;
    window.reads("state", "Answered").await;

    // A4: on Stop the queue is back in the composer.
    ask(&window, "Tell me another one.").await;
    window.reads("answer", "And again").await;
    ask(&window, "With foxes.").await;
    queued(&window, &["With foxes."]).await;
    window.click("stop").await;
    window.reads("phase-bar", "Stopped").await;
    window
        .until("the message in the composer", async || {
            Ok((composer(&window).await == "With foxes.").then_some(()))
        })
        .await;
    window.gone("queue").await;
    window.quit().await;
    model.finish();
}
