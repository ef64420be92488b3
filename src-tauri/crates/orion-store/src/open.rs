//! Opens the database: file modes, the version of SQLite, the schema. Several processes may do this at the same moment.
//!
//! A lock file is held from before the file is created until its schema is current, because SQLite cannot wait for the
//! switch to WAL, and sqlx does not lock migrations on SQLite.

use std::cmp::Ordering;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::SqliteConnection;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqlitePool;

use crate::connection::Readers;
use crate::convert::{self, Preparing};
use crate::error::{Act, StoreError};
use crate::files::{make_folder, make_private};
use crate::found::{Found, find};
use crate::messages;
use crate::owner::Owner;
use crate::path;

/// Earlier versions can corrupt a WAL (sqlite.org/wal.html, "The WAL-Reset Bug").
const OLDEST_SQLITE: [u32; 3] = [3, 51, 3];

/// How long a start waits for another one to finish its migrations, and how often it looks.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);
const LOCK_INTERVAL: Duration = Duration::from_millis(2);
/// The same while it converts the database.
const CONVERSION_INTERVAL: Duration = Duration::from_millis(50);

static MIGRATIONS: Migrator = sqlx::migrate!("../../../migrations");

/// A database that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The connection of the writer.
    pub(crate) connection: SqliteConnection,
    pub(crate) readers: Option<SqlitePool>,
    /// The identity of this process for the others.
    pub(crate) owner: Owner,
    /// Where the database before it is, if that one is damaged.
    pub(crate) set_aside: Option<PathBuf>,
}

/// Creates what is missing.
pub(crate) async fn open(
    folder: &Path,
    readers: Readers,
    tell: &(dyn Fn(Preparing) + Sync),
) -> Result<Opened, StoreError> {
    make_folder(folder)?;
    let lock = lock(folder, tell).await?;
    let (Found { mut connection, readers, facts }, set_aside) = find(folder, readers).await?;
    let (sqlite, schema, auto_vacuum, old_messages) = facts;
    if !is_new_enough(&sqlite) {
        return Err(StoreError::SqliteVersion { found: sqlite });
    }
    let known = known();
    match schema.cmp(&known) {
        Ordering::Less => migrate(&mut connection, schema).await?,
        Ordering::Equal => {}
        // A newer Orion has used this database. What it added does no harm unless it says so (decision 0014).
        Ordering::Greater if compatible_since(&mut connection).await? <= known => {}
        Ordering::Greater => return Err(StoreError::Schema { found: schema, known }),
    }
    // Migrations create the table too, since the first one belongs to a version that had it.
    if old_messages || schema < known {
        messages::take_over(&mut connection).await?;
    }
    path::number_new_turns(&mut connection).await?;
    if schema > 0 && auto_vacuum != convert::IN_STEPS {
        // Processes that wait for the lock see why.
        let said = |bytes| lock.set_len(bytes).map_err(|e| StoreError::folder(folder, &e));
        said(1)?;
        convert::convert(&mut connection, folder, tell).await;
        said(0)?;
    }
    let owner = Owner::new(folder)?;
    drop(lock);
    Ok(Opened { connection, readers, owner, set_aside })
}

/// The newest schema that this Orion knows.
pub(crate) fn known() -> i64 {
    MIGRATIONS.iter().map(|m| m.version).max().unwrap_or(0)
}

/// The oldest schema whose Orion may use this database.
pub(crate) async fn compatible_since(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    sqlx::query_scalar("SELECT since FROM compatible")
        .fetch_one(connection)
        .await
        .map_err(|e| StoreError::database(Act::Open, &e))
}

async fn migrate(connection: &mut SqliteConnection, schema: i64) -> Result<(), StoreError> {
    // Lets free pages be given back in steps. SQLite accepts this setting only for a file without tables.
    let first = if schema == 0 { "PRAGMA auto_vacuum = INCREMENTAL; " } else { "" };
    let pragmas = format!("{first}PRAGMA journal_mode = WAL");
    sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas))
        .execute(&mut *connection)
        .await
        .map_err(|e| StoreError::database(Act::Migrate, &e))?;
    MIGRATIONS.run_direct(None, connection, false).await.map_err(|error| match error {
        sqlx::migrate::MigrateError::Execute(e) | sqlx::migrate::MigrateError::ExecuteMigration(e, _) => {
            StoreError::database(Act::Migrate, &e)
        }
        other => StoreError::value(other),
    })
}

/// Waits for its turn to open the database: for a limited time, or as long as another process converts it. Released
/// when dropped, and also when the process is killed.
async fn lock(folder: &Path, tell: &(dyn Fn(Preparing) + Sync)) -> Result<File, StoreError> {
    let path = folder.join("open.lock");
    let file = make_private(&path)?;
    let failed = |error: std::io::Error| StoreError::folder(&path, &error);
    let mut deadline = tokio::time::Instant::now() + LOCK_PATIENCE;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => {
                // Of one that was killed while it converted.
                if file.metadata().map_err(failed)?.len() > 0 {
                    file.set_len(0).map_err(failed)?;
                }
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) if file.metadata().map_err(failed)?.len() > 0 => {
                if !std::mem::replace(&mut told, true) {
                    tell(Preparing::Waiting);
                }
                deadline = tokio::time::Instant::now() + LOCK_PATIENCE;
                tokio::time::sleep(CONVERSION_INTERVAL).await;
            }
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(LOCK_INTERVAL).await;
            }
            Err(error) => return Err(failed(error.into())),
        }
    }
}

fn is_new_enough(version: &str) -> bool {
    let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    numbers.as_slice() >= OLDEST_SQLITE.as_slice()
}

#[cfg(test)]
mod tests {
    use orion_protocol::{SessionSpent, Sha256, Usd};

    use sqlx::ConnectOptions;

    use super::*;
    use crate::connection::{self, close};

    #[test]
    fn sqlite_versions_that_can_corrupt_a_wal_are_refused() {
        let verdicts = ["3.51.3", "3.51.10", "3.52.0", "4.0.0", "3.51.2", "3.6.99", "3.50.4", "", "nonsense"]
            .map(is_new_enough);
        assert_eq!(verdicts, [true, true, true, true, false, false, false, false, false]);
    }

    #[test]
    fn every_migration_says_its_number_as_user_version() {
        for migration in MIGRATIONS.iter() {
            let said = format!("PRAGMA user_version = {};", migration.version);
            assert!(migration.sql.as_str().contains(&said), "migration {} lacks `{said}`", migration.version);
        }
    }

    /// A database that an Orion of schema 99 has used, with the oldest version that may still use it.
    async fn newer(since: i64) -> Result<SqliteConnection, StoreError> {
        let folder = tempfile::TempDir::new().unwrap();
        let Opened { mut connection, .. } = open(folder.path(), Readers::Writer, &|_| {}).await.unwrap();
        let sql = format!(
            "CREATE TABLE things (thing TEXT); ALTER TABLE turns ADD COLUMN thing TEXT; UPDATE compatible SET since = {since};
             INSERT INTO _sqlx_migrations VALUES (99, 'things', 'now', 1, x'00', 1); PRAGMA user_version = 99"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        close(connection).await.unwrap();
        open(folder.path(), Readers::Writer, &|_| {}).await.map(|opened| opened.connection)
    }

    #[tokio::test]
    async fn the_data_of_a_newer_orion_is_used_where_that_says_it_can_be() {
        let known = MIGRATIONS.iter().map(|m| m.version).max().unwrap();
        for since in [6, known] {
            let mut connection = newer(since).await.unwrap();
            let schema: i64 = sqlx::query_scalar("SELECT user_version FROM pragma_user_version")
                .fetch_one(&mut connection)
                .await
                .unwrap();
            assert_eq!(schema, 99, "what the newer one did stays");
        }
        assert_eq!(newer(known + 1).await.unwrap_err(), StoreError::Schema { found: 99, known });
    }

    #[test]
    fn a_migration_that_takes_something_away_says_since_when_the_data_can_be_used() {
        let takes = |sql: &str| ["DROP TABLE", "DROP COLUMN", "RENAME"].iter().any(|word| sql.contains(word));
        for migration in MIGRATIONS.iter().filter(|migration| migration.version > 6) {
            let said = format!("UPDATE compatible SET since = {}", migration.version);
            let sql = migration.sql.as_str();
            assert!(!takes(sql) || sql.contains(&said), "migration {} lacks `{said}`", migration.version);
        }
    }

    // Schema 5 and earlier had a table of messages.
    #[tokio::test]
    async fn the_messages_of_an_older_orion_become_items_in_their_order() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut connection =
            connection::options(folder.path()).create_if_missing(true).connect().await.unwrap();
        let older = Migrator::with_migrations(MIGRATIONS.iter().filter(|m| m.version < 6).cloned().collect());
        older.run_direct(None, &mut connection, false).await.unwrap();
        let id = |n: u128| uuid::Uuid::from_u128(n).to_string();
        let mut rows =
            "INSERT INTO projects (project_id, path, name, opened_at_ms) VALUES ('p', '/p', 'p', 1);
            INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms)
                VALUES ('s', 'p', '', 1, 1);"
                .to_owned();
        // More than are taken over in one go.
        for n in 1..=300 {
            rows += &format!(
                "INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms)
                     VALUES ('{0}', 's', 'p', {n}, 'over', 'nobody', 1);
                 INSERT INTO messages VALUES ('s', {n}, '{0}', 'assistant', 'answer {n}'), ('s', {n}, '{0}', 'user', 'question');",
                id(n)
            );
        }
        sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
        close(connection).await.unwrap();

        let store = crate::Store::open(folder.path()).await.unwrap();
        let last = orion_protocol::RequestId(uuid::Uuid::from_u128(300));
        let earlier = store.said_before(last, crate::Reach::ALL).await.unwrap();
        assert_eq!(earlier.len(), 299);
        let items: Vec<&str> = earlier[0].items.iter().map(|item| item.body.as_str()).collect();
        let answer = r#"{"reasoning":null,"role":"assistant","text":"answer 299","toolCalls":[]}"#;
        assert_eq!(items, [r#"{"role":"user","text":"question"}"#, answer]);
        assert_eq!(earlier[298].request_id.0, uuid::Uuid::from_u128(1));
        let question: i64 = sqlx::query_scalar("SELECT count(*) FROM blobs")
            .fetch_one(&mut *store.reader().await.unwrap())
            .await
            .unwrap();
        assert_eq!(question, 301, "each text is kept once");
        store.close().await.unwrap();
        drop(store);
        // Once.
        crate::Store::open(folder.path()).await.unwrap();
    }

    // Schema 9 and earlier did not keep what a session has cost.
    #[tokio::test]
    async fn the_sessions_of_an_older_orion_have_the_cost_that_their_reports_say() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut connection =
            connection::options(folder.path()).create_if_missing(true).connect().await.unwrap();
        let older =
            Migrator::with_migrations(MIGRATIONS.iter().filter(|m| m.version < 10).cloned().collect());
        older.run_direct(None, &mut connection, false).await.unwrap();
        let ended = |cost: &str| {
            let usage = r#"{"promptTokens":100,"completionTokens":10,"estimated":true}"#;
            format!(r#"{{"event":{{"type":"completed","report":{{"usage":{usage},"costUsd":{cost}}}}}}}"#)
        };
        let without =
            r#"{"event":{"type":"failed","report":{"usage":{"promptTokens":null},"costUsd":null}}}"#;
        let said = r#"{"event":{"type":"notice","message":"1"}}"#;
        let id = |n: u128| uuid::Uuid::from_u128(n).to_string();
        let (priced, partly, unknown) = (id(1), id(2), id(3));
        let mut rows = "INSERT INTO projects (project_id, path, name, opened_at_ms) VALUES ('00000000-0000-0000-0000-000000000009', '/p', 'p', 1);".to_owned();
        for (session, turns) in [
            (&priced, vec![("over", ended("0.25")), ("over", ended("0.000000001"))]),
            // The last one is under way.
            (
                &partly,
                vec![("over", ended("1")), ("over", without.to_owned()), ("interrupted", said.to_owned())],
            ),
            (&unknown, vec![("over", ended("null"))]),
        ] {
            rows += &format!(
                "INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms, turns)
                     VALUES ('{session}', '00000000-0000-0000-0000-000000000009', '', 1, 1, {});",
                turns.len()
            );
            for (ordinal, (state, last)) in (1..).zip(turns) {
                rows += &format!(
                    "INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms)
                         VALUES ('{session} {ordinal}', '{session}', 'p', {ordinal}, '{state}', 'nobody', 1);
                     INSERT INTO journal VALUES ('{session} {ordinal}', 1, 'event', 1, 1, '{said}'),
                         ('{session} {ordinal}', 2, 'event', 2, 1, '{last}'), ('{session} {ordinal}', 3, 'input', NULL, 1, '{{}}');"
                );
            }
        }
        sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
        close(connection).await.unwrap();

        let store = crate::Store::open(folder.path()).await.unwrap();
        let mut spent = Vec::new();
        for session in [priced, partly, unknown] {
            spent.push(store.session(session.parse().unwrap()).await.unwrap().spent);
        }
        let of = |cost_usd, priced_turns, prompt_tokens, completion_tokens| SessionSpent {
            cost_usd: Option::map(cost_usd, Usd::of_billionths),
            priced_turns,
            prompt_tokens,
            completion_tokens,
        };
        let expected =
            [of(Some(250_000_001), 2, 200, 20), of(Some(1_000_000_000), 1, 100, 10), of(None, 0, 100, 10)];
        assert_eq!(spent, expected);
    }

    // Schema 15 and earlier kept what a person took out with the turns.
    #[tokio::test]
    async fn what_was_taken_out_of_the_sessions_of_an_older_orion_is_taken_out_in_all_their_branches() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut connection =
            connection::options(folder.path()).create_if_missing(true).connect().await.unwrap();
        let older =
            Migrator::with_migrations(MIGRATIONS.iter().filter(|m| m.version < 16).cloned().collect());
        older.run_direct(None, &mut connection, false).await.unwrap();
        let (edit, pin) = (
            r#"{"type":"remove_turn","requestId":"a"}"#,
            r#"{"type":"pin_turn","requestId":"b","pinned":true}"#,
        );
        let (read, dropped) = (r#"{"signature":"read é","paths":["a.txt"]}"#, r#"{"signature":"dropped"}"#);
        let setup = format!(r#"{{"type":"setup","setup":{{"edits":[{edit},{pin}],"withheld":[{read}]}}}}"#);
        let bare = r#"{"type":"setup","setup":{}}"#;
        let rows = format!(
            "INSERT INTO projects (project_id, path, name, opened_at_ms) VALUES ('p', '/p', 'p', 1);
            INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms)
                VALUES ('s', 'p', '', 1, 1), ('other', 'p', '', 1, 1);
            INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms, withheld)
                VALUES ('t1', 's', 'p', 1, 'over', 'nobody', 1, NULL), ('t2', 's', 'p', 2, 'over', 'nobody', 1, '[{read},{dropped}]'),
                    ('t3', 'other', 'p', 1, 'over', 'nobody', 1, NULL);
            INSERT INTO journal (request_id, n, kind, at_ms, body) VALUES ('t1', 1, 'input', 1, '{setup}'),
                ('t2', 1, 'input', 1, '{setup}'), ('t2', 2, 'input', 1, '{setup}'), ('t3', 1, 'input', 1, '{bare}');"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
        close(connection).await.unwrap();

        let store = crate::Store::open(folder.path()).await.unwrap();
        let mut reader = store.reader().await.unwrap();
        let kept = crate::taken_out::of_session(&mut reader, "s").await.unwrap();
        let expected = [
            format!(r#"{{"edit":{edit}}}"#),
            format!(r#"{{"result":{read}}}"#),
            format!(r#"{{"result":{dropped}}}"#),
        ];
        assert_eq!(kept, expected);
        let all: i64 =
            sqlx::query_scalar("SELECT count(*) FROM taken_out").fetch_one(&mut *reader).await.unwrap();
        assert_eq!(all, 3);
    }

    // 0003 creates the table of writes again.
    #[tokio::test]
    async fn the_writes_of_an_older_orion_are_kept_and_can_be_undone() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut connection =
            connection::options(folder.path()).create_if_missing(true).connect().await.unwrap();
        let older = Migrator::with_migrations(MIGRATIONS.iter().take(2).cloned().collect());
        older.run_direct(None, &mut connection, false).await.unwrap();
        let (old, new) = (Sha256::from([1; 32]), Sha256::from([2; 32]));
        let rows = format!(
            "INSERT INTO projects (project_id, path, name, opened_at_ms) VALUES ('p', '/p', 'p', 1);
            INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms)
                VALUES ('s', 'p', '', 1, 1);
            INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms)
                VALUES ('00000000-0000-0000-0000-000000000001', 's', 'p', 1, 'over', 'nobody', 1);
            INSERT INTO blobs (sha256, bytes, body) VALUES ('{old}', 3, x'6f6c64'), ('{new}', 3, x'6e6577');
            INSERT INTO writes VALUES ('00000000-0000-0000-0000-000000000001', 1, 'a.txt', 'overwrite',
                '{old}', '{new}', '{new}', 'written')"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
        close(connection).await.unwrap();

        let store = crate::Store::open(folder.path()).await.unwrap();
        let request_id = orion_protocol::RequestId(uuid::Uuid::from_u128(1));
        let written = crate::StoredWrite {
            number: 1,
            path: "a.txt".into(),
            operation: orion_protocol::WriteOperation::Overwrite,
            base_sha256: Some(old),
            sha256: new,
            content_sha256: new,
            stage: crate::WriteStage::Written,
            kept: None,
            leads_to: None,
        };
        assert_eq!(store.writes(request_id).await.unwrap(), std::slice::from_ref(&written));
        // Once, in whichever process.
        assert!(store.begin_undo(request_id, 1).await.unwrap());
        assert!(!store.begin_undo(request_id, 1).await.unwrap());
        let write = crate::StoredWrite { stage: crate::WriteStage::Undoing, ..written };
        assert_eq!(store.stranded().await.unwrap(), [crate::Stranded { request_id, write }]);
        // Not while another process is at it.
        let other = crate::Store::open(folder.path()).await.unwrap();
        assert_eq!(other.stranded().await.unwrap(), []);
        store.close().await.unwrap();
        drop(store);
        assert_eq!(other.stranded().await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_second_start_finds_the_schema_and_the_way_it_flushes() {
        let folder = tempfile::TempDir::new().unwrap();
        drop(open(folder.path(), Readers::Writer, &|_| {}).await.unwrap());
        let Opened { mut connection, .. } = open(folder.path(), Readers::Writer, &|_| {}).await.unwrap();
        let mut pragma =
            async |sql| sqlx::query_scalar::<_, String>(sql).fetch_one(&mut connection).await.unwrap();
        assert_eq!(pragma("SELECT journal_mode FROM pragma_journal_mode").await, "wal");
        // 2 is FULL: the WAL is flushed at every commit.
        assert_eq!(pragma("SELECT synchronous || '' FROM pragma_synchronous").await, "2");
        assert_eq!(pragma("SELECT fullfsync || '' FROM pragma_fullfsync").await, "1");
        assert_eq!(pragma("SELECT foreign_keys || '' FROM pragma_foreign_keys").await, "1");
    }
}
