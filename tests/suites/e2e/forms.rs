//! Forms that a person seldom meets: a pause before another try, an unknown finish reason, a turn of another version, plain HTTP, and the
//! space that sessions use.

use std::path::Path;

use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::webdriver::keys;
use support::{Desktop, Script, Window};

use crate::scene::{Theme, ask, desktop, foxes, in_themes};

/// Another computer, which nobody asks: the address is reserved for documentation (RFC 5737).
const ELSEWHERE: &str = "http://192.0.2.1:8080/v1";

#[tokio::test]
async fn each_form_says_what_it_is_and_does_what_it_says() {
    in_themes(Theme::Dark, seldom).await;
}

async fn seldom(theme: fn(Desktop) -> Desktop, name: &str) {
    let plan = json!({ "intent": "Say more.", "target_file": "docs/colours.md", "operation": "overwrite" });
    let model = Script::new()
        .turn(|t| t.status(503).header("retry-after", "40").body("busy"))
        .turn(|t| t.text("Seven foxes, as far as").end("ran_dry"))
        .turn(|t| t.call("write_plan_begin", plan).end("tool_calls"))
        .turn(|t| t.text("Red, grey, arctic and swift.\nDONE").end("stop"))
        .start();
    let (desktop, folder) = (theme(desktop(&model)), foxes());
    let window = desktop.open(Some(&folder.path())).await;

    // P10: a pause is counted down, and skipped when the person says so.
    ask(&window, "How many foxes are there?").await;
    window.see("left").await;
    picture(&window, "pause", name).await;
    window.click("retry-now").await;
    window.reads("phase-bar", "The answer may not be complete").await;
    window.see("accept-finish").await;
    picture(&window, "unknown-finish", name).await;
    window.click("accept-finish").await;
    window.gone("accept-finish").await;
    let settings = std::fs::read_to_string(desktop.config_dir().join("config.toml")).unwrap();
    assert!(settings.contains("accepted_finish_reasons = [\"ran_dry\"]"), "{settings}");

    ask(&window, "Name the swift fox too.").await;
    window.see("write-approve").await;
    window.quit().await;
    desktop.changes_journals();
    a_later_version_wrote_it(&desktop.data_dir()).await;

    // T8: it can be read and rejected, and is not resumed.
    let window = desktop.open(None).await;
    window.reads("phase-bar", "Written by another version of Orion").await;
    window.see("row").await;
    picture(&window, "other-version", name).await;
    window.click("write-reject").await;
    window.gone("write-reject").await;
    let file = std::fs::read_to_string(folder.path().join("docs/colours.md")).unwrap();
    assert_eq!(file, "Red, grey and arctic.\n");

    window.press(&[keys::CONTROL, ',']).await;
    window.click("settings-tab-storage").await;
    window.see("space").await;
    picture(&window, "space", name).await;
    window.click("settings-tab-models").await;
    window.click("connect-model").await;
    window.fill("base-url", ELSEWHERE).await;
    window.see("allow-http").await;
    picture(&window, "plain-http", name).await;
    window.quit().await;
    model.finish();
}

async fn a_later_version_wrote_it(data: &Path) {
    let mut database = SqliteConnectOptions::new().filename(data.join("orion.db")).connect().await.unwrap();
    let sql = "UPDATE journal SET body = json_insert(body, '$.setup.flags[#]', 999)
        WHERE kind = 'input' AND body ->> '$.type' = 'setup'";
    assert!(sqlx::raw_sql(sql).execute(&mut database).await.unwrap().rows_affected() > 0);
}

async fn picture(window: &Window, state: &str, theme: &str) {
    for (width, height) in [(1280, 800), (800, 600)] {
        window.resize(width, height).await;
        window.screenshot(&format!("{state}-{theme}-{width}")).await;
    }
    // The bar, where there is one, has one line here, also after a moment in which the window was too narrow for it.
    let height = window
        .script("return document.querySelector(\"[data-testid='phase-bar']\")?.offsetHeight ?? 0", json!([]))
        .await;
    assert!(
        height.as_u64().is_some_and(|height| height <= 40),
        "{state}: the phase bar is {height} pixels high"
    );
    window.resize(1280, 800).await;
}
