//! The files that a command changed, in the window: listed in its box with their difference, and taken back on the disk (C6, W7).

use std::fs;

use serde_json::json;
use support::{Script, binary};

use crate::commands::press;
use crate::pictures::both_sizes;
use crate::scene::{Theme, ask, desktop, foxes, in_themes};

const LINE: &str =
    "printf 'changed\\n' > first.txt; printf 'changed too\\n' > second.txt; printf 'made\\n' > third.txt";

// C6, W7
#[tokio::test]
async fn what_a_command_changed_is_listed_shown_and_taken_back() {
    in_themes(Theme::Light, async |theme, name| {
        // It is looked for beside the program of the window.
        let _ = binary("orion-sandbox");
        let arguments = json!({ "command": LINE, "reason": "To build" });
        let model = Script::new()
            .turn(|t| t.text("I build it.").call("run_command", arguments).end("tool_calls"))
            .turn(|t| {
                t.expect(|ask| {
                    let told = "first.txt (changed +1 -1), second.txt (changed +1 -1), third.txt (new +1 -0)";
                    assert!(ask.last_text().contains(told), "{}", ask.last_text());
                })
                .text("Built.")
                .end("stop")
            })
            .start();
        let (desktop, folder) = (theme(desktop(&model)), foxes());
        let at = |name: &str| folder.path().join(name);
        fs::write(at("first.txt"), "one\n").unwrap();
        fs::write(at("second.txt"), "two\n").unwrap();
        let now = || ["first.txt", "second.txt", "third.txt"].map(|name| fs::read_to_string(at(name)).ok());
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Build it.").await;
        window.reads("command-line", LINE).await;
        press(&window, "approve").await;
        window.reads("answer", "Built.").await;
        window.reads("state", "Answered").await;
        window.click("fold").await;
        window.click("tool-box-toggle").await;
        window.reads("command-changed", "3 files changed").await;
        assert_eq!(
            now(),
            [Some("changed\n"), Some("changed too\n"), Some("made\n")].map(|it| it.map(str::to_owned))
        );
        // The difference of the first one.
        window
            .script("document.querySelector(\"[data-testid='command-file'] .name\").click()", json!([]))
            .await;
        let added =
            "const line = document.querySelector(\"[data-testid='command-file'] [data-kind='added']\");
                     return line !== null && line.textContent.includes('changed')";
        window
            .until("the difference to be shown", async || {
                let is_shown = window.session.execute(added, json!([])).await?;
                Ok((is_shown == json!(true)).then_some(()))
            })
            .await;
        both_sizes(&window, "command-changed", name).await;
        // One of them, and then the others.
        window.click("undo-file").await;
        window.reads("undone-file", "Undone").await;
        assert_eq!(
            now(),
            [Some("one\n"), Some("changed too\n"), Some("made\n")].map(|it| it.map(str::to_owned))
        );
        press(&window, "undo-command").await;
        window
            .until("all three to be undone", async || {
                Ok((window.session.find_all("[data-testid='undone-file']").await?.len() == 3).then_some(()))
            })
            .await;
        assert_eq!(now(), [Some("one\n"), Some("two\n"), None].map(|it| it.map(str::to_owned)));
        both_sizes(&window, "command-undone", name).await;
        window.quit().await;
        model.finish();
    })
    .await;
}
