//! What the turns of a session have cost. Each turn is added in the transaction that records its end.

use orion_protocol::{TurnReport, Usd};
use sqlx::SqliteConnection;

use crate::error::{StoreError, writing};

/// What a turn has cost, by its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// None where the price is not known.
    pub(crate) cost_usd: Option<Usd>,
    pub(crate) prompt_tokens: u32,
    pub(crate) completion_tokens: u32,
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

/// Adds what a turn has cost, by its report, to its session, and the time at which it ended. What a forked turn had cost before it was forked
/// counts where it was spent.
pub(crate) async fn add(
    connection: &mut SqliteConnection,
    request_id: &str,
    spent: Spent,
    at_ms: i64,
) -> Result<(), StoreError> {
    let billionths = spent.cost_usd.map_or(0, Usd::billionths);
    let most = i64::try_from(Usd::MAX.billionths()).map_err(StoreError::value)?;
    let sql = "WITH before (cost, prompt, completion) AS (
                   SELECT coalesce(sum(cost), 0), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0)
                   FROM forks WHERE request_id = ?6
               )
               UPDATE sessions SET cost = min(sessions.cost + max(?1 - before.cost, 0), ?2), priced = priced + ?3,
                   prompt_tokens = prompt_tokens + max(?4 - before.prompt, 0),
                   completion_tokens = completion_tokens + max(?5 - before.completion, 0),
                   updated_at_ms = max(updated_at_ms, ?7)
               FROM before WHERE session_id = (SELECT session_id FROM turns WHERE request_id = ?6)";
    sqlx::query(sql)
        .bind(i64::try_from(billionths).map_err(StoreError::value)?)
        .bind(most)
        .bind(spent.cost_usd.is_some())
        .bind(spent.prompt_tokens)
        .bind(spent.completion_tokens)
        .bind(request_id.to_owned())
        .bind(at_ms)
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
