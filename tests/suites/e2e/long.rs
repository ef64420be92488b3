//! A session of five thousand turns in the real window: it opens at its end, and more of it comes as it is scrolled to.

use serde_json::{Value, json};
use support::{Script, Window, seed};

use crate::scene::{ask, desktop, foxes};

/// The turns that are on the page, and how far the one that is read is from the top of what can be seen.
const LOOK: &str = "
    const region = document.querySelector(\"[aria-label='Conversation']\");
    const turns = [...region.querySelectorAll('[data-turn]')];
    const top = region.getBoundingClientRect().top;
    const read = turns.find((turn) => turn.getBoundingClientRect().bottom > top);
    return { turns: turns.length, first: turns[0]?.dataset.turn, last: turns.at(-1)?.dataset.turn,
             read: read?.dataset.turn, at: read?.getBoundingClientRect().top - top };";

/// Where a turn is now.
const WHERE: &str = "
    const region = document.querySelector(\"[aria-label='Conversation']\");
    const turn = region.querySelector(`[data-turn=\"${arguments[0]}\"]`);
    return turn.getBoundingClientRect().top - region.getBoundingClientRect().top;";

/// Scrolls to the very top, and says what is read there before anything else comes.
const TO_TOP: &str = "
    const region = document.querySelector(\"[aria-label='Conversation']\");
    region.scrollTop = 0;
    const turn = region.querySelector('[data-turn]');
    return { turn: turn.dataset.turn, at: turn.getBoundingClientRect().top - region.getBoundingClientRect().top };";

async fn look_until(window: &Window, what: &str, so: impl Fn(&Value) -> bool) -> Value {
    window
        .until(what, async || {
            let seen = window.session.execute(LOOK, json!([])).await?;
            Ok(so(&seen).then_some(seen))
        })
        .await
}

#[tokio::test]
async fn a_session_of_five_thousand_turns_opens_at_its_end_and_keeps_its_place_while_more_comes() {
    let model = Script::new()
        .turn(|t| t.text("I look. ").call("list_files", json!({ "path": "." })).end("tool_calls"))
        .turn(|t| t.text("Seven foxes.").end("stop"))
        .turn(|t| t.text("Still seven.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("state", "Answered").await;
    window.quit().await;
    seed::long_session(&desktop.data_dir(), 5_000).await;

    let window = desktop.open(None).await;
    window.reads("answer", "Seven foxes.").await;
    let opened = look_until(&window, "the newest page", |seen| seen["turns"] == 20).await;
    assert_ne!(opened["last"], opened["first"]);

    // What was at the top stays where it was, to the pixel, when the turns before it are there.
    let before = window.script(TO_TOP, json!([])).await;
    let came = look_until(&window, "an earlier page", |seen| seen["turns"] == 40).await;
    let now = window.script(WHERE, json!([before["turn"]])).await;
    assert_eq!(now, before["at"], "{came}");

    // However far it is scrolled, three pages are held; the newest turn is let go and comes back.
    for page in 0..4 {
        let held = window.script(LOOK, json!([])).await;
        window.script(TO_TOP, json!([])).await;
        look_until(&window, &format!("page {page}"), |seen| seen["first"] != held["first"]).await;
    }
    let far = window.script(LOOK, json!([])).await;
    assert!(far["turns"].as_u64().unwrap() <= 60, "{far}");
    assert_ne!(far["last"], opened["last"]);
    window.click("jump-latest").await;
    look_until(&window, "the newest turn", |seen| seen["last"] == opened["last"]).await;

    ask(&window, "And now?").await;
    window.reads("answer", "Still seven.").await;
    window.reads("state", "Answered").await;
    window.quit().await;
    model.finish();
}
