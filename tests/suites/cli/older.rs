//! The database of an Orion of before the first version: it is set aside, and named with the way to its sessions.

use std::fs;

use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use super::{Desk, ran};

#[tokio::test]
async fn what_an_older_orion_kept_is_set_aside_and_the_person_is_told_how_to_export_it() {
    let desk = Desk::new();
    let data = desk.home.path().join("data");
    fs::create_dir(&data).unwrap();
    let options = SqliteConnectOptions::new().filename(data.join("orion.db")).create_if_missing(true);
    let mut older = options.connect().await.unwrap();
    let sql =
        "CREATE TABLE sessions (title TEXT); INSERT INTO sessions VALUES ('kept'); PRAGMA user_version = 28";
    sqlx::raw_sql(sql).execute(&mut older).await.unwrap();
    sqlx::Connection::close(older).await.unwrap();
    let before = fs::read(data.join("orion.db")).unwrap();

    let ran_once = ran(&mut desk.orion(&["run", "--demo", "Hello"]));
    assert_eq!(ran_once.code, Some(0), "{}", ran_once.stderr);
    let aside = data.join("older-1");
    assert!(fs::read(aside.join("orion.db")).unwrap() == before);
    let command = format!("orion export SESSION --data-dir {} --output FILE.md", aside.display());
    assert!(ran_once.stderr.contains(&command), "{}", ran_once.stderr);
    let again = ran(&mut desk.orion(&["run", "--demo", "Hello"]));
    assert!(!again.stderr.contains("older-1"), "it is said once: {}", again.stderr);
}
