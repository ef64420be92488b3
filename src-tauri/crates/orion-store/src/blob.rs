//! Bodies, stored once each under their SHA-256.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::store::writing;

/// Stores a body, unless it is there already, and returns its digest in hexadecimal.
pub(crate) async fn put(connection: &mut SqliteConnection, body: &[u8]) -> Result<String, StoreError> {
    let sha256 = digest(body);
    let bytes = i64::try_from(body.len()).map_err(StoreError::value)?;
    sqlx::query("INSERT INTO blobs (sha256, bytes, body) VALUES (?, ?, ?) ON CONFLICT (sha256) DO NOTHING")
        .bind(sha256.clone())
        .bind(bytes)
        .bind(body.to_vec())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(sha256)
}

/// The digests that turns refer to. `turns` is a statement that selects the turns of one id.
pub(crate) async fn of_turns(
    connection: &mut SqliteConnection,
    turns: &str,
    id: &str,
) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "WITH these AS MATERIALIZED ({turns})
         SELECT sha256 FROM outcomes WHERE request_id IN these AND sha256 IS NOT NULL
         UNION SELECT sha256 FROM writes WHERE request_id IN these
         UNION SELECT content_sha256 FROM writes WHERE request_id IN these
         UNION SELECT base_sha256 FROM writes WHERE request_id IN these AND base_sha256 IS NOT NULL"
    );
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(id.to_owned())
        .fetch_all(connection)
        .await
        .map_err(writing)
}

/// Takes away those of `digests` that nothing refers to any more.
pub(crate) async fn drop_unused(
    connection: &mut SqliteConnection,
    digests: &[String],
) -> Result<(), StoreError> {
    if digests.is_empty() {
        return Ok(());
    }
    let list = serde_json::to_string(digests).map_err(StoreError::value)?;
    let sql = "DELETE FROM blobs WHERE sha256 IN (SELECT value FROM json_each(?))
               AND NOT EXISTS (SELECT 1 FROM outcomes WHERE outcomes.sha256 = blobs.sha256)
               AND NOT EXISTS (SELECT 1 FROM writes WHERE blobs.sha256 IN (base_sha256, writes.sha256, content_sha256))";
    sqlx::query(sql).bind(list).execute(connection).await.map_err(writing)?;
    Ok(())
}

fn digest(body: &[u8]) -> String {
    Sha256::digest(body).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use orion_protocol::{CallId, Permission, RequestId, SessionId, ToolStatus, TurnIds};
    use uuid::Uuid;

    use crate::{Begin, Exchange, NewTurn, Record, Store, StoreError};

    struct Calls(Vec<Record>);

    impl Begin for Calls {
        type Out = ();

        fn begin(&self, _: Vec<Exchange>) -> Result<(Vec<Record>, ()), StoreError> {
            Ok((self.0.clone(), ()))
        }
    }

    /// A session with one turn whose calls had these results.
    async fn session_with(store: &Store, bodies: &[&str]) -> SessionId {
        let project = store.open_project("/a/project", "project", 1).await.unwrap();
        let session = store.new_session(project.project_id, 1).await.unwrap();
        let calls = bodies.iter().zip(1..).flat_map(|(body, batch)| {
            let (call_id, name, arguments) = (CallId(format!("call_{batch}")), "read".into(), "{}".into());
            let started = Record::CallStarted {
                batch,
                call_id: call_id.clone(),
                name,
                arguments,
                permission: Permission::Allow,
            };
            [started, Record::CallEnded { batch, call_id, status: ToolStatus::Ok, body: (*body).into() }]
        });
        let ids = TurnIds {
            request_id: RequestId(Uuid::now_v7()),
            session_id: session.session_id,
            project_id: project.project_id,
        };
        let turn = NewTurn { ids, at_ms: 1, text: "?".into(), title: "?".into(), history_bytes: 0 };
        let (journal, _, ()) = store.begin_turn(turn, Calls(calls.collect())).await.unwrap();
        journal.finish(Vec::new(), String::new(), 2).await.unwrap();
        session.session_id
    }

    async fn stored(store: &Store) -> Vec<String> {
        let bodies: Vec<Vec<u8>> = sqlx::query_scalar("SELECT body FROM blobs ORDER BY body")
            .fetch_all(store.readers())
            .await
            .unwrap();
        bodies.into_iter().map(|body| String::from_utf8(body).unwrap()).collect()
    }

    #[tokio::test]
    async fn a_body_is_stored_once_and_goes_with_the_last_session_that_has_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let one = session_with(&store, &["both", "one", "both"]).await;
        let two = session_with(&store, &["both", "two"]).await;
        assert_eq!(stored(&store).await, ["both", "one", "two"]);
        store.delete_session(one).await.unwrap();
        assert_eq!(stored(&store).await, ["both", "two"]);
        store.delete_session(two).await.unwrap();
        assert_eq!(stored(&store).await, [""; 0]);
    }
}
