//! The first start with the database of an earlier version: the window says why it takes a while, and how far it is.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use support::{Desktop, Script};

use crate::pictures::both_sizes;
use crate::scene::{Theme, ask, desktop, foxes, in_themes};

/// Each write to the log takes 3 ms longer: of a database of 8 MB, with two for each page, that makes a conversion of 12 s.
const SLOW: &str = "--inject=pwrite64:delay_exit=3000";

/// The database as an earlier version made it, with 8 MB in it.
async fn make_older(database: &Path) {
    let mut connection = SqliteConnectOptions::new().filename(database).connect().await.unwrap();
    let sql = "PRAGMA auto_vacuum = NONE; VACUUM;
        INSERT INTO blobs VALUES ('filler', 8000000, zeroblob(8000000)); PRAGMA wal_checkpoint(TRUNCATE)";
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// A slow disk under the log of the database, for the process of a window, until it is dropped.
struct SlowDisk {
    strace: Child,
    /// It tells of each thread that it follows, and ends when nobody listens.
    _said: Lines<BufReader<ChildStderr>>,
}

impl SlowDisk {
    fn under(database: &Path, process: u32) -> Self {
        let log = database.with_file_name("orion.db-wal");
        let mut strace = Command::new("strace");
        strace.args(["--follow-forks", "--output", "/dev/null", SLOW]).arg("--trace-path").arg(&log);
        strace.arg(format!("--attach={process}")).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut strace = strace
            .spawn()
            .unwrap_or_else(|error| panic!("strace: {error}; install the Debian package strace"));
        let mut said = BufReader::new(strace.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("attached")), "strace may not trace here");
        Self { strace, _said: said }
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        let _ = self.strace.kill();
        let _ = self.strace.wait();
    }
}

async fn convert(theme: fn(Desktop) -> Desktop, name: &str) {
    let model = Script::new().turn(|t| t.text("Seven foxes.").end("stop")).start();
    let (desktop, folder) = (theme(desktop(&model)), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("state", "Answered").await;
    window.quit().await;
    let database = desktop.data_dir().join("orion.db");
    make_older(&database).await;
    let before = fs::metadata(&database).unwrap().len();

    // As while another Orion converts it: that one holds the lock, and says so in it.
    let other = File::options().write(true).open(desktop.data_dir().join("open.lock")).unwrap();
    other.lock().unwrap();
    other.set_len(1).unwrap();
    let window = desktop.open(None).await;
    window
        .reads("opening", "Another Orion is converting the database. This one opens when it has finished.")
        .await;
    both_sizes(&window, "conversion-waits", name).await;

    let slow = SlowDisk::under(&database, window.process());
    other.set_len(0).unwrap();
    drop(other);
    let part = "
        const [, written, total] = /once: ([\\d.]+) MB of ([\\d.]+) MB/.exec(document.querySelector(\"[data-testid='opening']\").innerText) ?? [];
        return Number(written) < Number(total)";
    let partly =
        async || Ok(window.session.execute(part, serde_json::json!([])).await?.as_bool().filter(|it| *it));
    window.until("a part of the database to be converted", partly).await;
    both_sizes(&window, "conversion", name).await;
    drop(slow);
    window.reads("answer", "Seven foxes.").await;
    window.gone("opening").await;
    window.quit().await;
    assert!(before > 8_000_000, "{before}");
    let mut connection = SqliteConnectOptions::new().filename(&database).connect().await.unwrap();
    let sql = "SELECT auto_vacuum FROM pragma_auto_vacuum";
    let mode: i64 = sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap();
    assert_eq!(mode, 2, "it is converted");
    connection.close().await.unwrap();

    // Once.
    let window = desktop.open(None).await;
    window.reads("answer", "Seven foxes.").await;
    assert_eq!(window.texts("opening").await.unwrap(), Vec::<String>::new());
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn the_first_start_with_an_older_database_shows_how_far_its_conversion_is() {
    in_themes(Theme::Dark, convert).await;
}
