//! Takes over the messages of earlier versions, which kept them in a table of their own (up to schema 5).

use sqlx::{Connection, SqliteConnection};

use crate::error::{Act, StoreError};
use crate::text::{self, TextKind};

/// Messages that are moved in one statement.
const MESSAGES: u32 = 256;

/// Moves the messages to the texts of their turns and removes the table, all in one transaction. SQLite has no SHA-256, so a migration
/// cannot do this.
pub(crate) async fn take_over(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let migrating = |error: sqlx::Error| StoreError::database(Act::Migrate, &error);
    let there: Option<i64> =
        sqlx::query_scalar("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'messages'")
            .fetch_optional(&mut *connection)
            .await
            .map_err(migrating)?;
    if there.is_none() {
        return Ok(());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(migrating)?;
    let mut after = (String::new(), 0_i64, String::new());
    loop {
        // A question comes before its answer.
        let sql = "SELECT session_id, ordinal, iif(role = 'user', '1', '2') AS place, request_id, body FROM messages
                   WHERE (session_id, ordinal, iif(role = 'user', '1', '2')) > (?, ?, ?)
                   ORDER BY session_id, ordinal, place LIMIT ?";
        let messages: Vec<(String, i64, String, String, String)> = sqlx::query_as(sql)
            .bind(after.0.clone())
            .bind(after.1)
            .bind(after.2.clone())
            .bind(MESSAGES)
            .fetch_all(&mut *transaction)
            .await
            .map_err(migrating)?;
        let Some((session_id, ordinal, place, ..)) = messages.last() else { break };
        after = (session_id.clone(), *ordinal, place.clone());
        for (_, _, place, request_id, text) in messages {
            let item = match place.as_str() {
                "1" => serde_json::json!({"role": "user", "text": text}),
                _ => {
                    serde_json::json!({"role": "assistant", "text": text, "reasoning": null, "toolCalls": []})
                }
            };
            text::insert(&mut transaction, &request_id, &[(TextKind::Said, &item.to_string())]).await?;
        }
    }
    sqlx::raw_sql("DROP TABLE messages").execute(&mut *transaction).await.map_err(migrating)?;
    transaction.commit().await.map_err(migrating)
}
