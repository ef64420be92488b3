//! Write sessions: the proposal, how far it came, and the bytes before and after, so that a preview survives its
//! process (W7).

use orion_protocol::{ChangedLines, RequestId, Sha256, WriteOperation};
use sqlx::SqliteConnection;

use crate::blob;
use crate::column::{digest, from_word, line_columns, lines_of, to_word};
use crate::error::{StoreError, reading, writing};
use crate::owner;
use crate::store::Store;
use crate::writer::Transaction;

/// How far a write came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteStage {
    Proposed,
    /// Approved, on its way to the disk.
    Writing,
    Written,
    /// Nothing was written.
    Over,
    /// Written, and being undone.
    Undoing,
    /// Written, and undone.
    Undone,
}

/// A write session's last proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredWrite {
    /// Its number in its turn, from 1.
    pub number: u32,
    pub path: String,
    pub operation: WriteOperation,
    /// SHA-256 of the old file. None when there was no file.
    pub base_sha256: Option<Sha256>,
    /// SHA-256 of the proposed file, or of the approved one.
    pub sha256: Sha256,
    /// SHA-256 of what the proposal was made from.
    pub content_sha256: Sha256,
    pub stage: WriteStage,
    /// The file of the project into which a recovery put what somebody else had written.
    pub kept: Option<String>,
    /// Where the path led when it was proposed, if that was elsewhere.
    pub leads_to: Option<String>,
    /// Lines that it adds and removes, where that is known.
    pub lines: Option<ChangedLines>,
}

/// A write, or its undoing, that was under way when its process died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranded {
    pub request_id: RequestId,
    pub write: StoredWrite,
}

#[derive(sqlx::FromRow)]
pub(crate) struct Row {
    number: u32,
    path: String,
    operation: String,
    base_sha256: Option<String>,
    sha256: String,
    content_sha256: String,
    stage: String,
    kept: Option<String>,
    leads_to: Option<String>,
    lines_added: Option<i64>,
    lines_removed: Option<i64>,
}

/// A write that is under way, and the process that has it.
#[derive(sqlx::FromRow)]
struct OnItsWay {
    request_id: String,
    state: String,
    owner: String,
    undoer: Option<String>,
    #[sqlx(flatten)]
    write: Row,
}

impl Store {
    /// Stores a body for a turn, before the record that will refer to it. When its digest is returned, the body is on
    /// the disk.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`] when the turn was deleted meanwhile.
    pub async fn keep<B>(&self, request_id: RequestId, body: B) -> Result<Sha256, StoreError>
    where
        B: AsRef<[u8]> + Send + Sync + 'static,
    {
        self.transact(Keep { request_id, body }).await
    }

    /// A body by its digest.
    ///
    /// # Errors
    /// [`StoreError::BodyUnknown`] when it is not there.
    pub async fn body(&self, sha256: Sha256) -> Result<Vec<u8>, StoreError> {
        blob::get(&mut *self.reader().await?, sha256).await
    }

    /// A body that is text.
    ///
    /// # Errors
    /// Those of [`Store::body`], and a body that is not text.
    pub async fn text(&self, sha256: Sha256) -> Result<String, StoreError> {
        String::from_utf8(self.body(sha256).await?).map_err(StoreError::value)
    }

    /// The write sessions of a turn that have a proposal, in order.
    pub async fn writes(&self, request_id: RequestId) -> Result<Vec<StoredWrite>, StoreError> {
        let sql = "SELECT number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to, lines_added, lines_removed
                   FROM writes WHERE request_id = ? ORDER BY number";
        let rows: Vec<Row> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        rows.into_iter().map(stored).collect()
    }

    /// The writes, and the undoings of writes, that were under way when their process died.
    pub async fn stranded(&self) -> Result<Vec<Stranded>, StoreError> {
        let sql = "SELECT request_id, state, owner, undoer,
                       number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to, lines_added, lines_removed
                   FROM turns JOIN writes USING (request_id) WHERE stage IN ('writing', 'undoing')
                   ORDER BY request_id, number";
        let rows: Vec<OnItsWay> =
            sqlx::query_as(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        let mut found = Vec::with_capacity(rows.len());
        for OnItsWay { request_id, state, owner, undoer, write } in rows {
            let request_id = request_id.parse().map_err(StoreError::value)?;
            let write = stored(write)?;
            let at_work = match write.stage {
                WriteStage::Undoing => undoer.is_some_and(|undoer| self.undoes(&undoer)),
                _ => state == "running" && self.runs(request_id, &owner),
            };
            if !at_work {
                found.push(Stranded { request_id, write });
            }
        }
        Ok(found)
    }

    /// Whether another process is undoing a write. Within one process there is one undo at a time.
    fn undoes(&self, undoer: &str) -> bool {
        undoer != self.owner() && !owner::is_dead(self.folder(), undoer)
    }

    /// Records that a write is about to be undone. False when it was not written.
    pub async fn begin_undo(&self, request_id: RequestId, number: u32) -> Result<bool, StoreError> {
        self.transact(BeginUndo { request_id, number, undoer: self.owner().to_owned() }).await
    }

    /// Records how far a write came whose turn nobody runs.
    pub async fn move_write(
        &self,
        request_id: RequestId,
        number: u32,
        stage: WriteStage,
    ) -> Result<(), StoreError> {
        self.transact(Move { request_id, number, stage, kept: None }).await
    }

    /// Records how many lines a write adds and removes whose file is not the proposed one.
    pub async fn count_lines(
        &self,
        request_id: RequestId,
        number: u32,
        lines: ChangedLines,
    ) -> Result<(), StoreError> {
        self.transact(Count { request_id, number, lines }).await
    }

    /// Records how far a write came, as a look after a crash has found, and which file holds what somebody else wrote
    /// meanwhile.
    pub async fn recovered(
        &self,
        request_id: RequestId,
        number: u32,
        stage: WriteStage,
        kept: Option<String>,
    ) -> Result<(), StoreError> {
        self.transact(Move { request_id, number, stage, kept }).await
    }
}

struct Keep<B> {
    request_id: RequestId,
    body: B,
}

impl<B: AsRef<[u8]> + Send + Sync + 'static> Transaction for Keep<B> {
    type Out = Sha256;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Sha256, StoreError> {
        blob::keep(connection, self.request_id, self.body.as_ref()).await
    }
}

struct Move {
    request_id: RequestId,
    number: u32,
    stage: WriteStage,
    kept: Option<String>,
}

impl Transaction for Move {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let Self { number, stage, ref kept, .. } = *self;
        let id = self.request_id.to_string();
        move_to(connection, &id, number, stage, None).await?;
        if kept.is_some() {
            sqlx::query("UPDATE writes SET kept = ? WHERE request_id = ? AND number = ?")
                .bind(kept.clone())
                .bind(id)
                .bind(number)
                .execute(connection)
                .await
                .map_err(writing)?;
        }
        Ok(())
    }
}

struct Count {
    request_id: RequestId,
    number: u32,
    lines: ChangedLines,
}

impl Transaction for Count {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let (added, removed) = line_columns(Some(self.lines))?;
        let sql = "UPDATE writes SET lines_added = ?, lines_removed = ? WHERE request_id = ? AND number = ?";
        sqlx::query(sql)
            .bind(added)
            .bind(removed)
            .bind(self.request_id.to_string())
            .bind(self.number)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

struct BeginUndo {
    request_id: RequestId,
    number: u32,
    undoer: String,
}

impl Transaction for BeginUndo {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let sql = "UPDATE writes SET stage = 'undoing', undoer = ?
                   WHERE request_id = ? AND number = ? AND stage = 'written'";
        let begun = sqlx::query(sql)
            .bind(self.undoer.clone())
            .bind(self.request_id.to_string())
            .bind(self.number)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(begun.rows_affected() == 1)
    }
}

pub(crate) fn stored(row: Row) -> Result<StoredWrite, StoreError> {
    let Row { number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to, .. } = row;
    Ok(StoredWrite {
        number,
        path,
        operation: from_word(operation)?,
        base_sha256: base_sha256.as_deref().map(digest).transpose()?,
        sha256: digest(&sha256)?,
        content_sha256: digest(&content_sha256)?,
        stage: from_word(stage)?,
        kept,
        leads_to,
        lines: lines_of(row.lines_added, row.lines_removed)?,
    })
}

/// Stores a proposal in place of an earlier one of the same session. Its own bodies are stored already. Those of the
/// earlier one are deleted when nothing else refers to them.
pub(crate) async fn propose(
    connection: &mut SqliteConnection,
    request_id: &str,
    write: &StoredWrite,
) -> Result<(), StoreError> {
    let earlier = bodies(connection, request_id, write.number).await?;
    let (added, removed) = line_columns(write.lines)?;
    let sql =
        "INSERT INTO writes (request_id, number, path, operation, base_sha256, sha256, content_sha256, stage, leads_to, lines_added, lines_removed)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (request_id, number) DO UPDATE SET operation = excluded.operation,
                   base_sha256 = excluded.base_sha256, sha256 = excluded.sha256,
                   content_sha256 = excluded.content_sha256, stage = excluded.stage, kept = NULL, leads_to = excluded.leads_to,
                   lines_added = excluded.lines_added, lines_removed = excluded.lines_removed";
    sqlx::query(sql)
        .bind(request_id.to_owned())
        .bind(write.number)
        .bind(write.path.clone())
        .bind(to_word(&write.operation)?)
        .bind(write.base_sha256.map(|sha256| sha256.to_string()))
        .bind(write.sha256.to_string())
        .bind(write.content_sha256.to_string())
        .bind(to_word(&write.stage)?)
        .bind(write.leads_to.clone())
        .bind(added)
        .bind(removed)
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
    let mut now = vec![write.sha256, write.content_sha256];
    now.extend(write.base_sha256);
    blob::release(connection, request_id, &now).await?;
    blob::drop_unused(connection, &earlier).await
}

/// Records how far a write came. With a digest when the written file is not the proposed one: its lines are to be counted then.
pub(crate) async fn move_to(
    connection: &mut SqliteConnection,
    request_id: &str,
    number: u32,
    stage: WriteStage,
    sha256: Option<Sha256>,
) -> Result<(), StoreError> {
    let earlier = match sha256 {
        Some(_) => bodies(connection, request_id, number).await?,
        None => Vec::new(),
    };
    // The lines that were counted are those of the file before.
    let sql = "UPDATE writes SET stage = ?1, sha256 = coalesce(?2, sha256),
                   lines_added = iif(?2 <> sha256, NULL, lines_added), lines_removed = iif(?2 <> sha256, NULL, lines_removed)
               WHERE request_id = ?3 AND number = ?4";
    sqlx::query(sql)
        .bind(to_word(&stage)?)
        .bind(sha256.map(|sha256| sha256.to_string()))
        .bind(request_id.to_owned())
        .bind(number)
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
    if let Some(sha256) = sha256 {
        blob::release(connection, request_id, &[sha256]).await?;
    }
    blob::drop_unused(connection, &earlier).await
}

/// The bodies that a write refers to. None when it has no proposal yet.
async fn bodies(
    connection: &mut SqliteConnection,
    request_id: &str,
    number: u32,
) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT base_sha256, sha256, content_sha256 FROM writes WHERE request_id = ? AND number = ?";
    let row: Option<(Option<String>, String, String)> = sqlx::query_as(sql)
        .bind(request_id.to_owned())
        .bind(number)
        .fetch_optional(connection)
        .await
        .map_err(writing)?;
    Ok(row.map_or_else(Vec::new, |(base, new, content)| base.into_iter().chain([new, content]).collect()))
}

/// Records whether the turn waits for a person (A5).
pub(crate) async fn waits(
    connection: &mut SqliteConnection,
    request_id: &str,
    waits: bool,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE turns SET waits = ? WHERE request_id = ?")
        .bind(waits)
        .bind(request_id.to_owned())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
