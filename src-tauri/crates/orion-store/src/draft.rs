//! What a person was writing when Orion ended: one text for each session, and one for a new session of each project.

use orion_protocol::DraftOf;
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::store::Store;
use crate::writer::Transaction;

impl Store {
    /// What is kept; none where nothing was being written.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn draft(&self, of: DraftOf) -> Result<Option<String>, StoreError> {
        let sql = match of {
            DraftOf::Session { .. } => "SELECT body FROM drafts WHERE session_id = ?",
            DraftOf::Project { .. } => "SELECT body FROM drafts WHERE project_id = ?",
        };
        sqlx::query_scalar(sql).bind(id(of)).fetch_optional(&mut *self.reader().await?).await.map_err(reading)
    }

    /// Keeps a text in the place of the one before; an empty one removes it.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`], [`StoreError::ProjectUnknown`].
    pub async fn save_draft(&self, of: DraftOf, text: String) -> Result<(), StoreError> {
        self.transact(Save { of, text }).await
    }
}

struct Save {
    of: DraftOf,
    text: String,
}

impl Transaction for Save {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let (keep, remove) = match self.of {
            DraftOf::Session { .. } => (
                "INSERT INTO drafts (session_id, body) VALUES (?1, ?2) ON CONFLICT (session_id) DO UPDATE SET body = ?2",
                "DELETE FROM drafts WHERE session_id = ?1",
            ),
            DraftOf::Project { .. } => (
                "INSERT INTO drafts (project_id, body) VALUES (?1, ?2) ON CONFLICT (project_id) DO UPDATE SET body = ?2",
                "DELETE FROM drafts WHERE project_id = ?1",
            ),
        };
        let query = match self.text.is_empty() {
            true => sqlx::query(remove).bind(id(self.of)),
            false => sqlx::query(keep).bind(id(self.of)).bind(self.text.clone()),
        };
        match query.execute(connection).await.map_err(writing) {
            // The foreign key is the only rule that this row can break.
            Err(error) if error.is_constraint() => Err(gone(self.of)),
            saved => saved.map(|_| ()),
        }
    }
}

/// The place where it is written is not there.
pub(crate) fn gone(of: DraftOf) -> StoreError {
    match of {
        DraftOf::Session { session_id } => StoreError::SessionUnknown(session_id),
        DraftOf::Project { project_id } => StoreError::ProjectUnknown(project_id),
    }
}

pub(crate) fn id(of: DraftOf) -> String {
    match of {
        DraftOf::Session { session_id } => session_id.to_string(),
        DraftOf::Project { project_id } => project_id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{ProjectId, SessionId};
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn each_session_and_each_project_has_a_draft_of_its_own_that_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project_id = store.open_project("/fox", "fox", 1).await.unwrap().project_id;
        let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
        let (session, project) = (DraftOf::Session { session_id }, DraftOf::Project { project_id });
        store.save_draft(session, "one".into()).await.unwrap();
        store.save_draft(session, "two".into()).await.unwrap();
        store.save_draft(project, "new".into()).await.unwrap();
        assert_eq!(store.draft(session).await, Ok(Some("two".into())));
        assert_eq!(store.draft(project).await, Ok(Some("new".into())));

        store.save_draft(project, String::new()).await.unwrap();
        assert_eq!(store.draft(project).await, Ok(None));
        store.delete_session(session_id).await.unwrap();
        assert_eq!(store.draft(session).await, Ok(None));
        assert_eq!(store.save_draft(session, "x".into()).await, Err(StoreError::SessionUnknown(session_id)));

        store.save_draft(project, "new".into()).await.unwrap();
        store.forget_project(project_id).await.unwrap();
        assert_eq!(store.draft(project).await, Ok(None));
        let nowhere = DraftOf::Project { project_id: ProjectId(Uuid::nil()) };
        assert_eq!(
            store.save_draft(nowhere, "x".into()).await,
            Err(StoreError::ProjectUnknown(ProjectId(Uuid::nil())))
        );
        let gone = DraftOf::Session { session_id: SessionId(Uuid::nil()) };
        assert_eq!(store.save_draft(gone, String::new()).await, Ok(()));
    }
}
