//! Enters a session that was exported elsewhere, in one transaction: all of it or nothing.
//!
//! An imported session belongs to a project without a folder. It is read-only: no turn begins in it and none is taken over. Deliberately
//! not here: whether its parts fit together, which the caller has checked.

use std::collections::{BTreeMap, HashMap};

use orion_protocol::{CallId, Envelope, RequestId, Session, SessionId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::column::line_columns;
use crate::error::{StoreError, reading, writing};
use crate::exporting::Imported;
use crate::origin;
use crate::part::{
    CallPart, Part, RewindPart, RewoundFilePart, RowPart, SessionPart, TextPart, TurnPart, WritePart,
};
use crate::path;
use crate::session;
use crate::spent::{self, Spent};
use crate::store::Store;
use crate::writer::Transaction;

/// The project of imported sessions has no folder: this is its path, which no folder can have.
pub const NO_FOLDER: &str = "";

/// Its name.
const NAME: &str = "Imported";

/// A session to enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImport {
    pub session: SessionPart,
    /// The parts after that of the session.
    pub parts: Vec<Part>,
    /// Each body that a part names.
    pub bodies: BTreeMap<Sha256, Vec<u8>>,
    pub file: Imported,
    pub at_ms: i64,
}

impl Store {
    /// Enters a session, with all that it consists of.
    ///
    /// # Errors
    /// [`StoreError::SessionExists`] where this session or a turn of it is here already.
    pub async fn import(&self, import: NewImport) -> Result<Session, StoreError> {
        self.transact(import).await
    }

    /// What is kept of the file that a session was imported from; none where it was not.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn imported(&self, session_id: SessionId) -> Result<Option<Imported>, StoreError> {
        let mut connection = self.reader().await?;
        crate::exporting::imported(&mut connection, session_id).await
    }
}

/// # Errors
/// [`StoreError::SessionImported`].
pub(crate) async fn refuse(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM imported WHERE session_id = ?")
        .bind(session_id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(writing)?;
    found.map_or(Ok(()), |_| Err(StoreError::SessionImported(session_id)))
}

/// By how much the texts of this turn's session were renumbered when it was imported; 0 where it was not.
pub(crate) async fn base(
    connection: &mut SqliteConnection,
    request_id: RequestId,
) -> Result<i64, StoreError> {
    let sql = "SELECT base FROM turns JOIN imported USING (session_id) WHERE request_id = ?";
    let base: Option<i64> = sqlx::query_scalar(sql)
        .bind(request_id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(reading)?;
    Ok(base.unwrap_or(0))
}

impl Transaction for NewImport {
    type Out = Session;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Session, StoreError> {
        let Self { session, parts, bodies, .. } = self;
        let id = session.session_id.to_string();
        // A rule of uniqueness is the only one that these rows can break.
        let exists = |error: StoreError| match error.is_constraint() {
            true => StoreError::SessionExists(session.session_id),
            false => error,
        };
        let project_id = project(connection, self.at_ms).await?;
        let turns = parts.iter().filter(|part| matches!(part, Part::Turn(_))).count();
        sqlx::query(
            "INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms, turns) VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(id.clone())
        .bind(project_id.clone())
        .bind(session.title.clone())
        .bind(session.created_at_ms)
        .bind(session.updated_at_ms)
        .bind(i64::try_from(turns).map_err(StoreError::value)?)
        .execute(&mut *connection)
        .await
        .map_err(writing)
        .map_err(exists)?;
        let base: i64 = sqlx::query_scalar("SELECT max(coalesce((SELECT max(id) FROM turn_texts), 0), coalesce((SELECT max(id) FROM search_to_drop), 0))")
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        self.note(connection, base).await?;
        for body in bodies.values() {
            blob::put(connection, body).await?;
        }
        let mut entering =
            Entering { connection, session_id: id.clone(), project_id, base, rewinds: HashMap::new() };
        let mut turn = String::new();
        for part in parts {
            if let Part::Turn(part) = part {
                turn = part.request_id.to_string();
                entering.turn(part).await.map_err(exists)?;
            } else {
                entering.part(&turn, part).await?;
            }
        }
        // They name turns and rewinds that come after them.
        for part in parts {
            match part {
                Part::Turn(part) => turn = part.request_id.to_string(),
                Part::Write(part) => entering.write(&turn, part).await?,
                _ => {}
            }
        }
        path::move_tip(connection, &id, session.tip.map(|tip| tip.to_string()).as_deref()).await?;
        let sql = concat!("SELECT ", session::columns!(), " FROM sessions WHERE session_id = ?");
        let row = sqlx::query_as(sql).bind(id).fetch_one(connection).await.map_err(writing)?;
        session::session(row)
    }
}

/// The project of imported sessions.
async fn project(connection: &mut SqliteConnection, at_ms: i64) -> Result<String, StoreError> {
    let sql = "INSERT INTO projects (project_id, path, name, opened_at_ms) VALUES (?, ?, ?, ?)
               ON CONFLICT (path) DO UPDATE SET opened_at_ms = excluded.opened_at_ms RETURNING project_id";
    sqlx::query_scalar(sql)
        .bind(crate::ids::new_id().to_string())
        .bind(NO_FOLDER)
        .bind(NAME)
        .bind(at_ms)
        .fetch_one(connection)
        .await
        .map_err(writing)
}

impl NewImport {
    /// Records that the session was imported, and from what.
    async fn note(&self, connection: &mut SqliteConnection, base: i64) -> Result<(), StoreError> {
        let Self { session, file, at_ms, .. } = self;
        let id = session.session_id.to_string();
        sqlx::query(
            "INSERT INTO imported (session_id, project_id, project_path, project_name, base, header, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(id.clone())
        .bind(session.project_id.to_string())
        .bind(session.project_path.clone())
        .bind(session.project_name.clone())
        .bind(base)
        .bind(file.header.clone())
        .bind(*at_ms)
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
        for (n, (request_id, line)) in (1_i64..).zip(&file.lines) {
            sqlx::query("INSERT INTO imported_lines (session_id, n, request_id, line) VALUES (?, ?, ?, ?)")
                .bind(id.clone())
                .bind(n)
                .bind(request_id.map(|id| id.to_string()))
                .bind(line.clone())
                .execute(&mut *connection)
                .await
                .map_err(writing)?;
        }
        Ok(())
    }
}

/// A session whose parts are entered one after another.
struct Entering<'c> {
    connection: &'c mut SqliteConnection,
    session_id: String,
    project_id: String,
    base: i64,
    /// The ids of its rewinds, by their numbers.
    rewinds: HashMap<u32, i64>,
}

impl Entering<'_> {
    async fn turn(&mut self, turn: &TurnPart) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms, parent_request_id, gauge, place)
             VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, NULL)",
        )
        .bind(turn.request_id.to_string())
        .bind(self.session_id.clone())
        .bind(self.project_id.clone())
        .bind(turn.ordinal)
        .bind(if turn.over { "over" } else { "interrupted" })
        .bind(turn.started_at_ms)
        .bind(turn.parent.map(|id| id.to_string()))
        .bind(turn.gauge.clone())
        .execute(&mut *self.connection)
        .await
        .map_err(writing)?;
        Ok(())
    }

    async fn part(&mut self, turn: &str, part: &Part) -> Result<(), StoreError> {
        match part {
            Part::Session(_) | Part::Turn(_) | Part::Write(_) => Ok(()),
            Part::Fork(fork) => origin::enter(self.connection, &self.session_id, fork).await,
            Part::Row(row) => self.row(turn, row).await,
            Part::Text(text) => self.text(turn, text).await,
            Part::Context(context) => {
                let sql = "INSERT INTO contexts (request_id, entered, sha256, bytes)
                           VALUES (?1, ?2, ?3, (SELECT bytes FROM blobs WHERE sha256 = ?3))";
                let entered = self.base + context.entered;
                let query = sqlx::query(sql).bind(turn.to_owned()).bind(entered);
                query
                    .bind(context.sha256.to_string())
                    .execute(&mut *self.connection)
                    .await
                    .map_err(writing)?;
                Ok(())
            }
            Part::FormerContext(former) => {
                sqlx::query("INSERT INTO former_contexts (request_id, sha256) VALUES (?, ?)")
                    .bind(turn.to_owned())
                    .bind(former.sha256.to_string())
                    .execute(&mut *self.connection)
                    .await
                    .map_err(writing)?;
                Ok(())
            }
            Part::Call(call) => self.call(turn, call).await,
            Part::Rewind(rewind) => self.rewind(turn, rewind).await,
            Part::RewoundFile(file) => self.rewound_file(turn, file).await,
        }
    }

    async fn row(&mut self, turn: &str, row: &RowPart) -> Result<(), StoreError> {
        let kind = if row.seq.is_some() { "event" } else { "input" };
        sqlx::query("INSERT INTO journal (request_id, n, kind, seq, at_ms, body) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(turn.to_owned())
            .bind(row.n)
            .bind(kind)
            .bind(row.seq)
            .bind(row.at_ms)
            .bind(row.body.clone())
            .execute(&mut *self.connection)
            .await
            .map_err(writing)?;
        // What it has cost is by its report, as of any turn.
        if row.seq.is_some()
            && let Ok(envelope) = serde_json::from_str::<Envelope>(&row.body)
            && let Some(report) = envelope.event.terminal()
        {
            // The session keeps the time that it came with.
            spent::add(self.connection, turn, Spent::from(report), 0).await?;
        }
        Ok(())
    }

    async fn text(&mut self, turn: &str, text: &TextPart) -> Result<(), StoreError> {
        let sql = "INSERT INTO turn_texts (id, request_id, kind, sha256, bytes)
                   VALUES (?1, ?2, ?3, ?4, (SELECT bytes FROM blobs WHERE sha256 = ?4))";
        sqlx::query(sql)
            .bind(self.base + text.id)
            .bind(turn.to_owned())
            .bind(if text.said { "said" } else { "given" })
            .bind(text.sha256.to_string())
            .execute(&mut *self.connection)
            .await
            .map_err(writing)?;
        Ok(())
    }

    async fn call(&mut self, turn: &str, call: &CallPart) -> Result<(), StoreError> {
        let CallPart { batch, call_id: CallId(call_id), name, arguments, permission, status, sha256, ended } =
            call;
        sqlx::query(
            "INSERT INTO outcomes (request_id, tool_batch_id, tool_call_id, name, arguments, permission, status, sha256, ended_n)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(turn.to_owned())
        .bind(*batch)
        .bind(call_id.clone())
        .bind(name.clone())
        .bind(arguments.clone())
        .bind(permission.clone())
        .bind(status.clone())
        .bind(sha256.map(|sha256| sha256.to_string()))
        .bind(*ended)
        .execute(&mut *self.connection)
        .await
        .map_err(writing)?;
        Ok(())
    }

    async fn rewind(&mut self, turn: &str, rewind: &RewindPart) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO rewinds (session_id, request_id, at_ms, conversation, left_tip, turns, stage, owner)
                   VALUES (?, ?, ?, ?, ?, ?, ?, '') RETURNING rewind_id";
        let rewind_id: i64 = sqlx::query_scalar(sql)
            .bind(self.session_id.clone())
            .bind(turn.to_owned())
            .bind(rewind.at_ms)
            .bind(rewind.conversation)
            .bind(rewind.left_tip.map(|id| id.to_string()))
            .bind(rewind.turns)
            .bind(rewind.stage.clone())
            .fetch_one(&mut *self.connection)
            .await
            .map_err(writing)?;
        self.rewinds.insert(rewind.number, rewind_id);
        Ok(())
    }

    async fn rewound_file(&mut self, turn: &str, file: &RewoundFilePart) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO rewound_files (rewind_id, number, request_id, path, from_sha256, to_sha256, stage, error)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(self.rewinds.get(&file.rewind).copied())
        .bind(file.number)
        .bind(turn.to_owned())
        .bind(file.path.clone())
        .bind(file.from_sha256.map(|sha256| sha256.to_string()))
        .bind(file.to_sha256.map(|sha256| sha256.to_string()))
        .bind(file.stage.clone())
        .bind(file.error.clone())
        .execute(&mut *self.connection)
        .await
        .map_err(writing)?;
        Ok(())
    }

    async fn write(&mut self, turn: &str, write: &WritePart) -> Result<(), StoreError> {
        let (added, removed) = line_columns(write.lines)?;
        sqlx::query(
            "INSERT INTO writes (request_id, number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to, rewind_id, rewound_file,
                 lines_added, lines_removed)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(turn.to_owned())
        .bind(write.number)
        .bind(write.path.clone())
        .bind(write.operation.clone())
        .bind(write.base_sha256.map(|sha256| sha256.to_string()))
        .bind(write.sha256.to_string())
        .bind(write.content_sha256.to_string())
        .bind(write.stage.clone())
        .bind(write.kept.clone())
        .bind(write.leads_to.clone())
        .bind(write.rewind.and_then(|rewind| self.rewinds.get(&rewind).copied()))
        .bind(write.rewound_file)
        .bind(added)
        .bind(removed)
        .execute(&mut *self.connection)
        .await
        .map_err(writing)?;
        Ok(())
    }
}
