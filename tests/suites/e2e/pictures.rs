//! The window at both sizes in both themes: pictures to look at, and the rule that nothing scrolls sideways.

use std::fs;

use serde_json::json;
use support::{Desktop, Gate, Script, Window};

use crate::scene::{Theme, ask, desktop, foxes, in_themes};

const ANSWER: &str = "The count comes from `src/lib.rs`:\n\n```rust\n/// The foxes seen so far.\npub fn count() -> u32 {\n    7\n}\n```\n\n\
It is a **constant** for now. Three things follow:\n\n1. `main` prints it as it is.\n2. The colours in `docs/colours.md` are not counted apart.\n3. ";

/// What the model makes of src/lib.rs, with words around it as models write them.
const CHANGED: &str = "Here is the file:\n/// The foxes seen so far, by their colours.\npub fn count() -> u32 {\n    COLOURS.len() as u32\n}\n\n\
/// Every colour that was seen.\npub const COLOURS: [&str; 3] = [\"red\", \"grey\", \"arctic\"];\nDONE\n";

/// What can be scrolled sideways, by its class. Code may: its lines are as long as they are.
const SIDEWAYS: &str = "
    const scrolls = (e) => e.scrollWidth > e.clientWidth && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
    const page = document.scrollingElement;
    const found = [...document.querySelectorAll('*')].filter((e) => scrolls(e) && !e.closest('pre') && !e.querySelector(':scope > pre'));
    if (page.scrollWidth > innerWidth) found.push(page);
    return found.map((e) => `${e.tagName} ${e.className}`)";

#[tokio::test]
async fn nothing_is_cut_off_at_either_size() {
    in_themes(Theme::Light, take).await;
}

/// T4, P3: from the moment the folder is open, and again when its file changes.
#[tokio::test]
async fn what_a_project_lowers_is_in_the_numbers_and_what_is_wrong_in_its_file_is_said() {
    let model = Script::new().start();
    let strict = "mode = \"plan\"\ncolour = \"red\"\n[limits]\nmax_cycles = 2\n";
    for (name, gtk_theme) in [("light", "Adwaita"), ("dark", "Adwaita:dark")] {
        let (desktop, folder) = (desktop(&model).with("GTK_THEME", gtk_theme), foxes());
        let file = folder.path().join(".orion/config.toml");
        fs::create_dir(folder.path().join(".orion")).unwrap();
        fs::write(&file, strict).unwrap();
        let window = desktop.open(Some(&folder.path())).await;
        window
            .reads("bound", "at most 9 model calls, 2 tool runs, 32 requests for file content, 30 min")
            .await;
        window.reads("error-card", ".orion/config.toml:2:1: `colour` is not a setting.").await;
        both_sizes(&window, "project-file", name).await;

        fs::write(&file, strict.replace("max_cycles = 2", "max_cycles = 1")).unwrap();
        // As when the person comes back from the editor.
        window.script("window.dispatchEvent(new Event('focus'))", json!([])).await;
        window
            .reads("bound", "at most 7 model calls, 1 tool run, 16 requests for file content, 30 min")
            .await;
        window.quit().await;
    }
    model.finish();
}

async fn take(theme: fn(Desktop) -> Desktop, name: &str) {
    let streaming = Gate::new();
    let refusal = json!({ "error": { "message": "Incorrect API key provided: sk-e2e-****", "type": "invalid_request_error" } });
    let model = Script::new()
        .turn(|t| {
            t.text("I look at the library first.")
                .call("read_file", json!({ "path": "src/lib.rs" }))
                .end("tool_calls")
        })
        .turn(|t| t.text(ANSWER).hold(&streaming).text("A test would help.").usage(640, 80).end("stop"))
        .turn(|t| {
            let plan = json!({ "intent": "Count by colour.", "target_file": "src/lib.rs", "operation": "overwrite" });
            t.text("I count the colours instead.").call("write_plan_begin", plan).end("tool_calls")
        })
        .turn(|t| t.text(CHANGED).end("stop"))
        .turn(|t| t.text("Then it stays a constant.").end("stop"))
        .turn(|t| t.status(401).body(refusal.to_string()))
        .start();
    let welcome = theme(Desktop::start());
    let window = welcome.open(None).await;
    window.see("welcome").await;
    both_sizes(&window, "welcome", name).await;
    window.quit().await;

    let (desktop, folder) = (theme(desktop(&model)), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    both_sizes(&window, "empty", name).await;

    ask(&window, "Where does the number of foxes come from?").await;
    window.reads("answer", "The colours in").await;
    both_sizes(&window, "streaming", name).await;
    streaming.open();
    window.reads("state", "Answered").await;
    coloured(&window, "pre span[style]").await;
    both_sizes(&window, "answered", name).await;
    window.click("fold").await;
    window.click("tool-box-toggle").await;
    window.reads("tool-result", "pub fn count").await;
    both_sizes(&window, "step-open", name).await;

    window.resize(1280, 800).await;
    ask(&window, "Count them from the colours.").await;
    window.reads("row", "COLOURS.len()").await;
    coloured(&window, "[data-testid=row] span[style]").await;
    both_sizes(&window, "preview", name).await;
    window.click("write-reject").await;
    window.reads("answer", "Then it stays a constant.").await;

    // What was opened above keeps the view where it was; a new message brings it to the end.
    ask(&window, "And the colours?").await;
    window.see("error-card").await;
    let in_view = || async {
        let middle = "
            const box = document.querySelector(\"[data-testid='error-card']\").getBoundingClientRect();
            const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return there?.closest(\"[data-testid='error-card']\") !== null";
        Ok(window.session.execute(middle, json!([])).await?.as_bool().filter(|seen| *seen))
    };
    window.until("the error to be in view", in_view).await;
    both_sizes(&window, "error", name).await;
    window.quit().await;
    model.finish();
}

/// Waits until code has its colours. A library that cannot live with the page's frozen prototypes gives none, and no error.
async fn coloured(window: &Window, words: &str) {
    let some = || async {
        let counts = "return document.querySelectorAll(arguments[0]).length";
        Ok(window.session.execute(counts, json!([words])).await?.as_u64().filter(|words| *words > 2))
    };
    window.until("the code to be coloured", some).await;
}

pub(crate) async fn both_sizes(window: &Window, state: &str, theme: &str) {
    for (width, height) in [(1280, 800), (800, 600)] {
        window.resize(width, height).await;
        picture(window, &format!("{state}-{theme}-{width}")).await;
    }
}

/// The window as it is.
pub(crate) async fn picture(window: &Window, name: &str) {
    window.screenshot(name).await;
    let sideways = window.script(SIDEWAYS, json!([])).await;
    assert_eq!(sideways, json!([]), "{name} scrolls sideways");
}
