//! The state of a database, read without changing it: for a report of this computer, also where it cannot be opened to be used.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::aside::FIRST;
use crate::error::{Act, DatabaseErrorKind, StoreError};
use crate::files::FILE_NAME;
use crate::{connection, damaged, open, owner};

/// The state of the database in a data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// There is none yet.
    Missing,
    Sound {
        /// Of its file, and of what is written beside it until the last process closes it.
        bytes: u64,
        /// When the newest turn began, in milliseconds since the Unix epoch.
        newest_ms: Option<i64>,
        /// Every page was looked at. A large file on a slow disk takes too long.
        whole: bool,
    },
    Damaged,
    /// An Orion of before the first version made it: the next start sets it aside (0078).
    Older,
    /// A newer Orion has changed it in a way that this one does not know (0014).
    Newer,
    /// It cannot be read, for this reason.
    Unreadable(DatabaseErrorKind),
}

/// Looks at the database in `folder`, for no longer than `patience`. What is on the disk stays as it is: where nothing is written beside the database
/// and nobody has it open, SQLite is told that nobody will, and then makes no file beside it either.
pub async fn health(folder: &Path, patience: Duration) -> Health {
    let of = |name: String| {
        let file = folder.join(name);
        async move { tokio::fs::metadata(file).await }
    };
    let wal = of(format!("{FILE_NAME}-wal")).await.map_or(0, |wal| wal.len());
    let bytes = match of(FILE_NAME.to_owned()).await {
        Ok(file) if !file.is_file() => return Health::Unreadable(DatabaseErrorKind::CannotOpen),
        Ok(file) if file.len() == 0 => return Health::Missing,
        Ok(file) => file.len() + wal,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Health::Missing;
        }
        Err(_) => return Health::Unreadable(DatabaseErrorKind::CannotOpen),
    };
    let failed = |error: sqlx::Error| told(&StoreError::database(Act::Read, &error));
    let is_still = !damaged::has_wal(folder) && !owner::somebody_lives(folder);
    let options = connection::bare(folder).read_only(true).immutable(is_still);
    let mut connection = match options.connect().await {
        Ok(connection) => connection,
        Err(error) => return failed(error),
    };
    let found = looked_at(&mut connection, Instant::now() + patience).await;
    // It wrote nothing, so there is nothing to lose.
    let _ = connection.close().await;
    match found {
        Ok(Found::Known { newest_ms, whole }) => Health::Sound { bytes, newest_ms, whole },
        Ok(Found::Newer) => Health::Newer,
        Ok(Found::Older) => Health::Older,
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

enum Found {
    Known { newest_ms: Option<i64>, whole: bool },
    Newer,
    Older,
}

/// Steps of SQLite's machine between two looks at the clock: a look costs less than they do.
const STEPS: i32 = 100;

async fn looked_at(connection: &mut SqliteConnection, deadline: Instant) -> Result<Found, StoreError> {
    let read = |error: sqlx::Error| StoreError::database(Act::Read, &error);
    let schema: i64 = sqlx::query_scalar("SELECT user_version FROM pragma_user_version")
        .fetch_one(&mut *connection)
        .await
        .map_err(read)?;
    if (1..FIRST).contains(&schema) {
        return Ok(Found::Older);
    }
    if schema > open::known() && open::compatible_since(connection).await? > open::known() {
        return Ok(Found::Newer);
    }
    connection
        .lock_handle()
        .await
        .map_err(read)?
        .set_progress_handler(STEPS, move || Instant::now() < deadline);
    let newest = sqlx::query_scalar("SELECT max(started_at_ms) FROM turns");
    let newest_ms = match newest.fetch_one(&mut *connection).await {
        Err(error) if was_cut(&error) => return Ok(Found::Known { newest_ms: None, whole: false }),
        found => found.map_err(read)?,
    };
    match sqlx::query_scalar::<_, String>("PRAGMA quick_check(1)").fetch_one(connection).await {
        Ok(said) if said == "ok" => Ok(Found::Known { newest_ms, whole: true }),
        Ok(detail) => Err(StoreError::Database { act: Act::Read, kind: DatabaseErrorKind::Corrupt, detail }),
        Err(error) if was_cut(&error) => Ok(Found::Known { newest_ms, whole: false }),
        Err(error) => Err(read(error)),
    }
}

/// True for SQLITE_INTERRUPT (sqlite.org/rescode.html): the time was up.
fn was_cut(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "9")
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
        drop(store);
        let file = folder.path().join(FILE_NAME);
        let bytes = std::fs::read(&file).unwrap();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let before = files();
        let sound = health(folder.path(), PATIENCE).await;
        assert_eq!(sound, Health::Sound { bytes: bytes.len() as u64, newest_ms: None, whole: true });
        assert!(std::fs::read(&file).unwrap() == bytes);
        assert_eq!(files(), before, "nothing is made beside it");
        let cut = health(folder.path(), Duration::ZERO).await;
        assert!(matches!(cut, Health::Sound { whole: false, .. }), "{cut:?}");
    }

    #[tokio::test]
    async fn a_database_of_before_the_first_version_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let mut older = connection::bare(folder.path()).create_if_missing(true).connect().await.unwrap();
        sqlx::raw_sql("CREATE TABLE turns (started_at_ms); PRAGMA user_version = 28")
            .execute(&mut older)
            .await
            .unwrap();
        older.close().await.unwrap();
        assert_eq!(health(folder.path(), PATIENCE).await, Health::Older);
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
