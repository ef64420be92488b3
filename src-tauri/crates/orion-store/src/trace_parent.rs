//! The spans of other programs that turns were begun from. They stand beside the journal: no turn depends on its own.

use orion_protocol::{RequestId, TraceParent};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::store::Store;

impl Store {
    /// The span of another program that a turn was begun from. None as well for a turn that is not here.
    pub async fn trace_parent(&self, request_id: RequestId) -> Result<Option<TraceParent>, StoreError> {
        let sql = "SELECT trace_parent FROM turns WHERE request_id = ?";
        let row: Option<Option<String>> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.flatten().map(|parent| parent.parse().map_err(StoreError::value)).transpose()
    }
}

pub(crate) async fn keep(
    connection: &mut SqliteConnection,
    request_id: &str,
    parent: TraceParent,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE turns SET trace_parent = ? WHERE request_id = ?")
        .bind(parent.to_string())
        .bind(request_id)
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
