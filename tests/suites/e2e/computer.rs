//! *About this computer* in the real window: what its own process knows, and where no database opened.

use std::fs;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use support::Script;

use crate::pictures::picture;
use crate::scene::{desktop, foxes};

#[tokio::test]
async fn the_report_has_the_web_view_and_the_display_that_the_window_runs_with() {
    let model = Script::new().models(["one"]).start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    window.write("composer", "/doctor").await;
    window.press(&[support::webdriver::keys::ENTER]).await;
    window.see("computer-dialog").await;
    let found = window.reads("findings", "WebKitGTK").await;
    assert!(found.contains("X11, painted"), "{found}");
    picture(&window, "about-this-computer").await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn where_the_data_cannot_be_opened_the_report_says_why() {
    let model = Script::new().models(["one"]).start();
    let desktop = desktop(&model);
    fs::create_dir_all(desktop.data_dir()).unwrap();
    let options = SqliteConnectOptions::new().filename(desktop.data_dir().join("orion.db"));
    let mut later = options.create_if_missing(true).connect().await.unwrap();
    let sql = "CREATE TABLE compatible (since INTEGER); INSERT INTO compatible VALUES (999999); PRAGMA user_version = 999999";
    sqlx::raw_sql(sql).execute(&mut later).await.unwrap();
    later.close().await.unwrap();
    let window = desktop.open(None).await;
    window.click("act").await;
    window.see("computer-dialog").await;
    window.reads("findings", "a newer Orion has changed the database").await;
    picture(&window, "about-unopened").await;
    window.quit().await;
    model.finish();
}
