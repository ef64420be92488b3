//! How every connection to the database is opened and closed, and which of them answers a query.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use sqlx::{ConnectOptions, Connection, Sqlite, SqliteConnection};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use crate::error::{StoreError, reading, writing};
use crate::files::FILE_NAME;

/// How long a connection waits for another process's transaction. 5 s: sqlx's default, and far above any commit here.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an unused reading connection is kept.
const READER_IDLE: Duration = Duration::from_secs(60);

/// The most connections that only read.
const READERS: u32 = 4;

/// What answers queries. Every connection reads the whole schema first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// The connection that writes, between two transactions: for a command, which asks one thing after another.
    Writer,
    /// Up to four connections of their own, each opened when it is first needed: for a window.
    Several,
}

/// The connection that writes. None once it is closed.
pub(crate) type Shared = Arc<Mutex<Option<SqliteConnection>>>;

/// A connection for one query, or for several that belong together. Whoever holds one waits for nothing that needs a connection.
#[derive(Debug)]
pub(crate) enum Reader<'a> {
    Own(PoolConnection<Sqlite>),
    Writer(MappedMutexGuard<'a, SqliteConnection>),
}

impl<'a> Reader<'a> {
    pub(crate) async fn of(readers: Option<&SqlitePool>, writer: &'a Shared) -> Result<Self, StoreError> {
        match readers {
            Some(readers) => readers.acquire().await.map(Self::Own).map_err(reading),
            None => MutexGuard::try_map(writer.lock().await, Option::as_mut)
                .map(Self::Writer)
                .map_err(|_| StoreError::Closed),
        }
    }
}

impl Deref for Reader<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        match self {
            Self::Own(connection) => connection,
            Self::Writer(connection) => connection,
        }
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        match self {
            Self::Own(connection) => connection,
            Self::Writer(connection) => connection,
        }
    }
}

/// What every connection is set to. With `fullfsync`, macOS leaves nothing of what was written in the disk's own memory; elsewhere it changes nothing.
const PRAGMAS: [(&str, &str); 5] = [
    ("synchronous", "FULL"),
    ("fullfsync", "ON"),
    ("trusted_schema", "OFF"),
    ("secure_delete", "ON"),
    ("journal_size_limit", "67108864"),
];

pub(crate) fn options(folder: &Path) -> SqliteConnectOptions {
    PRAGMAS.into_iter().fold(bare(folder), |options, (name, value)| options.pragma(name, value))
}

/// Nothing of the database is read to connect with these: where sqlx fails at what it reads, it drops the connection, and closes it later.
pub(crate) fn bare(folder: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(folder.join(FILE_NAME))
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging()
}

/// Sets a connection that was made with [`bare`] to what the others have from the start.
pub(crate) async fn set(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let pragmas: String = PRAGMAS.map(|(name, value)| format!("PRAGMA {name} = {value}; ")).concat();
    sqlx::raw_sql(sqlx::AssertSqlSafe(pragmas)).execute(connection).await.map(drop)
}

/// Connections that cannot write.
pub(crate) fn readers(folder: &Path) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(READERS)
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
