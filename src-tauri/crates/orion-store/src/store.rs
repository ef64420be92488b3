//! The open database. Its queries are in the modules of their subjects (`project.rs`, `session.rs`, `turn.rs`,
//! `journal.rs`, `view.rs`, …).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::sqlite::SqlitePool;
use tokio::sync::Mutex;

use crate::aside::SetAside;
use crate::connection::{Reader, Readers, Shared};
use crate::error::StoreError;
use crate::open::{self, Opened};
use crate::owner::{Alive, Owner};
use crate::writer::{Transaction, Writer};

/// An open data folder. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    owner: Owner,
    set_aside: Option<SetAside>,
    writer: Writer,
    connection: Shared,
    /// None where the writer's connection answers queries.
    readers: Option<SqlitePool>,
    alive: Alive,
}

impl Store {
    /// Opens the database in `folder`, making both when they are missing (mode 0700 and 0600).
    ///
    /// # Errors
    /// A folder or file that cannot be used, a damaged database, an SQLite that is too old, the data of a newer Orion.
    pub async fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_for(folder, Readers::Several).await
    }

    /// Like [`Store::open`], for so many queries at a time.
    ///
    /// # Errors
    /// Those of [`Store::open`].
    pub async fn open_for(folder: &Path, readers: Readers) -> Result<Self, StoreError> {
        let Opened { connection, readers, owner, set_aside } = open::open(folder, readers).await?;
        let connection = Arc::new(Mutex::new(Some(connection)));
        let writer = Writer::start(Arc::clone(&connection));
        let alive = Alive::default();
        let inner = Inner { folder: folder.to_owned(), owner, set_aside, writer, connection, readers, alive };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Commits what was sent and closes every connection. Whatever is asked afterwards fails with [`StoreError::Closed`].
    ///
    /// # Errors
    /// The disk refused to close. Everything that was committed is on it.
    pub async fn close(&self) -> Result<(), StoreError> {
        if let Some(readers) = &self.inner.readers {
            readers.close().await;
        }
        self.inner.writer.close().await
    }

    /// The database that was there before, if that one could not be used.
    #[must_use]
    pub fn set_aside(&self) -> Option<&SetAside> {
        self.inner.set_aside.as_ref()
    }

    /// A number that is another one after another process has changed the database, and only then. Costs no disk access while nobody has.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn data_version(&self) -> Result<i64, StoreError> {
        self.inner.writer.data_version().await
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.inner.folder
    }

    pub(crate) fn owner(&self) -> &str {
        self.inner.owner.name()
    }

    pub(crate) fn alive(&self) -> &Alive {
        &self.inner.alive
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.inner.writer
    }

    /// A connection that answers queries. It is given back when it is dropped: whoever holds one asks for no other, and waits for
    /// no transaction. Nor may it stand still meanwhile: a future that holds one is polled until it ends, or dropped.
    pub(crate) async fn reader(&self) -> Result<Reader<'_>, StoreError> {
        Reader::of(self.inner.readers.as_ref(), &self.inner.connection).await
    }

    pub(crate) async fn transact<T: Transaction>(&self, transaction: T) -> Result<T::Out, StoreError> {
        self.inner.writer.transact(transaction).await
    }
}
