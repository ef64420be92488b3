//! Converts a database made by an earlier version, once, so that free pages can be given back in steps.
//!
//! SQLite does this for the whole file in one transaction (`VACUUM`): after a crash the file is as it was, and the next start tries again.
//! It runs under the lock of `open`, and only while no other process has the database open, since the writes of that process would
//! have to wait. If the conversion fails, most likely because the disk is full, Orion works without it and tries again at the next start.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sqlx::SqliteConnection;

use crate::error::{Act, StoreError};
use crate::files::FILE_NAME;
use crate::owner;

/// How often progress is reported: every 100 ms, which looks smooth.
const TELL: Duration = Duration::from_millis(100);

/// `PRAGMA auto_vacuum` of a file whose pages are given back in steps.
pub(crate) const IN_STEPS: i64 = 2;

/// Why opening takes longer than a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preparing {
    /// The database is being converted. `written` stays 0 while SQLite makes its copy, and grows while the copy replaces the original.
    Converting {
        bytes: u64,
        written: u64,
    },
    /// Another process is converting it.
    Waiting,
    /// The conversion failed. The database is used without it.
    Failed(StoreError),
    Done,
}

/// Converts the database unless another process uses it.
pub(crate) async fn convert(
    connection: &mut SqliteConnection,
    folder: &Path,
    tell: &(dyn Fn(Preparing) + Sync),
) {
    if owner::somebody_lives(folder) {
        return;
    }
    let bytes = size(folder, FILE_NAME);
    let conversion = vacuum(connection);
    tokio::pin!(conversion);
    let ended = loop {
        tell(Preparing::Converting { bytes, written: size(folder, "orion.db-wal").min(bytes) });
        tokio::select! {
            ended = &mut conversion => break ended,
            () = tokio::time::sleep(TELL) => {}
        }
    };
    tell(ended.map_or_else(Preparing::Failed, |()| Preparing::Done));
}

async fn vacuum(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    // The checkpoint empties the log, which holds the whole file by then.
    let sql = "PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)";
    sqlx::raw_sql(sql).execute(connection).await.map_err(|e| StoreError::database(Act::Migrate, &e))?;
    Ok(())
}

fn size(folder: &Path, name: &str) -> u64 {
    fs::metadata(folder.join(name)).map_or(0, |metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use sqlx::{ConnectOptions, Connection};

    use super::*;
    use crate::{Readers, Store, connection, files};

    /// A database as it was before: of 5 MB, with what was deleted from it still in its free pages.
    async fn older(folder: &Path) {
        drop(Store::open(folder).await.unwrap());
        let mut connection =
            connection::options(folder).pragma("secure_delete", "OFF").connect().await.unwrap();
        let sql = "PRAGMA auto_vacuum = NONE; VACUUM;
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5)
            INSERT INTO blobs SELECT 'body ' || i, 1000000, CAST(printf('%.*c', 1000000, 'x') AS BLOB) FROM n;
            INSERT INTO blobs VALUES ('canary', 1, CAST('the canary sings at dawn' AS BLOB));
            DELETE FROM blobs WHERE sha256 IN ('canary', 'body 3');
            PRAGMA wal_checkpoint(TRUNCATE)";
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    async fn auto_vacuum(store: &Store) -> i64 {
        let sql = "SELECT auto_vacuum FROM pragma_auto_vacuum";
        sqlx::query_scalar(sql).fetch_one(&mut *store.reader().await.unwrap()).await.unwrap()
    }

    fn has_canary(folder: &Path) -> bool {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files = files.filter(|path| path.is_file()).map(|path| fs::read(path).unwrap());
        files.any(|bytes| bytes.windows(24).any(|part| part == b"the canary sings at dawn"))
    }

    #[tokio::test]
    async fn an_older_database_is_converted_once_and_says_how_far_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        older(folder.path()).await;
        assert!(has_canary(folder.path()), "what was deleted is still there");
        let before = size(folder.path(), FILE_NAME);
        let told = Mutex::new(Vec::new());
        let tell = |preparing| told.lock().unwrap().push(preparing);
        let store = Store::open_telling(folder.path(), Readers::Several, &tell).await.unwrap();
        assert_eq!(auto_vacuum(&store).await, IN_STEPS);
        assert!(!has_canary(folder.path()));
        assert!(size(folder.path(), FILE_NAME) < before);
        {
            let told = told.lock().unwrap();
            assert_eq!(told[0], Preparing::Converting { bytes: before, written: 0 });
            assert_eq!(told.last(), Some(&Preparing::Done));
        }
        drop(store);
        told.lock().unwrap().clear();
        drop(Store::open_telling(folder.path(), Readers::Several, &tell).await.unwrap());
        assert_eq!(*told.lock().unwrap(), []);
    }

    #[tokio::test]
    async fn a_database_that_another_process_uses_is_converted_when_it_is_alone() {
        let folder = tempfile::TempDir::new().unwrap();
        older(folder.path()).await;
        // As a process would have it that is older than the conversion: its lock, and no connection to this database.
        let running = folder.path().join("running").join(uuid::Uuid::now_v7().to_string());
        let lock = files::make_private(&running).unwrap();
        lock.lock().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        assert_eq!(auto_vacuum(&store).await, 0);
        assert!(has_canary(folder.path()));
        drop((lock, store));
        assert_eq!(auto_vacuum(&Store::open(folder.path()).await.unwrap()).await, IN_STEPS);
    }

    #[tokio::test]
    async fn a_database_that_cannot_be_converted_is_used_as_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        older(folder.path()).await;
        // A program that is not Orion writes to the database, and keeps it locked for longer than Orion waits.
        let mut other = connection::options(folder.path()).connect().await.unwrap();
        let writing = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let told = Mutex::new(Vec::new());
        let tell = |preparing| told.lock().unwrap().push(preparing);
        let store = Store::open_telling(folder.path(), Readers::Several, &tell).await.unwrap();
        assert!(matches!(told.lock().unwrap().last(), Some(Preparing::Failed(_))));
        assert_eq!(auto_vacuum(&store).await, 0);
        writing.rollback().await.unwrap();
        other.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_start_waits_for_a_conversion_however_long_it_takes() {
        let folder = tempfile::TempDir::new().unwrap();
        drop(Store::open(folder.path()).await.unwrap());
        // The one that converts says so in the lock that it holds.
        let lock = files::make_private(&folder.path().join("open.lock")).unwrap();
        lock.lock().unwrap();
        lock.set_len(1).unwrap();
        tokio::time::pause();
        let told = Mutex::new(Vec::new());
        let tell = |preparing| told.lock().unwrap().push(preparing);
        // Twelve times as long as a start waits for anything else.
        let conversion = async {
            tokio::time::sleep(Duration::from_secs(120)).await;
            lock.set_len(0).unwrap();
            drop(lock);
            // From here on real files are waited for.
            tokio::time::resume();
        };
        let (store, ()) =
            tokio::join!(Store::open_telling(folder.path(), Readers::Several, &tell), conversion);
        drop(store.unwrap());
        assert_eq!(*told.lock().unwrap(), [Preparing::Waiting]);
    }
}
