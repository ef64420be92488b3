//! The transactions of a rewind: how it begins, how far each file came, how it ends (A10). Reading rewinds is in `rewind`.

use orion_protocol::{ErrorInfo, RequestId, SessionId, Sha256};
use sqlx::SqliteConnection;

use crate::column::to_word;
use crate::error::{StoreError, writing};
use crate::path;
use crate::writer::Transaction;
use crate::written::WrittenBy;

/// How far a rewind came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindStage {
    Going,
    Done,
    Undoing,
    Undone,
}

/// How far a file of a rewind came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileStage {
    Planned,
    /// On its way to the disk.
    Changing,
    Changed,
    /// It stays as it was found.
    Kept,
    /// On its way back.
    Returning,
    Returned,
}

/// A file that a rewind is to change, with the writes and changes of commands that this undoes.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedFile {
    pub path: String,
    pub from: Option<Sha256>,
    pub to: Option<Sha256>,
    pub undoes: Vec<(RequestId, WrittenBy)>,
    /// The permissions before and after, where they are known.
    pub from_mode: Option<u32>,
    pub to_mode: Option<u32>,
    /// Why it stays as it is.
    pub kept: Option<ErrorInfo>,
}

/// A rewind that is to begin.
#[derive(Debug, Clone)]
pub struct NewRewind {
    pub session_id: SessionId,
    pub request_id: RequestId,
    pub at_ms: i64,
    pub conversation: bool,
    pub files: Vec<PlannedFile>,
}

pub(crate) struct BeginRewind {
    pub(crate) rewind: NewRewind,
    pub(crate) owner: String,
}

impl Transaction for BeginRewind {
    type Out = i64;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<i64, StoreError> {
        let NewRewind { session_id, request_id, at_ms, conversation, files } = &self.rewind;
        path::refuse_while_active(connection, *session_id).await?;
        let id = session_id.to_string();
        let tip = path::tip(connection, &id).await?.map(|tip| tip.turn);
        let sql = "INSERT INTO rewinds (session_id, request_id, at_ms, conversation, left_tip, turns, stage, owner)
                   VALUES (?1, ?2, ?3, ?4, ?5, (SELECT turns FROM sessions WHERE session_id = ?1), 'going', ?6)
                   RETURNING rewind_id";
        let begun = sqlx::query_scalar(sql)
            .bind(id)
            .bind(request_id.to_string())
            .bind(*at_ms)
            .bind(*conversation)
            .bind(tip)
            .bind(self.owner.clone())
            .fetch_one(&mut *connection)
            .await
            .map_err(writing);
        let rewind_id: i64 = match begun {
            // `rewinds_under_way`.
            Err(error) if error.is_constraint() => return Err(StoreError::TurnActive(*session_id)),
            other => other?,
        };
        if *conversation {
            path::go_before(connection, *session_id, *request_id).await?;
        }
        for (number, planned) in (1_u32..).zip(files) {
            insert(connection, rewind_id, *request_id, number, planned).await?;
        }
        Ok(rewind_id)
    }
}

async fn insert(
    connection: &mut SqliteConnection,
    rewind_id: i64,
    request_id: RequestId,
    number: u32,
    planned: &PlannedFile,
) -> Result<(), StoreError> {
    let PlannedFile { path, from, to, undoes, from_mode, to_mode, kept } = planned;
    let sql = "INSERT INTO rewound_files (rewind_id, number, request_id, path, from_sha256, to_sha256, stage, error, from_mode, to_mode)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let stage = if kept.is_some() { FileStage::Kept } else { FileStage::Planned };
    // A file that stays as it is needs no body.
    let (from, to) = if kept.is_some() { (None, None) } else { (*from, *to) };
    sqlx::query(sql)
        .bind(rewind_id)
        .bind(number)
        .bind(request_id.to_string())
        .bind(path.clone())
        .bind(from.map(|sha256| sha256.to_string()))
        .bind(to.map(|sha256| sha256.to_string()))
        .bind(to_word(&stage)?)
        .bind(kept.as_ref().map(serde_json::to_string).transpose().map_err(StoreError::value)?)
        .bind(*from_mode)
        .bind(*to_mode)
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
    if kept.is_some() {
        return Ok(());
    }
    for (request_id, by) in undoes {
        let (sql, undone) = match by {
            WrittenBy::Write(write) => (
                "UPDATE writes SET rewind_id = ?, rewound_file = ? WHERE request_id = ? AND number = ?",
                write,
            ),
            WrittenBy::Command(_, file) => (
                "UPDATE command_files SET rewind_id = ?, rewound_file = ? WHERE request_id = ? AND number = ?",
                file,
            ),
        };
        sqlx::query(sql)
            .bind(rewind_id)
            .bind(number)
            .bind(request_id.to_string())
            .bind(*undone)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
    }
    Ok(())
}

pub(crate) struct BeginReturn {
    pub(crate) rewind_id: i64,
    pub(crate) session_id: SessionId,
    pub(crate) request_id: RequestId,
    pub(crate) owner: String,
}

impl Transaction for BeginReturn {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        path::refuse_while_active(connection, self.session_id).await?;
        let id = self.session_id.to_string();
        let sql = "UPDATE rewinds SET stage = 'undoing', owner = ? WHERE rewind_id = ? AND stage = 'done'
                   RETURNING conversation, left_tip";
        let begun = sqlx::query_as(sql)
            .bind(self.owner.clone())
            .bind(self.rewind_id)
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing);
        let begun: Option<(bool, Option<String>)> = match begun {
            Err(error) if error.is_constraint() => return Err(StoreError::TurnActive(self.session_id)),
            other => other?,
        };
        let (conversation, left_tip) = begun.ok_or(StoreError::TurnActive(self.session_id))?;
        let sql = "SELECT parent_request_id FROM turns WHERE request_id = ?";
        let put: Option<String> = sqlx::query_scalar(sql)
            .bind(self.request_id.to_string())
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        let tip = path::tip(connection, &id).await?.map(|tip| tip.turn);
        if conversation && tip == put {
            path::move_tip(connection, &id, left_tip.as_deref()).await?;
        }
        Ok(())
    }
}

pub(crate) struct MoveFile {
    pub(crate) rewind_id: i64,
    pub(crate) number: u32,
    pub(crate) stage: FileStage,
    pub(crate) error: Option<String>,
}

impl Transaction for MoveFile {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let sql = "UPDATE rewound_files SET stage = ?, error = ? WHERE rewind_id = ? AND number = ?";
        sqlx::query(sql)
            .bind(to_word(&self.stage)?)
            .bind(self.error.clone())
            .bind(self.rewind_id)
            .bind(self.number)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        let both = match self.stage {
            FileStage::Changed => [
                "UPDATE writes SET stage = 'undone' WHERE rewind_id = ? AND rewound_file = ? AND stage = 'written'",
                "UPDATE command_files SET stage = 'undone' WHERE rewind_id = ? AND rewound_file = ? AND stage = 'changed'",
            ],
            FileStage::Returned => [
                "UPDATE writes SET stage = 'written' WHERE rewind_id = ? AND rewound_file = ? AND stage = 'undone'",
                "UPDATE command_files SET stage = 'changed' WHERE rewind_id = ? AND rewound_file = ? AND stage = 'undone'",
            ],
            FileStage::Kept => [
                "UPDATE writes SET rewind_id = NULL, rewound_file = NULL WHERE rewind_id = ? AND rewound_file = ?",
                "UPDATE command_files SET rewind_id = NULL, rewound_file = NULL WHERE rewind_id = ? AND rewound_file = ?",
            ],
            FileStage::Planned | FileStage::Changing | FileStage::Returning => return Ok(()),
        };
        for sql in both {
            let moved = sqlx::query(sql).bind(self.rewind_id).bind(self.number);
            moved.execute(&mut *connection).await.map_err(writing)?;
        }
        Ok(())
    }
}

pub(crate) struct EndRewind {
    pub(crate) rewind_id: i64,
    pub(crate) stage: RewindStage,
}

impl Transaction for EndRewind {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        sqlx::query("UPDATE rewinds SET stage = ? WHERE rewind_id = ?")
            .bind(to_word(&self.stage)?)
            .bind(self.rewind_id)
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}
