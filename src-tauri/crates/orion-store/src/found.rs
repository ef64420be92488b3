//! Connects to the database as it is found, and reads it before anything is written to it.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqlitePool;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::connection::{self, Readers};
use crate::damaged;
use crate::error::{Act, StoreError};
use crate::files::{FILE_NAME, make_database};

/// The database as it was found, before anything is written to it.
pub(crate) struct Found {
    pub(crate) connection: SqliteConnection,
    pub(crate) readers: Option<SqlitePool>,
    pub(crate) facts: Facts,
}

/// The version of SQLite, that of the schema, the kind of vacuum, and whether there is a table of messages.
pub(crate) type Facts = (String, i64, i64, bool);

/// Connects to the database, which is made when it is missing and begun anew when it is damaged. Returns where the damaged one is.
pub(crate) async fn find(folder: &Path, readers: Readers) -> Result<(Found, Option<PathBuf>), StoreError> {
    make_database(&folder.join(FILE_NAME))?;
    match connect(folder, readers).await {
        Err(error) if damaged::is_lost(folder, &error) => {
            let aside = damaged::set_aside(folder)?;
            Ok((connect(folder, readers).await?, Some(aside)))
        }
        found => Ok((found?, None)),
    }
}

/// When it fails, every connection is closed, and the files of the database are as they were.
async fn connect(folder: &Path, readers: Readers) -> Result<Found, StoreError> {
    let looks = if damaged::has_wal(folder) { damaged::look(folder).await? } else { None };
    let writer = connect_writer(folder).await;
    // Closed after the connection that can write: if that one was the last, SQLite would remove the WAL.
    if let Some(looks) = looks {
        let _ = looks.close().await;
    }
    let (connection, facts) = writer?;
    let readers = (readers == Readers::Several).then(|| connection::readers(folder));
    Ok(Found { connection, readers, facts })
}

async fn connect_writer(folder: &Path) -> Result<(SqliteConnection, Facts), StoreError> {
    let failed = |e: sqlx::Error| StoreError::database(Act::Open, &e);
    let mut connection = connection::bare(folder).connect().await.map_err(failed)?;
    match facts(&mut connection).await {
        Ok(facts) => Ok((connection, facts)),
        Err(error) => {
            // Closed before its files are moved: as the last one it removes the WAL by its name, which then is that of another database.
            let _ = connection.close().await;
            Err(failed(error))
        }
    }
}

async fn facts(connection: &mut SqliteConnection) -> Result<Facts, sqlx::Error> {
    connection::set(connection).await?;
    let sql = "SELECT sqlite_version(), user_version, auto_vacuum,
                   EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'messages')
               FROM pragma_user_version, pragma_auto_vacuum";
    sqlx::query_as(sql).fetch_one(connection).await
}
