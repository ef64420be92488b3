//! Removes what a deletion leaves in the database's files, and gives the space back to the disk.
//!
//! `secure_delete` zeroes most of the deleted data in the deletion's own transaction. The rest is done in steps, each a short transaction,
//! so that turns can continue: words of texts (`search`), bodies that nothing refers to, free pages, the unused parts of pages (`residue`), the write-ahead log.
//! A crash at any point is safe: `leftover` records what is still to be done.

use std::time::Duration;

use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::time::Instant;

use crate::connection;
use crate::error::{StoreError, writing};
use crate::leftover::{Done, DropBodies};
use crate::residue::{self, Layout};
use crate::search::{CorrectWords, DropTexts};
use crate::store::Store;
use crate::writer::Transaction;

/// How many free pages one transaction gives back, and how many pages one transaction checks: 1 MiB and 4 MiB in pages of 4 KiB. Each
/// takes a few milliseconds, which bounds how long other writers wait.
const FREED_OF_A_STEP: u32 = 256;
const PAGES_OF_A_STEP: u32 = 1_024;

/// How long to wait for a reader of the database, and how often to check whether it has finished. 2 s: Orion's own reads take
/// milliseconds. The person is told about a longer one.
const READERS_PATIENCE: Duration = Duration::from_secs(2);
const READERS_INTERVAL: Duration = Duration::from_millis(10);

/// How far a deletion came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reclaimed {
    /// No byte of it is left.
    All,
    /// Another connection still reads the database as it was before. The rest is removed by the next [`Store::reclaim`] after that read
    /// ends, or by the process that closes the database last.
    Held,
}

impl Store {
    /// Removes what deletions have left in the database's files. Cheap when there is nothing.
    ///
    /// # Errors
    /// The disk failed or is full, since deleted data is overwritten first. The next call continues.
    pub async fn reclaim(&self) -> Result<Reclaimed, StoreError> {
        while self.transact(DropTexts).await? {}
        while self.transact(DropBodies).await? {}
        let names = self.left("pages").await?;
        if !names.is_empty() {
            let mut words = self.transact(CorrectWords { after: None }).await?;
            while words.is_some() {
                words = self.transact(CorrectWords { after: words }).await?;
            }
            while self.transact(GiveBack).await? {}
            let mut below = u32::MAX;
            while below > 1 {
                below = self.transact(ClearPages { below }).await?;
            }
            self.transact(Done { kind: "pages", names }).await?;
        }
        let names = self.left("wal").await?;
        if names.is_empty() {
            return Ok(Reclaimed::All);
        }
        // This connection does not wait inside SQLite: while SQLite waits for readers here, nobody else can write.
        let mut connection = connection::options(self.folder())
            .busy_timeout(Duration::ZERO)
            .connect()
            .await
            .map_err(writing)?;
        let emptied = empty_log(&mut connection).await;
        connection.close().await.map_err(writing)?;
        if !emptied? {
            return Ok(Reclaimed::Held);
        }
        self.transact(Done { kind: "wal", names }).await?;
        Ok(Reclaimed::All)
    }
}

/// Moves everything from the write-ahead log into the database and truncates the log. False when another connection uses the log for
/// longer than [`READERS_PATIENCE`].
async fn empty_log(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    let deadline = Instant::now() + READERS_PATIENCE;
    loop {
        let (busy, _, _): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        if busy == 0 {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tokio::time::sleep(READERS_INTERVAL).await;
    }
}

/// Gives some of the free pages back to the disk; false when there are no more.
struct GiveBack;

impl Transaction for GiveBack {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let free = "SELECT freelist_count FROM pragma_freelist_count";
        let before: u32 = sqlx::query_scalar(free).fetch_one(&mut *connection).await.map_err(writing)?;
        let sql = format!("PRAGMA incremental_vacuum({FREED_OF_A_STEP})");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut *connection).await.map_err(writing)?;
        let after: u32 = sqlx::query_scalar(free).fetch_one(&mut *connection).await.map_err(writing)?;
        Ok(after > 0 && after < before)
    }
}

/// Clears the unused parts of the pages right below a number, and returns the number to continue below. It goes from the last page to
/// the first because pages only ever move towards the front: none can move into the range that is already checked.
struct ClearPages {
    below: u32,
}

impl Transaction for ClearPages {
    type Out = u32;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<u32, StoreError> {
        let sql = "SELECT page_size, auto_vacuum, page_count
                   FROM pragma_page_size, pragma_auto_vacuum, pragma_page_count";
        let (page_size, auto_vacuum, pages): (u32, i64, u32) =
            sqlx::query_as(sql).fetch_one(&mut *connection).await.map_err(writing)?;
        if pages >= residue::MOST_PAGES {
            return Ok(0);
        }
        let layout = Layout { page_size, pointer_maps: auto_vacuum != 0 };
        let end = self.below.min(pages + 1);
        let start = end.saturating_sub(PAGES_OF_A_STEP).max(1);
        // Most pages belong to bodies and hold no cells; they are filtered out here.
        let sql = "WITH RECURSIVE these (number) AS (
                       VALUES (?1) UNION ALL SELECT number + 1 FROM these WHERE number + 1 < ?2)
                   SELECT pgno, data FROM these CROSS JOIN sqlite_dbpage ON pgno = number
                   WHERE pgno = 1 OR substr(data, 1, 1) IN (x'02', x'05', x'0a', x'0d')";
        let found: Vec<(u32, Vec<u8>)> =
            sqlx::query_as(sql).bind(start).bind(end).fetch_all(&mut *connection).await.map_err(writing)?;
        for (number, mut page) in found {
            if residue::clear(&mut page, number, layout) {
                sqlx::query("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?")
                    .bind(page)
                    .bind(number)
                    .execute(&mut *connection)
                    .await
                    .map_err(writing)?;
            }
        }
        Ok(start)
    }
}

#[cfg(test)]
#[path = "reclaim_tests.rs"]
mod tests;
