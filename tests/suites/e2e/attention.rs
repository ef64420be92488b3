//! A person who looks at something else is told that a turn waits for them, is done or has failed.

use std::fs;

use serde_json::json;
use support::{Bus, Script, Told, Window};

use crate::scene::{ask, desktop, foxes};

fn told(summary: &str, body: &str) -> Told {
    Told { program: "Orion".into(), summary: summary.into(), body: body.into() }
}

async fn titled(window: &Window, desktop: &support::Desktop, title: &str) {
    let what = format!("the window's title to be {title}");
    window.until(&what, async || Ok(desktop.titles().contains(&title.to_owned()).then_some(()))).await;
}

#[tokio::test]
async fn the_desktop_and_the_title_say_what_happened_while_the_person_looked_elsewhere() {
    let mut bus = Bus::start().await;
    let model = Script::new()
        .turn(|t| t.text("Seven foxes.").end("stop"))
        .turn(|t| {
            t.call(
                "write_plan_begin",
                json!({"intent": "A note", "target_file": "note.md", "operation": "create"}),
            )
            .end("tool_calls")
        })
        .turn(|t| t.text("# Note\nDONE").end("stop"))
        .turn(|t| t.text("Written.").end("stop"))
        .turn(|t| t.status(401).body("{}"))
        .turn(|t| t.text("Seen.").end("stop"))
        .start();
    let desktop = desktop(&model).with("DBUS_SESSION_BUS_ADDRESS", bus.address());
    let folder = foxes();
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    desktop.focus(None);

    ask(&window, "Count <all> foxes & cubs").await;
    let title = "Count &lt;all&gt; foxes &amp; cubs";
    assert_eq!(bus.told().await, told("Done", title), "desktops read it as markup");
    titled(&window, &desktop, "Done: Count <all> foxes & cubs – Orion").await;

    ask(&window, "Write a note").await;
    assert_eq!(bus.told().await, told("Waits for you", title));
    titled(&window, &desktop, "Waits for you: Count <all> foxes & cubs – Orion").await;
    window.screenshot("waits-for-you").await;
    window.click("write-approve").await;
    assert_eq!(bus.told().await, told("Done", title));

    ask(&window, "And now?").await;
    assert_eq!(bus.told().await, told("Failed", title));
    titled(&window, &desktop, "Failed: Count <all> foxes & cubs – Orion").await;

    // Who looks is told nothing, and the title is only a name again.
    desktop.focus(Some("Failed: Count <all> foxes & cubs – Orion"));
    titled(&window, &desktop, "Orion").await;
    ask(&window, "Again").await;
    window.reads("answer", "Seen.").await;
    window.reads("state", "Answered").await;
    bus.told_nothing_more();
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn the_settings_keep_the_desktop_quiet() {
    let mut bus = Bus::start().await;
    let model = Script::new().turn(|t| t.text("Seven foxes.").end("stop")).start();
    let desktop = desktop(&model).with("DBUS_SESSION_BUS_ADDRESS", bus.address());
    let file = desktop.config_dir().join("config.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("notifications = \"waiting\"\n{settings}")).unwrap();
    let folder = foxes();
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    desktop.focus(None);
    ask(&window, "Count").await;
    titled(&window, &desktop, "Done: Count – Orion").await;
    window.quit().await;
    bus.told_nothing_more();
    model.finish();
}
