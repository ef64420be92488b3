//! How every connection to the database is opened and closed.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::error::{StoreError, reading, writing};
use crate::files::FILE_NAME;

/// How long a connection waits for another process's transaction. 5 s: sqlx's default, and far above any commit here.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an unused reading connection is kept.
const READER_IDLE: Duration = Duration::from_secs(60);

/// How many queries are answered at the same time. Each has a connection that reads the whole schema first, opened when it is first needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// For a command, which asks one thing after another.
    One,
    /// Four, for a window.
    Several,
}

impl Readers {
    const fn most(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Several => 4,
        }
    }
}

pub(crate) fn options(folder: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(folder.join(FILE_NAME))
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // On macOS a plain `fsync` leaves what was written in the disk's own memory. Elsewhere this changes nothing.
        .pragma("fullfsync", "ON")
        .pragma("trusted_schema", "OFF")
        .pragma("secure_delete", "ON")
        .pragma("journal_size_limit", "67108864")
        .disable_statement_logging()
}

/// Connections that cannot write.
pub(crate) fn readers(folder: &Path, readers: Readers) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(readers.most())
        .idle_timeout(READER_IDLE)
        .test_before_acquire(false)
        .connect_lazy_with(options(folder).read_only(true))
}

pub(crate) async fn data_version(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    let version = sqlx::query_scalar("SELECT data_version FROM pragma_data_version");
    version.fetch_one(connection).await.map_err(reading)
}

/// Closes the writer's connection. When it is the last one of all processes, SQLite moves the WAL into the database.
pub(crate) async fn close(connection: SqliteConnection) -> Result<(), StoreError> {
    connection.close().await.map_err(writing)
}
