//! The state of a database, read without changing it: for a report of this computer, also where it cannot be opened to be used.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::error::{Act, DatabaseErrorKind, StoreError};
use crate::files::FILE_NAME;
use crate::{connection, damaged, open};

/// The state of the database in a data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// There is none yet.
    Missing,
    Sound {
        /// Of the whole file, without what is written beside it.
        bytes: u64,
        /// When the newest turn began, in milliseconds since the Unix epoch.
        newest_ms: Option<i64>,
        /// Every page was looked at. A large file on a slow disk takes too long.
        whole: bool,
    },
    Damaged,
    /// A newer Orion has changed it in a way that this one does not know (0014).
    Newer,
    /// It cannot be read, for this reason.
    Unreadable(DatabaseErrorKind),
}

/// Looks at the database in `folder`, at every page of it if that takes no longer than `patience`.
pub async fn health(folder: &Path, patience: Duration) -> Health {
    let bytes = match std::fs::metadata(folder.join(FILE_NAME)) {
        Ok(file) if !file.is_file() => return Health::Unreadable(DatabaseErrorKind::CannotOpen),
        Ok(file) if file.len() == 0 => return Health::Missing,
        Ok(file) => file.len(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Health::Missing;
        }
        Err(_) => return Health::Unreadable(DatabaseErrorKind::CannotOpen),
    };
    let failed = |error: sqlx::Error| told(&StoreError::database(Act::Read, &error));
    let mut connection = match connection::bare(folder).read_only(true).connect().await {
        Ok(connection) => connection,
        Err(error) => return failed(error),
    };
    let found = looked_at(&mut connection, patience).await;
    // It wrote nothing, so there is nothing to lose.
    let _ = connection.close().await;
    match found {
        Ok(Some((newest_ms, whole))) => Health::Sound { bytes, newest_ms, whole },
        Ok(None) => Health::Newer,
        Err(error) => told(&error),
    }
}

fn told(error: &StoreError) -> Health {
    match error {
        error if damaged::is_damage(error) => Health::Damaged,
        StoreError::Database { kind, .. } => Health::Unreadable(*kind),
        _ => Health::Unreadable(DatabaseErrorKind::Other),
    }
}

/// When the newest turn began, and whether every page was looked at. None where a newer Orion has made it.
async fn looked_at(
    connection: &mut SqliteConnection,
    patience: Duration,
) -> Result<Option<(Option<i64>, bool)>, StoreError> {
    let read = |error: sqlx::Error| StoreError::database(Act::Read, &error);
    let schema: i64 = sqlx::query_scalar("SELECT user_version FROM pragma_user_version")
        .fetch_one(&mut *connection)
        .await
        .map_err(read)?;
    if schema > open::known() && open::compatible_since(connection).await? > open::known() {
        return Ok(None);
    }
    let newest = sqlx::query_scalar("SELECT max(started_at_ms) FROM turns")
        .fetch_one(&mut *connection)
        .await
        .map_err(read)?;
    let check = sqlx::query_scalar::<_, String>("PRAGMA quick_check(1)").fetch_one(connection);
    match tokio::time::timeout(patience, check).await {
        Ok(Ok(said)) if said == "ok" => Ok(Some((newest, true))),
        Ok(Ok(detail)) => {
            Err(StoreError::Database { act: Act::Read, kind: DatabaseErrorKind::Corrupt, detail })
        }
        Ok(Err(error)) => Err(read(error)),
        Err(_) => Ok(Some((newest, false))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn what_is_looked_at_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(health(folder.path(), PATIENCE).await, Health::Missing);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");

        let store = Store::open(folder.path()).await.unwrap();
        let sound = health(folder.path(), PATIENCE).await;
        assert!(matches!(sound, Health::Sound { newest_ms: None, whole: true, .. }), "{sound:?}");
        store.close().await.unwrap();
        let file = folder.path().join(FILE_NAME);
        let bytes = std::fs::read(&file).unwrap();
        let sound = health(folder.path(), PATIENCE).await;
        assert_eq!(sound, Health::Sound { bytes: bytes.len() as u64, newest_ms: None, whole: true });
        assert!(std::fs::read(&file).unwrap() == bytes);
    }

    #[tokio::test]
    async fn damage_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.close().await.unwrap();
        let file = folder.path().join(FILE_NAME);
        let whole = std::fs::read(&file).unwrap();
        let middle = whole.len() / 2 / 4_096 * 4_096;
        for (from, to) in [(0, 16), (100, 4_096), (middle, middle + 4_096)] {
            let mut damaged = whole.clone();
            damaged[from..to].fill(0xff);
            std::fs::write(&file, &damaged).unwrap();
            assert_eq!(health(folder.path(), PATIENCE).await, Health::Damaged, "{from} to {to}");
            assert!(std::fs::read(&file).unwrap() == damaged);
        }
    }

    #[tokio::test]
    async fn a_newer_database_and_one_that_is_no_file_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.close().await.unwrap();
        let mut connection = connection::bare(folder.path()).connect().await.unwrap();
        let newer = "UPDATE compatible SET since = 999999; PRAGMA user_version = 999999";
        sqlx::raw_sql(newer).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        assert_eq!(health(folder.path(), PATIENCE).await, Health::Newer);

        let file = folder.path().join(FILE_NAME);
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert_eq!(health(folder.path(), PATIENCE).await, Health::Unreadable(DatabaseErrorKind::CannotOpen));
    }
}
