//! A turn as a person sees it: phases, boxes, the answer, the trace, stopping.

use serde_json::json;
use support::webdriver::keys;
use support::{Fate, Gate, Script};

use crate::scene::{ask, desktop, foxes};

#[tokio::test]
async fn a_question_is_answered_through_a_tool_phase_that_can_be_watched_and_opened() {
    let (before_call, before_answer, before_end) = (Gate::new(), Gate::new(), Gate::new());
    let model = Script::new()
        .turn(|t| {
            t.text("I look at the library first.")
                .hold(&before_call)
                .call("read_file", json!({ "path": "src/lib.rs" }))
                .end("tool_calls")
        })
        .turn(|t| {
            t.hold(&before_answer)
                .text("There are **seven** foxes.")
                .hold(&before_end)
                .usage(90, 6)
                .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;

    // P1, P4: the action phase streams …
    window.reads("answer", "I look at the library first.").await;
    window.reads("phase-bar", "Answering").await;
    window.reads("phase-bar", "8 steps").await;
    before_call.open();
    // … and the tool phase hands its box to the next action phase.
    before_answer.reached().await;
    window.reads("phase-bar", "Waiting for the model").await;
    window.reads("phase-bar", "step 1 of 8").await;
    before_answer.open();
    window.reads("answer", "There are seven foxes.").await;
    window.reads("phase-bar", "Answering").await;
    before_end.open();
    window.reads("state", "Answered").await;
    window.gone("stop").await;

    // R4: the result is in a box that is closed, in the line of its step, and nowhere in the answer.
    window.gone("phase-bar").await;
    window.reads("fold", "Looked at src/lib.rs").await;
    window.click("fold").await;
    window.see("tool-box").await;
    assert_eq!(window.texts("tool-box").await.unwrap().len(), 1);
    window.reads("tool-box", "Read").await;
    window.reads("tool-box", "src/lib.rs").await;
    assert_eq!(window.texts("tool-result").await.unwrap(), Vec::<String>::new());
    window.click("tool-box-toggle").await;
    window.reads("tool-result", "The foxes seen so far.").await;

    // J2: the trace has every step. Its panel is closed until it is asked for.
    window.click("side-panel").await;
    window.reads("timeline-row", "src/lib.rs").await;
    window.click("as-list").await;
    window.reads("trace-row", "read_file").await;
    let kinds =
        "return [...document.querySelectorAll(\"[data-testid='trace-row']\")].map((row) => row.dataset.kind)";
    let kinds = window.script(kinds, json!([])).await;
    for kind in ["turn", "orchestration_phase", "model_call", "tool_call"] {
        assert!(kinds.as_array().unwrap().contains(&json!(kind)), "no {kind} in {kinds}");
    }
    // … and each opens to what is known of it.
    for (kind, fact) in [("turn", "two stage"), ("tool_call", "The foxes seen so far.")] {
        let click =
            "document.querySelector(`[data-testid='trace-row'][data-kind='${arguments[0]}']`).click()";
        window.script(click, json!([kind])).await;
        window.reads("inspector", fact).await;
    }
    window.screenshot("answered").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn stopping_drops_the_stream_at_once_and_the_next_message_works() {
    let model = Script::new()
        .turn(|t| t.text("Once upon a time").hang())
        .turn(|t| t.text("And again").hang())
        .turn(|t| t.text("A short one.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;

    // A4, by the button and by the key.
    ask(&window, "Tell me a long story.").await;
    window.reads("answer", "Once upon a time").await;
    window.click("stop").await;
    window.reads("phase-bar", "Stopped").await;
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);
    window.reads("answer", "Once upon a time").await;

    ask(&window, "Another one.").await;
    window.reads("answer", "And again").await;
    window.press(&[keys::ESCAPE]).await;
    window.reads("phase-bar", "Stopped").await;
    assert_eq!(model.dropped(2).await.fate, Fate::Dropped);

    ask(&window, "A short one, please.").await;
    window.reads("answer", "A short one.").await;
    window.reads("state", "Answered").await;
    window.quit().await;
    model.finish();
}
