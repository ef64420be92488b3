//! Pages of a session's turns (`Query::Session`). A long session costs no more than the part of it that is looked at.
//!
//! A page is one statement, read row by row in the order of its index. Reading ends with the page, and the rows beyond
//! it are never touched. Deliberately not here: joining chunks of text (`view`), and the turns before a fork (`ancestors`).

use futures_util::TryStreamExt;
use orion_protocol::{
    Aftermath, Envelope, ForkedFrom, RequestId, SessionId, TurnIds, TurnPage, TurnPlace, TurnState, TurnView,
};

use crate::aftermath::{Columns, aftermath_sql};
use crate::error::{StoreError, reading};
use crate::store::Store;
use crate::view::Joined;

/// The most turns of a page.
pub(crate) const PAGE_TURNS: u32 = 50;

/// Bytes of recorded events in a page at most, unless its only turn has more: 256 KiB, about ten long answers.
pub(crate) const PAGE_BYTES: usize = 256 * 1024;

/// A turn with one of its events; a turn without events has one row without an event.
#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    project_id: String,
    state: String,
    owner: String,
    /// On the path, from 1.
    place: u32,
    /// Turns of the path.
    total: u32,
    seq: Option<u32>,
    at_ms: Option<i64>,
    body: Option<String>,
    /// It comes with the turn's first event, as what follows.
    #[sqlx(flatten)]
    aftermath: Columns,
    forked_from: Option<String>,
    forked_session: Option<String>,
    forked_title: Option<String>,
    forked_phase: Option<u32>,
    forked_step: Option<u32>,
}

/// A turn while its events are read.
pub(crate) struct Turn {
    ids: TurnIds,
    place: u32,
    total: u32,
    state: TurnState,
    aftermath: Aftermath,
    forked_from: Option<ForkedFrom>,
    events: Joined,
    /// Bytes of them as they were recorded.
    pub(crate) bytes: usize,
}

/// Rows of turns with their events.
macro_rules! turns_sql {
    ($($tail:expr),+) => {
        concat!(
            "SELECT turns.request_id, turns.project_id, state, owner, coalesce(place, 0) AS place,
                    (SELECT max(place) FROM turns WHERE session_id = ?1) AS total, seq, at_ms, body,
                    CASE seq WHEN 1 THEN ",
            aftermath_sql!(undone),
            " END AS undone, CASE seq WHEN 1 THEN ",
            aftermath_sql!(branches),
            " END AS branches, CASE seq WHEN 1 THEN ",
            aftermath_sql!(compaction_undone),
            " ELSE 0 END AS compaction_undone,
                    forked_from, phase AS forked_phase, step AS forked_step,
                    CASE seq WHEN 1 THEN (SELECT session_id FROM turns AS origin
                        WHERE origin.request_id = forked_from) END AS forked_session,
                    CASE seq WHEN 1 THEN (SELECT title FROM turns AS origin JOIN sessions USING (session_id)
                        WHERE origin.request_id = forked_from) END AS forked_title
             FROM turns LEFT JOIN journal ON journal.request_id = turns.request_id AND kind = 'event'
             LEFT JOIN forks ON place = 1 AND forks.session_id = turns.session_id ",
            $($tail),+
        )
    };
}

macro_rules! page_sql {
    ($side:literal, $order:literal) => {
        turns_sql!(
            "WHERE turns.session_id = ?1 AND turns.place > 0 AND turns.place ",
            $side,
            " ORDER BY turns.place ",
            $order,
            ", n"
        )
    };
}

const NEWEST: &str = page_sql!("< 9223372036854775807", "DESC");
const BEFORE: &str = page_sql!("< (SELECT place FROM turns WHERE request_id = ?2)", "DESC");
const AFTER: &str = page_sql!("> (SELECT place FROM turns WHERE request_id = ?2)", "ASC");
const FROM: &str = page_sql!(">= (SELECT nullif(place, 0) FROM turns WHERE request_id = ?2)", "ASC");

/// One turn, on a path or beside it.
pub(crate) const ONE: &str = turns_sql!("WHERE turns.session_id = ?1 AND turns.request_id = ?2 ORDER BY n");

#[cfg(test)]
pub(crate) const STATEMENTS: [&str; 4] = [NEWEST, BEFORE, AFTER, FROM];

impl Store {
    /// At most `turns` turns of a session's path at a place (50 at most), in their order; fewer when they are long. At a place that the path
    /// has left, those at its end.
    ///
    /// # Errors
    /// [`StoreError::SessionUnknown`], and [`StoreError::TurnUnknown`] for a place at a turn that is not there.
    pub async fn session_page(
        &self,
        session_id: SessionId,
        place: TurnPlace,
        turns: u32,
    ) -> Result<TurnPage, StoreError> {
        let (sql, at) = match place {
            TurnPlace::Newest => (NEWEST, None),
            TurnPlace::Before { request_id } => (BEFORE, Some(request_id)),
            TurnPlace::After { request_id } => (AFTER, Some(request_id)),
            TurnPlace::From { request_id } => (FROM, Some(request_id)),
        };
        let most = turns.clamp(1, PAGE_TURNS) as usize;
        let mut read = self.read_page(session_id, sql, at, most).await?;
        if matches!(place, TurnPlace::Newest | TurnPlace::Before { .. }) {
            read.reverse();
        }
        let (Some(first), Some(last)) = (read.first(), read.last()) else {
            self.session(session_id).await?;
            return match at {
                Some(request_id) if !self.is_on_path(request_id).await? => {
                    let newest = Box::pin(self.session_page(session_id, TurnPlace::Newest, turns)).await?;
                    Ok(TurnPage { anew: true, ..newest })
                }
                _ => {
                    let earlier = matches!(place, TurnPlace::After { .. });
                    let later = matches!(place, TurnPlace::Before { .. });
                    Ok(TurnPage { turns: Vec::new(), earlier, later, anew: false })
                }
            };
        };
        let (earlier, later) = (first.place > 1, last.place < last.total);
        Ok(TurnPage { turns: read.into_iter().map(Turn::view).collect(), earlier, later, anew: false })
    }

    /// The turn that a session begins with; none before its first one.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn first_of_path(&self, session_id: SessionId) -> Result<Option<RequestId>, StoreError> {
        let sql = "SELECT request_id FROM turns WHERE session_id = ? AND place > 0 ORDER BY place LIMIT 1";
        self.on_path(sql, session_id.to_string()).await
    }

    /// The turn that follows this one on its session's path; none after the tip, and of one beside the path.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn after_on_path(&self, request_id: RequestId) -> Result<Option<RequestId>, StoreError> {
        let sql = "SELECT next.request_id FROM turns JOIN turns AS next USING (session_id)
                   WHERE turns.request_id = ? AND turns.place > 0 AND next.place > turns.place ORDER BY next.place LIMIT 1";
        self.on_path(sql, request_id.to_string()).await
    }

    async fn on_path(&self, sql: &'static str, id: String) -> Result<Option<RequestId>, StoreError> {
        let row: Option<String> = sqlx::query_scalar(sql)
            .bind(id)
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.map(|id| id.parse().map_err(StoreError::value)).transpose()
    }

    /// Whether a turn is between the first of its session and its tip.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn is_on_path(&self, request_id: RequestId) -> Result<bool, StoreError> {
        let sql = "SELECT coalesce(place, 0) > 0 FROM turns WHERE request_id = ?";
        let row: Option<bool> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.ok_or(StoreError::TurnUnknown(request_id))
    }

    /// Whole turns of the rows that a statement gives, as many as fit.
    pub(crate) async fn read_page(
        &self,
        session_id: SessionId,
        sql: &'static str,
        at: Option<RequestId>,
        most: usize,
    ) -> Result<Vec<Turn>, StoreError> {
        let mut connection = self.reader().await?;
        let mut rows = sqlx::query_as::<_, Row>(sql)
            .bind(session_id.to_string())
            .bind(at.map(|request_id| request_id.to_string()))
            .fetch(&mut *connection);
        let mut turns: Vec<Turn> = Vec::with_capacity(most);
        let mut bytes = 0;
        while let Some(row) = rows.try_next().await.map_err(reading)? {
            let begins = turns.last().is_none_or(|turn| turn.place != row.place);
            bytes += row.body.as_ref().map_or(0, String::len);
            let whole = turns.len() - usize::from(!begins);
            if (begins && whole == most) || (bytes > PAGE_BYTES && whole > 0) {
                // This turn is on the next page, with all its events.
                turns.truncate(whole);
                break;
            }
            if begins {
                turns.push(self.turn(session_id, &row)?);
            }
            if let (Some(turn), Some(seq), Some(at_ms), Some(body)) =
                (turns.last_mut(), row.seq, row.at_ms, row.body)
            {
                turn.bytes += body.len();
                turn.events.push(turn.ids, seq, at_ms, &body);
            }
        }
        Ok(turns)
    }

    fn turn(&self, session_id: SessionId, row: &Row) -> Result<Turn, StoreError> {
        let ids = TurnIds {
            request_id: row.request_id.parse().map_err(StoreError::value)?,
            session_id,
            project_id: row.project_id.parse().map_err(StoreError::value)?,
        };
        Ok(Turn {
            ids,
            place: row.place,
            total: row.total,
            state: match row.state.as_str() {
                "running" if self.runs(ids.request_id, &row.owner) => TurnState::Running,
                // Turns whose process died were marked as interrupted when the session was opened, unless they wait.
                "running" => TurnState::Waiting,
                "interrupted" => TurnState::Interrupted,
                _ => TurnState::Over,
            },
            aftermath: (&row.aftermath).try_into()?,
            forked_from: forked_from(row)?,
            events: Joined::default(),
            bytes: 0,
        })
    }
}

impl Turn {
    pub(crate) fn view(self) -> TurnView {
        let envelopes: Vec<Envelope> = self.events.into_envelopes();
        TurnView {
            request_id: self.ids.request_id,
            state: self.state,
            envelopes,
            aftermath: self.aftermath,
            forked_from: self.forked_from,
        }
    }
}

fn forked_from(row: &Row) -> Result<Option<ForkedFrom>, StoreError> {
    let (Some(request_id), Some(phase), Some(step)) = (&row.forked_from, row.forked_phase, row.forked_step)
    else {
        return Ok(None);
    };
    Ok(Some(ForkedFrom {
        session_id: row
            .forked_session
            .as_ref()
            .map(|id| id.parse().map_err(StoreError::value))
            .transpose()?,
        title: row.forked_title.clone(),
        request_id: request_id.parse().map_err(StoreError::value)?,
        phase,
        step,
    }))
}
