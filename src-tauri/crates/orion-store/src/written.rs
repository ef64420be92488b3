//! The changes of files by the turns of a session, as far as they were not undone: writes of Orion, and what commands changed (C6).

use orion_protocol::{CallId, RequestId, SessionId, Sha256};

use crate::column::digest;
use crate::error::{StoreError, reading};
use crate::store::Store;

/// The cause of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrittenBy {
    /// A write session, by its number in the turn.
    Write(u32),
    /// A command; and the number of the file among those that commands of the turn changed.
    Command(CallId, u32),
}

/// A change that is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub request_id: RequestId,
    pub by: WrittenBy,
    pub path: String,
    /// The place that the path led to when a write was proposed, if that was elsewhere.
    pub leads_to: Option<String>,
    /// The file before it and after it; none where there was none. Both are none where `kept` says why.
    pub base: Option<Sha256>,
    pub new: Option<Sha256>,
    /// The reason for which it cannot be undone.
    pub kept: Option<String>,
    /// The permissions alone changed.
    pub mode_alone: bool,
    /// The permissions before it, where they are known.
    pub mode: Option<u32>,
}

#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    number: u32,
    tool_call_id: Option<String>,
    path: String,
    leads_to: Option<String>,
    base: Option<String>,
    new: Option<String>,
    kept: Option<String>,
    mode_alone: bool,
    mode: Option<u32>,
}

/// Writes and files of commands of the turns that are selected, in the order in which they came.
macro_rules! written {
    ($turns:literal) => {
        concat!(
            "SELECT turns.request_id, ordinal, number AS place, 0 AS part, number, NULL AS tool_call_id, path, leads_to, base_sha256 AS base,
                 sha256 AS new, NULL AS kept, 0 AS mode_alone, NULL AS mode
             FROM (",
            $turns,
            ") AS turns JOIN writes ON writes.request_id = turns.request_id WHERE stage = 'written'
             UNION ALL
             SELECT turns.request_id, ordinal, after_write, number, number, tool_call_id, path, NULL, before_sha256, after_sha256, why,
                 change = 'mode', mode
             FROM (",
            $turns,
            ") AS turns JOIN command_files ON command_files.request_id = turns.request_id WHERE stage = 'changed'
             ORDER BY ordinal, place, part"
        )
    };
}

impl Store {
    /// The changes of a turn, oldest first.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn written_by(&self, request_id: RequestId) -> Result<Vec<Written>, StoreError> {
        self.turn_ids(request_id).await?;
        let sql = written!("SELECT request_id, ordinal FROM turns WHERE request_id = ?1");
        self.all_written(sql, request_id.to_string()).await
    }

    /// The changes of the turns of a session, in whichever branch, oldest first.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`].
    pub async fn written_in(&self, session_id: SessionId) -> Result<Vec<Written>, StoreError> {
        self.session(session_id).await?;
        let sql = written!("SELECT request_id, ordinal FROM turns WHERE session_id = ?1");
        self.all_written(sql, session_id.to_string()).await
    }

    /// The changes of the turns of a session from this one on, in whichever branch, oldest first.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn written_since(&self, request_id: RequestId) -> Result<Vec<Written>, StoreError> {
        self.turn_ids(request_id).await?;
        let sql = written!(
            "SELECT turns.request_id, turns.ordinal FROM turns AS first JOIN turns USING (session_id)
             WHERE first.request_id = ?1 AND turns.ordinal >= first.ordinal"
        );
        self.all_written(sql, request_id.to_string()).await
    }

    async fn all_written(&self, sql: &'static str, id: String) -> Result<Vec<Written>, StoreError> {
        let rows: Vec<Row> =
            sqlx::query_as(sql).bind(id).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        let written = |row: Row| {
            let by = match row.tool_call_id {
                None => WrittenBy::Write(row.number),
                Some(call) => WrittenBy::Command(CallId(call), row.number),
            };
            Ok(Written {
                request_id: row.request_id.parse().map_err(StoreError::value)?,
                by,
                path: row.path,
                leads_to: row.leads_to,
                base: row.base.as_deref().map(digest).transpose()?,
                new: row.new.as_deref().map(digest).transpose()?,
                kept: row.kept,
                mode_alone: row.mode_alone,
                mode: row.mode,
            })
        };
        rows.into_iter().map(written).collect()
    }
}
