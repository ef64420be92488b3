//! A question of the model, in the window: it outlives the process, and the answer reaches the model (A7, A8).

use serde_json::json;
use support::Script;

use crate::scene::{ask, desktop, foxes};

#[tokio::test]
async fn a_question_outlives_the_process_and_is_answered_in_ones_own_words() {
    let questions = json!({ "questions": [
        { "id": "colour", "question": "Which colour is missing?", "kind": "choice", "options": ["Blue", "Green"] },
    ] });
    let model = Script::new()
        .turn(|t| t.text("One thing first.").call("ask_user", questions).end("tool_calls"))
        .turn(|t| {
            let told = "colour: Which colour is missing?\n- Silver\n";
            t.expect(move |ask| assert!(ask.last_text().contains(told), "{}", ask.last_text()))
                .text("Then it is silver.")
                .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Which colour is missing?").await;
    window.reads("phase-bar", "Waiting for your answer").await;
    window.reads("question", "Which colour is missing?").await;
    window.screenshot("question").await;
    window.kill().await;

    // A7: nothing answered for the person.
    let window = desktop.open(None).await;
    window.reads("phase-bar", "Waiting for your answer").await;
    window.fill("own-words", "Silver").await;
    window.click("answer-questions").await;
    window.reads("answer", "Then it is silver.").await;
    window.reads("state", "Answered").await;
    window.click("fold").await;
    window.click("tool-box-toggle").await;
    window.reads("tool-result", "- Silver").await;
    window.quit().await;
    model.finish();
}
