//! What the turns of a session have cost. Each turn is added in the transaction that records its end.

use orion_protocol::{TurnReport, Usd};
use sqlx::SqliteConnection;

use crate::error::{StoreError, writing};

/// What a turn has cost, by its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// None where the price is not known.
    cost_usd: Option<Usd>,
    prompt_tokens: u32,
    completion_tokens: u32,
}

impl From<&TurnReport> for Spent {
    fn from(report: &TurnReport) -> Self {
        Self {
            cost_usd: report.cost_usd,
            prompt_tokens: report.usage.prompt_tokens.unwrap_or(0),
            completion_tokens: report.usage.completion_tokens.unwrap_or(0),
        }
    }
}

/// Adds what a turn has cost, by its report, to its session.
pub(crate) async fn add(
    connection: &mut SqliteConnection,
    request_id: &str,
    spent: Spent,
) -> Result<(), StoreError> {
    let billionths = spent.cost_usd.map_or(0, Usd::billionths);
    let most = i64::try_from(Usd::MAX.billionths()).map_err(StoreError::value)?;
    let sql = "UPDATE sessions SET cost = min(cost + ?, ?), priced = priced + ?,
                   prompt_tokens = prompt_tokens + ?, completion_tokens = completion_tokens + ?
               WHERE session_id = (SELECT session_id FROM turns WHERE request_id = ?)";
    sqlx::query(sql)
        .bind(i64::try_from(billionths).map_err(StoreError::value)?)
        .bind(most)
        .bind(spent.cost_usd.is_some())
        .bind(spent.prompt_tokens)
        .bind(spent.completion_tokens)
        .bind(request_id.to_owned())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
