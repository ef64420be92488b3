//! Finds out that a database is damaged, before anything could write to it, its WAL included.
//!
//! Deliberately not here: setting it aside (`aside`), and damage that shows itself later, in the middle of the file.

use std::io::{ErrorKind, Read};
use std::path::Path;

use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::connection;
use crate::error::{Act, DatabaseErrorKind, StoreError};
use crate::files::FILE_NAME;
use crate::owner;

/// Whether there is a WAL. Some of the database may be there alone, and the last connection that can write removes it when it is closed. Such a
/// database is looked at with one that cannot.
pub(crate) fn has_wal(folder: &Path) -> bool {
    let wal = folder.join(format!("{FILE_NAME}-wal"));
    wal.metadata().map_or_else(|error| error.kind() != ErrorKind::NotFound, |metadata| metadata.len() > 0)
}

/// Reads the schema with a connection that cannot write, and returns it. None where there can be no such connection: what is wrong shows itself to
/// the one that writes.
///
/// # Errors
/// The database is damaged. The connection is closed then.
pub(crate) async fn look(folder: &Path) -> Result<Option<SqliteConnection>, StoreError> {
    let Ok(mut connection) = connection::bare(folder).read_only(true).connect().await else {
        return Ok(None);
    };
    let sql = "SELECT count(*) + (SELECT user_version FROM pragma_user_version) FROM sqlite_schema";
    let found: Result<i64, _> = sqlx::query_scalar(sql).fetch_one(&mut connection).await;
    match found.map_err(|error| StoreError::database(Act::Open, &error)) {
        Err(error) if is_damage(&error) => {
            let _ = connection.close().await;
            Err(error)
        }
        _ => Ok(Some(connection)),
    }
}

pub(crate) fn is_damage(error: &StoreError) -> bool {
    matches!(error, StoreError::Database { kind: DatabaseErrorKind::Corrupt, .. })
}

/// Whether a database that could not be opened is to be set aside: a damaged one that is open in no other process.
pub(crate) fn is_lost(folder: &Path, error: &StoreError) -> bool {
    (is_damage(error) || has_damaged_header(folder, error)) && !owner::somebody_lives(folder)
}

/// True if the beginning of the file is that of no database that Orion has made. SQLite takes such a one for one of a later SQLite, and says so by no code
/// of its own. It is read only once nothing could be opened: closing a file gives up the locks that this process has on it.
fn has_damaged_header(folder: &Path, error: &StoreError) -> bool {
    use DatabaseErrorKind::{Other, ReadOnly};
    if !matches!(error, StoreError::Database { kind: Other | ReadOnly, .. }) {
        return false;
    }
    let mut header = [0; 100];
    let read = std::fs::File::open(folder.join(FILE_NAME)).and_then(|mut file| file.read_exact(&mut header));
    // The offsets of https://www.sqlite.org/fileformat2.html#the_database_header.
    read.is_ok()
        && (!header.starts_with(b"SQLite format 3\0")
            || !matches!(header[18..20], [1 | 2, 1 | 2])
            || header[44..47] != [0; 3]
            || header[47] > 4)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{Readers, SetAside, Store};

    /// A data folder with a session, and the bytes of its database.
    async fn used() -> (tempfile::TempDir, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.open_project("/p", "p", 1).await.unwrap();
        store.close().await.unwrap();
        let bytes = std::fs::read(folder.path().join(FILE_NAME)).unwrap();
        (folder, bytes)
    }

    fn damaged(store: &Store) -> Option<PathBuf> {
        let aside = store.set_aside()?;
        let SetAside::Damaged(folder) = aside else { panic!("{aside:?}") };
        Some(folder.clone())
    }

    async fn reopened(folder: &Path, readers: Readers) -> (Option<PathBuf>, usize) {
        let store = Store::open_for(folder, readers).await.unwrap();
        let found = (damaged(&store), store.projects().await.unwrap().len());
        store.close().await.unwrap();
        found
    }

    #[tokio::test]
    async fn a_database_that_cannot_be_read_is_kept_to_the_byte_and_a_new_one_begins() {
        for readers in [Readers::Several, Readers::Writer] {
            for wal in [Some(&b"a WAL"[..]), None] {
                is_kept(readers, wal).await;
            }
        }
    }

    async fn is_kept(readers: Readers, wal: Option<&[u8]>) {
        let (folder, whole) = used().await;
        let file = folder.path().join(FILE_NAME);
        assert_eq!(reopened(folder.path(), readers).await, (None, 1));
        let overwritten = [&b"no database"[..], &whole[11..]].concat();
        // The first page holds the schema.
        let torn = [&whole[..100], &[0xff; 3_996][..], &whole[4_096..]].concat();
        let cut = whole[..512].to_vec();
        for (number, damaged) in (1..).zip([overwritten, torn, cut]) {
            std::fs::write(&file, &damaged).unwrap();
            if let Some(wal) = wal {
                std::fs::write(folder.path().join("orion.db-wal"), wal).unwrap();
            }
            let aside = folder.path().join(format!("damaged-{number}"));
            assert_eq!(reopened(folder.path(), readers).await, (Some(aside.clone()), 0));
            assert!(std::fs::read(aside.join(FILE_NAME)).unwrap() == damaged, "{number}");
            if let Some(wal) = wal {
                assert_eq!(std::fs::read(aside.join("orion.db-wal")).unwrap(), wal);
            }
            assert_eq!(reopened(folder.path(), readers).await, (None, 0), "once");
        }
    }

    // Each byte of the header that says how the file is read, but for the number of the schema: that is one of a later Orion.
    #[tokio::test]
    async fn a_database_with_a_damaged_header_is_set_aside_or_is_read() {
        let (_folder, whole) = used().await;
        let mut lost = Vec::new();
        for at in (0..24).chain(28..60) {
            for byte in [0xff, whole[at] ^ 0x08] {
                let folder = tempfile::tempdir().unwrap();
                let mut bytes = whole.clone();
                bytes[at] = byte;
                std::fs::write(folder.path().join(FILE_NAME), &bytes).unwrap();
                match Store::open(folder.path()).await {
                    Ok(store) => {
                        let projects = store.projects().await;
                        if damaged(&store).is_none() && projects.is_err() {
                            lost.push((at, byte, format!("{projects:?}")));
                        }
                        store.close().await.unwrap();
                    }
                    Err(error) => lost.push((at, byte, error.to_string())),
                }
            }
        }
        assert_eq!(lost, []);
    }

    // Without them another process takes itself for the last one, and removes the WAL that this one goes on writing to.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn every_start_keeps_its_locks_on_the_database() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE_NAME);
        let starts = ["new", "used", "damaged"];
        for (readers, start) in
            [Readers::Several, Readers::Writer].map(|readers| starts.map(|start| (readers, start))).concat()
        {
            if start == "damaged" {
                std::fs::write(&file, b"no database").unwrap();
            }
            let store = Store::open_for(folder.path(), readers).await.unwrap();
            store.projects().await.unwrap();
            assert_eq!(store.set_aside().is_some(), start == "damaged");
            let inode = format!(":{}", std::fs::metadata(&file).unwrap().ino());
            let locks = std::fs::read_to_string("/proc/locks").unwrap();
            let is_of_it = |lock: &str| lock.split_whitespace().any(|field| field.ends_with(&inode));
            assert!(locks.lines().any(is_of_it), "{start}: {inode} in {locks}");
            store.close().await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_database_that_another_process_has_open_stays_where_it_is() {
        let (folder, whole) = used().await;
        let store = Store::open(folder.path()).await.unwrap();
        let file = folder.path().join(FILE_NAME);
        std::fs::write(&file, b"no database").unwrap();
        assert!(Store::open(folder.path()).await.is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"no database");
        std::fs::write(&file, whole).unwrap();
        drop(store);
    }
}
