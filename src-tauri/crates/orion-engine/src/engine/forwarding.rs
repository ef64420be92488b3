//! Operations on a turn that another process has (A7): this one leaves them for that process, which does them and says what came of each.
//!
//! So a person stops, steers and answers a turn from wherever they are, and one answer wins, since the machine of the turn alone decides. Which
//! operations those are stands in their table. A process sees what it is asked within [`LOOK`].

use std::time::Duration;

use orion_protocol::{Code, ErrorInfo, Op, Outcome, RequestId, Touched};
use orion_store::{Forwarded, ForwardedState, Neighbour};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::running::not_waiting;

/// The pause between two looks of a process at what others ask of its turn.
const LOOK: Duration = Duration::from_millis(200);

/// The pause between two looks of the asker at what came of it.
const LOOK_BACK: Duration = Duration::from_millis(50);

/// The time that the other process has. A stop waits for the end of the turn, which takes no longer (A4).
const PATIENCE: Duration = Duration::from_secs(10);

impl Engine {
    /// Has the process that has the turn do the operation. None where this one is to do it.
    pub(super) async fn forwarded(&self, op: &Op) -> Option<Result<Outcome, ErrorInfo>> {
        let declared = op.declared();
        let Touched::Turn(request_id) = declared.touches else { return None };
        if !declared.by_owner || self.shared.turns.get(request_id).is_some() {
            return None;
        }
        loop {
            // One that cannot be read now is not another's: the operation says what is wrong.
            let neighbour = self.shared.store.neighbour_with(request_id).await.ok()??;
            // Whoever took the turn over to answer it is the one that answers it.
            if matches!(op, Op::Reply { .. }) && !self.shared.store.waits(request_id).await.ok()? {
                return Some(Err(not_waiting()));
            }
            match self.ask(request_id, neighbour, op).await {
                // The turn may be over, left to this process, or with another one.
                Ok(None) => {}
                Ok(Some(outcome)) => return Some(outcome),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// The outcome of an operation that another process does; none where that did not do it, since it has left the turn, or lives no more.
    async fn ask(
        &self,
        request_id: RequestId,
        neighbour: Neighbour,
        op: &Op,
    ) -> Result<Option<Result<Outcome, ErrorInfo>>, ErrorInfo> {
        let store = &self.shared.store;
        let json = serde_json::to_string(op).map_err(|error| unreadable().with_detail(error.to_string()))?;
        let id = store.forward(request_id, neighbour.clone(), json).await?;
        let until = Instant::now() + PATIENCE;
        loop {
            sleep(LOOK_BACK).await;
            // Found before the state: what it did before it ended is there by then.
            let lives = store.lives(&neighbour);
            let has_it = lives && store.neighbour_with(request_id).await?.as_ref() == Some(&neighbour);
            match store.forwarded_state(id).await? {
                ForwardedState::Ended(outcome) => return Ok(Some(read(&outcome))),
                ForwardedState::Gone => return Ok(None),
                ForwardedState::Untouched if !has_it => {
                    if store.take_back(id).await? {
                        return Ok(None);
                    }
                }
                // The machine of the turn knows what was done, so that it is done once.
                ForwardedState::Begun if !lives => {
                    store.forget_forwarded(id).await?;
                    return Ok(None);
                }
                // It writes what came of it, also of the end of the turn.
                ForwardedState::Untouched | ForwardedState::Begun => {}
            }
            if Instant::now() >= until {
                store.take_back(id).await?;
                let message = "The Orion that has this turn does not answer.";
                let action = "Look at the turn there, or close that one.";
                return Err(ErrorInfo::new(Code::TurnActive, message, action).retryable());
            }
        }
    }

    /// Does what other processes ask of a turn that runs here, until it has ended.
    pub(super) async fn obey_neighbours(&self, request_id: RequestId, ended: CancellationToken) {
        let store = &self.shared.store;
        let mut last = None;
        while ended.run_until_cancelled(sleep(LOOK)).await.is_some() {
            // Only another process changes the version. A database that cannot be read now is looked at again.
            let Ok(found) = store.data_version().await else { continue };
            if last == Some(found) {
                continue;
            }
            let Ok(asked) = store.asked_of(request_id).await else { continue };
            last = Some(found);
            for Forwarded { id, op } in asked {
                // It may take as long as the turn does.
                let engine = self.clone();
                self.shared.tasks.spawn(async move {
                    let outcome = engine.obey_neighbour(request_id, &op).await;
                    if let Ok(json) = serde_json::to_string(&outcome)
                        && let Err(error) = engine.shared.store.forwarded_ended(id, json).await
                    {
                        tracing::warn!(%error, "another process could not be told what came of its operation");
                    }
                });
            }
        }
        if let Err(error) = store.unasked(request_id).await {
            tracing::debug!(%error, "operations that nobody began with were left");
        }
    }

    async fn obey_neighbour(&self, request_id: RequestId, op: &str) -> Result<Outcome, ErrorInfo> {
        let op: Op = serde_json::from_str(op).map_err(|error| unreadable().with_detail(error.to_string()))?;
        let declared = op.declared();
        match declared.by_owner && declared.touches == Touched::Turn(request_id) {
            true => self.submit(op).await,
            false => Err(unreadable()),
        }
    }
}

fn read(outcome: &str) -> Result<Outcome, ErrorInfo> {
    serde_json::from_str(outcome).unwrap_or_else(|error| Err(unreadable().with_detail(error.to_string())))
}

fn unreadable() -> ErrorInfo {
    ErrorInfo::new(
        Code::OtherVersion,
        "The Orion that has this turn speaks another language.",
        "Answer it there, or close that one first.",
    )
}
