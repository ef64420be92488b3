//! Forks: a new session that goes on from a turn of another one (T9). Nothing of the other one is changed.
//!
//! The fork has copies of rows, and refers to the same bodies. So it stays whole when the other session is deleted.

use orion_protocol::{CallId, ProjectId, RequestId, Session, SessionId, TurnIds, Usd};
use sqlx::SqliteConnection;

use crate::blob;
use crate::error::{StoreError, reading, writing};
use crate::interrupt::Interrupt;
use crate::journal::{self, Record};
use crate::origin;
use crate::part::ForkPart;
use crate::session;
use crate::spent::Spent;
use crate::store::Store;
use crate::text;
use crate::writer::Transaction;

/// A fork to make.
#[derive(Debug)]
pub struct Fork {
    pub session_id: SessionId,
    pub at_ms: i64,
    /// The turn that it is made from, and the phase of it, from 1.
    pub of: RequestId,
    pub phase: u32,
    /// Tool phases begun by then.
    pub step: u32,
    /// What its turns are given of what came before that turn: a JSON list. None where nothing did.
    pub context: Option<String>,
    /// What its title begins with: two sessions of one name would be taken for each other, and where there is little room, a name ends early.
    pub mark: String,
    /// The project that it works in, where that is another one than that of the turn.
    pub project: Option<ProjectId>,
    /// The turn as far as that phase; none where the session begins with a new one.
    pub turn: Option<CopiedTurn>,
}

/// The first turn of a fork.
#[derive(Debug)]
pub struct CopiedTurn {
    pub ids: TurnIds,
    /// Its first records. The first of them is its setup.
    pub records: Vec<Record>,
    /// Rows of the other journal that come next, counted with the other setup, which does not.
    pub rows: usize,
    /// What comes after them. Where these and the first records do not say that the turn waits, it is interrupted.
    pub then: Vec<Record>,
    /// Calls that ended in these rows. One that only began there begins once more (A5).
    pub calls: Vec<CallId>,
    /// Numbers of the writes that were over in these rows.
    pub writes: Vec<u32>,
    /// What it had cost by then.
    pub spent: Spent,
}

impl Store {
    /// Makes a fork. Its turn waits or is interrupted, and can be resumed.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn fork(&self, fork: Fork) -> Result<Session, StoreError> {
        self.transact(MakeFork { fork }).await
    }

    /// The turn of another session that this one's session was forked from; none for any other session.
    pub async fn forked_from(&self, request_id: RequestId) -> Result<Option<RequestId>, StoreError> {
        let sql = "SELECT forked_from FROM forks JOIN turns USING (session_id) WHERE turns.request_id = ?";
        let row: Option<String> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }

    /// The texts that a turn was given: the system text, the tools, and the instructions that were in force if they were others.
    pub async fn given(&self, request_id: RequestId) -> Result<Vec<String>, StoreError> {
        let mut connection = self.reader().await?;
        text::given(&mut connection, &request_id.to_string(), crate::turn::GIVEN).await
    }
}

struct MakeFork {
    fork: Fork,
}

impl Transaction for MakeFork {
    type Out = Session;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Session, StoreError> {
        let session = self.begin_session(connection).await?;
        self.note(connection).await?;
        if let Some(turn) = &self.fork.turn {
            turn.enter(connection, &self.fork).await?;
        }
        Ok(session)
    }
}

impl MakeFork {
    async fn begin_session(&self, connection: &mut SqliteConnection) -> Result<Session, StoreError> {
        let Fork { session_id, at_ms, of, turn, project, .. } = &self.fork;
        let title = self.title(connection).await?;
        // P12: a turn of the session says the date at which it was created.
        let sql = concat!(
            "INSERT INTO sessions (session_id, project_id, title, created_at_ms, updated_at_ms, turns)
             SELECT ?1, coalesce(?6, sessions.project_id), ?5, created_at_ms, ?2, ?4
             FROM sessions JOIN turns USING (session_id) WHERE request_id = ?3 RETURNING ",
            session::columns!()
        );
        let row: Option<session::Row> = sqlx::query_as(sql)
            .bind(session_id.to_string())
            .bind(*at_ms)
            .bind(of.to_string())
            .bind(turn.is_some())
            .bind(title)
            .bind(project.map(|project| project.to_string()))
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing)?;
        let session = session::session(row.ok_or(StoreError::TurnUnknown(*of))?)?;
        // X6: what was taken out of the conversation is taken out of this one.
        let sql = "INSERT INTO taken_out (session_id, what)
                   SELECT ?1, what FROM taken_out WHERE session_id = (SELECT session_id FROM turns WHERE request_id = ?2)
                   ORDER BY rowid";
        sqlx::query(sql)
            .bind(session_id.to_string())
            .bind(of.to_string())
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(session)
    }

    /// The title of the other session behind the mark, and with a number from the second session of that name on. A mark that the other title
    /// begins with gives way.
    async fn title(&self, connection: &mut SqliteConnection) -> Result<String, StoreError> {
        let Fork { of, mark, .. } = &self.fork;
        let sql = "SELECT project_id, title FROM sessions JOIN turns USING (session_id, project_id) WHERE request_id = ?";
        let row: Option<(String, String)> = sqlx::query_as(sql)
            .bind(of.to_string())
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing)?;
        let (project_id, title) = row.ok_or(StoreError::TurnUnknown(*of))?;
        let bare = without_mark(&title, mark);
        let sql = "SELECT title FROM sessions WHERE project_id = ? AND substr(title, 1, length(?)) = ?";
        let taken: Vec<String> = sqlx::query_scalar(sql)
            .bind(project_id)
            .bind(mark.clone())
            .bind(mark.clone())
            .fetch_all(connection)
            .await
            .map_err(writing)?;
        let first = format!("{mark}: {bare}");
        let names = std::iter::once(first).chain((2_u64..).map(|number| format!("{mark} {number}: {bare}")));
        Ok(names.into_iter().find(|name| !taken.contains(name)).unwrap_or(title))
    }

    /// Records where the session comes from, and what stands before its first turn.
    async fn note(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let Fork { session_id, of, phase, step, context, turn, .. } = &self.fork;
        let sha256 = match context {
            Some(items) => Some(blob::put(connection, items.as_bytes()).await?),
            None => None,
        };
        let spent = turn.as_ref().map(|turn| turn.spent);
        let fork = ForkPart {
            of: *of,
            phase: *phase,
            step: *step,
            sha256,
            request_id: turn.as_ref().map(|turn| turn.ids.request_id),
            cost: spent.and_then(|spent| spent.cost_usd).map_or(0, Usd::billionths),
            prompt_tokens: spent.map_or(0, |spent| spent.prompt_tokens),
            completion_tokens: spent.map_or(0, |spent| spent.completion_tokens),
        };
        origin::enter(connection, &session_id.to_string(), &fork).await
    }
}

/// A title without the mark that a fork put before it, nor its number.
fn without_mark<'t>(title: &'t str, mark: &str) -> &'t str {
    let bare = || {
        let (number, bare) = title.strip_prefix(mark)?.split_once(": ")?;
        let is_number = number.strip_prefix(' ').is_some_and(|number| number.parse::<u64>().is_ok());
        (number.is_empty() || is_number).then_some(bare)
    };
    bare().unwrap_or(title)
}

impl CopiedTurn {
    async fn enter(&self, connection: &mut SqliteConnection, fork: &Fork) -> Result<(), StoreError> {
        let (ids, of) = (self.ids, fork.of);
        // No process has it, and it follows no turn of its session.
        let sql = "INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms, place)
                   SELECT ?1, ?2, project_id, 1, 'running', '', ?3, 1 FROM turns WHERE request_id = ?4";
        sqlx::query(sql)
            .bind(ids.request_id.to_string())
            .bind(ids.session_id.to_string())
            .bind(fork.at_ms)
            .bind(of.to_string())
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        self.copy_journal(connection, of).await?;
        self.copy_beside(connection, of).await?;
        journal::insert(connection, ids.request_id, 1, &self.records).await?;
        text::copy_later(connection, &of.to_string(), &ids.request_id.to_string()).await?;
        let last: i64 = sqlx::query_scalar("SELECT max(n) FROM journal WHERE request_id = ?")
            .bind(ids.request_id.to_string())
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        journal::insert(connection, ids.request_id, last + 1, &self.then).await?;
        // It does nothing to a turn that waits.
        Interrupt { ids, at_ms: fork.at_ms }.apply(connection).await?;
        Ok(())
    }

    /// Copies the rows but the first, which is the setup. An event names its turn and its session, and so does an error in it. In a text of a
    /// model or a person, quotes are escaped, so that it is never taken for one of these fields.
    async fn copy_journal(&self, connection: &mut SqliteConnection, of: RequestId) -> Result<(), StoreError> {
        let sql = r#"INSERT INTO journal (request_id, n, kind, seq, at_ms, body)
                   SELECT ?1, n, kind, seq, at_ms,
                       iif(kind = 'event', replace(replace(body,
                           '"requestId":"' || ?3 || '"', '"requestId":"' || ?1 || '"'),
                           '"sessionId":"' || from_session || '"', '"sessionId":"' || ?2 || '"'), body)
                   FROM (SELECT journal.*, (SELECT session_id FROM turns WHERE turns.request_id = ?3) AS from_session
                         FROM journal WHERE request_id = ?3 ORDER BY n LIMIT ?4) WHERE n > 1"#;
        sqlx::query(sql)
            .bind(self.ids.request_id.to_string())
            .bind(self.ids.session_id.to_string())
            .bind(of.to_string())
            .bind(i64::try_from(self.rows).unwrap_or(i64::MAX))
            .execute(connection)
            .await
            .map_err(writing)?;
        Ok(())
    }

    /// Copies the calls, the writes and the files that commands changed. A row of the journal may have another number now, so each call names the
    /// row that reports it anew.
    async fn copy_beside(&self, connection: &mut SqliteConnection, of: RequestId) -> Result<(), StoreError> {
        let Self { ids, calls, writes, .. } = self;
        let sql = "INSERT INTO outcomes (request_id, tool_batch_id, tool_call_id, name, arguments, permission, status, sha256, ended_n)
                   SELECT ?1, tool_batch_id, tool_call_id, name, arguments, permission, status, sha256, (
                       SELECT n FROM journal WHERE journal.request_id = ?1 AND n = ended_n)
                   FROM outcomes WHERE request_id = ?2 AND tool_call_id IN (SELECT value FROM json_each(?3))";
        sqlx::query(sql)
            .bind(ids.request_id.to_string())
            .bind(of.to_string())
            .bind(serde_json::to_string(calls).map_err(StoreError::value)?)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        let sql = "INSERT INTO writes (request_id, number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to,
                       lines_added, lines_removed)
                   SELECT ?1, number, path, operation, base_sha256, sha256, content_sha256, stage, kept, leads_to,
                       lines_added, lines_removed
                   FROM writes WHERE request_id = ?2 AND stage IN ('written', 'over', 'undone')
                       AND number IN (SELECT value FROM json_each(?3))";
        sqlx::query(sql)
            .bind(ids.request_id.to_string())
            .bind(of.to_string())
            .bind(serde_json::to_string(writes).map_err(StoreError::value)?)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        let sql = "INSERT INTO command_files
                       (request_id, number, tool_call_id, after_write, path, change, before_sha256, after_sha256, mode, why, stage)
                   SELECT ?1, number, tool_call_id, after_write, path, change, before_sha256, after_sha256, mode, why, stage
                   FROM command_files WHERE request_id = ?2 AND stage IN ('changed', 'undone')
                       AND tool_call_id IN (SELECT value FROM json_each(?3))";
        sqlx::query(sql)
            .bind(ids.request_id.to_string())
            .bind(of.to_string())
            .bind(serde_json::to_string(calls).map_err(StoreError::value)?)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::without_mark;

    #[test]
    fn a_mark_gives_way_to_the_next_one_and_what_a_person_wrote_stays() {
        let titles = [
            "Fork: One",
            "Fork 12: One",
            "Fork it: One",
            "Forks: One",
            "Fork:",
            "One: Fork: two",
            "Fork: One: two",
            "One",
        ];
        let bare = ["One", "One", "Fork it: One", "Forks: One", "Fork:", "One: Fork: two", "One: two", "One"];
        assert_eq!(titles.map(|title| without_mark(title, "Fork")), bare);
    }
}
