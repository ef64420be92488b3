//! What goes wrong, and what is still there afterwards.

use serde_json::json;
use support::{Gate, Script};

use crate::scene::{ask, desktop, foxes};

#[tokio::test]
async fn a_wrong_key_is_explained_where_it_happened_and_the_next_message_works() {
    let refusal =
        json!({ "error": { "message": "Incorrect API key provided", "type": "invalid_request_error" } });
    let model = Script::new()
        .turn(|t| t.status(401).body(refusal.to_string()))
        .turn(|t| t.text("Seven foxes.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;

    ask(&window, "How many foxes are there?").await;
    window.reads("phase-bar", "Failed").await;
    window.see("error-card").await;
    let code = "return document.querySelector(\"[data-testid='error-card']\").dataset.code";
    assert_eq!(window.script(code, json!([])).await, json!("authentication"));
    window.screenshot("wrong-key").await;

    ask(&window, "And now?").await;
    window.reads("answer", "Seven foxes.").await;
    window.reads("state", "Answered").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn after_a_restart_the_session_and_the_size_are_there_and_the_session_goes_on() {
    let model = Script::new()
        .turn(|t| t.text("Seven foxes.").end("stop"))
        .turn(|t| {
            t.text("Still seven.").end("stop").expect(|ask| {
                let said: Vec<_> =
                    ask.conversation().into_iter().filter(|(role, _)| *role != "system").collect();
                let history = [
                    ("user", "How many foxes are there?"),
                    ("assistant", "Seven foxes."),
                    ("user", "And now?"),
                ];
                assert_eq!(said, history);
            })
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("state", "Answered").await;
    window.resize(950, 700).await;
    window.quit().await;

    let window = desktop.open(None).await;
    assert_eq!(window.script("return [innerWidth, innerHeight]", json!([])).await, json!([950, 700]));
    window.reads("session-item", "How many foxes are there?").await;
    window.reads("answer", "Seven foxes.").await;
    ask(&window, "And now?").await;
    window.reads("answer", "Still seven.").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_page_loaded_anew_in_the_middle_of_an_answer_loses_nothing() {
    let words: Vec<String> = (0..400).map(|n| format!("word{n} ")).collect();
    let (start, flowing, end) = (Gate::new(), Gate::new(), Gate::new());
    let model = Script::new()
        .turn(|t| {
            let t = words[..200].iter().fold(t.text("First ").hold(&start), |t, word| t.text(word));
            let t = words[200..].iter().fold(t.hold(&flowing), |t, word| t.text(word));
            t.hold(&end).text("last.").end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "Say four hundred words.").await;
    window.reads("answer", "First").await;
    start.open();
    flowing.reached().await;
    // The page goes away while the second half is on its way (T6).
    flowing.open();
    window.reload().await;
    end.reached().await;
    window.reads("answer", "word399").await;
    end.open();
    window.reads("state", "Answered").await;
    let answer = window.reads("answer", "last.").await;
    assert_eq!(answer.trim(), format!("First {}last.", words.concat()));
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_killed_app_shows_what_was_kept_and_its_turn_is_resumed_and_finished() {
    let model = Script::new()
        .turn(|t| t.text("I look first.").call("list_files", json!({ "path": "." })).end("tool_calls"))
        .turn(|t| t.text("There are").hang())
        .turn(|t| {
            t.expect(|ask| {
                let results =
                    ask.conversation().iter().filter(|(_, text)| text.starts_with("Result of call")).count();
                assert_eq!(results, 1, "A5: what has its outcome does not run again");
            })
            .text("three files.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "What is here?").await;
    window.reads("answer", "There are").await;
    window.kill().await;

    // J1: what came before a durable event was committed with it. A5: the turn says what became of it.
    let window = desktop.open(None).await;
    window.reads("answer", "I look first.").await;
    window.reads("fold", "Listed the folder").await;
    window.reads("phase-bar", "Interrupted").await;
    window.screenshot("interrupted").await;
    window.click("resume").await;
    window.reads("answer", "three files.").await;
    window.reads("state", "Answered").await;
    window.gone("resume").await;
    window.quit().await;
    model.finish();
}
