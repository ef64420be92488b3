//! Sessions: the conversations of a project.

use orion_protocol::{
    ChangedLines, Happened, Project, ProjectId, Session, SessionId, SessionPlace, SessionSpent, Usd,
};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::leftover;
use crate::project;
use crate::readable::readable;
use crate::store::Store;
use crate::writer::Transaction;

/// The columns of a [`Row`].
macro_rules! columns {
    () => {
        "session_id, project_id, title, created_at_ms, updated_at_ms, turns, cost, priced, prompt_tokens, completion_tokens,
         lines_added, lines_removed,
         EXISTS (SELECT 1 FROM imported WHERE imported.session_id = sessions.session_id) AS imported, pinned, archived,
         (SELECT CASE WHEN state <> 'over' THEN iif(waits, 'waiting', state) ELSE
              (SELECT json_extract(body, '$.event.type') || ' ' || coalesce(json_extract(body, '$.event.report.stopReason'), '') || ' ' ||
                   coalesce((SELECT group_concat(json_extract(value, '$.status')) FROM json_each(body, '$.event.report.writes')), '')
               FROM journal WHERE journal.request_id = turns.request_id AND kind = 'event' AND json_valid(body)
               ORDER BY n DESC LIMIT 1) || ' ' || coalesce(
              (SELECT json_extract(body, '$.event.purpose')
               FROM journal WHERE journal.request_id = turns.request_id AND kind = 'event' AND json_valid(body)
               ORDER BY n LIMIT 1), '') END
          FROM turns WHERE turns.session_id = sessions.session_id ORDER BY ordinal DESC LIMIT 1) AS happened,
         (SELECT count(DISTINCT path) FROM writes WHERE stage = 'written' AND writes.request_id =
              (SELECT request_id FROM turns WHERE turns.session_id = sessions.session_id ORDER BY ordinal DESC LIMIT 1)) AS wrote"
    };
}
pub(crate) use columns;

#[derive(sqlx::FromRow)]
pub(crate) struct Row {
    session_id: String,
    project_id: String,
    title: String,
    created_at_ms: i64,
    updated_at_ms: i64,
    turns: u32,
    cost: i64,
    priced: u32,
    prompt_tokens: i64,
    completion_tokens: i64,
    lines_added: i64,
    lines_removed: i64,
    imported: bool,
    pinned: bool,
    archived: bool,
    happened: Option<String>,
    wrote: u32,
}

/// A session's title and the time that it began at, and the project it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InProject {
    pub title: String,
    pub created_at_ms: i64,
    pub project: Project,
}

pub(crate) fn session(row: Row) -> Result<Session, StoreError> {
    let unsigned = |number| u64::try_from(number).map_err(StoreError::value);
    let cost = Usd::of_billionths(unsigned(row.cost)?);
    let lines = ChangedLines { added: unsigned(row.lines_added)?, removed: unsigned(row.lines_removed)? };
    Ok(Session {
        session_id: row.session_id.parse().map_err(StoreError::value)?,
        project_id: row.project_id.parse().map_err(StoreError::value)?,
        title: row.title,
        created_at_ms: row.created_at_ms,
        updated_at_ms: row.updated_at_ms,
        turns: row.turns,
        imported: row.imported,
        pinned: row.pinned,
        archived: row.archived,
        happened: row.happened.map(|how| happened(&how, row.wrote)),
        spent: SessionSpent {
            cost_usd: (row.priced > 0).then_some(cost),
            priced_turns: row.priced,
            prompt_tokens: unsigned(row.prompt_tokens)?,
            completion_tokens: unsigned(row.completion_tokens)?,
        },
        lines: (lines.added + lines.removed > 0).then_some(lines),
    })
}

/// How a turn stands; or the type of its last event, its stop reason, how its writes ended and its purpose, with spaces between.
fn happened(how: &str, files: u32) -> Happened {
    let mut parts = how.splitn(4, ' ').chain(["", "", ""]);
    match [(); 4].map(|()| parts.next().unwrap_or_default()) {
        ["running", ..] => Happened::Running,
        ["waiting", ..] | ["completed", "approval" | "clarification" | "paused", ..] => Happened::Waiting,
        ["completed", "empty", ..] => Happened::Empty,
        ["completed", "length" | "unknown" | "content_filter", ..] => Happened::CutOff,
        ["completed", _, _, "compact"] => Happened::Summarized,
        ["completed", ..] if files > 0 => Happened::Wrote { files },
        ["completed", _, writes, _] => without_files(writes),
        ["stopped", ..] => Happened::Stopped,
        ["failed", ..] => Happened::Failed,
        // A turn that is over ends with one of these (T3); the rest has lost its end.
        _ => Happened::Interrupted,
    }
}

/// A turn that was answered and of which no file is on the disk; how its writes ended, with commas between.
fn without_files(writes: &str) -> Happened {
    let ended = |statuses: &[&str]| writes.split(',').any(|status| statuses.contains(&status));
    // A file that was written may have been undone, and one whose outcome is not known may be there.
    if ended(&["written", "unknown"]) {
        Happened::Answered
    } else if ended(&["failed", "discarded"]) {
        Happened::NotWritten
    } else if ended(&["rejected"]) {
        Happened::Rejected
    } else {
        Happened::Answered
    }
}

impl Store {
    /// A new session without a title: its first turn gives it one.
    pub async fn new_session(&self, project_id: ProjectId, at_ms: i64) -> Result<Session, StoreError> {
        self.transact(NewSession { project_id, at_ms }).await
    }

    pub async fn session(&self, session_id: SessionId) -> Result<Session, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM sessions WHERE session_id = ?");
        let row: Option<Row> = sqlx::query_as(sql)
            .bind(session_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        session(row.ok_or(StoreError::SessionUnknown(session_id))?)
    }

    /// A session and the project it is in, in one read: a turn begins with it.
    pub async fn session_in_project(&self, session_id: SessionId) -> Result<InProject, StoreError> {
        let sql = "SELECT title, created_at_ms, project_id, path, name, opened_at_ms
                   FROM sessions JOIN projects USING (project_id) WHERE session_id = ?";
        let row: Option<(String, i64, String, String, String, i64)> = sqlx::query_as(sql)
            .bind(session_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let (title, created_at_ms, project_id, path, name, opened_at_ms) =
            row.ok_or(StoreError::SessionUnknown(session_id))?;
        let project = project::project((project_id, path, name, opened_at_ms))?;
        Ok(InProject { title, created_at_ms, project })
    }

    /// The session of a project with the latest activity. None where the project is not known, or has none.
    pub async fn latest_session_in(&self, path: &str) -> Result<Option<SessionId>, StoreError> {
        let sql = "SELECT session_id FROM projects JOIN sessions USING (project_id) WHERE path = ?
                   ORDER BY updated_at_ms DESC, session_id LIMIT 1";
        let row: Option<String> = sqlx::query_scalar(sql)
            .bind(path.to_owned())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }

    /// The sessions with the latest activity, of one project or of all, in the order of [`SessionPlace`].
    pub async fn sessions(&self, of: Option<ProjectId>, limit: u32) -> Result<Vec<Session>, StoreError> {
        let all =
            concat!("SELECT ", columns!(), " FROM sessions ORDER BY updated_at_ms DESC, session_id LIMIT ?");
        let of_one = concat!(
            "SELECT ",
            columns!(),
            " FROM sessions WHERE project_id = ? ORDER BY updated_at_ms DESC, session_id LIMIT ?"
        );
        let query = match of {
            None => sqlx::query(all),
            Some(project_id) => sqlx::query(of_one).bind(project_id.to_string()),
        };
        let rows = query.bind(limit).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        Ok(readable("sessions", rows, session))
    }

    /// The same without those that are pinned or archived.
    pub async fn plain_sessions(
        &self,
        of: Option<ProjectId>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let all = concat!(
            "SELECT ",
            columns!(),
            " FROM sessions WHERE pinned + archived = 0 ORDER BY updated_at_ms DESC, session_id LIMIT ?"
        );
        let of_one = concat!(
            "SELECT ",
            columns!(),
            " FROM sessions WHERE project_id = ? AND pinned + archived = 0 ORDER BY updated_at_ms DESC, session_id LIMIT ?"
        );
        let query = match of {
            None => sqlx::query(all),
            Some(project_id) => sqlx::query(of_one).bind(project_id.to_string()),
        };
        let rows = query.bind(limit).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        Ok(readable("sessions", rows, session))
    }

    /// Those that are pinned or archived, of all projects.
    pub async fn apart_sessions(&self, limit: u32) -> Result<Vec<Session>, StoreError> {
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM sessions WHERE pinned + archived > 0 ORDER BY updated_at_ms DESC, session_id LIMIT ?"
        );
        let rows =
            sqlx::query(sql).bind(limit).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        Ok(readable("sessions", rows, session))
    }

    /// Those of a project that come after a place, without those that are pinned or archived.
    pub async fn sessions_after(
        &self,
        project_id: ProjectId,
        place: SessionPlace,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        // The index serves the first comparison. The second leaves out sessions of the same moment up to the place.
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM sessions WHERE project_id = ?1 AND updated_at_ms <= ?2 AND (updated_at_ms < ?2 OR session_id > ?3)
              AND pinned + archived = 0 ORDER BY updated_at_ms DESC, session_id LIMIT ?4"
        );
        let rows = sqlx::query(sql)
            .bind(project_id.to_string())
            .bind(place.updated_at_ms)
            .bind(place.session_id.to_string())
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        Ok(readable("sessions", rows, session))
    }

    /// Projects that have such sessions after a place in the list of all.
    pub async fn projects_after(&self, place: SessionPlace) -> Result<Vec<ProjectId>, StoreError> {
        let sql = "SELECT project_id FROM projects WHERE EXISTS (
                       SELECT 1 FROM sessions WHERE sessions.project_id = projects.project_id
                       AND updated_at_ms <= ?1 AND (updated_at_ms < ?1 OR session_id > ?2) AND pinned + archived = 0)";
        let rows = sqlx::query(sql)
            .bind(place.updated_at_ms)
            .bind(place.session_id.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        Ok(readable("projects", rows, |(id,): (String,)| id.parse().map_err(StoreError::value)))
    }

    pub async fn rename_session(&self, session_id: SessionId, title: &str) -> Result<Session, StoreError> {
        self.transact(RenameSession { session_id, title: title.to_owned() }).await
    }

    /// A session that is pinned is not archived.
    pub async fn pin_session(&self, session_id: SessionId, pinned: bool) -> Result<Session, StoreError> {
        let sql = concat!(
            "UPDATE sessions SET pinned = ?1, archived = archived AND NOT ?1 WHERE session_id = ?2 RETURNING ",
            columns!()
        );
        self.transact(SetApart { sql, session_id, on: pinned }).await
    }

    /// A session that is archived is not pinned.
    pub async fn archive_session(
        &self,
        session_id: SessionId,
        archived: bool,
    ) -> Result<Session, StoreError> {
        let sql = concat!(
            "UPDATE sessions SET archived = ?1, pinned = pinned AND NOT ?1 WHERE session_id = ?2 RETURNING ",
            columns!()
        );
        self.transact(SetApart { sql, session_id, on: archived }).await
    }

    /// Deletes a session and everything recorded of it. Its bytes are gone from the disk after [`Store::reclaim`].
    ///
    /// # Errors
    /// [`StoreError::TurnActive`] while a turn of it runs.
    pub async fn delete_session(&self, session_id: SessionId) -> Result<(), StoreError> {
        self.transact(DeleteSession { session_id }).await
    }
}

/// A session that a turn begins in.
#[derive(sqlx::FromRow)]
pub(crate) struct Entered {
    pub(crate) project_id: String,
    /// With the turn that begins.
    pub(crate) turns: u32,
    pub(crate) edits: Option<String>,
    pub(crate) is_imported: bool,
}

/// A turn begins in a session: it moves to the top, leaves the archive, and takes this title if it has none.
pub(crate) async fn enter(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    at_ms: i64,
    title: &str,
) -> Result<Entered, StoreError> {
    let sql = "UPDATE sessions SET updated_at_ms = max(updated_at_ms, ?1), turns = turns + 1, archived = 0,
                   title = CASE title WHEN '' THEN ?2 ELSE title END
               WHERE session_id = ?3 RETURNING project_id, turns, edits,
                   EXISTS (SELECT 1 FROM imported WHERE imported.session_id = ?3) AS is_imported";
    let entered: Option<Entered> = sqlx::query_as(sql)
        .bind(at_ms)
        .bind(title.to_owned())
        .bind(session_id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(writing)?;
    entered.ok_or(StoreError::SessionUnknown(session_id))
}

struct NewSession {
    project_id: ProjectId,
    at_ms: i64,
}

impl Transaction for NewSession {
    type Out = Session;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Session, StoreError> {
        // The columns of a row, without the search for turns: it has none.
        let sql = "INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms) VALUES (?1, ?2, '', ?3, ?3)
                   RETURNING session_id, project_id, title, created_at_ms, updated_at_ms, turns, cost, priced, prompt_tokens,
                       completion_tokens, lines_added, lines_removed, 0 AS imported, pinned, archived, NULL AS happened, 0 AS wrote";
        let row: Result<Row, _> = sqlx::query_as(sql)
            .bind(crate::ids::new_id().to_string())
            .bind(self.project_id.to_string())
            .bind(self.at_ms)
            .fetch_one(connection)
            .await
            .map_err(writing);
        match row {
            Ok(row) => session(row),
            // The foreign key is the only rule that this row can break.
            Err(error) if error.is_constraint() => Err(StoreError::ProjectUnknown(self.project_id)),
            Err(error) => Err(error),
        }
    }
}

struct RenameSession {
    session_id: SessionId,
    title: String,
}

impl Transaction for RenameSession {
    type Out = Session;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Session, StoreError> {
        let sql = concat!("UPDATE sessions SET title = ? WHERE session_id = ? RETURNING ", columns!());
        let row: Option<Row> = sqlx::query_as(sql)
            .bind(self.title.clone())
            .bind(self.session_id.to_string())
            .fetch_optional(connection)
            .await
            .map_err(writing)?;
        session(row.ok_or(StoreError::SessionUnknown(self.session_id))?)
    }
}

struct SetApart {
    sql: &'static str,
    session_id: SessionId,
    on: bool,
}

impl Transaction for SetApart {
    type Out = Session;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Session, StoreError> {
        let row: Option<Row> = sqlx::query_as(self.sql)
            .bind(self.on)
            .bind(self.session_id.to_string())
            .fetch_optional(connection)
            .await
            .map_err(writing)?;
        session(row.ok_or(StoreError::SessionUnknown(self.session_id))?)
    }
}

struct DeleteSession {
    session_id: SessionId,
}

impl Transaction for DeleteSession {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let id = self.session_id.to_string();
        let running: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM turns WHERE state = 'running' AND waits = 0 AND session_id = ?",
        )
        .bind(id.clone())
        .fetch_optional(&mut *connection)
        .await
        .map_err(writing)?;
        if running.is_some() {
            return Err(StoreError::TurnActive(self.session_id));
        }
        leftover::note(connection, "SELECT request_id FROM turns WHERE session_id = ?1", &id).await?;
        let gone = sqlx::query("DELETE FROM sessions WHERE session_id = ?")
            .bind(id)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        if gone.rows_affected() == 0 {
            return Err(StoreError::SessionUnknown(self.session_id));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_turn_came_to_says_when_nothing_was_written() {
        let came = [
            ("completed answered written answer", 1, Happened::Wrote { files: 1 }),
            ("completed answered written answer", 0, Happened::Answered),
            ("completed answered  answer", 0, Happened::Answered),
            ("completed answered failed answer", 0, Happened::NotWritten),
            ("completed budget_exhausted rejected,discarded answer", 0, Happened::NotWritten),
            ("completed answered rejected,rejected answer", 0, Happened::Rejected),
            ("completed answered failed,unknown answer", 0, Happened::Answered),
            ("completed length failed answer", 0, Happened::CutOff),
            ("completed answered  compact", 0, Happened::Summarized),
            ("failed error failed answer", 0, Happened::Failed),
            ("waiting", 0, Happened::Waiting),
            ("", 0, Happened::Interrupted),
        ];
        for (how, files, expected) in came {
            assert_eq!(happened(how, files), expected, "{how}");
        }
    }
}
