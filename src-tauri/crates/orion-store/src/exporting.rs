//! Reads a session part by part, all of it as it is at one moment. Nothing is interpreted.

use std::collections::{BTreeMap, BTreeSet};

use orion_protocol::{RequestId, SessionId, Sha256};
use sqlx::{Connection, SqliteConnection};

use crate::blob;
use crate::column::{digest, lines_of};
use crate::error::{StoreError, reading};
use crate::origin;
use crate::part::{
    CallPart, ContextPart, ForkPart, FormerContextPart, Part, RewindPart, RewoundFilePart, RowPart,
    SessionPart, TextPart, TurnPart, WritePart,
};
use crate::store::Store;

/// A session as it leaves the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub parts: Vec<Part>,
    /// Each body that a part names.
    pub bodies: BTreeMap<Sha256, Vec<u8>>,
    /// The file that it was imported from, where it was.
    pub imported: Option<Imported>,
}

/// What is kept of the file that a session was imported from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Its first line.
    pub header: String,
    /// Lines of it that have no place in the tables, each with the turn that it belongs to: JSON.
    pub lines: Vec<(Option<RequestId>, String)>,
}

type Turn = (String, u32, String, i64, Option<String>, Option<String>);
type Call = (u32, String, String, String, String, Option<String>, Option<String>, Option<i64>);
type Write = (
    u32,
    String,
    String,
    Option<String>,
    String,
    String,
    String,
    Option<String>,
    Option<String>,
    Option<i64>,
    Option<u32>,
    Option<i64>,
    Option<i64>,
);
type Rewound = (u32, String, Option<String>, Option<String>, String, Option<String>);

impl Store {
    /// A session, or of its turns this one and those that it follows. `most` bounds the bytes of it, which are held in memory.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`], [`StoreError::TurnActive`] while a rewind is under way, and [`StoreError::TooLarge`].
    pub async fn export(
        &self,
        session_id: SessionId,
        until: Option<RequestId>,
        most: u64,
    ) -> Result<Exported, StoreError> {
        let mut connection = self.reader().await?;
        let mut snapshot = connection.begin().await.map_err(reading)?;
        let (session, base) = session(&mut snapshot, session_id, until).await?;
        let under_way: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM rewinds WHERE session_id = ? AND stage IN ('going', 'undoing')",
        )
        .bind(session_id.to_string())
        .fetch_optional(&mut *snapshot)
        .await
        .map_err(reading)?;
        if under_way.is_some() {
            return Err(StoreError::TurnActive(session_id));
        }
        let turns = turns(&mut snapshot, session_id, until).await?;
        let size = size(&mut snapshot, &turns).await?;
        if size > most {
            return Err(StoreError::TooLarge { bytes: size, most });
        }
        let ids: BTreeSet<RequestId> = turns.iter().map(|turn| turn.request_id).collect();
        let rewinds = rewinds(&mut snapshot, &ids).await?;
        let mut parts = vec![Part::Session(session)];
        if let Some(fork) = origin::recorded(&mut snapshot, &session_id.to_string()).await? {
            let request_id = fork.request_id.filter(|turn| ids.contains(turn));
            parts.push(Part::Fork(ForkPart { request_id, ..fork }));
        }
        for turn in turns {
            let id = turn.request_id;
            let parent = turn.parent.filter(|parent| ids.contains(parent));
            parts.push(Part::Turn(TurnPart { parent, ..turn }));
            of_turn(&mut snapshot, id, base, &rewinds, &mut parts).await?;
        }
        let mut bodies = BTreeMap::new();
        for sha256 in parts.iter().flat_map(Part::digests).collect::<BTreeSet<_>>() {
            let bytes: Option<i64> = sqlx::query_scalar("SELECT bytes FROM blobs WHERE sha256 = ?")
                .bind(sha256.to_string())
                .fetch_optional(&mut *snapshot)
                .await
                .map_err(reading)?;
            let bytes = bytes.ok_or(StoreError::BodyUnknown(sha256))?;
            bodies.insert(sha256, blob::in_parts(&mut snapshot, sha256, bytes).await?);
        }
        let imported = imported(&mut snapshot, session_id).await?;
        Ok(Exported { parts, bodies, imported })
    }
}

impl Store {
    /// The turns from a session's first one to its tip (T9).
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn path(&self, session_id: SessionId) -> Result<Vec<RequestId>, StoreError> {
        let sql = "SELECT request_id FROM turns WHERE session_id = ? AND place > 0 ORDER BY place";
        let ids: Vec<String> = sqlx::query_scalar(sql)
            .bind(session_id.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        ids.into_iter().map(|id| id.parse().map_err(StoreError::value)).collect()
    }
}

/// The session, and by how much its texts were renumbered when it was imported.
async fn session(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    until: Option<RequestId>,
) -> Result<(SessionPart, i64), StoreError> {
    type Row = (String, String, String, String, i64, i64, Option<String>, i64);
    let sql =
        "SELECT coalesce(imported.project_id, sessions.project_id), coalesce(imported.project_path, path),
                   coalesce(imported.project_name, name), title, created_at_ms, updated_at_ms,
                   (SELECT request_id FROM turns WHERE turns.session_id = sessions.session_id AND place > 0
                    ORDER BY place DESC LIMIT 1), coalesce(imported.base, 0)
               FROM sessions JOIN projects USING (project_id) LEFT JOIN imported USING (session_id)
               WHERE session_id = ?";
    let row: Option<Row> =
        sqlx::query_as(sql).bind(session_id.to_string()).fetch_optional(connection).await.map_err(reading)?;
    let (project_id, project_path, project_name, title, created_at_ms, updated_at_ms, tip, base) =
        row.ok_or(StoreError::SessionUnknown(session_id))?;
    let tip = tip.map(|id| id.parse().map_err(StoreError::value)).transpose()?;
    let part = SessionPart {
        session_id,
        project_id: project_id.parse().map_err(StoreError::value)?,
        project_path,
        project_name,
        title,
        created_at_ms,
        updated_at_ms,
        tip: until.or(tip),
    };
    Ok((part, base))
}

async fn turns(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    until: Option<RequestId>,
) -> Result<Vec<TurnPart>, StoreError> {
    let sql = "SELECT request_id, ordinal, state, started_at_ms, parent_request_id, gauge
               FROM turns WHERE session_id = ?1 AND (?2 IS NULL OR request_id IN (
                   WITH RECURSIVE path (request_id, parent) AS (
                       SELECT request_id, parent_request_id FROM turns WHERE request_id = ?2
                       UNION ALL
                       SELECT turns.request_id, turns.parent_request_id FROM path JOIN turns ON turns.request_id = path.parent
                   ) SELECT request_id FROM path)) ORDER BY ordinal";
    let rows: Vec<Turn> = sqlx::query_as(sql)
        .bind(session_id.to_string())
        .bind(until.map(|id| id.to_string()))
        .fetch_all(connection)
        .await
        .map_err(reading)?;
    rows.into_iter()
        .map(|(request_id, ordinal, state, started_at_ms, parent, gauge)| {
            Ok(TurnPart {
                request_id: request_id.parse().map_err(StoreError::value)?,
                ordinal,
                over: state == "over",
                started_at_ms,
                parent: parent.map(|id| id.parse().map_err(StoreError::value)).transpose()?,
                gauge,
            })
        })
        .collect()
}

/// The bytes of these turns: their journals, and each of their bodies once. Raw responses are not exported.
async fn size(connection: &mut SqliteConnection, turns: &[TurnPart]) -> Result<u64, StoreError> {
    let ids: Vec<RequestId> = turns.iter().map(|turn| turn.request_id).collect();
    let sql = "WITH these AS MATERIALIZED (SELECT value AS request_id FROM json_each(?1))
               SELECT coalesce((SELECT sum(octet_length(body)) FROM journal WHERE request_id IN these), 0)
                   + coalesce((SELECT sum(bytes) FROM blobs WHERE sha256 IN (
                       SELECT sha256 FROM body_references WHERE request_id IN these
                       EXCEPT SELECT sha256 FROM raw_responses WHERE request_id IN these)), 0)";
    let bytes: i64 = sqlx::query_scalar(sql)
        .bind(serde_json::to_string(&ids).map_err(StoreError::value)?)
        .fetch_one(connection)
        .await
        .map_err(reading)?;
    u64::try_from(bytes).map_err(StoreError::value)
}

/// The rewinds to the messages of these turns, by their id in the database, numbered from 1.
async fn rewinds(
    connection: &mut SqliteConnection,
    turns: &BTreeSet<RequestId>,
) -> Result<BTreeMap<i64, u32>, StoreError> {
    let sql = "SELECT rewind_id FROM rewinds WHERE request_id IN (SELECT value FROM json_each(?)) ORDER BY rewind_id";
    let ids: Vec<i64> = sqlx::query_scalar(sql)
        .bind(serde_json::to_string(turns).map_err(StoreError::value)?)
        .fetch_all(connection)
        .await
        .map_err(reading)?;
    Ok(ids.into_iter().zip(1..).collect())
}

/// The parts of a turn, in their order.
async fn of_turn(
    connection: &mut SqliteConnection,
    request_id: RequestId,
    base: i64,
    rewinds: &BTreeMap<i64, u32>,
    parts: &mut Vec<Part>,
) -> Result<(), StoreError> {
    let id = request_id.to_string();
    let optional = |sha256: Option<String>| sha256.map(|sha256| digest(&sha256)).transpose();
    let context: Option<(i64, String)> =
        sqlx::query_as("SELECT entered, sha256 FROM contexts WHERE request_id = ?")
            .bind(id.clone())
            .fetch_optional(&mut *connection)
            .await
            .map_err(reading)?;
    if let Some((entered, sha256)) = context {
        parts.push(Part::Context(ContextPart { entered: entered - base, sha256: digest(&sha256)? }));
    }
    let former: Vec<String> =
        sqlx::query_scalar("SELECT sha256 FROM former_contexts WHERE request_id = ? ORDER BY id")
            .bind(id.clone())
            .fetch_all(&mut *connection)
            .await
            .map_err(reading)?;
    for sha256 in former {
        parts.push(Part::FormerContext(FormerContextPart { sha256: digest(&sha256)? }));
    }
    let texts: Vec<(i64, bool, String)> =
        sqlx::query_as("SELECT id, kind = 'said', sha256 FROM turn_texts WHERE request_id = ? ORDER BY id")
            .bind(id.clone())
            .fetch_all(&mut *connection)
            .await
            .map_err(reading)?;
    for (number, said, sha256) in texts {
        parts.push(Part::Text(TextPart { id: number - base, said, sha256: digest(&sha256)? }));
    }
    let rows: Vec<(i64, Option<u32>, i64, String)> =
        sqlx::query_as("SELECT n, seq, at_ms, body FROM journal WHERE request_id = ? ORDER BY n")
            .bind(id.clone())
            .fetch_all(&mut *connection)
            .await
            .map_err(reading)?;
    parts.extend(rows.into_iter().map(|(n, seq, at_ms, body)| Part::Row(RowPart { n, seq, at_ms, body })));
    let calls: Vec<Call> = sqlx::query_as(
        "SELECT tool_batch_id, tool_call_id, name, arguments, permission, status, sha256, ended_n
         FROM outcomes WHERE request_id = ? ORDER BY tool_batch_id, tool_call_id",
    )
    .bind(id.clone())
    .fetch_all(&mut *connection)
    .await
    .map_err(reading)?;
    for (batch, call_id, name, arguments, permission, status, sha256, ended) in calls {
        let (call_id, sha256) = (orion_protocol::CallId(call_id), optional(sha256)?);
        parts.push(Part::Call(CallPart {
            batch,
            call_id,
            name,
            arguments,
            permission,
            status,
            sha256,
            ended,
        }));
    }
    let writes: Vec<Write> = sqlx::query_as(
        "SELECT number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to, rewind_id, rewound_file,
             lines_added, lines_removed
         FROM writes WHERE request_id = ? ORDER BY number",
    )
    .bind(id.clone())
    .fetch_all(&mut *connection)
    .await
    .map_err(reading)?;
    for (
        number,
        path,
        operation,
        base,
        sha256,
        content,
        stage,
        kept,
        leads_to,
        rewind,
        file,
        added,
        removed,
    ) in writes
    {
        let rewind = rewind.and_then(|rewind| rewinds.get(&rewind).copied());
        parts.push(Part::Write(WritePart {
            number,
            path,
            operation,
            base_sha256: optional(base)?,
            sha256: digest(&sha256)?,
            content_sha256: digest(&content)?,
            stage: settled(stage),
            kept,
            leads_to,
            rewind,
            rewound_file: rewind.and(file),
            lines: lines_of(added, removed)?,
        }));
    }
    of_rewinds(connection, &id, rewinds, parts).await
}

/// What the next start makes of a write that is on its way. Nothing of another computer's disk is to be completed.
fn settled(stage: String) -> String {
    match stage.as_str() {
        "writing" => "proposed".to_owned(),
        "undoing" => "written".to_owned(),
        _ => stage,
    }
}

/// The rewinds to the message of a turn.
async fn of_rewinds(
    connection: &mut SqliteConnection,
    request_id: &str,
    rewinds: &BTreeMap<i64, u32>,
    parts: &mut Vec<Part>,
) -> Result<(), StoreError> {
    type Row = (i64, i64, bool, Option<String>, u32, String);
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT rewind_id, at_ms, conversation, left_tip, turns, stage FROM rewinds WHERE request_id = ? ORDER BY rewind_id",
    )
    .bind(request_id.to_owned())
    .fetch_all(&mut *connection)
    .await
    .map_err(reading)?;
    for (rewind_id, at_ms, conversation, left_tip, turns, stage) in rows {
        let Some(&rewind) = rewinds.get(&rewind_id) else { continue };
        let left_tip = left_tip.map(|id| id.parse().map_err(StoreError::value)).transpose()?;
        parts.push(Part::Rewind(RewindPart { number: rewind, at_ms, conversation, left_tip, turns, stage }));
        let files: Vec<Rewound> = sqlx::query_as(
            "SELECT number, path, from_sha256, to_sha256, stage, error FROM rewound_files WHERE rewind_id = ? ORDER BY number",
        )
        .bind(rewind_id)
        .fetch_all(&mut *connection)
        .await
        .map_err(reading)?;
        for (number, path, from, to, stage, error) in files {
            let optional = |sha256: Option<String>| sha256.map(|sha256| digest(&sha256)).transpose();
            let (from_sha256, to_sha256) = (optional(from)?, optional(to)?);
            let part = RewoundFilePart { rewind, number, path, from_sha256, to_sha256, stage, error };
            parts.push(Part::RewoundFile(part));
        }
    }
    Ok(())
}

pub(crate) async fn imported(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<Option<Imported>, StoreError> {
    let header: Option<String> = sqlx::query_scalar("SELECT header FROM imported WHERE session_id = ?")
        .bind(session_id.to_string())
        .fetch_optional(&mut *connection)
        .await
        .map_err(reading)?;
    let Some(header) = header else { return Ok(None) };
    let lines: Vec<(Option<String>, String)> =
        sqlx::query_as("SELECT request_id, line FROM imported_lines WHERE session_id = ? ORDER BY n")
            .bind(session_id.to_string())
            .fetch_all(&mut *connection)
            .await
            .map_err(reading)?;
    let lines = lines
        .into_iter()
        .map(|(id, line)| Ok((id.map(|id| id.parse().map_err(StoreError::value)).transpose()?, line)));
    Ok(Some(Imported { header, lines: lines.collect::<Result<_, StoreError>>()? }))
}
