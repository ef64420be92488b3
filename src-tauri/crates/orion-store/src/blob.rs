//! Bodies, stored once each under their SHA-256, large ones in parts.
//!
//! The view `body_references` lists everything that refers to a body. A body that loses its last reference is removed
//! in the same transaction, or by `leftover` after a deletion, which may free many.

use orion_protocol::{RequestId, Sha256};
use serde::Serialize;
use sha2::Digest as _;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::error::{StoreError, reading, writing};

/// Bytes of one value: 1 MiB. A larger body is stored in parts of this size; the first part is in the body's own row.
/// While a value is stored, it is in memory several times: here, in its record, in sqlx and in SQLite.
pub(crate) const PART: usize = 1 << 20;

/// Stores a body, unless it is there already, and returns its digest.
pub(crate) async fn put(connection: &mut SqliteConnection, body: &[u8]) -> Result<Sha256, StoreError> {
    let sha256 = digest(body);
    let bytes = i64::try_from(body.len()).map_err(StoreError::value)?;
    let (first, rest) = body.split_at(body.len().min(PART));
    let sql = "INSERT INTO blobs (sha256, bytes, body) VALUES (?, ?, ?) ON CONFLICT (sha256) DO NOTHING";
    let stored = sqlx::query(sql)
        .bind(sha256.to_string())
        .bind(bytes)
        .bind(first.to_vec())
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
    if stored.rows_affected() == 1 {
        for (part, number) in rest.chunks(PART).zip(1_i64..) {
            sqlx::query("INSERT INTO blob_parts (sha256, part, body) VALUES (?, ?, ?)")
                .bind(sha256.to_string())
                .bind(number)
                .bind(part.to_vec())
                .execute(&mut *connection)
                .await
                .map_err(writing)?;
        }
    }
    Ok(sha256)
}

/// Stores bodies, those of up to [`PART`] in one statement, and returns their digests.
pub(crate) async fn put_all(
    connection: &mut SqliteConnection,
    bodies: &[&[u8]],
) -> Result<Vec<Sha256>, StoreError> {
    let digests: Vec<Sha256> = bodies.iter().map(|body| digest(body)).collect();
    let (small, large): (Vec<_>, Vec<_>) =
        bodies.iter().zip(&digests).partition(|(body, _)| body.len() <= PART);
    if !small.is_empty() {
        let mut query: QueryBuilder<Sqlite> = QueryBuilder::new("INSERT INTO blobs (sha256, bytes, body) ");
        query.push_values(small, |mut row, (body, sha256)| {
            // At most a megabyte.
            let bytes = i64::try_from(body.len()).unwrap_or(i64::MAX);
            row.push_bind(sha256.to_string()).push_bind(bytes).push_bind(body.to_vec());
        });
        query.push(" ON CONFLICT (sha256) DO NOTHING");
        query.build().execute(&mut *connection).await.map_err(writing)?;
    }
    for (body, _) in large {
        put(connection, body).await?;
    }
    Ok(digests)
}

/// A body by its digest.
///
/// # Errors
/// [`StoreError::BodyUnknown`] when it is not there, or goes meanwhile.
pub(crate) async fn get(connection: &mut SqliteConnection, sha256: Sha256) -> Result<Vec<u8>, StoreError> {
    let row: Option<(i64, Vec<u8>)> = sqlx::query_as("SELECT bytes, body FROM blobs WHERE sha256 = ?")
        .bind(sha256.to_string())
        .fetch_optional(&mut *connection)
        .await
        .map_err(reading)?;
    let (bytes, body) = row.ok_or(StoreError::BodyUnknown(sha256))?;
    rest(connection, sha256, bytes, body).await
}

/// A body of this size, none of which has been read yet.
///
/// # Errors
/// Those of [`get`].
pub(crate) async fn in_parts(
    connection: &mut SqliteConnection,
    sha256: Sha256,
    bytes: i64,
) -> Result<Vec<u8>, StoreError> {
    let first: Option<Vec<u8>> = sqlx::query_scalar("SELECT body FROM blobs WHERE sha256 = ?")
        .bind(sha256.to_string())
        .fetch_optional(&mut *connection)
        .await
        .map_err(reading)?;
    rest(connection, sha256, bytes, first.ok_or(StoreError::BodyUnknown(sha256))?).await
}

/// A body of this size, whose first value has been read.
///
/// # Errors
/// Those of [`get`].
async fn rest(
    connection: &mut SqliteConnection,
    sha256: Sha256,
    bytes: i64,
    mut body: Vec<u8>,
) -> Result<Vec<u8>, StoreError> {
    let bytes = usize::try_from(bytes).map_err(StoreError::value)?;
    body.reserve_exact(bytes.saturating_sub(body.len()));
    let mut number = 1_i64;
    while body.len() < bytes {
        // One at a time: of the rows of one statement sqlx would hold fifty.
        let part: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT body FROM blob_parts WHERE sha256 = ? AND part = ?")
                .bind(sha256.to_string())
                .bind(number)
                .fetch_optional(&mut *connection)
                .await
                .map_err(reading)?;
        body.extend_from_slice(&part.ok_or(StoreError::BodyUnknown(sha256))?);
        number += 1;
    }
    Ok(body)
}

/// Stores a body before the record that will refer to it. The turn holds the body until that record is written or the turn ends, so no
/// body is ever without a reference (W7).
pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    request_id: RequestId,
    body: &[u8],
) -> Result<Sha256, StoreError> {
    let sha256 = put(connection, body).await?;
    let sql = "INSERT INTO kept_bodies (request_id, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING";
    let held = sqlx::query(sql)
        .bind(request_id.to_string())
        .bind(sha256.to_string())
        .execute(connection)
        .await
        .map_err(writing);
    match held {
        // The turn is gone, with its session.
        Err(error) if error.is_constraint() => Err(StoreError::TurnUnknown(request_id)),
        other => other.map(|_| sha256),
    }
}

/// A record refers to these bodies now, so the turn no longer holds them.
pub(crate) async fn release(
    connection: &mut SqliteConnection,
    request_id: &str,
    digests: &[Sha256],
) -> Result<(), StoreError> {
    let sql = "DELETE FROM kept_bodies WHERE request_id = ? AND sha256 IN (SELECT value FROM json_each(?))";
    sqlx::query(sql)
        .bind(request_id.to_owned())
        .bind(list(digests)?)
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}

/// Removes the bodies that a turn holds and no record refers to. The turn has ended, or its process died.
pub(crate) async fn let_go(connection: &mut SqliteConnection, request_id: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM kept_bodies WHERE request_id = ? RETURNING sha256";
    let held: Vec<String> = sqlx::query_scalar(sql)
        .bind(request_id.to_owned())
        .fetch_all(&mut *connection)
        .await
        .map_err(writing)?;
    drop_unused(connection, &held).await
}

/// Removes those of `digests` that nothing refers to any more.
pub(crate) async fn drop_unused<D: Serialize>(
    connection: &mut SqliteConnection,
    digests: &[D],
) -> Result<(), StoreError> {
    if digests.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM blobs WHERE sha256 IN (SELECT value FROM json_each(?))
               AND NOT EXISTS (SELECT 1 FROM body_references WHERE body_references.sha256 = blobs.sha256)";
    sqlx::query(sql).bind(list(digests)?).execute(connection).await.map_err(writing)?;
    Ok(())
}

fn list<D: Serialize>(digests: &[D]) -> Result<String, StoreError> {
    serde_json::to_string(digests).map_err(StoreError::value)
}

pub(crate) fn digest(body: &[u8]) -> Sha256 {
    Sha256::from(<[u8; 32]>::from(sha2::Sha256::digest(body)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use orion_protocol::{CallId, Permission, RequestId, SessionId, ToolStatus, TurnIds};
    use sqlx::ConnectOptions;
    use uuid::Uuid;

    use crate::{Begin, NewTurn, Past, Record, Store, StoreError};

    struct Calls(Vec<Record>);

    impl Begin for Calls {
        type Out = ();

        fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
            Ok((self.0.clone(), ()))
        }
    }

    /// A session with one turn whose calls had these results.
    async fn session_with(store: &Store, bodies: &[&str]) -> SessionId {
        turn_with(store, bodies).await.0
    }

    async fn turn_with(store: &Store, bodies: &[&str]) -> (SessionId, RequestId) {
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
        let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
        let (journal, ()) = store.begin_turn(turn, Calls(calls.collect())).await.unwrap();
        journal.finish(Vec::new(), 2).await.unwrap();
        (session.session_id, ids.request_id)
    }

    async fn stored(store: &Store) -> Vec<String> {
        let bodies: Vec<Vec<u8>> = sqlx::query_scalar("SELECT body FROM blobs ORDER BY body")
            .fetch_all(&mut *store.reader().await.unwrap())
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
        store.reclaim().await.unwrap();
        assert_eq!(stored(&store).await, ["both", "two"]);
        store.delete_session(two).await.unwrap();
        store.reclaim().await.unwrap();
        assert_eq!(stored(&store).await, [""; 0]);
    }

    #[tokio::test]
    async fn a_large_body_comes_back_whole_and_no_part_of_it_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let text = |bytes: usize| -> String { ('a'..='z').cycle().take(bytes).collect() };
        let sizes = [0, 1, super::PART - 1, super::PART, super::PART + 1, 3 * super::PART + 7];
        let bodies = sizes.map(text);
        let (session, request_id) = turn_with(&store, &bodies.each_ref().map(String::as_str)).await;
        for body in &bodies {
            assert!(store.text(super::digest(body.as_bytes())).await.unwrap() == *body, "{}", body.len());
        }
        let parts = async || -> Vec<i64> {
            let sql = "SELECT length(body) FROM blob_parts ORDER BY sha256, part";
            sqlx::query_scalar(sql).fetch_all(&mut *store.reader().await.unwrap()).await.unwrap()
        };
        let mut lengths = parts().await;
        lengths.sort_unstable();
        let whole = super::PART as i64;
        assert_eq!(lengths, [1, 7, whole, whole]);
        // Once more: it is there already.
        let largest = bodies[5].clone();
        let sha256 = store.keep(request_id, largest).await.unwrap();
        assert_eq!(parts().await.len(), 4);

        store.delete_session(session).await.unwrap();
        store.reclaim().await.unwrap();
        assert_eq!(parts().await, [0_i64; 0]);
        assert_eq!(store.body(sha256).await.unwrap_err(), StoreError::BodyUnknown(sha256));
    }

    /// Each column that refers to a body: table and column, those of `blob_parts` left out, which are the body.
    async fn referring(store: &Store) -> Vec<(String, String)> {
        let sql = "SELECT tables.name, keys.\"from\" FROM pragma_table_list AS tables
                   JOIN pragma_foreign_key_list(tables.name) AS keys
                   WHERE keys.\"table\" = 'blobs' AND tables.name <> 'blob_parts'";
        sqlx::query_as(sql).fetch_all(&mut *store.reader().await.unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn every_column_that_refers_to_a_body_is_in_the_view_of_references() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let columns = referring(&store).await;
        assert!(columns.len() >= 5, "{columns:?}");
        // A row in each such table, whatever else it has: a body that is named after the column, a turn that is not there.
        let loose = crate::connection::options(folder.path())
            .foreign_keys(false)
            .pragma("ignore_check_constraints", "ON");
        let mut connection = loose.connect().await.unwrap();
        let tables: BTreeSet<&String> = columns.iter().map(|(table, _)| table).collect();
        for table in tables {
            let sql = "SELECT name, type FROM pragma_table_info(?) WHERE \"notnull\" OR name LIKE '%sha256%'";
            let has: Vec<(String, String)> =
                sqlx::query_as(sql).bind(table).fetch_all(&mut connection).await.unwrap();
            let names: Vec<&str> = has.iter().map(|(name, _)| name.as_str()).collect();
            let values: Vec<String> = has
                .iter()
                .map(|(name, kind)| match kind.as_str() {
                    "INTEGER" => "1".to_owned(),
                    _ => format!("'{table}.{name}'"),
                })
                .collect();
            let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "));
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        }
        let sql = "SELECT sha256 FROM body_references";
        let seen: BTreeSet<String> = sqlx::query_scalar::<_, String>(sql)
            .fetch_all(&mut connection)
            .await
            .unwrap()
            .into_iter()
            .collect();
        let all: BTreeSet<String> =
            columns.iter().map(|(table, column)| format!("{table}.{column}")).collect();
        assert_eq!(seen, all);
    }

    #[tokio::test]
    async fn references_are_looked_up_by_body_and_by_turn_without_reading_a_table() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        for sql in [
            "EXPLAIN QUERY PLAN SELECT 1 FROM body_references WHERE sha256 = 'x'",
            "EXPLAIN QUERY PLAN SELECT sha256 FROM body_references WHERE request_id = 'x'",
            "EXPLAIN QUERY PLAN DELETE FROM blobs WHERE sha256 IN (SELECT value FROM json_each('[]'))
             AND NOT EXISTS (SELECT 1 FROM body_references WHERE body_references.sha256 = blobs.sha256)",
        ] {
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(sql).fetch_all(&mut *store.reader().await.unwrap()).await.unwrap();
            let scans: Vec<&String> = plan
                .iter()
                .map(|(.., step)| step)
                // Files of messages that were not sent yet are few, and no turn has them.
                .filter(|step| {
                    step.starts_with("SCAN") && !step.contains("json_each") && !step.contains("attachments")
                })
                .collect();
            assert_eq!(scans, [""; 0], "{sql}: {plan:?}");
        }
    }

    #[tokio::test]
    async fn what_was_said_comes_back_as_it_was_also_when_it_is_stored_in_parts() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project = store.open_project("/a/project", "project", 1).await.unwrap();
        let session = store.new_session(project.project_id, 1).await.unwrap();
        // The end of the first part goes through a character.
        let long = format!("{}ü{}", "a".repeat(super::PART - 1), "b".repeat(super::PART));
        let said = ["\"quoted\" \\ \u{1} 🦊".to_owned(), long, String::new()];
        let records = said.clone().map(|body| Record::Text { kind: crate::TextKind::Said, body });
        let mut last = RequestId(Uuid::nil());
        for records in [records.to_vec(), Vec::new()] {
            last = RequestId(Uuid::now_v7());
            let ids =
                TurnIds { request_id: last, session_id: session.session_id, project_id: project.project_id };
            let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
            let (journal, ()) = store.begin_turn(turn, Calls(records)).await.unwrap();
            journal.finish(Vec::new(), 2).await.unwrap();
        }
        let earlier = store.said_before(last, crate::Reach::ALL).await.unwrap();
        assert_eq!(earlier.len(), 1);
        let bodies: Vec<&str> = earlier[0].items.iter().map(|item| item.body.as_str()).collect();
        assert!(bodies == said, "each item as it was, in its order");
    }
}
