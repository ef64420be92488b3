//! Lists in which one row that cannot be read hides none of the others (A5). It is named in the log and left out.

use sqlx::FromRow;
use sqlx::sqlite::SqliteRow;

use crate::error::StoreError;

/// What can be read of these rows, in their order. `of` names what a row is.
pub(crate) fn readable<R, T>(
    of: &str,
    rows: Vec<SqliteRow>,
    read: impl Fn(R) -> Result<T, StoreError>,
) -> Vec<T>
where
    R: for<'row> FromRow<'row, SqliteRow>,
{
    let one = |row: &SqliteRow| read(R::from_row(row).map_err(StoreError::value)?);
    let logged = |result: Result<T, StoreError>| {
        result
            .inspect_err(|fault| tracing::error!(%fault, "a row of {of} cannot be read and is left out"))
            .ok()
    };
    rows.iter().map(one).filter_map(logged).collect()
}

#[cfg(test)]
mod tests {
    use orion_protocol::SessionPlace;

    use crate::Store;

    /// Each statement damages one row, as far as the types of the columns let it.
    const DAMAGE: [&str; 4] = [
        "UPDATE sessions SET session_id = 'not an id' WHERE title = 'one'",
        "UPDATE sessions SET cost = -1 WHERE title = 'one'",
        "UPDATE sessions SET prompt_tokens = -1 WHERE title = 'one'",
        "UPDATE projects SET project_id = 'not an id' WHERE path = '/one'",
    ];

    #[tokio::test]
    async fn one_row_that_cannot_be_read_hides_none_of_the_others() {
        for damage in DAMAGE {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(folder.path()).await.unwrap();
            let mut sessions = Vec::new();
            for (at_ms, name) in (1..).zip(["one", "two", "three"]) {
                let project = store.open_project(&format!("/{name}"), name, at_ms).await.unwrap();
                let session = store.new_session(project.project_id, at_ms).await.unwrap();
                sessions.push(store.rename_session(session.session_id, name).await.unwrap());
            }
            store.close().await.unwrap();
            drop(store);
            let mut connection = sqlx::ConnectOptions::connect(
                &sqlx::sqlite::SqliteConnectOptions::new()
                    .filename(folder.path().join(crate::FILE_NAME))
                    .foreign_keys(false),
            )
            .await
            .unwrap();
            sqlx::query(damage).execute(&mut connection).await.unwrap();
            sqlx::Connection::close(connection).await.unwrap();

            let store = Store::open(folder.path()).await.unwrap();
            let of_projects = damage.contains("projects");
            let names: Vec<String> =
                store.projects().await.unwrap().into_iter().map(|project| project.name).collect();
            let all = ["three", "two", "one"];
            assert_eq!(names, all[..if of_projects { 2 } else { 3 }], "{damage}");
            let titles: Vec<String> =
                store.sessions(None, 9).await.unwrap().into_iter().map(|session| session.title).collect();
            assert_eq!(titles, all[..if of_projects { 3 } else { 2 }], "{damage}");
            let newest = SessionPlace { updated_at_ms: i64::MAX, session_id: sessions[2].session_id };
            let after = store.sessions_after(sessions[0].project_id, newest, 9).await.unwrap();
            assert_eq!(after.len(), usize::from(of_projects), "{damage}");
            assert!(store.interrupt_dead(9).await.is_ok());
        }
    }
}
