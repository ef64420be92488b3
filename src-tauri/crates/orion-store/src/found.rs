//! Connects to the database as it is found, and reads it before anything is written to it.

use std::path::Path;

use sqlx::sqlite::SqlitePool;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::aside::{self, FIRST, SetAside, Unusable};
use crate::connection::{self, Readers};
use crate::damaged;
use crate::error::{Act, StoreError};
use crate::files::{FILE_NAME, make_database};
use crate::owner;

/// The database as it was found, before anything is written to it.
pub(crate) struct Found {
    pub(crate) connection: SqliteConnection,
    pub(crate) readers: Option<SqlitePool>,
    pub(crate) facts: Facts,
}

/// The version of SQLite, and that of the schema.
pub(crate) type Facts = (String, i64);

/// Connects to the database, which is made when it is missing. One that cannot be used is set aside first: a damaged one, and one of before the first
/// version.
pub(crate) async fn find(folder: &Path, readers: Readers) -> Result<(Found, Option<SetAside>), StoreError> {
    make_database(&folder.join(FILE_NAME))?;
    let why = match connect(folder, readers).await {
        Ok(found) if !(1..FIRST).contains(&found.facts.1) => return Ok((found, None)),
        Ok(Found { connection, readers, facts: (_, schema) }) => {
            close(connection, readers).await;
            if owner::somebody_lives(folder) {
                return Err(StoreError::Older { found: schema });
            }
            Unusable::Older
        }
        Err(error) if damaged::is_lost(folder, &error) => Unusable::Damaged,
        Err(error) => return Err(error),
    };
    let aside = aside::set_aside(folder, why)?;
    Ok((connect(folder, readers).await?, Some(aside)))
}

/// Closes the connections before the files are moved.
async fn close(connection: SqliteConnection, readers: Option<SqlitePool>) {
    if let Some(readers) = readers {
        readers.close().await;
    }
    let _ = connection.close().await;
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
    let sql = "SELECT sqlite_version(), user_version FROM pragma_user_version";
    sqlx::query_as(sql).fetch_one(connection).await
}
