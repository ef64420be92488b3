//! A database that cannot be used is set aside as it is, and Orion begins a new one: a damaged one, and one of before the first version (0078).
//!
//! It is moved into a folder of its own under its own name, with what SQLite keeps beside it, so that the tools of SQLite and the Orion that made it
//! can still open it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::files::{FILE_NAME, make_database, make_folder};

/// The first schema. Databases with a smaller number were made before the first version (0078).
pub(crate) const FIRST: i64 = 100;

/// The files that SQLite keeps beside a database (sqlite.org/tempfiles.html).
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// The reason for which a database cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    Damaged,
    /// An Orion of before the first version made it (0078).
    Older,
}

/// The folder that a database was set aside in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetAside {
    Damaged(PathBuf),
    /// An Orion of before the first version made it, and can export its sessions.
    Older(PathBuf),
}

/// Moves the database into a folder beside it, which is returned, and makes an empty file in its place. Called under the lock of `open`,
/// without any connection.
pub(crate) fn set_aside(folder: &Path, why: Unusable) -> Result<SetAside, StoreError> {
    let aside = free_name(folder, why)?;
    // The database last: after a crash in between, the next start goes on with it.
    let names = BESIDE.iter().map(|end| format!("{FILE_NAME}{end}")).chain([FILE_NAME.to_owned()]);
    for name in names {
        let moved = std::fs::rename(folder.join(&name), aside.join(&name));
        if let Err(error) = moved.or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        }) {
            return Err(StoreError::folder(&aside, &error));
        }
    }
    make_database(&folder.join(FILE_NAME))?;
    Ok(match why {
        Unusable::Damaged => SetAside::Damaged(aside),
        Unusable::Older => SetAside::Older(aside),
    })
}

/// The first folder of this kind without a database, made when it is missing.
fn free_name(folder: &Path, why: Unusable) -> Result<PathBuf, StoreError> {
    let kind = match why {
        Unusable::Damaged => "damaged",
        Unusable::Older => "older",
    };
    let mut number = 1;
    loop {
        let aside = folder.join(format!("{kind}-{number}"));
        // One without a database is of a start that broke off here: what it moved already belongs to the same one.
        if !aside.join(FILE_NAME).try_exists().map_err(|e| StoreError::folder(&aside, &e))? {
            make_folder(&aside)?;
            return Ok(aside);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions, Connection, SqliteConnection};

    use super::*;
    use crate::connection;
    use crate::{Readers, Store};

    /// The database of an Orion of before the first version.
    async fn older(folder: &Path) -> SqliteConnection {
        let mut older = connection::bare(folder).create_if_missing(true).connect().await.unwrap();
        let sql = "PRAGMA journal_mode = WAL; CREATE TABLE messages (body TEXT); INSERT INTO messages VALUES ('kept'); PRAGMA user_version = 28";
        sqlx::raw_sql(sql).execute(&mut older).await.unwrap();
        older
    }

    #[tokio::test]
    async fn the_database_of_before_the_first_version_is_set_aside_whole_and_once() {
        for readers in [Readers::Several, Readers::Writer] {
            let folder = tempfile::tempdir().unwrap();
            older(folder.path()).await.close().await.unwrap();
            let store = Store::open_for(folder.path(), readers).await.unwrap();
            let aside = folder.path().join("older-1");
            assert_eq!(store.set_aside(), Some(&SetAside::Older(aside.clone())));
            assert_eq!(store.projects().await.unwrap().len(), 0);
            store.close().await.unwrap();
            let mut kept = connection::bare(&aside).read_only(true).connect().await.unwrap();
            let body: String =
                sqlx::query_scalar("SELECT body FROM messages").fetch_one(&mut kept).await.unwrap();
            assert_eq!(body, "kept");
            kept.close().await.unwrap();
            let again = Store::open_for(folder.path(), readers).await.unwrap();
            assert_eq!(again.set_aside(), None);
            again.close().await.unwrap();
        }
    }

    #[tokio::test]
    async fn while_an_earlier_orion_has_it_open_nothing_is_moved() {
        let folder = tempfile::tempdir().unwrap();
        let connection = older(folder.path()).await;
        let _alive = crate::owner::Owner::new(folder.path()).unwrap();
        let refused = Store::open_for(folder.path(), Readers::Writer).await.unwrap_err();
        assert_eq!(refused, StoreError::Older { found: 28 });
        assert!(!folder.path().join("older-1").exists());
        connection.close().await.unwrap();
    }
}
