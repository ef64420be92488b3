//! The files that commands changed: the bytes before and after, so that a change can be undone (C6, W7), and how far that came.
//!
//! Deliberately not here: the order of these and of writes (`written`), and rewinds (`rewinding`).

use orion_protocol::{CallId, FileChange, RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::column::{digest, from_word, to_word};
use crate::error::{StoreError, reading, writing};
use crate::owner;
use crate::store::Store;
use crate::writer::Transaction;

/// Bytes of bodies that are stored in one transaction, about: 4 MiB. Others write in between.
const BATCH: usize = 4 << 20;

/// Files that are stored in one transaction.
const FILES: usize = 100;

/// A file that a command changed, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommandFile {
    pub path: String,
    pub change: FileChange,
    /// The content before and after; none where there was no file, or it is not kept.
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// The permissions before.
    pub mode: Option<u32>,
    /// The reason for which it cannot be undone.
    pub why: Option<String>,
}

/// The progress of undoing such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandFileStage {
    Changed,
    Undoing,
    Undone,
}

/// One of them as it is stored, without its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFile {
    pub request_id: RequestId,
    /// From 1 in its turn.
    pub number: u32,
    pub path: String,
    pub change: FileChange,
    pub before: Option<Sha256>,
    pub after: Option<Sha256>,
    pub mode: Option<u32>,
    pub why: Option<String>,
    pub stage: CommandFileStage,
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    number: u32,
    path: String,
    change: String,
    before_sha256: Option<String>,
    after_sha256: Option<String>,
    mode: Option<u32>,
    why: Option<String>,
    stage: String,
    undoer: Option<String>,
}

fn stored(row: Row) -> Result<CommandFile, StoreError> {
    Ok(CommandFile {
        request_id: row.request_id.parse().map_err(StoreError::value)?,
        number: row.number,
        path: row.path,
        change: from_word(row.change)?,
        before: row.before_sha256.as_deref().map(digest).transpose()?,
        after: row.after_sha256.as_deref().map(digest).transpose()?,
        mode: row.mode,
        why: row.why,
        stage: from_word(row.stage)?,
    })
}

macro_rules! rows {
    ($where:literal) => {
        concat!(
            "SELECT request_id, number, path, change, before_sha256, after_sha256, mode, why, stage, undoer FROM command_files WHERE ",
            $where
        )
    };
}

impl Store {
    /// Stores the files that a command changed, with their contents.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`] when the turn was deleted meanwhile. Some of them may be stored then.
    pub async fn keep_command_files(
        &self,
        request_id: RequestId,
        call: &CallId,
        files: Vec<NewCommandFile>,
    ) -> Result<(), StoreError> {
        let mut left = files.into_iter().peekable();
        while left.peek().is_some() {
            let (mut batch, mut bytes) = (Vec::new(), 0);
            while bytes < BATCH
                && batch.len() < FILES
                && let Some(file) = left.next()
            {
                bytes += [&file.before, &file.after].into_iter().flatten().map(Vec::len).sum::<usize>();
                batch.push(file);
            }
            self.transact(KeepFiles { request_id, call: call.clone(), files: batch }).await?;
        }
        Ok(())
    }

    /// One of the files that commands of a turn changed.
    pub async fn command_file(
        &self,
        request_id: RequestId,
        number: u32,
    ) -> Result<Option<CommandFile>, StoreError> {
        let row: Option<Row> = sqlx::query_as(rows!("request_id = ? AND number = ?"))
            .bind(request_id.to_string())
            .bind(number)
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(stored).transpose()
    }

    /// Those whose undoing was under way when its process died. Within one process there is one undo at a time.
    pub async fn stranded_command_files(&self) -> Result<Vec<CommandFile>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(rows!("stage = 'undoing' ORDER BY request_id, number"))
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let at_work = |undoer: &str| undoer != self.owner() && !owner::is_dead(self.folder(), undoer);
        rows.into_iter().filter(|row| !row.undoer.as_deref().is_some_and(at_work)).map(stored).collect()
    }

    /// Records that such a file is about to be put back. False when it was already, or is on its way.
    pub async fn begin_undoing_command_file(
        &self,
        request_id: RequestId,
        number: u32,
    ) -> Result<bool, StoreError> {
        let (from, to) = (CommandFileStage::Changed, CommandFileStage::Undoing);
        self.transact(MoveFile { request_id, number, from, to, undoer: Some(self.owner().to_owned()) }).await
    }

    /// Records how the undoing of such a file ended.
    pub async fn end_undoing_command_file(
        &self,
        request_id: RequestId,
        number: u32,
        to: CommandFileStage,
    ) -> Result<(), StoreError> {
        let from = CommandFileStage::Undoing;
        self.transact(MoveFile { request_id, number, from, to, undoer: None }).await.map(drop)
    }
}

struct KeepFiles {
    request_id: RequestId,
    call: CallId,
    files: Vec<NewCommandFile>,
}

impl Transaction for KeepFiles {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        for file in &self.files {
            let (mut before, mut after) = (None, None);
            for (body, sha256) in [(&file.before, &mut before), (&file.after, &mut after)] {
                if let Some(body) = body {
                    *sha256 = Some(blob::put(connection, body).await?.to_string());
                }
            }
            let sql = "INSERT INTO command_files
                           (request_id, number, tool_call_id, after_write, path, change, before_sha256, after_sha256, mode, why, stage)
                       VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM command_files WHERE request_id = ?1), ?2,
                           (SELECT coalesce(max(number), 0) FROM writes WHERE request_id = ?1), ?3, ?4, ?5, ?6, ?7, ?8, 'changed')";
            let kept = sqlx::query(sql)
                .bind(self.request_id.to_string())
                .bind(self.call.0.clone())
                .bind(file.path.clone())
                .bind(to_word(&file.change)?)
                .bind(before)
                .bind(after)
                .bind(file.mode)
                .bind(file.why.clone())
                .execute(&mut *connection)
                .await
                .map_err(writing);
            match kept {
                // The turn is gone, with its session.
                Err(error) if error.is_constraint() => return Err(StoreError::TurnUnknown(self.request_id)),
                other => other.map(drop)?,
            }
        }
        Ok(())
    }
}

struct MoveFile {
    request_id: RequestId,
    number: u32,
    from: CommandFileStage,
    to: CommandFileStage,
    undoer: Option<String>,
}

impl Transaction for MoveFile {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let sql = "UPDATE command_files SET stage = ?, undoer = ? WHERE request_id = ? AND number = ? AND stage = ?";
        let moved = sqlx::query(sql)
            .bind(to_word(&self.to)?)
            .bind(self.undoer.clone())
            .bind(self.request_id.to_string())
            .bind(self.number)
            .bind(to_word(&self.from)?)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(moved.rows_affected() == 1)
    }
}
