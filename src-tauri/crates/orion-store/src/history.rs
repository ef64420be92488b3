//! The conversation so far, as the next turn's prompt needs it: the newest part, within a byte budget.

use futures_util::TryStreamExt;
use orion_protocol::{RequestId, SessionId};
use sqlx::SqliteExecutor;

use crate::error::StoreError;
use crate::store::{Store, reading};

/// What was asked and, where the turn came to a text, what was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    pub user: String,
    pub assistant: Option<String>,
}

impl Exchange {
    fn bytes(&self) -> usize {
        self.user.len() + self.assistant.as_ref().map_or(0, String::len)
    }
}

impl Store {
    /// The newest exchanges of a session that fit into `budget` bytes together, oldest first. When not even the newest
    /// one fits, its end is cut off: first the answer's, then the question's.
    pub async fn history(&self, session_id: SessionId, budget: usize) -> Result<Vec<Exchange>, StoreError> {
        newest(self.readers(), session_id, i64::MAX, budget, &[]).await
    }

    /// The history that this turn was given when it began. `unanswered` are those of its exchanges that had no answer then, counted
    /// from the newest: one may have come since, of a turn that was gone on with.
    pub async fn history_before(
        &self,
        request_id: RequestId,
        budget: usize,
        unanswered: &[usize],
    ) -> Result<Vec<Exchange>, StoreError> {
        let sql = "SELECT session_id, ordinal FROM turns WHERE request_id = ?";
        let row: Option<(String, i64)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .fetch_optional(self.readers())
            .await
            .map_err(reading)?;
        let (session_id, ordinal) = row.ok_or(StoreError::TurnUnknown(request_id))?;
        let session_id = session_id.parse().map_err(StoreError::value)?;
        newest(self.readers(), session_id, ordinal, budget, unanswered).await
    }
}

/// What was said in the turns before the one with this number.
pub(crate) async fn newest(
    executor: impl SqliteExecutor<'_>,
    session_id: SessionId,
    before: i64,
    budget: usize,
    unanswered: &[usize],
) -> Result<Vec<Exchange>, StoreError> {
    let sql = "SELECT asked.body, answered.body FROM messages AS asked
               LEFT JOIN messages AS answered ON answered.session_id = asked.session_id
                   AND answered.ordinal = asked.ordinal AND answered.role = 'assistant'
               WHERE asked.session_id = ? AND asked.ordinal < ? AND asked.role = 'user' ORDER BY asked.ordinal DESC";
    // Read one by one, so that a long session costs no more than its newest part.
    let mut rows = sqlx::query_as::<_, (String, Option<String>)>(sql)
        .bind(session_id.to_string())
        .bind(before)
        .fetch(executor);
    let mut newest_first: Vec<Exchange> = Vec::new();
    let mut left = budget;
    while let Some((user, assistant)) = rows.try_next().await.map_err(reading)? {
        let assistant = assistant.filter(|_| !unanswered.contains(&newest_first.len()));
        let mut exchange = Exchange { user, assistant };
        if exchange.bytes() > left {
            if newest_first.is_empty() {
                cut(&mut exchange.user, left);
                let rest = left - exchange.user.len();
                exchange.assistant.iter_mut().for_each(|text| cut(text, rest));
                newest_first.push(exchange);
            }
            break;
        }
        left -= exchange.bytes();
        newest_first.push(exchange);
    }
    newest_first.reverse();
    Ok(newest_first)
}

/// Keeps the beginning of a text, cut on a character boundary.
fn cut(text: &mut String, budget: usize) {
    if text.len() > budget {
        let end = (0..=budget).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        text.truncate(end);
    }
}
