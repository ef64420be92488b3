//! Keeps what was said in a turn whose process died, for the turns that follow it (X1). The turn stays interrupted, and can be resumed.
//!
//! A turn keeps the count of its model's tokens (`turns.gauge`) together with what was said in it. So an interrupted turn without a count is one
//! whose texts are not kept yet, or not since it was resumed.
//!
//! Deliberately not here: what was said in it, which the engine finds in its journal.

use orion_protocol::RequestId;
use sqlx::SqliteConnection;

use crate::error::{StoreError, writing};
use crate::journal::{self, Record};
use crate::store::Store;
use crate::writer::Transaction;

impl Store {
    /// Keeps texts of an interrupted turn. False, and nothing is kept, where the turn is not as the caller has read it: its last event
    /// was `seq`, and `said` items of it were kept. Another process may have resumed it, or done the same.
    pub async fn keep_broken_off(
        &self,
        request_id: RequestId,
        (seq, said): (u32, usize),
        records: Vec<Record>,
    ) -> Result<bool, StoreError> {
        let said = i64::try_from(said).unwrap_or(i64::MAX);
        self.transact(KeepBrokenOff { request_id, seq, said, records }).await
    }
}

impl Store {
    /// Remembers that nothing can be known of what was said in an interrupted turn, so that nobody looks at it again.
    pub async fn give_up_broken_off(&self, request_id: RequestId) -> Result<(), StoreError> {
        self.transact(GiveUp(request_id)).await
    }
}

/// A count of no tokens, in JSON.
const NO_COUNT: &str = "null";

struct GiveUp(RequestId);

impl Transaction for GiveUp {
    type Out = ();

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let sql =
            "UPDATE turns SET gauge = ? WHERE request_id = ? AND state = 'interrupted' AND gauge IS NULL";
        let marked = sqlx::query(sql).bind(NO_COUNT).bind(self.0.to_string()).execute(connection).await;
        marked.map(drop).map_err(writing)
    }
}

struct KeepBrokenOff {
    request_id: RequestId,
    seq: u32,
    said: i64,
    /// None of them is a row of the journal.
    records: Vec<Record>,
}

impl Transaction for KeepBrokenOff {
    type Out = bool;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM turns WHERE request_id = ?1 AND state = 'interrupted')
                       AND (SELECT max(seq) FROM journal WHERE request_id = ?1) = ?2
                       AND (SELECT count(*) FROM turn_texts WHERE request_id = ?1 AND kind = 'said') = ?3";
        let is_as_read: Option<bool> = sqlx::query_scalar(sql)
            .bind(self.request_id.to_string())
            .bind(self.seq)
            .bind(self.said)
            .fetch_one(&mut *connection)
            .await
            .map_err(writing)?;
        if is_as_read == Some(true) {
            journal::insert(connection, self.request_id, 0, &self.records).await?;
        }
        Ok(is_as_read == Some(true))
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::{Envelope, PROTOCOL_VERSION, Phase, TurnEvent, TurnIds};
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::{Begin, NewTurn, Past, Taking, TextKind};

    /// A turn that says its number, and may not know that its parent was interrupted.
    struct Says(TurnIds, Option<RequestId>);

    impl Begin for Says {
        type Out = Past;

        fn reach(&self) -> crate::Reach {
            crate::Reach::ALL
        }

        fn knows(&self, interrupted: RequestId) -> bool {
            self.1 == Some(interrupted)
        }

        fn begin(&self, past: Past) -> Result<(Vec<Record>, Past), StoreError> {
            let TurnIds { request_id, session_id, project_id } = self.0;
            let event = TurnEvent::Resumed;
            let (v, seq, at_ms, phase, tool_batch_id) = (PROTOCOL_VERSION, 1, 1, Phase::ActionPhase, None);
            let envelope =
                Envelope { v, request_id, session_id, project_id, seq, at_ms, phase, tool_batch_id, event };
            Ok((vec![Record::event(&envelope)?, text("asked")], past))
        }
    }

    fn text(body: &str) -> Record {
        Record::Text { kind: TextKind::Said, body: body.to_owned() }
    }

    // X1, A5
    #[tokio::test]
    async fn what_was_said_in_an_interrupted_turn_is_kept_once_and_never_of_one_that_goes_on() {
        let folder = TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project_id = store.open_project("/a/project", "project", 1).await.unwrap().project_id;
        let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
        let turn = || TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
        let begin = async |ids: TurnIds, knows| {
            store.begin_turn(NewTurn { ids, at_ms: 1, title: "?".into() }, Says(ids, knows)).await
        };
        let first = turn();
        let id = first.request_id;
        let (journal, _) = begin(first, None).await.unwrap();
        let records = || vec![text("said"), Record::Gauge("{}".into())];
        let keep = async |state| store.keep_broken_off(id, state, records()).await.unwrap();
        assert!(!keep((1, 1)).await, "it runs");
        drop(journal);
        // Whoever begins the next turn finds it, and is not let through before it was looked at.
        assert_eq!(begin(turn(), None).await.map(drop).unwrap_err(), StoreError::BrokeOff(id));
        assert_eq!([keep((1, 1)).await, keep((2, 2)).await], [false, false], "it is not as it was read");
        assert_eq!([keep((2, 1)).await, keep((2, 1)).await], [true, false], "once");
        let taken = store.take_over(first, Taking::ToGoOn).await.unwrap();
        assert!(!keep((2, 2)).await, "it was resumed");
        drop(taken);
        let (journal, past) = match begin(turn(), Some(id)).await {
            Err(StoreError::BrokeOff(other)) => panic!("{other}"),
            begun => begun.unwrap(),
        };
        let said: Vec<&str> = past.earlier[0].items.iter().map(|item| item.body.as_str()).collect();
        assert_eq!((past.parent, said), (Some(id), vec!["asked", "said"]));
        journal.finish(Vec::new(), 2).await.unwrap();
        // The first one was resumed, so it may have said more.
        assert_eq!(begin(turn(), None).await.map(drop).unwrap_err(), StoreError::BrokeOff(id));
        store.give_up_broken_off(id).await.unwrap();
        assert!(begin(turn(), None).await.is_ok(), "nobody looks at it again");
    }
}
