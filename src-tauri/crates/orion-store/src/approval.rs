//! Approvals that a person keeps (A1). They are written with the answer that keeps them, and with each call that they allow.
//!
//! Deliberately not here: what they allow (`orion-core`).

use orion_protocol::{ApprovalId, KeptApproval, KeptFor, KeptRule, ProjectId, SessionId};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::readable::readable;
use crate::store::Store;
use crate::writer::Transaction;

type Row = (String, String, Option<String>, String, String, String, i64, Option<i64>, String, Option<String>);

fn approval(row: Row) -> Result<KeptApproval, StoreError> {
    let (
        approval_id,
        project_id,
        session_id,
        request_id,
        tool,
        pattern,
        created_at_ms,
        used_at_ms,
        path,
        title,
    ) = row;
    let kept_for = if session_id.is_some() { KeptFor::Session } else { KeptFor::Project };
    let approval_id = approval_id.parse().map_err(StoreError::value)?;
    Ok(KeptApproval {
        rule: KeptRule { approval_id, kept_for, tool, pattern },
        line: None,
        project_id: project_id.parse().map_err(StoreError::value)?,
        path,
        session_id: session_id.map(|id| id.parse().map_err(StoreError::value)).transpose()?,
        session_title: title,
        request_id: request_id.parse().map_err(StoreError::value)?,
        created_at_ms,
        used_at_ms,
    })
}

impl Store {
    /// All approvals that are kept, the newest first.
    pub async fn approvals(&self) -> Result<Vec<KeptApproval>, StoreError> {
        let sql = "SELECT approval_id, approvals.project_id, approvals.session_id, request_id, tool, pattern,
                       approvals.created_at_ms, used_at_ms, projects.path, sessions.title
                   FROM approvals JOIN projects USING (project_id)
                   LEFT JOIN sessions ON sessions.session_id = approvals.session_id
                   ORDER BY approvals.created_at_ms DESC, approval_id DESC";
        let rows = sqlx::query(sql).fetch_all(&mut *self.reader().await?).await.map_err(reading)?;
        Ok(readable("approvals", rows, approval))
    }

    /// The approvals that hold in a session of the project whose folder is this one on its disk, the oldest first.
    pub async fn approvals_in(
        &self,
        project_id: ProjectId,
        session_id: SessionId,
        folder: &str,
    ) -> Result<Vec<KeptRule>, StoreError> {
        let sql = "SELECT approval_id, session_id IS NOT NULL, tool, pattern FROM approvals
                   WHERE project_id = ? AND folder = ? AND (session_id IS NULL OR session_id = ?)
                   ORDER BY created_at_ms, approval_id";
        let rows = sqlx::query(sql)
            .bind(project_id.to_string())
            .bind(folder.to_owned())
            .bind(session_id.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let rule = |(approval_id, of_session, tool, pattern): (String, bool, String, String)| {
            let kept_for = if of_session { KeptFor::Session } else { KeptFor::Project };
            let approval_id = approval_id.parse().map_err(StoreError::value)?;
            Ok(KeptRule { approval_id, kept_for, tool, pattern })
        };
        // One that is left out lifts nothing, so its calls are asked about.
        Ok(readable("approvals", rows, rule))
    }

    /// Takes an approval back. Returns the project that it was for.
    ///
    /// # Errors
    /// [`StoreError::ApprovalUnknown`] when there is none, or none any more.
    pub async fn revoke(&self, approval_id: ApprovalId) -> Result<ProjectId, StoreError> {
        self.transact(Revoke { approval_id }).await
    }
}

struct Revoke {
    approval_id: ApprovalId,
}

impl Transaction for Revoke {
    type Out = ProjectId;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<ProjectId, StoreError> {
        let sql = "DELETE FROM approvals WHERE approval_id = ? RETURNING project_id";
        let project: Option<String> = sqlx::query_scalar(sql)
            .bind(self.approval_id.to_string())
            .fetch_optional(connection)
            .await
            .map_err(writing)?;
        project.ok_or(StoreError::ApprovalUnknown(self.approval_id))?.parse().map_err(StoreError::value)
    }
}

/// Keeps an approval that a person gave in this turn.
pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    request_id: &str,
    rule: &KeptRule,
    folder: &str,
    at_ms: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO approvals
                   (approval_id, project_id, session_id, request_id, folder, tool, pattern, created_at_ms)
               SELECT ?, project_id, CASE WHEN ? THEN session_id END, request_id, ?, ?, ?, ?
               FROM turns WHERE request_id = ?";
    sqlx::query(sql)
        .bind(rule.approval_id.to_string())
        .bind(rule.kept_for == KeptFor::Session)
        .bind(folder.to_owned())
        .bind(rule.tool.clone())
        .bind(rule.pattern.clone())
        .bind(at_ms)
        .bind(request_id.to_owned())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}

/// Notes that an approval allowed a call. It may have been revoked meanwhile.
pub(crate) async fn used(
    connection: &mut SqliteConnection,
    approval_id: ApprovalId,
    at_ms: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE approvals SET used_at_ms = max(coalesce(used_at_ms, 0), ?) WHERE approval_id = ?";
    sqlx::query(sql).bind(at_ms).bind(approval_id.to_string()).execute(connection).await.map_err(writing)?;
    Ok(())
}
