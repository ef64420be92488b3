//! Opens the database: file modes, the version of SQLite, the schema. Several processes may do this at the same moment.
//!
//! A lock file is held from before the file is created until its schema is current, because SQLite cannot wait for the
//! switch to WAL, and sqlx does not lock migrations on SQLite.

use std::cmp::Ordering;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use sqlx::SqliteConnection;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqlitePool;

use crate::aside::SetAside;
use crate::connection::Readers;
use crate::error::{Act, StoreError};
use crate::files::{make_folder, make_private};
use crate::found::{Found, find};
use crate::owner::Owner;

/// Earlier versions can corrupt a WAL (sqlite.org/wal.html, "The WAL-Reset Bug").
const OLDEST_SQLITE: [u32; 3] = [3, 51, 3];

/// How long a start waits for another one to finish its migrations, and how often it looks.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);
const LOCK_INTERVAL: Duration = Duration::from_millis(2);

static MIGRATIONS: Migrator = sqlx::migrate!("../../../migrations");

/// A database that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The connection of the writer.
    pub(crate) connection: SqliteConnection,
    pub(crate) readers: Option<SqlitePool>,
    /// The identity of this process for the others.
    pub(crate) owner: Owner,
    /// The database before it, if that one could not be used.
    pub(crate) set_aside: Option<SetAside>,
}

/// Creates what is missing.
pub(crate) async fn open(folder: &Path, readers: Readers) -> Result<Opened, StoreError> {
    make_folder(folder)?;
    let lock = lock(folder).await?;
    let (Found { mut connection, readers, facts }, set_aside) = find(folder, readers).await?;
    let (sqlite, schema) = facts;
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

/// Waits for its turn to open the database. Released when dropped, and also when the process is killed.
async fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("open.lock");
    let file = make_private(&path)?;
    let deadline = tokio::time::Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(LOCK_INTERVAL).await;
            }
            Err(error) => return Err(StoreError::folder(&path, &error.into())),
        }
    }
}

fn is_new_enough(version: &str) -> bool {
    let numbers: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    numbers.as_slice() >= OLDEST_SQLITE.as_slice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aside::FIRST;
    use crate::connection::close;

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

    /// A database that an Orion of schema 999 has used, with the oldest version that may still use it.
    async fn newer(since: i64) -> Result<SqliteConnection, StoreError> {
        let folder = tempfile::TempDir::new().unwrap();
        let Opened { mut connection, .. } = open(folder.path(), Readers::Writer).await.unwrap();
        let sql = format!(
            "CREATE TABLE things (thing TEXT); ALTER TABLE turns ADD COLUMN thing TEXT; UPDATE compatible SET since = {since};
             INSERT INTO _sqlx_migrations VALUES (999, 'things', 'now', 1, x'00', 1); PRAGMA user_version = 999"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        close(connection).await.unwrap();
        open(folder.path(), Readers::Writer).await.map(|opened| opened.connection)
    }

    #[tokio::test]
    async fn the_data_of_a_newer_orion_is_used_where_that_says_it_can_be() {
        let known = MIGRATIONS.iter().map(|m| m.version).max().unwrap();
        for since in [FIRST, known] {
            let mut connection = newer(since).await.unwrap();
            let schema: i64 = sqlx::query_scalar("SELECT user_version FROM pragma_user_version")
                .fetch_one(&mut connection)
                .await
                .unwrap();
            assert_eq!(schema, 999, "what the newer one did stays");
        }
        assert_eq!(newer(known + 1).await.unwrap_err(), StoreError::Schema { found: 999, known });
    }

    #[test]
    fn a_migration_that_takes_something_away_says_since_when_the_data_can_be_used() {
        let takes = |sql: &str| ["DROP TABLE", "DROP COLUMN", "RENAME"].iter().any(|word| sql.contains(word));
        for migration in MIGRATIONS.iter().filter(|migration| migration.version > FIRST) {
            let said = format!("UPDATE compatible SET since = {}", migration.version);
            let sql = migration.sql.as_str();
            assert!(!takes(sql) || sql.contains(&said), "migration {} lacks `{said}`", migration.version);
        }
    }

    #[tokio::test]
    async fn a_second_start_finds_the_schema_and_the_way_it_flushes() {
        let folder = tempfile::TempDir::new().unwrap();
        drop(open(folder.path(), Readers::Writer).await.unwrap());
        let Opened { mut connection, .. } = open(folder.path(), Readers::Writer).await.unwrap();
        let mut pragma =
            async |sql| sqlx::query_scalar::<_, String>(sql).fetch_one(&mut connection).await.unwrap();
        assert_eq!(pragma("SELECT journal_mode FROM pragma_journal_mode").await, "wal");
        // 2 is FULL: the WAL is flushed at every commit.
        assert_eq!(pragma("SELECT synchronous || '' FROM pragma_synchronous").await, "2");
        assert_eq!(pragma("SELECT fullfsync || '' FROM pragma_fullfsync").await, "1");
        assert_eq!(pragma("SELECT foreign_keys || '' FROM pragma_foreign_keys").await, "1");
    }

    /// A turn of session `s` has written three files: the second as a person approved it in part, and the third was undone.
    const WRITTEN: &str = r#"
        INSERT INTO projects VALUES ('p', '/p', 'p', 1);
        INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms) VALUES ('s', 'p', '', 1, 1), ('t', 'p', '', 1, 1);
        INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms) VALUES ('r', 's', 'p', 1, 'over', '', 1);
        INSERT INTO blobs VALUES ('aa', 0, x''), ('bb', 0, x''), ('cc', 0, x'');
        INSERT INTO writes (request_id, number, path, operation, sha256, content_sha256, stage) VALUES
            ('r', 1, 'a', 'create', 'aa', 'aa', 'written'), ('r', 2, 'b', 'create', 'bb', 'bb', 'written'),
            ('r', 3, 'c', 'create', 'cc', 'cc', 'undone');
        INSERT INTO journal (request_id, n, kind, seq, at_ms, body) VALUES
            ('r', 1, 'event', 1, 1, '{"event":{"type":"write_ready","write":1,"proposal":{"sha256":"old","added":9,"removed":9}}}'),
            ('r', 2, 'event', 2, 1, '{"event":{"type":"write_ready","write":1,"proposal":{"sha256":"aa","added":3,"removed":1}}}'),
            ('r', 3, 'event', 3, 1, '{"event":{"type":"write_ready","write":2,"proposal":{"sha256":"whole","added":7,"removed":7}}}'),
            ('r', 4, 'event', 4, 1, '{"event":{"type":"write_ready","write":3,"proposal":{"sha256":"cc","added":5,"removed":0}}}'),
            ('r', 5, 'event', 5, 1, 'no JSON, with "write_ready" in it');"#;

    #[tokio::test]
    async fn earlier_sessions_have_the_lines_that_their_journals_say() {
        let mut connection =
            <SqliteConnection as sqlx::Connection>::connect("sqlite::memory:").await.unwrap();
        let (earlier, later): (Vec<_>, Vec<_>) =
            MIGRATIONS.iter().partition(|migration| migration.version < 105);
        let run = async |connection: &mut SqliteConnection, sql: String| {
            sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(connection).await.unwrap();
        };
        for migration in earlier {
            run(&mut connection, migration.sql.as_str().to_owned()).await;
        }
        run(&mut connection, WRITTEN.to_owned()).await;
        for migration in later {
            run(&mut connection, migration.sql.as_str().to_owned()).await;
        }
        let mut lines = async |sql| -> Vec<(String, Option<i64>, Option<i64>)> {
            sqlx::query_as(sql).fetch_all(&mut connection).await.unwrap()
        };
        let row = |name: &str, added, removed| (name.to_owned(), added, removed);
        assert_eq!(
            lines("SELECT path, lines_added, lines_removed FROM writes ORDER BY number").await,
            [row("a", Some(3), Some(1)), row("b", None, None), row("c", Some(5), Some(0))]
        );
        let sessions = "SELECT session_id, lines_added, lines_removed FROM sessions ORDER BY session_id";
        assert_eq!(lines(sessions).await, [row("s", Some(3), Some(1)), row("t", Some(0), Some(0))]);
        // A rewind that is undone gives the third back.
        lines(
            "UPDATE writes SET stage = 'written' WHERE number = 3 RETURNING path, lines_added, lines_removed",
        )
        .await;
        assert_eq!(lines(sessions).await, [row("s", Some(8), Some(1)), row("t", Some(0), Some(0))]);
    }
}
