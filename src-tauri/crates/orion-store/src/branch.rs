//! Going from one branch of a session to another (T9).

use orion_protocol::{RequestId, SessionId};
use sqlx::SqliteConnection;

use crate::error::{StoreError, reading, writing};
use crate::path;
use crate::store::Store;
use crate::writer::Transaction;

impl Store {
    /// The turn that the next message of a session follows. None before the first.
    pub async fn tip(&self, session_id: SessionId) -> Result<Option<RequestId>, StoreError> {
        let mut connection = self.reader().await?;
        let tip = path::tip(&mut connection, &session_id.to_string()).await?;
        tip.map(|tip| tip.turn.parse().map_err(StoreError::value)).transpose()
    }

    /// How many turns of the path there are from this one on. None of them where it is not on the path.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`].
    pub async fn turns_from(&self, request_id: RequestId) -> Result<u32, StoreError> {
        let sql = "SELECT iif(place > 0, (SELECT max(place) FROM turns AS path WHERE path.session_id = turns.session_id) - place + 1, 0)
                   FROM turns WHERE request_id = ?";
        let row: Option<u32> = sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        row.ok_or(StoreError::TurnUnknown(request_id))
    }

    /// Whether other turns of its session follow the same turn as this one.
    pub async fn is_branch(&self, request_id: RequestId) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM turns AS this JOIN turns AS other ON other.session_id = this.session_id
                       AND other.parent_request_id IS this.parent_request_id AND other.request_id <> this.request_id
                   WHERE this.request_id = ?)";
        sqlx::query_scalar(sql)
            .bind(request_id.to_string())
            .fetch_one(&mut *self.reader().await?)
            .await
            .map_err(reading)
    }

    /// Makes the branch that begins with this turn the one that its session goes on with, as far as it had come. Returns the new tip.
    ///
    /// # Errors
    /// [`StoreError::TurnUnknown`], and [`StoreError::TurnActive`] while a turn of the session runs or waits.
    pub async fn switch_branch(&self, request_id: RequestId) -> Result<RequestId, StoreError> {
        let session_id = self.turn_ids(request_id).await?.session_id;
        self.transact(Switch { session_id, request_id }).await
    }
}

struct Switch {
    session_id: SessionId,
    request_id: RequestId,
}

impl Transaction for Switch {
    type Out = RequestId;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<RequestId, StoreError> {
        path::refuse_while_active(connection, self.session_id).await?;
        let session_id = self.session_id.to_string();
        // Where the person was last in it.
        let sql = "WITH RECURSIVE below (request_id, ordinal) AS (
                       SELECT request_id, ordinal FROM turns WHERE request_id = ?1
                       UNION ALL
                       SELECT turns.request_id, turns.ordinal
                       FROM below JOIN turns ON turns.session_id = ?2 AND parent_request_id = below.request_id
                   )
                   SELECT request_id FROM below ORDER BY ordinal DESC LIMIT 1";
        let tip: Option<String> = sqlx::query_scalar(sql)
            .bind(self.request_id.to_string())
            .bind(session_id.clone())
            .fetch_optional(&mut *connection)
            .await
            .map_err(writing)?;
        let tip = tip.ok_or(StoreError::TurnUnknown(self.request_id))?;
        path::move_tip(connection, &session_id, Some(&tip)).await?;
        tip.parse().map_err(StoreError::value)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use orion_protocol::{Envelope, PROTOCOL_VERSION, Phase, TurnEvent, TurnIds, TurnPlace};
    use proptest::prelude::*;
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;
    use crate::{Begin, NewTurn, Past, Reach, Record, TextKind};

    /// A turn that says its own id, and perhaps comes in the place of another one.
    struct Says {
        ids: TurnIds,
        instead_of: Option<RequestId>,
    }

    impl Begin for Says {
        type Out = Past;

        fn reach(&self) -> Reach {
            Reach::ALL
        }

        fn instead_of(&self) -> Option<RequestId> {
            self.instead_of
        }

        fn begin(&self, past: Past) -> Result<(Vec<Record>, Past), StoreError> {
            let TurnIds { request_id, session_id, project_id } = self.ids;
            let event = TurnEvent::Interrupted;
            let (v, seq, at_ms, phase, tool_batch_id) = (PROTOCOL_VERSION, 1, 1, Phase::ActionPhase, None);
            let envelope =
                Envelope { v, request_id, session_id, project_id, seq, at_ms, phase, tool_batch_id, event };
            let said = Record::Text { kind: TextKind::Said, body: request_id.to_string() };
            Ok((vec![Record::event(&envelope)?, said], past))
        }
    }

    /// A session beside what it is to be.
    struct Desk {
        store: Store,
        ids: TurnIds,
        /// Each turn with its parent, in the order they began.
        turns: Vec<(RequestId, Option<RequestId>)>,
        tip: Option<RequestId>,
    }

    impl Desk {
        async fn at(folder: &Path) -> Self {
            let store = Store::open(folder).await.unwrap();
            let project_id = store.open_project("/a/project", "project", 1).await.unwrap().project_id;
            let session_id = store.new_session(project_id, 1).await.unwrap().session_id;
            let ids = TurnIds { request_id: RequestId(Uuid::nil()), session_id, project_id };
            Self { store, ids, turns: Vec::new(), tip: None }
        }

        async fn send(&mut self, instead_of: Option<RequestId>) {
            let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), ..self.ids };
            let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
            let (journal, past) = self.store.begin_turn(turn, Says { ids, instead_of }).await.unwrap();
            journal.finish(Vec::new(), 2).await.unwrap();
            let parent = instead_of.map_or(self.tip, |other| self.parent(other));
            self.turns.push((ids.request_id, parent));
            self.tip = Some(ids.request_id);
            // X1: what it is given follows the parents, not the order in time.
            assert_eq!(past.parent, parent);
            let mut given: Vec<RequestId> = past.earlier.iter().map(|turn| turn.request_id).collect();
            given.reverse();
            assert_eq!(given, self.path_to(parent));
        }

        async fn switch(&mut self, request_id: RequestId) {
            let tip = self.store.switch_branch(request_id).await.unwrap();
            let last = self.turns.iter().rfind(|(id, _)| self.path_to(Some(*id)).contains(&request_id));
            assert_eq!(Some(tip), last.map(|(id, _)| *id));
            self.tip = Some(tip);
        }

        fn parent(&self, request_id: RequestId) -> Option<RequestId> {
            self.turns.iter().find(|(id, _)| *id == request_id).and_then(|(_, parent)| *parent)
        }

        fn path_to(&self, tip: Option<RequestId>) -> Vec<RequestId> {
            let mut path: Vec<RequestId> = std::iter::successors(tip, |id| self.parent(*id)).collect();
            path.reverse();
            path
        }

        /// The pages show the path and the branches beside it, from either end.
        async fn check(&self) {
            let path = self.path_to(self.tip);
            assert_eq!(self.store.tip(self.ids.session_id).await.unwrap(), self.tip);
            let (mut back, mut place) = (Vec::new(), TurnPlace::Newest);
            loop {
                let page = self.store.session_page(self.ids.session_id, place, 2).await.unwrap();
                assert!(!page.anew);
                for turn in &page.turns {
                    let parent = self.parent(turn.request_id);
                    let siblings = self.turns.iter().filter(|(_, it)| *it == parent).map(|(id, _)| *id);
                    assert_eq!(turn.aftermath.branches, siblings.collect::<Vec<_>>());
                    let alone = self.store.aftermath(&[turn.request_id]).await.unwrap();
                    assert_eq!(alone, [(turn.request_id, turn.aftermath.clone())].into());
                }
                back.splice(..0, page.turns.iter().map(|turn| turn.request_id));
                if !page.earlier {
                    break;
                }
                place = TurnPlace::Before { request_id: back[0] };
            }
            assert_eq!(back, path);
            for (id, _) in &self.turns {
                let place = TurnPlace::After { request_id: *id };
                let page = self.store.session_page(self.ids.session_id, place, 50).await.unwrap();
                let shown: Vec<RequestId> = page.turns.iter().map(|turn| turn.request_id).collect();
                match path.iter().position(|other| other == id) {
                    Some(at) => assert_eq!((page.anew, &shown[..]), (false, &path[at + 1..])),
                    None => assert_eq!((page.anew, &shown[..]), (true, &path[..])),
                }
            }
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        Send,
        InsteadOf(prop::sample::Index),
        Switch(prop::sample::Index),
    }

    fn step() -> impl Strategy<Value = Step> {
        let index = any::<prop::sample::Index>;
        prop_oneof![
            2 => Just(Step::Send),
            2 => index().prop_map(Step::InsteadOf),
            1 => index().prop_map(Step::Switch)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        // T9
        #[test]
        fn the_pages_show_the_way_to_the_tip_whatever_was_branched_off(steps in prop::collection::vec(step(), 1..14)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let folder = TempDir::new().unwrap();
                let mut desk = Desk::at(folder.path()).await;
                for step in steps {
                    let of = |index: prop::sample::Index| index.get(&desk.turns).0;
                    match step {
                        Step::InsteadOf(index) if !desk.turns.is_empty() => {
                            let other = of(index);
                            desk.send(Some(other)).await;
                        }
                        Step::Switch(index) if !desk.turns.is_empty() => {
                            let other = of(index);
                            desk.switch(other).await;
                        }
                        _ => desk.send(None).await,
                    }
                }
                desk.check().await;
            });
        }
    }

    #[tokio::test]
    async fn no_branch_is_chosen_while_a_turn_runs_and_none_of_another_session() {
        let folder = TempDir::new().unwrap();
        let mut desk = Desk::at(folder.path()).await;
        desk.send(None).await;
        let first = desk.turns[0].0;
        let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), ..desk.ids };
        let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
        let begun = desk.store.begin_turn(turn, Says { ids, instead_of: Some(first) }).await.unwrap();
        let refused = desk.store.switch_branch(first).await.unwrap_err();
        assert_eq!(refused, StoreError::TurnActive(ids.session_id));
        begun.0.finish(Vec::new(), 2).await.unwrap();

        let other = desk.store.new_session(ids.project_id, 1).await.unwrap().session_id;
        let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id: other, ..ids };
        let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
        let refused = desk.store.begin_turn(turn, Says { ids, instead_of: Some(first) }).await;
        assert_eq!(refused.map(|_| ()).unwrap_err(), StoreError::TurnUnknown(first));
        assert_eq!(desk.store.session(other).await.unwrap().turns, 0);
    }

    #[tokio::test]
    async fn a_page_is_read_from_the_index_of_the_path() {
        let folder = TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        for sql in crate::page::STATEMENTS {
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")))
                    .fetch_all(&mut *store.reader().await.unwrap())
                    .await
                    .unwrap();
            let steps: Vec<&String> = plan.iter().map(|(.., step)| step).collect();
            assert!(
                steps.iter().any(|it| it.contains("turns_of_path (session_id=? AND place>")),
                "{steps:?}"
            );
            assert!(
                steps.iter().any(|it| it.contains("turns_of_parent (session_id=? AND parent_request_id=?)")),
                "{steps:?}"
            );
            let slow = |it: &&&String| {
                it.starts_with("SCAN") || it.contains("FOR ORDER BY") && !it.contains("group_concat")
            };
            assert_eq!(steps.iter().filter(slow).count(), 0, "{steps:?}");
        }
    }
}
