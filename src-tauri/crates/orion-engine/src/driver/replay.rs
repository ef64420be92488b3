//! Running a recorded turn through its machine again, to see that it says the same (T5).

use orion_core::turn::{Effect, Input, Turn, TurnSetup};
use orion_protocol::{CallId, Code, Envelope, ErrorInfo, RequestId, TurnEvent};
use orion_store::{Store, StoredRow};

use super::recorded::{self, SetupRow};

/// A turn as it was recorded and as its inputs make it now, both with the text between two events in one chunk, whose
/// time is left out: chunk boundaries are the one thing that may differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    pub recorded: Vec<Envelope>,
    pub replayed: Vec<Envelope>,
}

impl Replayed {
    /// True when the turn is what its journal says (T5).
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.recorded == self.replayed
    }
}

/// Replays a turn. That it was interrupted was found out by a later process and is no input of its: that event is left
/// out. So is the content of write sessions, which is recorded as input alone.
pub(crate) async fn replay(store: &Store, request_id: RequestId) -> Result<Replayed, ErrorInfo> {
    let mut turn: Option<Turn> = None;
    let mut said = Vec::new();
    let mut recorded = Vec::new();
    for row in store.journal(request_id).await? {
        match row {
            StoredRow::Event { body, .. } => recorded.push(serde_json::from_str(&body).map_err(unreadable)?),
            StoredRow::Input { at_ms, body } => match &mut turn {
                None => {
                    let (started, effects) = Turn::start(setup(store, request_id, &body).await?);
                    said.extend(effects.into_iter().filter_map(spoken));
                    turn = Some(started);
                }
                Some(turn) => {
                    let input = input(store, request_id, &body).await?;
                    said.extend(turn.step(at_ms, input).into_iter().filter_map(spoken));
                }
            },
        }
    }
    let kept = |envelope: &Envelope| {
        !matches!(envelope.event, TurnEvent::Interrupted | TurnEvent::WriteProgress { .. })
    };
    recorded.retain(kept);
    said.retain(kept);
    Ok(Replayed { recorded: joined(recorded), replayed: joined(said) })
}

pub(super) async fn setup(store: &Store, request_id: RequestId, body: &str) -> Result<TurnSetup, ErrorInfo> {
    let SetupRow { history_bytes, unanswered, setup, .. } = serde_json::from_str(body).map_err(unreadable)?;
    let history = store.history_before(request_id, history_bytes, &unanswered).await?;
    let history = recorded::history(history);
    Ok(TurnSetup { history, ..setup })
}

pub(super) async fn input(store: &Store, request_id: RequestId, body: &str) -> Result<Input, ErrorInfo> {
    let mut input: Input = serde_json::from_str(body).map_err(unreadable)?;
    if let Input::Tool { call_id, outcome, .. } = &mut input {
        outcome.body = stored_body(store, request_id, call_id).await?;
    }
    Ok(input)
}

async fn stored_body(store: &Store, request_id: RequestId, call_id: &CallId) -> Result<String, ErrorInfo> {
    Ok(store.tool_call(request_id, call_id).await?.result.unwrap_or_default())
}

fn spoken(effect: Effect) -> Option<Envelope> {
    match effect {
        Effect::Emit(envelope) | Effect::Show(envelope) => Some(envelope),
        _ => None,
    }
}

fn joined(envelopes: Vec<Envelope>) -> Vec<Envelope> {
    let mut out: Vec<Envelope> = Vec::with_capacity(envelopes.len());
    for mut next in envelopes {
        if next.event.chunk().is_some() {
            next.at_ms = 0;
        }
        if !out.last_mut().is_some_and(|last| last.event.join(&next.event)) {
            out.push(next);
        }
    }
    out
}

fn unreadable(error: serde_json::Error) -> ErrorInfo {
    let message = "This turn was recorded in a form that this version of Orion does not read.";
    ErrorInfo::new(Code::Storage, message, "Replay it with the version that recorded it.")
        .with_detail(error.to_string())
}
