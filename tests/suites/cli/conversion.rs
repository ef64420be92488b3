//! The database of an earlier version, converted at the first start: killed anywhere, and two starts at once.
#![cfg(target_os = "linux")]

use std::fs;
use std::iter::successors;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use support::Script;

use super::{Desk, json as parsed, ran};

/// A data folder with a turn in it, its database as an earlier version made it, and the turn's trace.
struct Older {
    desk: Desk,
    request: String,
    trace: String,
}

impl Older {
    async fn new() -> Self {
        let desk = Desk::new();
        desk.project.write("long.txt", "a long line of a file\n".repeat(2_000));
        let model = Script::new()
            .turn(|t| t.call("read_file", json!({"path": "long.txt"})).end("tool_calls"))
            .turn(|t| t.text("It is long.").end("stop"))
            .start();
        let told = ran(&mut desk.run(&model, &["--json", "How long is it?"]));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        model.finish();
        let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
        let trace = ran(&mut desk.orion(&["trace", "--json", &request])).stdout;
        let older = Self { desk, request, trace };
        let mut connection = SqliteConnectOptions::new().filename(older.database()).connect().await.unwrap();
        sqlx::raw_sql("PRAGMA auto_vacuum = NONE; VACUUM").execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        assert!(!older.is_converted().await);
        older
    }

    fn database(&self) -> PathBuf {
        self.desk.home.path().join("data/orion.db")
    }

    async fn is_converted(&self) -> bool {
        let mut connection = SqliteConnectOptions::new().filename(self.database()).connect().await.unwrap();
        let sql = "SELECT auto_vacuum FROM pragma_auto_vacuum";
        let mode: i64 = sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        mode == 2
    }

    fn trace(&self) -> Command {
        self.desk.orion(&["trace", "--json", &self.request])
    }
}

#[tokio::test]
async fn a_conversion_that_is_killed_anywhere_loses_nothing_and_is_done_by_the_next_start() {
    let older = Older::new().await;
    let database = fs::read(older.database()).unwrap();
    let log = older.database().with_file_name("orion.db-wal");
    for (call, next) in [("fsync,fdatasync", 1_u32), ("ftruncate", 1), ("pwrite64", 2)] {
        let numbers = successors(Some(1_u32), |number| Some(if next == 1 { number + 1 } else { number * 2 }));
        for (died, number) in numbers.enumerate() {
            _ = fs::remove_file(&log);
            fs::write(older.database(), &database).unwrap();
            let trace = older.trace();
            let mut traced = Command::new("strace");
            traced.args(["--follow-forks", "--quiet=all"]);
            for path in [&older.database(), &log] {
                traced.arg("--trace-path").arg(path);
            }
            traced.arg(format!("--inject={call}:signal=KILL:when={number}"));
            traced.arg("--").arg(trace.get_program()).args(trace.get_args());
            let environment = trace.get_envs().filter_map(|(name, value)| Some((name, value?)));
            traced.env_clear().envs(environment).env("PATH", std::env::var_os("PATH").unwrap());
            let told = ran(traced.current_dir(older.desk.project.path()));
            let after = ran(&mut older.trace());
            assert_eq!(
                (after.code, &after.stdout),
                (Some(0), &older.trace),
                "{call} {number}: {}",
                after.stderr
            );
            assert!(older.is_converted().await, "{call} {number}");
            if told.code.is_some() {
                assert!(died > 0, "{call}");
                break;
            }
        }
    }
}

#[tokio::test]
async fn of_starts_at_the_same_moment_one_converts_and_all_answer() {
    let older = Older::new().await;
    let starts: Vec<_> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| ran(&mut older.trace()))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for told in starts {
        assert_eq!((told.code, &told.stdout, told.stderr.as_str()), (Some(0), &older.trace, ""));
    }
    // Each may have been in the way of the one after it; alone, the next start does it.
    assert_eq!(ran(&mut older.trace()).code, Some(0));
    assert!(older.is_converted().await);
}
