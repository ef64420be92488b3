//! Pages of a session's turns. A long session costs no more than the part of it that is looked at.
//!
//! A page is one statement, read row by row in the order of its index. Reading ends with the page, and the rows beyond
//! it are never touched. Deliberately not here: joining chunks of text (`view`).

use futures_util::TryStreamExt;
use orion_protocol::{Envelope, SessionId, TurnIds, TurnPage, TurnPlace, TurnState, TurnView};

use crate::error::{StoreError, reading};
use crate::store::Store;
use crate::view::Joined;

/// The most turns of a page.
const PAGE_TURNS: u32 = 50;

/// Bytes of recorded events in a page at most, unless its only turn has more: 256 KiB, about ten long answers.
const PAGE_BYTES: usize = 256 * 1024;

/// A turn with one of its events; a turn without events has one row without an event.
#[derive(sqlx::FromRow)]
struct Row {
    request_id: String,
    project_id: String,
    state: String,
    owner: String,
    ordinal: u32,
    /// Turns of the session.
    total: u32,
    seq: Option<u32>,
    at_ms: Option<i64>,
    body: Option<String>,
    /// Numbers with commas between them; they come with the turn's first event.
    undone: Option<String>,
    compaction_undone: bool,
}

/// A turn while its events are read.
struct Turn {
    ids: TurnIds,
    ordinal: u32,
    total: u32,
    state: TurnState,
    undone: Vec<u32>,
    compaction_undone: bool,
    events: Joined,
}

macro_rules! page_sql {
    ($side:literal, $order:literal) => {
        concat!(
            "SELECT turns.request_id, turns.project_id, state, owner, ordinal,
                    (SELECT turns FROM sessions WHERE session_id = ?1) AS total, seq, at_ms, body,
                    CASE seq WHEN 1 THEN (SELECT group_concat(number) FROM writes
                        WHERE writes.request_id = turns.request_id AND stage = 'undone') END AS undone,
                    CASE seq WHEN 1 THEN EXISTS (SELECT 1 FROM former_contexts AS former
                            WHERE former.request_id = turns.request_id)
                        AND NOT EXISTS (SELECT 1 FROM contexts WHERE contexts.request_id = turns.request_id)
                    ELSE 0 END AS compaction_undone
             FROM turns LEFT JOIN journal ON journal.request_id = turns.request_id AND kind = 'event'
             WHERE session_id = ?1 AND ordinal ",
            $side,
            " ORDER BY ordinal ",
            $order,
            ", n"
        )
    };
}

const NEWEST: &str = page_sql!("< 9223372036854775807", "DESC");
const BEFORE: &str = page_sql!("< (SELECT ordinal FROM turns WHERE request_id = ?2)", "DESC");
const AFTER: &str = page_sql!("> (SELECT ordinal FROM turns WHERE request_id = ?2)", "ASC");

impl Store {
    /// At most `turns` turns of a session at a place (50 at most), in the order they began; fewer when they are long.
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
        };
        let rows = sqlx::query_as::<_, Row>(sql)
            .bind(session_id.to_string())
            .bind(at.map(|request_id| request_id.to_string()))
            .fetch(self.readers());
        let most = turns.clamp(1, PAGE_TURNS) as usize;
        let mut read = self.read_page(session_id, rows, most).await?;
        if matches!(place, TurnPlace::Newest | TurnPlace::Before { .. }) {
            read.reverse();
        }
        let (Some(first), Some(last)) = (read.first(), read.last()) else {
            self.session(session_id).await?;
            if let Some(request_id) = at {
                self.turn_ids(request_id).await?;
            }
            let earlier = matches!(place, TurnPlace::After { .. });
            let later = matches!(place, TurnPlace::Before { .. });
            return Ok(TurnPage { turns: Vec::new(), earlier, later });
        };
        let (earlier, later) = (first.ordinal > 1, last.ordinal < last.total);
        Ok(TurnPage { turns: read.into_iter().map(Turn::view).collect(), earlier, later })
    }

    /// Whole turns of these rows, as many as fit.
    async fn read_page(
        &self,
        session_id: SessionId,
        mut rows: impl futures_util::Stream<Item = Result<Row, sqlx::Error>> + Unpin,
        most: usize,
    ) -> Result<Vec<Turn>, StoreError> {
        let mut turns: Vec<Turn> = Vec::with_capacity(most);
        let mut bytes = 0;
        while let Some(row) = rows.try_next().await.map_err(reading)? {
            let begins = turns.last().is_none_or(|turn| turn.ordinal != row.ordinal);
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
        let undone = row.undone.iter().flat_map(|numbers| numbers.split(','));
        Ok(Turn {
            ids,
            ordinal: row.ordinal,
            total: row.total,
            state: match row.state.as_str() {
                "running" if self.runs(ids.request_id, &row.owner) => TurnState::Running,
                // Turns whose process died were marked as interrupted when the session was opened, unless they wait.
                "running" => TurnState::Waiting,
                "interrupted" => TurnState::Interrupted,
                _ => TurnState::Over,
            },
            undone: undone
                .map(|number| number.parse().map_err(StoreError::value))
                .collect::<Result<_, _>>()?,
            compaction_undone: row.compaction_undone,
            events: Joined::default(),
        })
    }
}

impl Turn {
    fn view(self) -> TurnView {
        let envelopes: Vec<Envelope> = self.events.into_envelopes();
        TurnView {
            request_id: self.ids.request_id,
            state: self.state,
            envelopes,
            undone: self.undone,
            compaction_undone: self.compaction_undone,
        }
    }
}
