//! Replaying a recorded turn, for a person to see whether it is what its journal says (T5, T8).

use futures_util::future::BoxFuture;
use orion_protocol::{Code, Envelope, ErrorInfo, Replay, ReplayDifference, RequestId};
use serde_json::Value;

use super::Engine;
use crate::driver::{self, Difference, Replayed};

/// Bytes of a value that are shown.
const SHOWN: usize = 2_000;

impl Engine {
    /// Runs a recorded turn through its machine again, to compare (T5). No model is called and no tool runs.
    pub fn replay(&self, request_id: RequestId) -> BoxFuture<'_, Result<Replayed, ErrorInfo>> {
        Box::pin(async move {
            if let Some(turn) = self.shared.turns.get(request_id) {
                turn.flush().await;
            }
            let store = self.shared.store.clone();
            // A journal may come from anywhere: one on which the machine fails is none that it wrote.
            let run = tokio::spawn(async move { driver::replay(&store, request_id).await });
            let replayed = run.await.unwrap_or_else(|_panic| Err(broken()));
            if !replayed.as_ref().is_ok_and(Replayed::is_same) && self.was_redacted(request_id).await {
                return Err(redacted());
            }
            replayed
        })
    }

    pub(super) async fn replay_view(&self, request_id: RequestId) -> Result<Replay, ErrorInfo> {
        let Replayed { recorded, unknown_flags, difference, .. } = self.replay(request_id).await?;
        let events = u32::try_from(recorded.len()).unwrap_or(u32::MAX);
        let difference = difference.map(|difference| self.difference_shown(difference)).transpose()?;
        Ok(Replay { request_id, events, unknown_flags, difference })
    }

    fn difference_shown(&self, difference: Difference) -> Result<ReplayDifference, ErrorInfo> {
        let Difference { number, field, recorded, replayed } = difference;
        let place = recorded.as_ref().or(replayed.as_ref()).cloned().unwrap_or_default();
        let event = place.pointer("/event/type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Envelope { seq, phase, tool_batch_id, .. } =
            serde_json::from_value(place).map_err(|_| broken())?;
        let value = |event: Option<Value>| {
            let value = match &field {
                Some(field) => at(&event?, field)?.to_string(),
                None => event?.to_string(),
            };
            let value = self.shared.options.keys.redactor().redact(&value);
            let end = value.floor_char_boundary(SHOWN);
            let more = if end < value.len() { "…" } else { "" };
            Some(format!("{}{more}", &value[..end]))
        };
        Ok(ReplayDifference {
            number: u32::try_from(number).unwrap_or(u32::MAX),
            seq,
            phase,
            tool_batch_id,
            event,
            recorded: value(recorded),
            replayed: value(replayed),
            field,
        })
    }
}

/// A field of an event, by the names on the way to it.
fn at<'v>(event: &'v Value, field: &str) -> Option<&'v Value> {
    field.split('.').filter(|name| !name.is_empty()).try_fold(event, |value, name| match value {
        Value::Array(values) => values.get(name.parse::<usize>().ok()?),
        value => value.get(name),
    })
}

fn redacted() -> ErrorInfo {
    ErrorInfo::new(
        Code::OtherVersion,
        "Secrets were taken out of this session when it was exported, so this turn cannot be replayed.",
        "Replay it where it was exported.",
    )
}

fn broken() -> ErrorInfo {
    ErrorInfo::new(
        Code::OtherVersion,
        "This turn was recorded in a way that this Orion cannot replay.",
        "Look at the turn with the version that wrote it.",
    )
}
