//! Bodies, stored once each under their SHA-256.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::store::writing;

/// Stores a body, unless it is there already, and returns its digest in hexadecimal.
pub(crate) async fn put(connection: &mut SqliteConnection, body: &str) -> Result<String, StoreError> {
    let sha256 = digest(body.as_bytes());
    let bytes = i64::try_from(body.len()).map_err(StoreError::value)?;
    sqlx::query("INSERT INTO blobs (sha256, bytes, body) VALUES (?, ?, ?) ON CONFLICT (sha256) DO NOTHING")
        .bind(sha256.clone())
        .bind(bytes)
        .bind(body.as_bytes().to_vec())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(sha256)
}

/// Takes away those of `digests` that nothing refers to any more.
pub(crate) async fn drop_unused(
    connection: &mut SqliteConnection,
    digests: &[String],
) -> Result<(), StoreError> {
    if digests.is_empty() {
        return Ok(());
    }
    let list = serde_json::to_string(digests).map_err(StoreError::value)?;
    let sql = "DELETE FROM blobs WHERE sha256 IN (SELECT value FROM json_each(?))
               AND NOT EXISTS (SELECT 1 FROM outcomes WHERE outcomes.sha256 = blobs.sha256)";
    sqlx::query(sql).bind(list).execute(connection).await.map_err(writing)?;
    Ok(())
}

fn digest(body: &[u8]) -> String {
    Sha256::digest(body).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
