//! Turns that another version of Orion wrote and that this one cannot resume (T8). They can still be read, rejected and
//! stopped.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use orion_protocol::{Code, ErrorInfo, Outcome, Reply, RequestId, Sha256, TurnState, TurnView, Update};

use super::Engine;
use crate::driver::{self, Clock};

/// The most turns that [`Versions`] knows: 1,024, about 60 KiB. Few turns are ever open at once.
const KNOWN: usize = 1_024;

/// What is known about turns that are not over. Each journal is replayed once, and again when it has grown, not for
/// every page that shows its turn. The result is only for display: a turn that is to be resumed is replayed anew. When
/// it is full, all of it is forgotten; most of it is then about turns that are over.
#[derive(Debug, Default)]
pub(super) struct Versions(Mutex<HashMap<RequestId, Found>>);

#[derive(Debug, Clone, Copy)]
struct Found {
    /// The last event of the journal that was replayed.
    seq: u32,
    is_other: bool,
}

impl Versions {
    fn get(&self, request_id: RequestId, seq: u32) -> Option<bool> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&request_id).filter(|found| found.seq == seq).map(|found| found.is_other)
    }

    fn keep(&self, request_id: RequestId, found: Found) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN && !known.contains_key(&request_id) {
            known.clear();
        }
        known.insert(request_id, found);
    }
}

impl Engine {
    /// Ends a turn without its machine. What it asks may be refused first.
    pub(super) async fn end_without_machine(
        &self,
        request_id: RequestId,
        refusal: Option<(Sha256, Reply)>,
    ) -> Result<Outcome, ErrorInfo> {
        let at_ms = Clock::start().now_ms();
        let session_id = self.shared.store.turn_ids(request_id).await?.session_id;
        let events = driver::end(&self.shared.store, request_id, at_ms, refusal).await?;
        events.into_iter().for_each(|envelope| self.tell(Update::Event { envelope }));
        self.tell_of_session(session_id).await;
        Ok(Outcome::Done)
    }

    /// Finds out which of these turns cannot be resumed here, among those that have something to resume.
    pub(super) async fn find_other_versions(&self, turns: &mut [TurnView]) -> Result<(), ErrorInfo> {
        for turn in turns {
            let open = matches!(turn.state, TurnState::Waiting | TurnState::Interrupted);
            if open && self.is_of_other_version(turn).await? {
                turn.state = TurnState::OtherVersion;
            }
        }
        Ok(())
    }

    async fn is_of_other_version(&self, turn: &TurnView) -> Result<bool, ErrorInfo> {
        let seq = turn.envelopes.last().map_or(0, |envelope| envelope.seq);
        let versions = &self.shared.versions;
        if let Some(is_other) = versions.get(turn.request_id, seq) {
            return Ok(is_other);
        }
        let is_other = match driver::rebuild(&self.shared.store, turn.request_id).await {
            Err(error) if error.code == Code::OtherVersion => true,
            Ok(_) => false,
            Err(error) => return Err(error),
        };
        versions.keep(turn.request_id, Found { seq, is_other });
        Ok(is_other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn no_more_turns_are_known_than_the_limit_allows() {
        let versions = Versions::default();
        let turn = |n: usize| RequestId(Uuid::from_u128(n as u128));
        let found = |seq| Found { seq, is_other: true };
        let kept = || versions.0.lock().unwrap().len();
        (0..KNOWN).for_each(|n| versions.keep(turn(n), found(1)));
        assert_eq!((kept(), versions.get(turn(0), 1)), (KNOWN, Some(true)));
        versions.keep(turn(0), found(2));
        assert_eq!((kept(), versions.get(turn(0), 1), versions.get(turn(0), 2)), (KNOWN, None, Some(true)));
        versions.keep(turn(KNOWN), found(1));
        assert_eq!((kept(), versions.get(turn(KNOWN), 1), versions.get(turn(0), 2)), (1, Some(true), None));
    }
}
