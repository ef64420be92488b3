//! Projects: the folders that a person opened.

use orion_protocol::{Project, ProjectId};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::leftover;
use crate::readable::readable;
use crate::store::Store;
use crate::writer::Transaction;

pub(crate) type Row = (String, String, String, i64);

/// `available` is true here; the caller, who looks at the folder, sets it.
pub(crate) fn project((id, path, name, opened_at_ms): Row) -> Result<Project, StoreError> {
    let project_id = id.parse().map_err(StoreError::value)?;
    Ok(Project { project_id, name, path, opened_at_ms, available: true })
}

impl Store {
    /// The project of this folder, created if it does not exist. A path belongs to one project.
    pub async fn open_project(&self, path: &str, name: &str, at_ms: i64) -> Result<Project, StoreError> {
        self.transact(OpenProject { path: path.to_owned(), name: name.to_owned(), at_ms }).await
    }

    /// Another folder takes the place of the project's. A path belongs to one project.
    pub async fn locate_project(
        &self,
        project_id: ProjectId,
        path: &str,
        name: &str,
    ) -> Result<Project, StoreError> {
        self.transact(LocateProject { project_id, path: path.to_owned(), name: name.to_owned() }).await
    }

    /// All projects, the one opened last first.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let sql = "SELECT project_id, path, name, opened_at_ms FROM projects ORDER BY opened_at_ms DESC, project_id DESC";
        let rows = sqlx::query(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        Ok(readable("projects", rows, project))
    }

    pub async fn project(&self, project_id: ProjectId) -> Result<Project, StoreError> {
        let sql = "SELECT project_id, path, name, opened_at_ms FROM projects WHERE project_id = ?";
        let row: Option<Row> = sqlx::query_as(sql)
            .bind(project_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        project(row.ok_or(StoreError::ProjectUnknown(project_id))?)
    }

    /// Removes the project with all its sessions. Its files are not touched. The bytes of its sessions are gone from
    /// the disk after [`Store::reclaim`].
    ///
    /// # Errors
    /// [`StoreError::TurnActive`] while a turn of it runs.
    pub async fn forget_project(&self, project_id: ProjectId) -> Result<(), StoreError> {
        self.transact(ForgetProject { project_id }).await
    }
}

struct OpenProject {
    path: String,
    name: String,
    at_ms: i64,
}

impl Transaction for OpenProject {
    type Out = Project;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Project, StoreError> {
        let sql = "INSERT INTO projects (project_id, path, name, opened_at_ms) VALUES (?, ?, ?, ?)
                   ON CONFLICT (path) DO UPDATE SET opened_at_ms = excluded.opened_at_ms
                   RETURNING project_id, path, name, opened_at_ms";
        let row: Row = sqlx::query_as(sql)
            .bind(crate::ids::new_id().to_string())
            .bind(self.path.clone())
            .bind(self.name.clone())
            .bind(self.at_ms)
            .fetch_one(connection)
            .await
            .map_err(writing)?;
        project(row)
    }
}

struct LocateProject {
    project_id: ProjectId,
    path: String,
    name: String,
}

impl Transaction for LocateProject {
    type Out = Project;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Project, StoreError> {
        let sql = "UPDATE projects SET path = ?, name = ? WHERE project_id = ? RETURNING project_id, path, name, opened_at_ms";
        let row: Option<Row> = sqlx::query_as(sql)
            .bind(self.path.clone())
            .bind(self.name.clone())
            .bind(self.project_id.to_string())
            .fetch_optional(connection)
            .await
            .map_err(writing)?;
        project(row.ok_or(StoreError::ProjectUnknown(self.project_id))?)
    }
}

struct ForgetProject {
    project_id: ProjectId,
}

impl Transaction for ForgetProject {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let id = self.project_id.to_string();
        let running =
            "SELECT session_id FROM turns WHERE state = 'running' AND waits = 0 AND project_id = ? LIMIT 1";
        let running: Option<String> = sqlx::query_scalar(running)
            .bind(id.clone())
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing)?;
        if let Some(session_id) = running {
            return Err(StoreError::TurnActive(session_id.parse().map_err(StoreError::value)?));
        }
        let turns =
            "SELECT request_id FROM turns JOIN sessions USING (session_id) WHERE sessions.project_id = ?1";
        leftover::note(connection, turns, &id).await?;
        let gone = sqlx::query("DELETE FROM projects WHERE project_id = ?")
            .bind(id)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
        if gone.rows_affected() == 0 {
            return Err(StoreError::ProjectUnknown(self.project_id));
        }
        Ok(())
    }
}
