//! The room of a model in the window: while a turn runs, what a person takes out of it, cuts, making room, and what it costs (X2, X3, X4).

use std::fs;
use std::io::Write;

use serde_json::{Value, json};
use support::webdriver::keys;
use support::{Desktop, Gate, Script, Window};

use crate::pictures::both_sizes;
use crate::scene::{Theme, ask, desktop, foxes, in_themes};

/// Tokens that the meter says are used.
async fn used(window: &Window) -> u64 {
    let label = "return document.querySelector(\"[data-testid='context-meter']\")?.ariaLabel ?? ''";
    let said = window.script(label, json!([])).await;
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok();
    said.as_str().and_then(|said| digits(said.split_once(" of ")?.0)).unwrap_or(0)
}

async fn until_used(window: &Window, what: &str, enough: impl Fn(u64) -> bool) -> u64 {
    window.until(what, async || Ok(Some(used(window).await).filter(|tokens| enough(*tokens)))).await
}

/// Opens the meter, and the last turn in it.
async fn unfold(window: &Window) {
    window.click("context-meter").await;
    window.see("context-part").await;
    let unfold = "[...document.querySelectorAll(\"[data-testid='context-part'] button[aria-expanded='false']\")].at(-1).click()";
    window.script(unfold, json!([])).await;
    window.see("context-box").await;
}

/// Clicks the button of this name.
async fn press_button(window: &Window, name: &str) {
    let click = "
        const found = [...document.querySelectorAll('button')].find((e) => (e.ariaLabel ?? e.innerText).includes(arguments[0]));
        found?.click();
        return found !== undefined";
    window
        .until(&format!("the button {name}"), async || {
            Ok(window.session.execute(click, json!([name])).await?.as_bool().filter(|clicked| *clicked))
        })
        .await;
}

#[tokio::test]
async fn the_meter_follows_a_turn_that_runs_and_the_view_says_what_the_session_has_cost() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.usage(4_000, 20).call("read_file", json!({"path": "src/lib.rs"})).end("tool_calls"))
        .turn(|t| t.text("There are ").hold(&gate).text("seven.").usage(5_000, 10).end("stop"))
        .turn(|t| t.text("Yes.").usage(5_100, 10).end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    fs::write(desktop.config_dir().join("prices.toml"), "[scripted.fox-1]\nprompt = 2\ncompletion = 10\n")
        .unwrap();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "There are").await;
    // The first call is counted, and the file that it asked for came since.
    let during = until_used(&window, "the meter to have the first call", |tokens| tokens > 4_000).await;
    window.click("context-meter").await;
    window.reads("context-part", "How many foxes are there?").await;
    window.press(&[keys::ESCAPE]).await;
    gate.open();
    window.reads("state", "Answered").await;
    until_used(&window, "the meter to have the second call", |tokens| tokens > during).await;
    window.click("context-meter").await;
    window.reads("context-spent", "This session has used 9,030 tokens so far, for $0.02.").await;
    window.press(&[keys::ESCAPE]).await;

    // Without its price the sum is a part.
    fs::write(desktop.config_dir().join("prices.toml"), "").unwrap();
    window.quit().await;
    let window = desktop.open(None).await;
    window.reads("answer", "seven.").await;
    ask(&window, "Sure?").await;
    window.reads("answer", "Yes.").await;
    window.reads("state", "Answered").await;
    window.click("context-meter").await;
    window.reads("context-spent", "This session has used 14,140 tokens so far, for at least $0.02.").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn what_a_person_takes_out_survives_a_crash_and_goes_with_the_next_message() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "src/lib.rs"})).end("tool_calls"))
        .turn(|t| t.text("Seven.").end("stop"))
        .turn(|t| {
            t.expect(|ask| {
                let said = ask.conversation();
                assert!(!said.iter().any(|(_, text)| text.contains("The foxes seen so far.")), "{said:?}");
            })
            .text("As I said.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("state", "Answered").await;
    unfold(&window).await;
    press_button(&window, "Take out with the next message: read_file src/lib.rs").await;
    let dialog = "return document.querySelector('.context-view')?.innerText ?? ''";
    let says = async |window: &Window, words: &str| {
        window
            .until(words, async || {
                let said = window.session.execute(dialog, json!([])).await?;
                Ok(said.as_str().is_some_and(|said| said.contains(words)).then_some(()))
            })
            .await;
    };
    says(&window, "With your next message: 1 part taken out.").await;
    // Its reply says that it is on the disk; the view is asked for after that.
    let kept = async || {
        let context =
            json!({ "query": { "type": "context", "sessionId": session(&window).await, "options": {} } });
        let answer = crate::scene::invoke(&window, "query", context).await;
        Ok(answer["view"]["edits"].as_array().filter(|edits| !edits.is_empty()).map(|_| ()))
    };
    window.until("the choice to be kept", kept).await;
    window.kill().await;

    let window = desktop.open(None).await;
    window.reads("answer", "Seven.").await;
    unfold(&window).await;
    says(&window, "With your next message: 1 part taken out.").await;
    window.press(&[keys::ESCAPE]).await;
    ask(&window, "Are you sure?").await;
    window.reads("answer", "As I said.").await;
    window.reads("state", "Answered").await;
    window.click("context-meter").await;
    window.see("context-part").await;
    let said = window.script(dialog, json!([])).await;
    assert!(!said.as_str().unwrap().contains("With your next message"), "{said}");
    window.quit().await;
    model.finish();
}

/// The session with the latest activity.
async fn session(window: &Window) -> Value {
    let state = crate::scene::invoke(window, "query", json!({ "query": { "type": "state" } })).await;
    state["state"]["sessions"][0]["sessionId"].clone()
}

async fn looks(theme: fn(Desktop) -> Desktop, name: &str) {
    let long = "The foxes are red, grey or arctic, and each of them was counted by day. ";
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.usage(1_800, 20).call("read_file", json!({"path": "src/lib.rs"})).end("tool_calls"))
        .turn(|t| t.text(&long.repeat(8)).hold(&gate).text("Seven in all.").usage(1_900, 160).end("stop"))
        .turn(|t| t.text(&long.repeat(40)).usage(2_100, 700).end("stop"))
        .turn(|t| t.text(&format!("Of three colours. {}", long.repeat(16))).usage(1_600, 300).end("stop"))
        .turn(|t| t.text("The person counts foxes: seven, of three colours.").usage(1_500, 12).end("stop"))
        .turn(|t| t.text("Seven.").usage(1_500, 5).end("stop"))
        .start();
    let (desktop, folder) = (theme(desktop(&model)), foxes());
    fs::write(desktop.config_dir().join("prices.toml"), "[scripted.fox-1]\nprompt = 2\ncompletion = 10\n")
        .unwrap();
    let settings = fs::File::options().append(true).open(desktop.config_dir().join("config.toml"));
    settings.unwrap().write_all(b"[endpoints.scripted.models.fox-1]\nwindow = 4096\n").unwrap();
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("answer", "counted by day").await;
    until_used(&window, "the meter to have the first call", |tokens| tokens > 1_800).await;
    both_sizes(&window, "meter-running", name).await;
    gate.open();
    window.reads("state", "Answered").await;
    unfold(&window).await;
    press_button(&window, "Take out with the next message: read_file src/lib.rs").await;
    window.reads("context-spent", "This session has used").await;
    both_sizes(&window, "context", name).await;
    press_button(&window, "Keep: read_file src/lib.rs").await;
    window.press(&[keys::ESCAPE]).await;

    window.resize(1280, 800).await;
    window.click("side-panel").await;
    window.click("as-list").await;
    window.see("trace-row").await;
    let open = "document.querySelectorAll(\"[data-testid='trace-row'][data-kind='model_call']\")[1].click()";
    window.script(open, json!([])).await;
    window.click("sent").await;
    window.reads("sent-message", "The foxes seen so far.").await;
    both_sizes(&window, "sent", name).await;
    window.click("sent-json").await;
    window.reads("sent-body", "\"model\": \"fox-1\"").await;
    window.click("sent-copy").await;
    window.reads("sent-copy", "Copied").await;
    both_sizes(&window, "sent-json", name).await;
    window.press(&[keys::ESCAPE]).await;
    window.gone("sent-body").await;

    // X3: the next message would fill more than 80 % of the room.
    ask(&window, "Tell me all about them.").await;
    window.reads("state", "Answered").await;
    window.see("would-cut").await;
    both_sizes(&window, "would-cut", name).await;
    ask(&window, "And of what colours?").await;
    window.reads("answer", "Of three colours.").await;
    window.reads("notice", "taken out").await;
    both_sizes(&window, "cut", name).await;

    // X3, X4: a message that does not fit whatever is cut; the person makes room.
    let paste = "
        const field = document.querySelector(\"[data-testid='composer']\");
        field.value = 'Compare this with what you know of foxes. '.repeat(300);
        field.dispatchEvent(new Event('input', { bubbles: true }))";
    window.script(paste, json!([])).await;
    window.click("send").await;
    window.see("make-room").await;
    both_sizes(&window, "too-long", name).await;
    window.click("make-room").await;
    window.reads("state", "Compacted").await;
    window.click("entry-toggle").await;
    window.reads("entry-summary", "seven, of three colours").await;
    both_sizes(&window, "made-room", name).await;
    ask(&window, "How many again?").await;
    window.reads("answer", "Seven.").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn meter_view_request_cut_and_making_room() {
    in_themes(Theme::Dark, looks).await;
}
