//! Tool calls that ran, by turn, batch and call, with the arguments and the body that the model saw.

use orion_protocol::{BatchId, CallId, Permission, RequestId, StoredCall, ToolStatus};
use sqlx::SqliteConnection;

use crate::blob;
use crate::column::{digest, from_word, to_word};
use crate::error::{StoreError, reading, writing};
use crate::store::Store;

impl Store {
    /// The call with its arguments and, once it has ended, what the model saw of its result.
    pub async fn tool_call(&self, request_id: RequestId, call_id: &CallId) -> Result<StoredCall, StoreError> {
        let sql = "SELECT name, arguments, permission, sha256 FROM outcomes
                   WHERE request_id = ? AND tool_call_id = ? ORDER BY tool_batch_id DESC LIMIT 1";
        let row: Option<(String, String, String, Option<String>)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .bind(call_id.0.clone())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        let (name, arguments, permission, sha256) =
            row.ok_or_else(|| StoreError::CallUnknown(call_id.clone()))?;
        let result = match sha256 {
            Some(sha256) => Some(self.text(digest(&sha256)?).await?),
            None => None,
        };
        Ok(StoredCall {
            tool_call_id: call_id.clone(),
            name,
            arguments: serde_json::from_str(&arguments).map_err(StoreError::value)?,
            permission: from_word(permission)?,
            result,
        })
    }

    /// The input that told the machine how a call ended, as it was recorded; none while it runs. One row is read, however long the
    /// turn's journal is.
    pub async fn call_ended(
        &self,
        request_id: RequestId,
        call_id: &CallId,
    ) -> Result<Option<String>, StoreError> {
        let sql = "SELECT body FROM outcomes JOIN journal ON journal.request_id = outcomes.request_id AND n = ended_n
                   WHERE outcomes.request_id = ? AND tool_call_id = ? AND status IS NOT NULL
                   ORDER BY tool_batch_id DESC LIMIT 1";
        sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .bind(call_id.0.clone())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)
    }
}

pub(crate) async fn start(
    connection: &mut SqliteConnection,
    request_id: &str,
    batch: BatchId,
    call_id: &CallId,
    name: &str,
    arguments: &str,
    permission: Permission,
) -> Result<(), StoreError> {
    // A5: a call that had begun when its process died begins once more.
    let sql = "INSERT INTO outcomes (request_id, tool_batch_id, tool_call_id, name, arguments, permission)
               VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    sqlx::query(sql)
        .bind(request_id.to_owned())
        .bind(batch)
        .bind(call_id.0.clone())
        .bind(name.to_owned())
        .bind(arguments.to_owned())
        .bind(to_word(&permission)?)
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}

pub(crate) async fn end(
    connection: &mut SqliteConnection,
    request_id: &str,
    batch: BatchId,
    call_id: &CallId,
    status: ToolStatus,
    body: &str,
    ended_n: i64,
) -> Result<(), StoreError> {
    let sha256 = blob::put(connection, body.as_bytes()).await?;
    let sql = "UPDATE outcomes SET status = ?, sha256 = ?, ended_n = ?
               WHERE request_id = ? AND tool_batch_id = ? AND tool_call_id = ?";
    sqlx::query(sql)
        .bind(to_word(&status)?)
        .bind(sha256.to_string())
        .bind(ended_n)
        .bind(request_id.to_owned())
        .bind(batch)
        .bind(call_id.0.clone())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
