//! Rewinds: going back to an earlier message of a session, file by file (A10).
//!
//! A rewind is recorded before the disk changes, and each file before and after its own change. So after a crash it is known what is
//! left to do. Deliberately not here: which files change, and how (the engine).

use orion_protocol::{ErrorInfo, RequestId, SessionId, Sha256};

use sqlx::SqliteConnection;

use crate::column::{digest, from_word};
use crate::error::{StoreError, reading};
use crate::owner;
use crate::rewinding::{BeginReturn, BeginRewind, EndRewind, FileStage, MoveFile, NewRewind, RewindStage};
use crate::store::Store;

/// A rewind as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRewind {
    pub rewind_id: i64,
    pub session_id: SessionId,
    /// The turn whose message it went back to.
    pub request_id: RequestId,
    /// The conversation went back as well.
    pub conversation: bool,
    pub stage: RewindStage,
    /// No turn of the session has begun since.
    pub is_latest: bool,
    pub files: Vec<RewoundFile>,
    /// The writes that it undid.
    pub writes: Vec<(RequestId, u32)>,
}

/// A file of a rewind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewoundFile {
    /// From 1.
    pub number: u32,
    /// Of the project; no link is on the way.
    pub path: String,
    /// The file before and after. None where there is none.
    pub from: Option<Sha256>,
    pub to: Option<Sha256>,
    /// The permissions before and after, where they are known.
    pub from_mode: Option<u32>,
    pub to_mode: Option<u32>,
    pub stage: FileStage,
    /// Why it was kept, or was not given back.
    pub error: Option<ErrorInfo>,
}

#[derive(sqlx::FromRow)]
struct Row {
    rewind_id: i64,
    session_id: String,
    request_id: String,
    conversation: bool,
    stage: String,
    owner: String,
    is_latest: bool,
}

#[derive(sqlx::FromRow)]
struct FileRow {
    number: u32,
    path: String,
    from_sha256: Option<String>,
    to_sha256: Option<String>,
    from_mode: Option<u32>,
    to_mode: Option<u32>,
    stage: String,
    error: Option<String>,
}

macro_rules! rewinds {
    ($rest:literal) => {
        concat!(
            "SELECT rewind_id, rewinds.session_id, request_id, conversation, stage, owner,
                    rewinds.turns = sessions.turns AS is_latest
             FROM rewinds JOIN sessions USING (session_id) WHERE ",
            $rest
        )
    };
}

impl Store {
    /// Records that a rewind begins, and moves the tip where the conversation goes back. Nothing of a file has changed yet.
    ///
    /// # Errors
    /// [`StoreError::TurnActive`] while a turn of the session runs or waits, or another rewind of it is under way.
    pub async fn begin_rewind(&self, rewind: NewRewind) -> Result<StoredRewind, StoreError> {
        let rewind_id = self.transact(BeginRewind { rewind, owner: self.owner().to_owned() }).await?;
        self.rewind(rewind_id).await
    }

    /// Records that a rewind is being undone, and moves the tip back if it is still where the rewind has put it.
    ///
    /// # Errors
    /// As [`Store::begin_rewind`].
    pub async fn begin_undoing_rewind(&self, rewind: &StoredRewind) -> Result<StoredRewind, StoreError> {
        let (rewind_id, session_id) = (rewind.rewind_id, rewind.session_id);
        let owner = self.owner().to_owned();
        self.transact(BeginReturn { rewind_id, session_id, request_id: rewind.request_id, owner }).await?;
        self.rewind(rewind_id).await
    }

    /// Records how far a file came, and with it the writes that it undoes.
    pub async fn move_rewound_file(
        &self,
        rewind_id: i64,
        number: u32,
        stage: FileStage,
        error: Option<&ErrorInfo>,
    ) -> Result<(), StoreError> {
        let error = error.map(serde_json::to_string).transpose().map_err(StoreError::value)?;
        self.transact(MoveFile { rewind_id, number, stage, error }).await
    }

    /// Records that nothing is left to do. Returns the rewind as it is then.
    pub async fn end_rewind(&self, rewind_id: i64, stage: RewindStage) -> Result<StoredRewind, StoreError> {
        self.transact(EndRewind { rewind_id, stage }).await?;
        self.rewind(rewind_id).await
    }

    /// The last rewind of a session that is done and not undone.
    pub async fn last_rewind(&self, session_id: SessionId) -> Result<Option<StoredRewind>, StoreError> {
        let sql = rewinds!("rewinds.session_id = ? AND stage = 'done' ORDER BY rewind_id DESC LIMIT 1");
        self.one_rewind(sql, session_id.to_string()).await
    }

    /// The last rewind to the message of this turn that is done and not undone.
    pub async fn last_rewind_to(&self, request_id: RequestId) -> Result<Option<StoredRewind>, StoreError> {
        self.turn_ids(request_id).await?;
        let sql = rewinds!("request_id = ? AND stage = 'done' ORDER BY rewind_id DESC LIMIT 1");
        self.one_rewind(sql, request_id.to_string()).await
    }

    /// Rewinds, and undoings of rewinds, whose process died. Within one process there is one at a time.
    pub async fn stranded_rewinds(&self) -> Result<Vec<StoredRewind>, StoreError> {
        let sql = rewinds!("stage IN ('going', 'undoing') ORDER BY rewind_id");
        let rows: Vec<Row> =
            sqlx::query_as(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        let mut stranded = Vec::new();
        for row in rows {
            if row.owner == self.owner() || owner::is_dead(self.folder(), &row.owner) {
                stranded.push(self.whole(row).await?);
            }
        }
        Ok(stranded)
    }

    async fn rewind(&self, rewind_id: i64) -> Result<StoredRewind, StoreError> {
        let sql = rewinds!("rewind_id = ?");
        let row: Row = sqlx::query_as(sql)
            .bind(rewind_id)
            .fetch_one(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        self.whole(row).await
    }

    async fn one_rewind(&self, sql: &'static str, id: String) -> Result<Option<StoredRewind>, StoreError> {
        let row: Option<Row> =
            sqlx::query_as(sql).bind(id).fetch_optional(&mut *self.reader().await?).await.map_err(reading)?;
        match row {
            Some(row) => self.whole(row).await.map(Some),
            None => Ok(None),
        }
    }

    async fn whole(&self, row: Row) -> Result<StoredRewind, StoreError> {
        let mut connection = self.reader().await?;
        whole(&mut connection, row).await
    }
}

/// The last rewind of a session that is done, if the session had this many turns then.
pub(crate) async fn since(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    turns: u32,
) -> Result<Option<StoredRewind>, StoreError> {
    let sql = rewinds!(
        "rewinds.session_id = ? AND rewinds.turns = ? AND stage = 'done' ORDER BY rewind_id DESC LIMIT 1"
    );
    let row: Option<Row> = sqlx::query_as(sql)
        .bind(session_id.to_string())
        .bind(turns)
        .fetch_optional(&mut *connection)
        .await
        .map_err(reading)?;
    match row {
        Some(row) => whole(connection, row).await.map(Some),
        None => Ok(None),
    }
}

async fn whole(connection: &mut SqliteConnection, row: Row) -> Result<StoredRewind, StoreError> {
    let Row { rewind_id, session_id, request_id, conversation, stage, is_latest, .. } = row;
    let sql =
        "SELECT number, path, from_sha256, to_sha256, from_mode, to_mode, stage, error FROM rewound_files
                   WHERE rewind_id = ? ORDER BY number";
    let files: Vec<FileRow> =
        sqlx::query_as(sql).bind(rewind_id).fetch_all(&mut *connection).await.map_err(reading)?;
    let sql = "SELECT request_id, number FROM writes WHERE rewind_id = ? ORDER BY request_id, number";
    let writes: Vec<(String, u32)> =
        sqlx::query_as(sql).bind(rewind_id).fetch_all(&mut *connection).await.map_err(reading)?;
    let write =
        |(request_id, number): (String, u32)| Ok((request_id.parse().map_err(StoreError::value)?, number));
    Ok(StoredRewind {
        rewind_id,
        session_id: session_id.parse().map_err(StoreError::value)?,
        request_id: request_id.parse().map_err(StoreError::value)?,
        conversation,
        stage: from_word(stage)?,
        is_latest,
        files: files.into_iter().map(file).collect::<Result<_, _>>()?,
        writes: writes.into_iter().map(write).collect::<Result<_, StoreError>>()?,
    })
}

fn file(row: FileRow) -> Result<RewoundFile, StoreError> {
    let FileRow { number, path, from_sha256, to_sha256, from_mode, to_mode, stage, error } = row;
    Ok(RewoundFile {
        number,
        path,
        from: from_sha256.as_deref().map(digest).transpose()?,
        to: to_sha256.as_deref().map(digest).transpose()?,
        from_mode,
        to_mode,
        stage: from_word(stage)?,
        error: error.map(|error| serde_json::from_str(&error)).transpose().map_err(StoreError::value)?,
    })
}
