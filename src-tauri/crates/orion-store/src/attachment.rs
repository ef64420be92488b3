//! Attachments that are not of the project, while their message is written or waits to be sent.
//!
//! A turn keeps its attachments among its own texts. A file's row goes when its message is sent or its session is deleted. A trigger then
//! notes its body for [`Store::reclaim`], in case nothing else refers to it. Deliberately not here: what a file may be (`orion-engine`).

use orion_protocol::{Attachment, DraftOf, ProjectId, QueuedId, SessionId, Sha256};
use sqlx::SqliteConnection;

use crate::blob;
use crate::draft::{gone, id};
use crate::error::{StoreError, reading, writing};
use crate::store::Store;
use crate::writer::Transaction;

impl Store {
    /// The files of a message that is being written, in the order in which they came.
    pub async fn attachments(&self, of: DraftOf) -> Result<Vec<Attachment>, StoreError> {
        let sql = match of {
            DraftOf::Session { .. } => {
                "SELECT file FROM attachments WHERE session_id = ? AND queued_id IS NULL ORDER BY id"
            }
            DraftOf::Project { .. } => {
                "SELECT file FROM attachments WHERE project_id = ? AND queued_id IS NULL ORDER BY id"
            }
        };
        let rows: Vec<String> = sqlx::query_scalar(sql)
            .bind(id(of))
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        // One that cannot be read hides no other.
        Ok(rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect())
    }

    /// Keeps a file for the message that is being written there. One that it has already stays once.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`], [`StoreError::ProjectUnknown`].
    pub async fn add_attachment(
        &self,
        of: DraftOf,
        file: Attachment,
        body: String,
    ) -> Result<(), StoreError> {
        self.transact(Add { of, file, body }).await
    }

    /// Takes a file out of the message that is being written there.
    pub async fn remove_attachment(&self, of: DraftOf, sha256: Sha256) -> Result<(), StoreError> {
        self.transact(Drop { of, files: vec![sha256] }).await.map(|_| ())
    }

    /// A turn has these files now, and the message that has them is no draft any more: one of the session, or the first of a project.
    pub async fn attachments_begun(
        &self,
        session_id: SessionId,
        project_id: ProjectId,
        files: Vec<Sha256>,
    ) -> Result<(), StoreError> {
        let of = DraftOf::Session { session_id };
        if self.transact(Drop { of, files: files.clone() }).await? == 0 {
            self.transact(Drop { of: DraftOf::Project { project_id }, files }).await?;
        }
        Ok(())
    }
}

/// A message that was written waits to be sent, with the files that it names.
pub(crate) async fn queue(
    connection: &mut SqliteConnection,
    session_id: SessionId,
    queued_id: QueuedId,
    files: &[Attachment],
) -> Result<(), StoreError> {
    if files.is_empty() {
        return Ok(());
    }
    let digests: Vec<Sha256> = files.iter().map(|file| file.sha256).collect();
    // The first message of a session may have been written before there was one.
    let sql = "UPDATE attachments SET queued_id = ?1, session_id = ?2, project_id = NULL
               WHERE queued_id IS NULL AND sha256 IN (SELECT value FROM json_each(?3))
               AND (session_id = ?2 OR project_id = (SELECT project_id FROM sessions WHERE session_id = ?2))";
    sqlx::query(sql)
        .bind(queued_id.to_string())
        .bind(session_id.to_string())
        .bind(serde_json::to_string(&digests).map_err(StoreError::value)?)
        .execute(&mut *connection)
        .await
        .map_err(writing)?;
    // A file may come with the message alone, and not from a draft. One that is no longer kept is reported when the message is sent.
    let sql = "INSERT INTO attachments (session_id, queued_id, sha256, file) SELECT ?1, ?2, ?3, ?4
               WHERE EXISTS (SELECT 1 FROM blobs WHERE sha256 = ?3)
               AND NOT EXISTS (SELECT 1 FROM attachments WHERE queued_id = ?2 AND sha256 = ?3)";
    for file in files {
        sqlx::query(sql)
            .bind(session_id.to_string())
            .bind(queued_id.to_string())
            .bind(file.sha256.to_string())
            .bind(serde_json::to_string(file).map_err(StoreError::value)?)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
    }
    Ok(())
}

/// The messages that waited are the person's again: their files are those of the message that is being written.
pub(crate) async fn take_back(
    connection: &mut SqliteConnection,
    session_id: SessionId,
) -> Result<(), StoreError> {
    // A draft has each file once.
    let once = "DELETE FROM attachments WHERE session_id = ?1 AND queued_id IS NOT NULL AND EXISTS
                (SELECT 1 FROM attachments AS other WHERE other.session_id = ?1 AND other.sha256 = attachments.sha256
                 AND (other.queued_id IS NULL OR other.id < attachments.id))";
    let taken = "UPDATE attachments SET queued_id = NULL WHERE session_id = ? AND queued_id IS NOT NULL";
    for sql in [once, taken] {
        sqlx::query(sql).bind(session_id.to_string()).execute(&mut *connection).await.map_err(writing)?;
    }
    Ok(())
}

struct Add {
    of: DraftOf,
    file: Attachment,
    body: String,
}

impl Transaction for Add {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let sha256 = blob::put(connection, self.body.as_bytes()).await?;
        let sql = match self.of {
            DraftOf::Session { .. } => {
                "INSERT INTO attachments (session_id, sha256, file) SELECT ?1, ?2, ?3 WHERE NOT EXISTS
                 (SELECT 1 FROM attachments WHERE session_id = ?1 AND queued_id IS NULL AND sha256 = ?2)"
            }
            DraftOf::Project { .. } => {
                "INSERT INTO attachments (project_id, sha256, file) SELECT ?1, ?2, ?3 WHERE NOT EXISTS
                 (SELECT 1 FROM attachments WHERE project_id = ?1 AND sha256 = ?2)"
            }
        };
        let added = sqlx::query(sql)
            .bind(id(self.of))
            .bind(sha256.to_string())
            .bind(serde_json::to_string(&self.file).map_err(StoreError::value)?)
            .execute(connection)
            .await
            .map_err(writing);
        match added {
            // The foreign key is the only rule that this row can break.
            Err(error) if error.is_constraint() => Err(gone(self.of)),
            added => added.map(|_| ()),
        }
    }
}

struct Drop {
    of: DraftOf,
    files: Vec<Sha256>,
}

impl Transaction for Drop {
    /// How many there were.
    type Out = u64;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<u64, StoreError> {
        let sql = match self.of {
            DraftOf::Session { .. } => {
                "DELETE FROM attachments WHERE session_id = ? AND queued_id IS NULL AND sha256 IN (SELECT value FROM json_each(?))"
            }
            DraftOf::Project { .. } => {
                "DELETE FROM attachments WHERE project_id = ? AND queued_id IS NULL AND sha256 IN (SELECT value FROM json_each(?))"
            }
        };
        let files = serde_json::to_string(&self.files).map_err(StoreError::value)?;
        let gone =
            sqlx::query(sql).bind(id(self.of)).bind(files).execute(connection).await.map_err(writing)?;
        Ok(gone.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{AttachmentContent, QueuedMessage, TurnOptions};
    use uuid::Uuid;

    use super::*;
    use crate::QueueChange;

    fn file(name: &str, body: &str) -> Attachment {
        let sha256 = blob::digest(body.as_bytes());
        Attachment { name: name.into(), sha256, bytes: 1, content: AttachmentContent::Text { lines: 1 } }
    }

    async fn bodies(store: &Store) -> Vec<String> {
        store.reclaim().await.unwrap();
        let sql = "SELECT CAST(body AS TEXT) FROM blobs ORDER BY body";
        sqlx::query_scalar(sql).fetch_all(&mut *store.reader().await.unwrap()).await.unwrap()
    }

    // W7
    #[tokio::test]
    async fn a_file_stays_as_long_as_a_draft_or_a_message_that_waits_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project_id = store.open_project("/fox", "fox", 1).await.unwrap().project_id;
        let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
        let (session, project) = (DraftOf::Session { session_id }, DraftOf::Project { project_id });
        for (of, name) in [(session, "a"), (session, "b"), (session, "b"), (project, "b"), (project, "c")] {
            store.add_attachment(of, file(name, name), name.into()).await.unwrap();
        }
        assert_eq!(store.attachments(session).await.unwrap(), [file("a", "a"), file("b", "b")]);
        assert_eq!(store.attachments(project).await.unwrap(), [file("b", "b"), file("c", "c")]);

        store.remove_attachment(project, file("b", "b").sha256).await.unwrap();
        assert_eq!(bodies(&store).await, ["a", "b", "c"]);
        store.remove_attachment(session, file("b", "b").sha256).await.unwrap();
        assert_eq!(bodies(&store).await, ["a", "c"]);

        // The message of the session waits, and takes its file along.
        let options = TurnOptions { attachments: vec![file("a", "a")], ..TurnOptions::default() };
        let queued_id = QueuedId(Uuid::now_v7());
        let message = QueuedMessage { queued_id, text: "look".into(), options };
        let add = QueueChange::Add { session_id, message, here: true };
        store.change_queue(add).await.unwrap();
        assert_eq!(store.attachments(session).await.unwrap(), []);
        store.attachments_begun(session_id, project_id, vec![file("a", "a").sha256]).await.unwrap();
        assert_eq!(bodies(&store).await, ["a", "c"]);
        store.change_queue(QueueChange::Remove { queued_id }).await.unwrap();
        assert_eq!(bodies(&store).await, ["c"]);

        // One that was unqueued can be edited again, with its files; here they come from the draft of the project.
        let options = TurnOptions { attachments: vec![file("c", "c")], ..TurnOptions::default() };
        let message = QueuedMessage { queued_id, text: "look".into(), options };
        store.change_queue(QueueChange::Add { session_id, message, here: true }).await.unwrap();
        assert_eq!(store.attachments(project).await.unwrap(), []);
        store.change_queue(QueueChange::Empty { session_id }).await.unwrap();
        assert_eq!(store.attachments(session).await.unwrap(), [file("c", "c")]);
        store.remove_attachment(session, file("c", "c").sha256).await.unwrap();
        assert_eq!(bodies(&store).await, [""; 0]);

        // Over HTTP a file is kept with another session until the message waits (H6).
        let carrier = store.new_session(project_id, 1).await.unwrap().session_id;
        store
            .add_attachment(DraftOf::Session { session_id: carrier }, file("d", "d"), "d".into())
            .await
            .unwrap();
        let options =
            TurnOptions { attachments: vec![file("d", "d"), file("e", "e")], ..TurnOptions::default() };
        let message = QueuedMessage { queued_id, text: "look".into(), options };
        store.change_queue(QueueChange::Add { session_id, message, here: true }).await.unwrap();
        store.delete_session(carrier).await.unwrap();
        assert_eq!(bodies(&store).await, ["d"]);
        let options = TurnOptions { attachments: vec![file("d", "d")], ..TurnOptions::default() };
        let message = QueuedMessage { queued_id: QueuedId(Uuid::now_v7()), text: "and".into(), options };
        store.change_queue(QueueChange::Add { session_id, message, here: true }).await.unwrap();
        store.change_queue(QueueChange::Empty { session_id }).await.unwrap();
        assert_eq!(store.attachments(session).await.unwrap(), [file("d", "d")]);
        store.remove_attachment(session, file("d", "d").sha256).await.unwrap();
        assert_eq!(bodies(&store).await, [""; 0]);

        // The first message of a session has what was written in its project.
        store.add_attachment(project, file("c", "c"), "c".into()).await.unwrap();
        store.attachments_begun(session_id, project_id, vec![file("c", "c").sha256]).await.unwrap();
        assert_eq!(bodies(&store).await, [""; 0]);
    }

    #[tokio::test]
    async fn a_file_goes_with_its_session_and_its_project() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project_id = store.open_project("/fox", "fox", 1).await.unwrap().project_id;
        let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
        let (session, project) = (DraftOf::Session { session_id }, DraftOf::Project { project_id });
        store.add_attachment(session, file("a", "a"), "a".into()).await.unwrap();
        store.add_attachment(project, file("b", "b"), "b".into()).await.unwrap();
        store.delete_session(session_id).await.unwrap();
        assert_eq!(bodies(&store).await, ["b"]);
        store.forget_project(project_id).await.unwrap();
        assert_eq!(bodies(&store).await, [""; 0]);
        assert_eq!(
            store.add_attachment(session, file("a", "a"), "a".into()).await,
            Err(StoreError::SessionUnknown(session_id))
        );
        assert_eq!(bodies(&store).await, [""; 0]);
    }
}
