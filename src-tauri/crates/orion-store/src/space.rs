//! The disk space that sessions use.

use std::collections::HashMap;
use std::hash::Hash;
use std::str::FromStr;

use orion_protocol::{ProjectId, SessionId};

use crate::error::{StoreError, reading};
use crate::store::Store;

impl Store {
    /// Bytes of each project's sessions: what was said, what tools gave, what was written. A body that several turns refer to counts
    /// once in a project. Reads the journal's rows, and no bodies.
    pub async fn bytes_of_projects(&self) -> Result<HashMap<ProjectId, u64>, StoreError> {
        self.bytes_by("turns.project_id").await
    }

    /// Bytes of each session, likewise.
    pub async fn bytes_of_sessions(&self) -> Result<HashMap<SessionId, u64>, StoreError> {
        self.bytes_by("turns.session_id").await
    }

    /// Bytes of the database's files, with what is free in them.
    pub async fn bytes_on_disk(&self) -> Result<u64, StoreError> {
        let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let bytes: i64 =
            sqlx::query_scalar(sql).fetch_one(&mut *self.reader().await?).await.map_err(reading)?;
        u64::try_from(bytes).map_err(StoreError::value)
    }

    async fn bytes_by<Id>(&self, owner: &'static str) -> Result<HashMap<Id, u64>, StoreError>
    where
        Id: FromStr + Eq + Hash,
        Id::Err: std::fmt::Display,
    {
        let sql = format!(
            "SELECT owner, sum(bytes) FROM (
                 SELECT {owner} AS owner, octet_length(body) AS bytes FROM journal JOIN turns USING (request_id)
                 UNION ALL
                 SELECT {owner}, octet_length(arguments) FROM outcomes JOIN turns USING (request_id)
                 UNION ALL
                 SELECT owner, bytes FROM blobs JOIN
                     (SELECT DISTINCT {owner} AS owner, sha256 FROM body_references JOIN turns USING (request_id))
                     USING (sha256)
             ) GROUP BY owner"
        );
        let rows: Vec<(String, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        rows.into_iter()
            .map(|(id, bytes)| {
                Ok((id.parse().map_err(StoreError::value)?, u64::try_from(bytes).map_err(StoreError::value)?))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{CallId, Permission, ProjectId, RequestId, SessionId, ToolStatus, TurnIds};
    use uuid::Uuid;

    use crate::{Begin, NewTurn, Past, Record, Store, StoreError, TextKind};

    /// The records of a turn with one call.
    struct Called {
        row: String,
        body: String,
    }

    impl Begin for Called {
        type Out = ();

        fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
            let call_id = CallId("call".into());
            let (name, arguments, permission) = ("read".into(), "{}".into(), Permission::Allow);
            let batch = 1;
            let started =
                Record::CallStarted { batch, call_id: call_id.clone(), name, arguments, permission };
            let ended = Record::CallEnded { batch, call_id, status: ToolStatus::Ok, body: self.body.clone() };
            let asked = Record::Text { kind: TextKind::Said, body: "four".into() };
            Ok((vec![Record::Input { at_ms: 1, body: self.row.clone() }, asked, started, ended], ()))
        }
    }

    async fn turn(store: &Store, project_id: ProjectId, session_id: SessionId, row: &str, body: &str) {
        let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
        let turn = NewTurn { ids, at_ms: 1, title: "four".into() };
        let called = Called { row: row.into(), body: body.into() };
        let (journal, ..) = store.begin_turn(turn, called).await.unwrap();
        journal.finish(Vec::new(), 2).await.unwrap();
    }

    #[tokio::test]
    async fn a_project_takes_the_bytes_of_its_sessions_and_each_body_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut projects = Vec::new();
        let mut sessions = Vec::new();
        for (path, count) in [("/one", 2), ("/two", 1), ("/none", 0)] {
            let project_id = store.open_project(path, path, 1).await.unwrap().project_id;
            for _ in 0..count {
                let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
                // 100 of the row, 2 of the arguments; 4 of the message, 1,000 of the result, which both turns have.
                turn(&store, project_id, session_id, &"x".repeat(100), &"é".repeat(500)).await;
                turn(&store, project_id, session_id, &"x".repeat(100), &"é".repeat(500)).await;
                sessions.push((session_id, 2 * 102 + 1_004));
            }
            projects.push((project_id, u64::from(count > 0) * 1_004 + count * 2 * 102));
        }
        projects.pop();
        assert_eq!(store.bytes_of_projects().await.unwrap(), projects.into_iter().collect());
        assert_eq!(store.bytes_of_sessions().await.unwrap(), sessions.into_iter().collect());
        assert!(store.bytes_on_disk().await.unwrap() > 10_000);
    }
}
