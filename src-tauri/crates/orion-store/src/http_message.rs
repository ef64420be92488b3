//! The messages that came over HTTP, and the turns that they began (H4, H5). They stand beside the journal: no turn depends on its own.

use orion_protocol::{ProjectId, RequestId, Sha256};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::store::Store;

/// A message that came over HTTP, by digests of its caller's name for it and of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpMessage {
    /// The same one in a project begins no second turn.
    pub name: Option<Sha256>,
    pub content: Sha256,
    /// The turn goes on without a reader.
    pub goes_on: bool,
}

impl Store {
    /// The turn that a message of this name began in the project, and the message.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn begun_by(
        &self,
        project_id: ProjectId,
        name: Sha256,
    ) -> Result<Option<(RequestId, HttpMessage)>, StoreError> {
        let sql = "SELECT request_id, content, goes_on FROM http_messages WHERE project_id = ? AND name = ?";
        let row: Option<(String, String, bool)> = sqlx::query_as(sql)
            .bind(project_id.to_string())
            .bind(name.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(|(request_id, content, goes_on)| {
            let content = content.parse().map_err(StoreError::value)?;
            let request_id = request_id.parse().map_err(StoreError::value)?;
            Ok((request_id, HttpMessage { name: Some(name), content, goes_on }))
        })
        .transpose()
    }

    /// True for a turn that a message over HTTP began and that goes on without a reader; none for one that no such message began.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn goes_on_unread(&self, request_id: RequestId) -> Result<Option<bool>, StoreError> {
        sqlx::query_scalar("SELECT goes_on FROM http_messages WHERE request_id = ?")
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)
    }
}

/// Keeps the message of a turn, in the transaction that begins it.
pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    request_id: &str,
    message: &HttpMessage,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO http_messages (request_id, project_id, name, content, goes_on)
               SELECT request_id, project_id, ?2, ?3, ?4 FROM turns WHERE request_id = ?1";
    let kept = sqlx::query(sql)
        .bind(request_id.to_owned())
        .bind(message.name.map(|name| name.to_string()))
        .bind(message.content.to_string())
        .bind(message.goes_on)
        .execute(connection)
        .await
        .map_err(writing);
    match kept {
        // Another process was first.
        Err(error) if error.is_constraint() => Err(StoreError::MessageKnown),
        kept => kept.map(drop),
    }
}
